"""What a board reports of a turn that is disputed: the counts of its sensors, and the pits that it saw lifted."""

from __future__ import annotations

from inkeek.service.disputes.disputes import Sensors
from inkeek.service.storage import BoardRow

from .status import BoardStatus, read_status


def sensors_of(status: BoardStatus, ply: int, last: int) -> Sensors | None:
    """What a board reports of turn `ply`; None if it knows nothing. `last` is the number of the last turn: the one
    after that lies on the board and is not recorded. A sensor that is not used counts nothing."""
    unused = status.unused
    counts = tuple(None if sensor in unused else count for sensor, count in enumerate(status.counts or ()))
    recorded = status.last
    lifts = status.seen if ply > last else recorded.lifts if recorded is not None and recorded.ply == ply else None
    return None if not counts and lifts is None else Sensors(counts or None, lifts)


def report_of(board: BoardRow | None, ply: int | None, last: int) -> Sensors | None:
    """The same of the board that is bound to a game, while it is connected; of the last turn unless `ply` is given."""
    if board is None:
        return None
    status = read_status(board.status)
    return sensors_of(status, last if ply is None else ply, last) if status.state == "connected" else None
