"""Answers to questions, given at the board or carried out for people elsewhere."""

from __future__ import annotations

from inkeek.drivers import events
from inkeek.drivers.detection.verdicts import Clear, Turned, Unchanged
from inkeek.drivers.orientation import turn_event
from inkeek.records import Turn
from inkeek.records.errors import joined_texts
from inkeek.service.boards.status import Question
from inkeek.service.errors import Conflict, ErrorText, Invalid

from .core import ControllerCore
from .game_view import AGREES
from .questions import turned_question
from .turns import not_recorded, record, take_turn

ACCEPTED = "accepted at the board, which had asked"


def accept(board: ControllerCore, event: events.Button) -> None:
    """A long press of commit: the likeliest turn was played, as the lights have shown since an earlier press.

    Each long press begins as a press of commit, so without an open question there is nothing more to answer.
    """
    board.update_status(counts=event.counts)
    board.refresh_game()
    game, refusal = board.game, board.status.refusal
    if (
        refusal is None
        or not refusal.is_accepted_by(event.side)
        or not board.is_current(refusal.at)
        or game.dispute is not None
        or not board.status.is_as_seen(event.counts)
        or board.is_recorded(event)
    ):
        board.commit_event(event)
        board.show()
    elif refusal.cause == "turned":
        _accept_turned(board, event)
    elif refusal.offered is None:
        message = ErrorText(
            "%(side)s held the button, but no turn is likely enough: nothing was recorded.", side=event.side
        )
        board.answer_button(event, message)
    else:
        _record(board, event, game.turns_of([refusal.offered.move])[0])


def _record(board: ControllerCore, event: events.Button, turn: Turn) -> None:
    before, mover = board.status, turn.before.to_move
    if event.side is not mover:
        message = ErrorText(
            "%(side)s held the button, but %(mover)s must: nothing was recorded.", side=event.side, mover=mover
        )
        board.answer_button(event, message)
        return
    try:
        record(board, event, event.counts, (turn,), begun=False, comments=(ACCEPTED,))
    except (Conflict, Invalid) as error:
        board.refresh_game()
        board.answer_button(event, not_recorded(error))
        return
    board.learn_turn(turn, before, event.counts)
    board.show()


def _accept_turned(board: ControllerCore, event: events.Button) -> None:
    """The board lies the wrong way round. If a turn is on it, this is also its mover's button."""
    turned = turn_event(event, board.row_size)
    assert isinstance(turned, events.Button)
    board.turn_round(not board.status.turned, ("turned", {"turned": not board.status.turned, "by": str(turned.side)}))
    take_turn(board, turned, turned.counts, turned.side)


def turn_round(board: ControllerCore, turned: bool, by: str | None) -> None:
    """People say how the board lies."""
    message = ErrorText("The board is read as it lies now.")
    if turned:
        message = ErrorText("The board is read the wrong way round now.")
    if turned is board.status.turned:
        board.update_status(ask=None, message=message)
        board.store()
        return
    board.turn_round(turned, ("turned", {"turned": turned, "by": by}))
    counts = board.status.counts
    verdict = None if counts is None or board.game.mover is None else board.detect_turn(counts, None)
    if isinstance(verdict, Unchanged) and counts is not None:
        board.disagrees = False
        board.learn_rest(counts)
        message = joined_texts((message, AGREES))
    elif isinstance(verdict, Clear) and board.buttons:
        press = ErrorText("Press the button to record %(move)s.", move=str(verdict.turn.move))
        message = joined_texts((message, press))
    elif board.row.boot is not None:  # a board without buttons is looked at again
        board.moved = events.Numbered(board.row.boot, board.row.seq, 0), board.clock()
    board.update_status(message=message)
    board.store()
    board.show()


def ask_turned(board: ControllerCore, verdict: Turned) -> None:
    """Ask whether the board lies the wrong way round, when nobody has pressed a button."""
    ask = turned_question(board, verdict)
    board.update_status(ask=ask, message=ask.message, sentences=verdict.sentences)
    board.show()


def ask_turned_since(board: ControllerCore) -> None:
    """Ask whether the board was turned round: where it looks the same both ways, nothing that is played tells."""
    message = ErrorText("Was the board turned round, so that each player sits at the other side now?")
    row = board.game.row
    board.update_status(ask=Question("turned", row.ply, None, message, at=row.seq, stays=True), message=message)
    board.show()
