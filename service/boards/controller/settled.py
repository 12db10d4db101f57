"""A settled board: what it shows without a button, when nothing has moved for a while."""

from __future__ import annotations

from inkeek.drivers import events
from inkeek.drivers.detection.verdicts import Begun, Clear, NoFit, Several, TakenBack, Unchanged
from inkeek.service.boards.status import Question
from inkeek.service.errors import ErrorText

from . import trial
from .core import ControllerCore
from .game_view import Counts, places
from .turns import take_turn

SETTLED_AFTER = 2.0  # seconds without a change after which a board counts as settled
IN_HAND = 0.5  # seeds: if more are missing from the board, some are in a hand, or have fallen down


def check(board: ControllerCore, after: float) -> None:
    """Once the board has been unchanged for `after` seconds, see what was played or is being tried."""
    if board.moved is None or board.read_at - board.moved[1] < after:
        return
    event, _ = board.moved
    board.moved = None
    counts = board.status.counts
    if counts is None or board.game.mover is None or board.game.dispute is not None:
        return
    if board.status.trial is not None:
        trial.look(board)
    elif not board.buttons:
        _take(board, event, counts)


def _take(board: ControllerCore, event: events.Numbered, counts: Counts) -> None:
    verdict, status = board.detect_turn(counts, None), board.status
    if isinstance(verdict, Unchanged):
        if board.disagrees or status.refusal is not None or status.ask is not None:
            take_turn(board, event, counts, None)
    elif isinstance(verdict, TakenBack):
        _ask_whether_taken_back(board, verdict)
    elif isinstance(verdict, Clear | Several) or not _is_unfinished(board, verdict, counts):
        take_turn(board, event, counts, None)
    else:
        board.disagrees = True
        board.update_status(message=ErrorText("A turn seems to be under way."))
        board.store()


def _ask_whether_taken_back(board: ControllerCore, verdict: TakenBack) -> None:
    """Only people can say that turns are taken back: they may have put the seeds back just to look."""
    game, plies = board.game, verdict.plies
    turn = game.cite(game.row.ply - plies + 1)
    message = ErrorText("The board is as before %(turn)s. Was it taken back?", turn=turn)
    if plies > 1:
        message = ErrorText(
            "The board is as before %(turn)s. Were the last %(plies)s turns taken back?", turn=turn, plies=plies
        )
    board.disagrees = True
    ask = Question("taken-back", game.row.ply, None, message, plies, at=game.row.seq)
    board.update_status(board.status.without_refusal(), ask=ask, message=message)
    board.store()
    board.show()


def _is_unfinished(board: ControllerCore, verdict: object, counts: Counts) -> bool:
    """Whether a turn looks unfinished, or seeds are missing on a board that weighs all of them."""
    if isinstance(verdict, Begun) or (isinstance(verdict, NoFit) and verdict.cause == "unfinished"):
        return True
    seeds = places(board.game.position)
    return len(counts) == len(seeds) and not board.ignored and sum(seeds) - sum(counts) > IN_HAND
