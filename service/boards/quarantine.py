"""What follows when the process of a board ends: the board is tried again some times, and in the end left alone.

A board that is left alone is ``quarantined`` until a person says "try again".
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from inkeek.drivers import registry
from inkeek.service.errors import ErrorText
from inkeek.service.storage import BoardRow
from inkeek.service.storage.clock import stamp

from .bindings import LogData
from .status import BoardStatus, FaultReport, read_status

QUARANTINED = "quarantined"  # the state of a board that is left alone
LAST_TIME = 5  # a driver that misbehaved so often is left alone
FORGOTTEN_AFTER = timedelta(minutes=10)  # without a fault: earlier ones count no more


def with_fault(board: BoardRow, reason: str, now: datetime, pause: float) -> tuple[BoardStatus, LogData]:
    """The status of a board whose process has ended, and which is tried again after `pause` seconds unless it is left
    alone; and the entry for its log."""
    status = read_status(board.status)
    before = status.fault
    is_recent = before is not None and now - datetime.fromisoformat(before.last) < FORGOTTEN_AFTER
    times = before.times + 1 if before is not None and is_recent else 1
    is_last = times >= LAST_TIME
    report = FaultReport(reason, times, stamp(now), None if is_last else stamp(now + timedelta(seconds=pause)))
    data = {"driver": board.driver, "distribution": registry.origin(board.driver), "reason": reason, "times": times}
    message = ErrorText(
        "Driver %(driver)r of %(distribution)s was stopped: %(reason)s. Times in a row: %(times)s. "
        "The desk tries again in %(seconds)g seconds.",
        **data,
        seconds=pause,
    )
    if is_last:
        message = ErrorText(
            "Driver %(driver)r of %(distribution)s was stopped: %(reason)s. Times in a row: %(times)s. "
            "The desk leaves this board alone until somebody says “Try again”.",
            **data,
        )
    status = replace(
        status,
        state=QUARANTINED if is_last else "failed",
        message=message,
        fault=report,
        port_state="closed",
        heard=(),
        sentences=(),
        note=None,
    )
    return status, ("driver-fault", {**data, "next": report.next})


def tried_again(status: BoardStatus) -> BoardStatus:
    """The status once a person has said "try again"."""
    return replace(status, state="waiting", message=ErrorText("The driver is tried again."), fault=None)
