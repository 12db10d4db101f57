"""Which board is on the port: the bound one, the first one, another one, or one of two with the same serial number."""

from __future__ import annotations

from inkeek.drivers import events
from inkeek.drivers.base import SupportsPortReport
from inkeek.service.boards.bindings import LogData
from inkeek.service.boards.identity import Identity, clean_serial
from inkeek.service.boards.status import read_status
from inkeek.service.errors import ErrorText

from .core import ControllerCore


def identify(board: ControllerCore, event: events.Connected) -> bool:
    """Return whether this is the board that is bound, or the first one, which is bound now. Otherwise refuse it.

    The refusal names no other game: a key that is limited to this game reads it too.
    """
    report = board.connection.port_report if isinstance(board.connection, SupportsPortReport) else None
    port = None if report is None else report.port
    found = Identity(clean_serial(event.serial), None if port is None else port.adapter)
    place = board.row.url if port is None else port.url
    row, other = board.boards.identify(board.row.id, found, place)
    board.use_row(row)
    bound = None if row.serial is None else Identity(row.serial, row.adapter)
    log: LogData
    if other is not None:
        elsewhere = read_status(other.status).port or other.url
        message = ErrorText(
            "The board at %(place)s says that it is %(serial)s, but so is the board of another game, at %(other)s: "
            "nothing of it is recorded. Release that one, give one of them another number, or confirm that this one "
            "plays from now on.",
            place=place,
            serial=found.serial,
            other=elsewhere,
        )
        log = ("same-serial", {"serial": found.serial, "port": place, "others": elsewhere})
        _refuse(board, "same-serial", found.serial, message, log)
    elif bound is not None and (found.is_other(bound, row.driver) or found.serial != bound.serial):
        message = ErrorText(
            "Board %(found)s is at %(place)s, but board %(bound)s is bound: nothing of it is recorded. "
            "Plug in board %(bound)s, or confirm that board %(serial)s plays from now on.",
            found=str(found),
            place=place,
            bound=str(bound),
            serial=found.serial,
        )
        log = ("other-board", {"bound": row.serial, "found": str(found), "port": place})
        _refuse(board, "refused", found.serial, message, log)
    else:
        board.refused = False
        board.update_status(found=None)
        return True
    board.leaves = True  # another board may need the port
    return False


def name_run(board: ControllerCore, boot: str) -> str:
    """A name for the run that begins now: the boot id, or ``<boot id>.<count>`` if an earlier run of this game had it.

    A connection knows only the runs since it was opened, and the last one before.
    """
    known = board.row.boot or ""
    if boot.partition(".")[0] == known.partition(".")[0]:
        return boot  # the connection has taken care of it
    count, name = 1, boot
    while board.games.has_run(board.row.game, f"board:{board.serial}:{name}:"):
        count += 1
        name = f"{boot}.{count}"
    return name


def _refuse(board: ControllerCore, state: str, found: str, message: str, log: LogData) -> None:
    is_known = (board.status.state, board.status.found) == (state, found)
    board.refused = True
    board.update_status(state=state, found=found, message=message)
    board.store(None if is_known else log)
