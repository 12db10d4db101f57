"""What follows when a driver misbehaves: it is tried again some times, and in the end left alone.

A board that is left alone is ``quarantined`` until a person says "try again".
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from inkeek.drivers.foreign.faults import DriverFault
from inkeek.service.boards.bindings import LogData
from inkeek.service.errors import ErrorText
from inkeek.service.storage.clock import stamp

from .status import BoardStatus, FaultReport

QUARANTINED = "quarantined"  # the state of a board whose driver is left alone
LAST_TIME = 5  # a driver that misbehaved so often is left alone
FORGOTTEN_AFTER = timedelta(minutes=10)  # without a fault: earlier ones count no more
TRY_AGAIN_AFTER = 10.0  # seconds


def with_fault(status: BoardStatus, fault: DriverFault, now: datetime, pause: float) -> tuple[BoardStatus, LogData]:
    """The status of a board after a fault of its driver, which is tried again after `pause` seconds unless it is left
    alone; and the entry for its log."""
    before = status.fault
    is_recent = before is not None and now - datetime.fromisoformat(before.last) < FORGOTTEN_AFTER
    times = before.times + 1 if before is not None and is_recent else 1
    is_last = times >= LAST_TIME
    plugin = fault.plugin
    report = FaultReport(
        driver=plugin.name,
        distribution=plugin.distribution,
        version=plugin.version,
        kind=fault.kind,
        place=fault.place,
        reason=fault.what,
        times=times,
        last=stamp(now),
        next=None if is_last else stamp(now + timedelta(seconds=pause)),
    )
    status = replace(
        status,
        state=QUARANTINED if is_last else "failed",
        message=_message(report, None if is_last else pause),
        fault=report,
        port_state="closed",
        heard=(),
        sentences=(),
        note=None,
    )
    log = {name: getattr(report, name) for name in FaultReport.__dataclass_fields__ if name != "last"}
    return status, ("driver-fault", log)


def tried_again(status: BoardStatus) -> BoardStatus:
    """The status once a person has said "try again"."""
    return replace(status, state="waiting", message=ErrorText("The driver is tried again."), fault=None)


def _message(report: FaultReport, pause: float | None) -> ErrorText:
    values = {name: getattr(report, name) for name in ("driver", "distribution", "version", "place", "reason")}
    if pause is not None:
        return ErrorText(
            "Driver %(driver)r of %(distribution)s %(version)s was stopped in %(place)s: %(reason)s. "
            "Times in a row: %(times)s. The desk tries again in %(seconds)g seconds.",
            **values,
            times=report.times,
            seconds=pause,
        )
    return ErrorText(
        "Driver %(driver)r of %(distribution)s %(version)s was stopped in %(place)s: %(reason)s. "
        "Times in a row: %(times)s. The desk leaves this board alone until somebody says “Try again”.",
        **values,
        times=report.times,
    )
