"""A board that does as the test says, in place of a driver's connection."""

from collections.abc import Sequence
from typing import Any

from inkeek.drivers import events as board_events
from inkeek.drivers.base import Guidance
from inkeek.records import Position, Side, Turn
from inkeek.service.boards.bindings import Boards, LogData
from inkeek.service.boards.status import read_status
from inkeek.service.storage import BoardRow

SERIAL = "T-0001"
SMALL = {"pits": 8, "setup": "fours-right"}  # options of Enkeshui, for games on this board


class FakeConnection:
    """`say` puts events in; what the host did is in `acknowledged`, `shown` and `closed`."""

    def __init__(self) -> None:
        self.waiting: list[board_events.Event] = []
        self.acknowledged: list[tuple[str, int]] = []
        self.shown: list[Guidance] = []
        self.closed = False
        self.error: Exception | None = None

    def say(self, *events: board_events.Event) -> None:
        self.waiting += events

    def poll(self, timeout: float) -> Sequence[board_events.Event]:
        if self.error is not None:
            raise self.error
        events, self.waiting = self.waiting, []
        return events

    def acknowledge(self, event: board_events.Numbered) -> None:
        self.acknowledged.append((event.boot, event.seq))

    def show(self, guidance: Guidance) -> None:
        self.shown.append(guidance)

    def close(self) -> None:
        self.closed = True


def connected(
    boot: str = "0000000a", row: int = 8, serial: str = SERIAL, can: Sequence[str] = ("buttons", "leds")
) -> board_events.Connected:
    return board_events.Connected(serial, "1.0", (1, 0), boot, row, True, frozenset(can))


def counts_of(position: Position) -> tuple[float, ...]:
    return tuple(float(count) for count in (*position.pits, *position.stores))


def snapshot(position: Position, last: int = 0, boot: str = "0000000a") -> board_events.Snapshot:
    counts = counts_of(position)
    return board_events.Snapshot(boot, last, counts, (15,) * len(counts))


def commit(turn: Turn, seq: int, boot: str = "0000000a", side: Side | None = None) -> board_events.Button:
    """The button after `turn`."""
    pressed = turn.before.to_move if side is None else side
    return board_events.Button(boot, seq, 0, pressed, "commit", counts_of(turn.position))


def press(
    position: Position, side: Side, seq: int, action: str = "commit", boot: str = "0000000a"
) -> board_events.Button:
    return board_events.Button(boot, seq, 0, side, action, counts_of(position))


def set_status(boards: Boards, board_id: str, log: LogData | None = None, **changes: Any) -> BoardRow:
    """Change fields of a board's status, given as JSON."""
    return boards.update_status(board_id, read_status({**boards.get(board_id).status, **changes}), log)
