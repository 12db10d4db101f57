"""Which board is on the port: the bound one, the first one, another one, or one of two with the same serial number."""

from __future__ import annotations

from dataclasses import replace

from drivers import events
from drivers.base import SupportsPortReport
from records.errors import joined_texts
from service.boards.bindings import LogData
from service.boards.claims import SerialClaim
from service.boards.identity import FAR, Identity, clean_serial
from service.errors import ErrorText

from .core import ControllerCore

REFUSED = "refused"  # the state of a board while another one is on its port
ELSEWHERE = ErrorText("another game")  # what is outside of the limit of who attached a board is not told
TWINS = "same-serial"  # the state of a board while another one has its serial number


def identify(board: ControllerCore, event: events.Connected) -> bool:
    """Return whether this is the board that is bound, or the first one, which is bound now. Otherwise refuse it.

    The refusal names no other game and no other port: a key that is limited to this game reads it too.
    """
    report = board.connection.port_report if isinstance(board.connection, SupportsPortReport) else None
    port = None if report is None else report.port
    found = Identity(clean_serial(event.serial), None if port is None else port.adapter)
    place = board.row.url if port is None else port.url
    forget(board)  # whichever was here
    if found.has_name(board.row.driver):
        board.boards.presence.arrive(SerialClaim(board.row, board.game.row, found.serial, place))
        if _waits_for_twin(board):
            return False
    row, other = board.boards.identify(board.row.id, found)
    board.use_row(row)
    if (claim := board.boards.presence.get(row.id)) is not None:
        board.boards.presence.arrive(replace(claim, board=row))  # it may be bound now
    bound = None if row.serial is None else Identity(row.serial, row.adapter)
    if other is not None:
        if row.driver == FAR:  # its people may not know of other games
            message = ErrorText(
                "The board says that it is %(found)s, which is bound to another game: nothing of it is recorded.",
                found=str(found),
            )
        else:
            message = ErrorText(
                "Board %(found)s is at %(place)s, but it is bound to another game: nothing of it is recorded. Release "
                "it there (the list of boards shows where), or confirm that board %(serial)s plays from now on.",
                found=str(found),
                place=place,
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
    """Have the board wait while one that outranks it has its serial number, and use it again after that."""
    if board.status.state == TWINS and board.refused:
        claim, rivals = board.boards.presence.rivals(board.row.id)
        board.leaves = board.leaves or claim is None or not any(rival.outranks(claim) for rival in rivals)
    elif not board.refused:
        _waits_for_twin(board)


def forget(board: ControllerCore) -> None:
    """The board is gone."""
    board.boards.presence.leave(board.row.id)


def _waits_for_twin(board: ControllerCore) -> bool:
    """Whether another board has the serial number, and this one must wait; else log the others, which wait for it."""
    claim, rivals = board.boards.presence.rivals(board.row.id)
    if claim is None:
        return False
    winner = next((rival for rival in rivals if rival.outranks(claim)), None)
    if winner is None:
        for rival in rivals:
            if rival.board.id not in board.rivals_logged and board.log_share.take():
                board.rivals_logged.add(rival.board.id)
                where = rival.place if claim.reaches(rival) else ELSEWHERE
                board.store(("claimed", {"serial": claim.serial, "port": where}))
        return False
    where = winner.place if claim.reaches(winner) else ELSEWHERE
    message = ErrorText(
        "The board at %(place)s says that it has the serial number %(serial)s, which is that of the board at "
        "%(other)s: nothing of it is recorded until that one is unplugged, released or given another number.",
        serial=claim.serial,
        place=claim.place,
        other=where,
    )
    if winner.proved:
        message = joined_texts((message, ErrorText("That board has proved that it is this one.")))
    _refuse(
        board, TWINS, claim.serial, message, (TWINS, {"serial": claim.serial, "port": claim.place, "others": where})
    )
    return True


def _refuse(board: ControllerCore, state: str, found: str, message: str, log: LogData) -> None:
    is_known = (board.status.state, board.status.found) == (state, found)
    board.refused, board.challenge = True, None
    board.update_status(state=state, found=found, message=message)
    board.store(None if is_known else log)
