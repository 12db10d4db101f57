"""What the port does: it is closed, nothing is heard, or nothing valid; and which lines are not accepted."""

from __future__ import annotations

from inkeek.drivers.base import PortReport, SupportsPortReport
from inkeek.service.boards.status import HeardLine
from inkeek.service.errors import ErrorText

from .core import ControllerCore
from .misfits import note_lines

LOOK_EVERY = 1.0  # seconds
LINES_EVERY = 5.0  # seconds between changes of the lines that are shown: a board may send many


def look(board: ControllerCore) -> None:
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
