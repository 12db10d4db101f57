"""A club for tests and pictures of the pages: its games, boards and disputes, and the application that shows them."""

from __future__ import annotations

import random
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

from inkeek.records import Position
from inkeek.service import create_app
from inkeek.service.boards.status import BoardStatus, Refusal, read_status, status_json
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import SESSION
from inkeek.service.http.context import services_of
from inkeek.service.http.services import Services
from inkeek.service.storage import BoardRow

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

PLAYERS = ("Naisula", "Lemayian", "Wanjikũ", "Koinet", "Nasieku", "Tipape", "Amina", "Yusuf", "Nkatha", "Barasa",
           "Hodan", "Cabdi")  # fmt: skip
DEVICE = {"firmware": "1.1.0", "can": ["buttons", "cal", "leds"], "row": 8, "stores": True}


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

    def session(self, *scopes: str) -> str:
        """The secret of a browser in which Naisula is signed in."""
        return self.services.keys.create(SESSION, "Naisula", scopes, None)[1]

    def log(self, board_id: str, kind: str, **data: object) -> None:
        boards = self.services.boards
        boards.update_status(board_id, read_status(boards.get(board_id).status), (kind, data))


class _Quiet(WSGIRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nobody reads the requests."""


@contextmanager
def serving(app: Flask) -> Iterator[str]:
    """The application behind a real server; its address."""

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterator[bytes]:
        # Werkzeug's server leaves a response open, and with it a file, when a browser hangs up at the wrong moment.
        with closing(app(environ, start_response)) as response:
            yield from response

    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=server.serve_forever, name="served")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(60)
        server.server_close()


@contextmanager
def club_of_its_own() -> Iterator[Club]:
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"data": folder, "stream_poll": 0.02, "finding_time": 600.0})
        services = services_of(app)
        services.store.upgrade()
        try:
            with serving(app) as base:
                yield Club(services, base)
        finally:
            services.close()
