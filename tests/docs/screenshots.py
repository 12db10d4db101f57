"""Takes the pictures of the pages in `docs/img` again: ``python -m tests.docs.screenshots [NAME …]``.

Each is taken in Chromium from the application itself, with games drawn from a fixed seed. Look at them before you
commit them.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from dataclasses import asdict
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from inkeek.records import Position
from inkeek.service.boards.status import Choice, Refusal
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.games.annotations import Edit, annotate
from inkeek.service.games.write import Write
from tests.docs.pages import ROOT
from tests.service.http.web.browsing import BROWSERS
from tests.service.http.web.club import Club, club_of_its_own

FOLDER = ROOT / "docs" / "img"
DESK = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
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
        *(Edit(f"e{ply}", "comment", f"[%value {2.5 - (ply * 37 % 11) / 2}]", ply) for ply in range(1, 15)),
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
    page.click(".options:has(.set-ups) > summary")


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
                session = club.session("admin")
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
