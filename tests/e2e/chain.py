"""The whole chain (hands, board, cable, desk, storage, service, HTTP), and what must hold when the game is over."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from inkeek.records import Game, Turn, read_games
from inkeek.service.games.record_check import DERIVED_TAGS
from tests.e2e.processes import Service, SimulatedBoard
from tests.service.waiting import until

EXAMPLE = Path(__file__).parents[2] / "docs/examples/enkeshui.pmn"
PATIENCE = 60.0  # seconds between two events of the hands, whatever is killed or unplugged


def read_record(path: Path) -> Game:
    """The first game of a file."""
    return next(read_games(path))


class Chain:
    """A service with one game, played on a simulated board by hands that follow `record`.

    `options` are the simulator's. Entering starts the service (`service` runs already) and the board, and binds them
    over HTTP.
    """

    def __init__(
        self,
        folder: Path,
        record: Path,
        *options: str,
        tcp: bool = False,
        speed: str = "max",
        serial: str = "SIM-0001",
        service: Service | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.record = read_record(record)
        self.turns: Sequence[Turn] = self.record.replay().turns
        self.service = service or Service(folder)
        self._owns_service = service is None
        self._serial = serial
        self._patience = patience
        line = ["--tcp", "127.0.0.1:0"] if tcp else ["--pty", "--link", str(folder / "board")]
        self.board = SimulatedBoard(
            folder, *line, "--play", str(record), "--speed", speed, "--serial", serial, *options
        )
        self.game_id = self.board_id = ""
        self._stack = ExitStack()

    def __enter__(self) -> Chain:
        with ExitStack() as stack:
            if self._owns_service:
                stack.callback(self.service.stop)
                self.service.start()
            stack.enter_context(self.board)
            rules = self.record.rules()
            tags = {name: value for name, value in self.record.tags.items() if name not in DERIVED_TAGS}
            game = {"game": rules.id, "options": dict(rules.changed), "tags": tags}
            self.game_id = str(self.client.post("/api/v1/games", game)["id"])
            bound = {"port": self.board.url, "driver": "inkeek", "game": self.game_id}
            self.board_id = str(self.client.post("/api/v1/boards", bound)["id"])
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            error.add_note(f"the hands' last events: {json.dumps(self.board.events_so_far[-8:])}")
            if self.board_id:
                error.add_note(f"the board: {json.dumps(self._last_said())}")
            error.add_note(self.service.errors()[-4000:])
        self._stack.close()

    @property
    def client(self) -> Any:
        return self.service.client

    def get(self, path: str = "") -> Any:
        """GET the game, or a resource below it."""
        return self.client.get(f"/api/v1/games/{self.game_id}{path}")

    def log(self) -> list[dict[str, Any]]:
        """The board's log."""
        items: list[dict[str, Any]] = self.client.get(f"/api/v1/boards/{self.board_id}/log")["items"]
        return items

    def kinds(self) -> list[str]:
        return [str(entry["kind"]) for entry in self.log()]

    def _last_said(self) -> Any:
        try:
            return self.status(), self.log()[-12:]
        except Exception as error:  # noqa: BLE001 - the service may be gone; what failed before is told
            return repr(error)

    def status(self) -> dict[str, Any]:
        status: dict[str, Any] = self.client.get(f"/api/v1/boards/{self.board_id}")["status"]
        return status

    def played(self, ply: int) -> None:
        """Wait until the hands have seen that turn `ply` was accepted."""
        self.board.until("turn", PATIENCE, ply)

    def reached(self, ply: int) -> bool:
        """Wait until the hands have seen a turn from `ply` on accepted. Return False if the game is over."""
        while not (list(self.board.events("finished")) or any(e["ply"] >= ply for e in self.board.events("turn"))):
            self.board.until("turn", PATIENCE)
        return not list(self.board.events("finished"))

    def finish(self) -> None:
        """Wait until the hands have played the game, then check that the record is what they played."""
        finished = next(self.board.events("finished"), None) or self.board.until("finished", self._patience)
        assert [finished["moves"], finished["position"]] == [self.moves, self.end]
        assert not list(self.board.events("unnoticed"))
        # The hands can be early: where the same side moves again, they may take the lights of a restarted desk
        # for the answer to their button (tests/faults/test_lights.py).
        until(lambda: self.get()["ply"] >= len(self.moves), self._patience)
        self.check()

    @property
    def moves(self) -> list[str]:
        return [str(turn.move) for turn in self.turns]

    @property
    def end(self) -> str:
        return str(self.turns[-1].position)

    def check(self) -> None:
        """Check that the stored game, read over HTTP, is exactly the record that was played."""
        stored = self.get()
        assert [ply["move"] for ply in self.get("/replay")["plies"]] == self.moves
        (written,) = read_games(self.client.text(f"/api/v1/games/{self.game_id}.pmn").splitlines(keepends=True))
        assert written.errors == ()
        assert [str(turn.move) for turn in written.replay().turns] == self.moves
        outcome = self.record.rules().outcome(self.turns[-1].position)
        assert (stored["position"], stored["ply"]) == (self.end, len(self.moves))
        assert stored["state"] == ("live" if outcome is None else "ended")
        assert stored["result"] == ("*" if outcome is None else outcome.result) == written.tags["Result"]
        assert self.get("/integrity")["faults"] == []
        text = self.client.text(f"/api/v1/games/{self.game_id}/events?format=ndjson")
        events = [json.loads(line) for line in text.splitlines()]
        kinds = ["created", *["turn"] * len(self.moves), *(["ended"] if outcome is not None else [])]
        assert [event["kind"] for event in events] == kinds
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        sources = [event["source"] for event in events if event["kind"] == "turn"]
        assert all(source.startswith(f"board:{self._serial}:") for source in sources)
        assert len(set(sources)) == len(sources)
        # The desk clears the status a moment after the last turn is stored.
        until(lambda: self.status()["refusal"] is None)
