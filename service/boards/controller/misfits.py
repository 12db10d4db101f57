"""What of a board's events is refused, unknown, or cannot be handled: counted, logged within a share, and passed.

A board that does nothing but this fills neither the database nor its own log.
"""

from __future__ import annotations

from inkeek.drivers import events
from inkeek.drivers.base import PortReport, SupportsCounters, SupportsPortReport
from inkeek.drivers.protocol.messages import EVENT_KINDS
from inkeek.service.boards.bindings import LogData
from inkeek.service.boards.status import HeardLine
from inkeek.service.errors import ErrorText

from .core import ControllerCore


def note_refusals(board: ControllerCore) -> None:
    """Count what the gate has refused since the last call, and log why."""
    refusals, count = board.gate.take_refusals(), board.gate.count - board.refusals_noted
    if count:
        board.refusals_noted += count
        _note(board, refusals[0].kind, refusals[0].reason, count)


def note_lines(board: ControllerCore, report: PortReport) -> None:
    """Count the lines of a connected board that did not fit since the last call, and log the last of them."""
    counters = board.connection.counters if isinstance(board.connection, SupportsCounters) else {}
    seen = counters.get("misfits", 0)
    count, board.lines_noted = seen - board.lines_noted, seen
    if report.state == "connected" and report.lines and count > 0:
        _note(board, "line", f"{report.lines[-1].text!r}: {report.lines[-1].reason}", count)


def _note(board: ControllerCore, kind: str, reason: str, count: int) -> None:
    board.update_status(misfits=board.status.misfits + count)
    if board.log_share.take():
        board.store(("misfit", {"kind": kind, "reason": reason, "count": count}))


def note_unrecognized(board: ControllerCore, event: events.Unrecognized) -> None:
    """Pass an event that this version does not know, or that did not fit: what it had reported is missing."""
    if event.kind in EVENT_KINDS:
        board.update_status(seen=None)
    _pass(board, event, ("unrecognised", {"kind": event.kind, "fields": list(event.fields)}))


def note_complaint(board: ControllerCore, event: events.Complaint) -> None:
    """The board could not use a line."""
    if board.log_share.take():
        board.store(("complaint", {"code": event.code, "text": event.text}))


def note_overtaken(board: ControllerCore, event: events.Numbered, side: str | None) -> None:
    """Pass a press whose turn was not clear when the button had been pressed again."""
    _pass(board, event, ("overtaken", {"side": side}))


def pass_over(board: ControllerCore, event: events.Event, error: Exception) -> None:
    """Go on after an event whose handling failed: it would fail again and again, and the board wait for it."""
    kind = type(event).__name__
    board.update_status(
        note=ErrorText(
            "An event of the board (%(kind)s) could not be handled and is passed over. Press the button again.",
            kind=kind,
        ),
        misfits=board.status.misfits + 1,
        seen=None,
    )
    entry: LogData = ("unhandled", {"kind": kind, "reason": f"{type(error).__name__}: {error}"[:200]})
    board.commit_event(event if isinstance(event, events.Numbered) else None, entry)


def _pass(board: ControllerCore, event: events.Numbered, entry: LogData) -> None:
    """Go on after an event; it is logged if the board has some of its share of the log left."""
    if board.log_share.take():
        board.commit_event(event, entry)
    else:
        board.defer_event(event)


LOOK_EVERY = 1.0  # seconds
LINES_EVERY = 5.0  # seconds between changes of the lines that are shown: a board may send many


def look_at_port(board: ControllerCore) -> None:
    """Keep what the port does, if it has changed."""
    now = board.clock()
    if not isinstance(board.connection, SupportsPortReport) or now < board.look_at:
        return
    board.look_at = now + LOOK_EVERY
    report, status = board.connection.port_report, board.status
    note_lines(board, report)
    name = status.port if report.port is None else report.port.url
    if (status.port_state, status.port) != (report.state, name):
        board.update_status(port_state=report.state, port=name, heard=())
        message = _message(report, name or board.row.url)
        is_away = status.state == "failed" and report.state == "closed"  # the board that cannot be used
        if message is not None and (is_away or status.state in ("opening", "gone")):
            board.update_status(state="gone" if is_away else status.state, message=message)
    lines = tuple(HeardLine(line.text, line.reason) for line in report.lines)
    if lines != status.heard and (not status.heard or now >= board.lines_at):
        board.lines_at = now + LINES_EVERY
        board.update_status(heard=lines)


def _message(report: PortReport, port: str) -> str | None:
    match report.state:
        case "closed":
            return ErrorText("Waiting for the port %(port)s: %(reason)s", port=port, reason=report.reason)
        case "silent":
            return ErrorText(
                "%(port)s is open, but nothing is heard: is it the board's port, and has the board power?", port=port
            )
        case "unreadable":
            return ErrorText(
                "%(port)s is open, but nothing valid is heard. Below are the last lines; "
                "inkeek board check tells more.",
                port=port,
            )
    return None
