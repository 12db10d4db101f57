"""Takes the pictures of the pages in `docs/img` again: ``python -m tests.docs.screenshots [NAME …]``.

Each is taken in Chromium from the application itself, with games drawn from a fixed seed. Look at them before you
commit them.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from records import Position
from service import create_app
from service.boards.status import BoardStatus, Choice, Refusal, read_status, status_json
from service.games.annotations import Edit, annotate
from service.games.disputes import open_dispute
from service.games.write import Write
from service.http.access.caller import SESSION
from service.http.context import services_of
from service.http.services import Services
from service.storage import BoardRow
from tests.docs.pages import ROOT
from tests.service.http.web.browsing import BROWSERS

FOLDER = ROOT / "docs" / "img"
DESK = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
PLAYERS = ("Naisula", "Lemayian", "Wanjikũ", "Koinet", "Nasieku", "Tipape", "Amina", "Yusuf", "Nkatha", "Barasa",
           "Hodan", "Cabdi")  # fmt: skip
DEVICE = {"firmware": "1.1.0", "can": ["buttons", "cal", "leds"], "row": 8, "stores": True}
WRITE = Write("page:Naisula", actor="Naisula")
IMPORTED = """[Game "oware"]
[South "Hodan"]
[North "Cabdi"]

1. c C 2. d *

[Game "oware"]
[South "Amina"]

1. c C
2. zz D *
"""


class Club:
    """The games, boards and disputes of a club, and the pages that show them."""

    def __init__(self, services: Services, base: str) -> None:
        self.services = services
        self.games = services.games
        self.base = base

    def game(self, turns: int, game: str = "enkeshui", *, number: int = 0, **options: object) -> str:
        """A game with so many turns, drawn from its number."""
        names = PLAYERS[2 * number % len(PLAYERS)], PLAYERS[(2 * number + 1) % len(PLAYERS)]
        tags = {"South": names[0], "North": names[1], "Event": "Narok Open", "Round": "3", "Board": f"{number + 1}"}
        draw = random.Random(number)
        options = {"pits": 8, "setup": "fours-right", **options} if game == "enkeshui" else options
        game_id = self.games.create(game, options, tags, Write("api")).id
        for _ in range(turns):
            legal = self.games.load(game_id).legal(20)
            if not legal:
                break
            self.games.play(game_id, draw.choice(legal), Write("api"))
        return game_id

    def board(self, game_id: str, **status: object) -> str:
        """A connected board at a game, with what it reports."""
        position = Position.parse(self.games.row(game_id).position)
        counts = [float(count) for count in (*position.pits, *position.stores)]
        data = {
            **status_json(BoardStatus("connected", "The board is as the record has it.")),
            "counts": counts, "device": {**DEVICE, "row": position.row}, "buttons": True, **status,
        }  # fmt: skip
        number, time = len(self.services.boards.open()) + 1, "2026-11-20T18:00:00Z"
        row = BoardRow(
            f"board-{number}", "inkeek", f"/dev/ttyACM{number}", game_id, "open", f"NK-{number:03}", "0000beef", 3,
            data, 1, time, time,
        )  # fmt: skip
        with self.services.store.writing() as transaction:
            transaction.boards.add(row)
        return row.id

    def skipped(self, game_id: str) -> dict[str, Any]:
        """What a board reports after a turn in which the hands skipped a pit."""
        snapshot = self.games.load(game_id)
        turn = next(
            turn for move in snapshot.legal(20) if (turn := snapshot.rules.play(snapshot.position, move)).laps > 1
        )
        counts = [float(count) for count in (*turn.position.pits, *turn.position.stores)]
        full = [pit for pit in range(2 * turn.position.row) if counts[pit]]
        counts[full[0]] -= 1
        counts[full[-1]] += 1
        mend = {str(full[0]): 1, str(full[-1]): -1}
        side, number = str(snapshot.position.to_move), f"{snapshot.row.ply // 2 + 1}."
        refusal = Refusal(
            snapshot.row.ply + 1, number, side, "skipped", str(turn.move), "Nothing was recorded: no legal "
            "turn leads to this board.", (), mend,
        )  # fmt: skip
        first, last = snapshot.position.letter(full[0]), snapshot.position.letter(full[-1])
        sentences = [
            f"Pit {first} holds one seed too few: a lap skipped it.",
            f"To correct the board for {turn.move}: take one seed from pit {last}, put one seed into pit {first}.",
        ]
        return {
            "counts": counts,
            "mend": mend,
            "refusal": asdict(refusal),
            "sentences": sentences,
            "message": "",
            "verdict": "no-fit",
        }

    def log(self, board_id: str, kind: str, **data: object) -> None:
        boards = self.services.boards
        boards.update_status(board_id, read_status(boards.get(board_id).status), (kind, data))


def live(club: Club, page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 1150})
    game_id = club.game(4, number=1)
    club.board(game_id, **club.skipped(game_id))
    show(club, page, f"/games/{game_id}/live", "[data-live][data-following]")


def board(club: Club, page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 1280, "height": 640})
    game_id = club.game(13, "layli-goobalay", number=2)
    show(club, page, f"/games/{game_id}/live", "[data-live][data-following]")
    page.hover(".pit.legal .hollow >> nth=4", force=True)
    page.wait_for_selector("[data-bubble]:not(:empty)")


def phone(club: Club, page: Page) -> None:
    page.set_viewport_size(PHONE)
    game_id = club.game(7, number=3, pits=12, setup="triples")
    show(club, page, f"/games/{game_id}/live", "[data-live][data-following]")


def review(club: Club, page: Page) -> None:
    game_id = club.game(14, number=4)
    snapshot = club.games.load(game_id)
    other = [{"move": str(move)} for move in snapshot.rules.legal_moves(snapshot.turn(5).before)[:1]]
    edits = [
        Edit("a", "comment", "A quiet turn, and yet all of the match turns on it.", 4),
        Edit("b", "nag", 1, 4),
        Edit("c", "nag", 6, 7),
        Edit("d", "variation", {"plies": other}, 5),
        *(Edit(f"e{ply}", "comment", f"[%eval {2.5 - (ply * 37 % 11) / 2}]", ply) for ply in range(1, 15)),
    ]
    annotate(club.games, game_id, edits, WRITE, is_arbiter=False)
    show(club, page, f"/games/{game_id}/review?ply=7", "[data-review][data-ready]")


def dispute(club: Club, page: Page) -> None:
    game_id = club.game(6, number=5)
    position = Position.parse(club.games.row(game_id).position)
    pits = list(position.pits)
    full = [pit for pit, seeds in enumerate(pits) if seeds]
    pits[full[0]] -= 1
    pits[full[1]] += 1
    lies = str(position.replaced(pits=tuple(pits)))
    found = open_dispute(club.games, game_id, "South", "North skipped a pit of mine", WRITE, lies)
    show(club, page, f"/games/{game_id}/disputes/{found.seq}", "[data-finding]")


def hall(club: Club, page: Page) -> None:
    games = [club.game(3 + 2 * number, number=number) for number in range(6)]
    games += [club.game(8, "anywoli", number=number) for number in (6, 7)]
    games += [club.game(9, number=8, pits=12, setup="triples")]
    snapshot = club.games.load(games[1])
    moves = [str(move) for move in snapshot.legal(2)]
    choices = tuple(
        Choice(move, share, f"{snapshot.position.to_move} played {move}.", True)
        for move, share in zip(moves, (0.81, 0.17), strict=False)
    )
    refusal = Refusal(
        snapshot.row.ply + 1, "3.", "South", "ambiguous", moves[0], "Two turns fit what lies on the board.", (), {},
        choices, "0000beef:3",
    )  # fmt: skip
    club.board(games[1], refusal=asdict(refusal))
    club.board(games[0])
    open_dispute(club.games, games[5], "South", "A pit was skipped", WRITE)
    page.set_viewport_size({"width": 1440, "height": 1000})
    show(club, page, "/events/narok%20open/hall", "[data-hall][data-following]")


def boards(club: Club, page: Page) -> None:
    for number in range(3):
        game_id = club.game(5 + number, number=number)
        club.board(game_id, **(club.skipped(game_id) if number == 1 else {}))
    show(club, page, "/boards", "[data-follow][data-following]")


def calibration(club: Club, page: Page) -> None:
    game_id = club.game(0, number=0)
    counts = [0.0] * 18
    counts[3] = 10.02
    board_id = club.board(game_id, counts=counts, message="The board is not laid out yet.", note="c is calibrated.")
    club.log(board_id, "calibration-asked", pit=None, seeds=0)
    for sensor in range(18):
        club.log(board_id, "calibrated", pit=sensor, ok=True)
    for sensor in range(3):
        club.log(board_id, "calibration-asked", pit=sensor, seeds=10)
        club.log(board_id, "calibrated", pit=sensor, ok=True)
    page.set_viewport_size({"width": 1280, "height": 1000})
    show(club, page, f"/boards/{board_id}", "[data-follow][data-following]")


def imported(club: Club, page: Page) -> None:
    show(club, page, "/import", "#import[data-ready]")
    page.set_input_files("#file", files=[{"name": "a.pmn", "mimeType": "text/plain", "buffer": IMPORTED.encode()}])
    page.wait_for_selector("[data-import='checked']")


def new(club: Club, page: Page) -> None:
    show(club, page, "/games/new?game=enkeshui", "form")


def event(club: Club, page: Page) -> None:
    for number in range(6):
        club.game(500, "oware", number=number)
    show(club, page, "/events/narok%20open", "main")


PICTURES: dict[str, Callable[[Club, Page], None]] = {
    "live": live,
    "board": board,
    "phone": phone,
    "review": review,
    "dispute": dispute,
    "hall": hall,
    "boards": boards,
    "calibration": calibration,
    "import": imported,
    "new": new,
    "event": event,
}


def show(club: Club, page: Page, path: str, ready: str) -> None:
    page.goto(club.base + path, wait_until="load")
    page.wait_for_selector(ready)


class _Quiet(WSGIRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nobody reads the requests."""


@contextmanager
def club_of_its_own() -> Iterator[Club]:
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"data": folder, "stream_poll": 0.02})
        services = services_of(app)
        services.store.upgrade()
        server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
        thread = threading.Thread(target=server.serve_forever, name="served")
        thread.start()
        try:
            yield Club(services, f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
            services.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Take the pictures of the pages again.")
    parser.add_argument("names", nargs="*", choices=[[], *PICTURES], metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("--to", type=Path, default=FOLDER, help="folder of the pictures")
    options = parser.parse_args()
    path = next(found for found in map(shutil.which, BROWSERS) if found)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name in options.names or PICTURES:
            with club_of_its_own() as club:
                session = club.services.keys.create(SESSION, "Naisula", ("admin",), None)[1]
                context = browser.new_context(viewport=DESK, color_scheme="light", locale="en")
                port = club.base.rpartition(":")[2]
                context.add_cookies([{"name": f"inkeek_{port}", "value": session, "url": club.base}])
                page = context.new_page()
                PICTURES[name](club, page)
                picture = Image.open(BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
                picture.quantize(256, dither=Image.Dither.FLOYDSTEINBERG).save(
                    options.to / f"{name}.png", optimize=True
                )
                context.close()
            print(f"{name}.png", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
