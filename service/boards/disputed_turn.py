"""What a board reports of a turn that is disputed: the counts of its sensors, and the pits that it saw lifted."""

from __future__ import annotations

from service.games.disputes import Sensors
from service.storage import BoardRow

from .status import BoardStatus, read_status


def sensors_of(status: BoardStatus, ply: int) -> Sensors | None:
    """What a board reports of turn `ply`, which is the last one; None if it knows nothing. A sensor that is not used
    counts nothing."""
    unused = status.unused
    counts = tuple(None if sensor in unused else count for sensor, count in enumerate(status.counts or ()))
    last = status.last
    lifts = last.lifts if last is not None and last.ply == ply else None
    return None if not counts and lifts is None else Sensors(counts or None, lifts)


def report_of(board: BoardRow | None, ply: int) -> Sensors | None:
    """The same of the board that is bound to a game, while it is connected."""
    if board is None:
        return None
    status = read_status(board.status)
    return sensors_of(status, ply) if status.state == "connected" else None
