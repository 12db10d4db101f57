"""The undo button: the side that presses it takes its last turn back, once the seeds are back in their pits."""

from __future__ import annotations

from inkeek.drivers import events
from inkeek.drivers.detection.verdicts import Unchanged
from inkeek.service.boards.status import PendingUndo
from inkeek.service.errors import Conflict, ErrorText, Invalid
from inkeek.service.games.corrections import take_back

from . import trial
from .core import ControllerCore
from .game_view import to_mend

NOTE = "undo pressed at the board"


def undo(board: ControllerCore, event: events.Button) -> None:
    """A side takes back its last turn, or the turn that it has begun."""
    board.update_status(counts=event.counts)
    board.refresh_game()
    game, side = board.game, event.side
    if board.is_recorded(event):
        board.answer_button(event, ErrorText("This turn was already taken back."))
        return
    if game.dispute is not None:
        message = ErrorText("No turn is taken back while a dispute is open. It must be ruled on or withdrawn first.")
        board.answer_button(event, message)
        return
    if board.status.trial is not None:
        trial.put_back(board, event)
        return
    previous = game.previous
    is_own = previous is not None and previous.to_move is side
    has_begun = side is game.mover and not isinstance(board.detect_turn(event.counts, None), Unchanged)
    if previous is not None and is_own and (not has_begun or board.agrees(previous, event.counts)):
        pending = PendingUndo(game.row.ply, str(side), event.boot, event.seq, game.row.seq)
        board.update_status(board.status.given_up(side), undo=pending, ask=None)
        if not finish(board, event):
            message = ErrorText(
                "%(side)s takes back %(turn)s: put the seeds back as they were before it.",
                side=side,
                turn=game.cite_last(),
            )
            board.answer_button(event, message, mend=to_mend(previous, event.counts, board.ignored))
    elif has_begun:
        board.disagrees = True
        message = ErrorText(
            "%(side)s takes back the turn they began: put the seeds back as %(layout)s.",
            side=side,
            layout=game.layout(),
        )
        board.answer_button(
            event, message, board.status.given_up(side), mend=to_mend(game.position, event.counts, board.ignored)
        )
    elif game.row.ply and not is_own:
        board.answer_button(
            event,
            ErrorText(
                "Nothing was taken back: %(side)s pressed undo, but %(turn)s is not %(side)s's turn.",
                side=side,
                turn=game.cite_last(),
            ),
        )
    else:
        board.answer_button(
            event, ErrorText("Nothing was taken back: %(side)s pressed undo, but there is no turn yet.", side=side)
        )


def finish(board: ControllerCore, event: events.Button | None = None) -> bool:
    """Take the turn back if the seeds are back; return whether nothing is left to do. `event`: the button, if any."""
    pending, previous, counts = board.status.undo, board.game.previous, board.status.counts
    assert pending is not None
    if previous is None or not board.is_current(pending.at):
        board.update_status(undo=None, mend={})
        return True
    if not board.agrees(previous, counts):
        return False
    last = board.game.cite_last()
    try:
        with board.transaction():
            write = board.write(pending, expected_ply=pending.ply)
            take_back(board.games, board.row.game, "team", write, pending.side, NOTE)
            board.follow(board.games.row(board.row.game))
            board.refresh_game()
            mover = board.game.position.to_move
            message = ErrorText("Taken back: %(turn)s. %(mover)s is to move.", turn=last, mover=mover)
            _store(board, event, message, before=None if counts is None else board.known(counts), seen=(), last=None)
    except (Conflict, Invalid) as error:
        board.refresh_game()
        _store(board, event, ErrorText("Nothing was taken back: %(error)s.", error=error.text))
    board.show()
    return True


def _store(board: ControllerCore, event: events.Button | None, message: str, **changes: object) -> None:
    board.disagrees = False
    board.update_status(board.status.without_refusal(), message=message, undo=None, verdict=None, **changes)
    board.commit_event(event)
