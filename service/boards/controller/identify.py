"""Which board is on the port: the bound one, the first one, another one, or one of two with the same serial number."""

from __future__ import annotations

from drivers import events
from drivers.base import SupportsPortReport
from service.boards.bindings import LogData
from service.boards.identity import Identity, clean_serial
from service.boards.remote.inbox import FAR
from service.errors import ErrorText

from .core import ControllerCore

REFUSED = "refused"  # the state of a board while another one is on its port
TWINS = "same-serial"  # the state of a board while another one has its serial number


def identify(board: ControllerCore, event: events.Connected) -> bool:
    """Return whether this is the board that is bound, or the first one, which is bound now. Otherwise refuse it."""
    report = board.connection.port_report if isinstance(board.connection, SupportsPortReport) else None
    port = None if report is None else report.port
    found = Identity(clean_serial(event.serial), None if port is None else port.adapter)
    place = board.row.url if port is None else port.url
    forget(board)  # whichever was here
    if found.has_name(board.row.driver):
        board.boards.presence.arrive(board.row.id, found.serial, place)
        if _refuse_twins(board):
            return False
    row, other = board.boards.identify(board.row.id, found)
    board.use_row(row)
    bound = None if row.serial is None else Identity(row.serial, row.adapter)
    if other is not None:
        message = ErrorText(
            "Board %(found)s is at %(place)s, but it is bound to game %(game)s at %(port)s: nothing of it is recorded. "
            "Release it there, or confirm that board %(serial)s plays from now on.",
            found=str(found),
            place=place,
            game=other.game,
            port=other.url,
            serial=found.serial,
        )
    elif bound is not None and (found.is_other(bound, row.driver) or found.serial != bound.serial):
        message = ErrorText(
            "Board %(found)s is at %(place)s, but board %(bound)s is bound: nothing of it is recorded. "
            "Plug in board %(bound)s, or confirm that board %(serial)s plays from now on.",
            found=str(found),
            place=place,
            bound=str(bound),
            serial=found.serial,
        )
    else:
        board.refused = False
        board.update_status(found=None)
        return True
    log = ("other-board", {"bound": row.serial, "found": str(found), "port": place})
    _refuse(board, REFUSED, found.serial, message, log)
    board.leaves = row.driver != FAR  # another board may need the port
    return False


def name_run(board: ControllerCore, boot: str) -> str:
    """A name for the run that begins now: the boot id, or ``<boot id>.<count>`` if an earlier run of this game had it.

    A connection knows only the runs since it was opened, and the last one before.
    """
    known = board.row.boot or ""
    if boot.partition(".")[0] == known.partition(".")[0] or board.row.driver == FAR:
        return boot  # the connection has taken care of it
    count, name = 1, boot
    while board.games.has_run(board.row.game, f"board:{board.serial}:{name}:"):
        count += 1
        name = f"{boot}.{count}"
    return name


def check_twins(board: ControllerCore) -> None:
    """Refuse the board while another one has its serial number, and use it again when it is the only one."""
    if board.status.state == TWINS and board.refused:
        board.leaves = board.leaves or not board.boards.presence.of(board.row.id)[2]
    elif not board.refused:
        _refuse_twins(board)


def forget(board: ControllerCore) -> None:
    """The board is gone."""
    board.boards.presence.leave(board.row.id)


def _refuse_twins(board: ControllerCore) -> bool:
    serial, place, twins = board.boards.presence.of(board.row.id)
    if twins:
        message = ErrorText(
            "Two open boards have the serial number %(serial)s: the one at %(place)s, and one at %(others)s. "
            "Nothing of either is recorded until one is unplugged, released or given another number.",
            serial=serial,
            place=place,
            others=", ".join(twins),
        )
        log = (TWINS, {"serial": serial, "port": place, "others": twins})
        _refuse(board, TWINS, serial, message, log)
    return bool(twins)


def _refuse(board: ControllerCore, state: str, found: str, message: str, log: LogData) -> None:
    is_known = (board.status.state, board.status.found) == (state, found)
    board.refused = True
    board.update_status(state=state, found=found, message=message)
    board.store(None if is_known else log)
