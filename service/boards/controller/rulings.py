"""After a ruling: what was ruled, and what hands must put right on the board before the game goes on."""

from __future__ import annotations

from inkeek.drivers.detection.verdicts import Clear, Unchanged
from inkeek.records.errors import joined_texts
from inkeek.service.errors import ErrorText

from .core import ControllerCore
from .game_view import places, to_mend


def settle(board: ControllerCore) -> None:
    """Say what was ruled where the turns stay as they are."""
    game = board.game
    message = ErrorText("The dispute is settled: the turn stands.")
    if game.mover is None:
        message = ErrorText("The dispute is settled: the game has ended, %(result)s.", result=game.row.result)
    board.update_status(message=message)
    counts = board.status.counts
    if game.mover is None or counts is None or isinstance(board.detect_turn(counts, None), Unchanged | Clear):
        return  # nothing to put right, or the next turn was played meanwhile
    board.disagrees = True
    layout = ErrorText("Lay the board out as %(layout)s.", layout=game.layout())
    board.update_status(board.status.cleared(), message=joined_texts((message, layout)), seen=None)
    mark(board)


def mark(board: ControllerCore) -> None:
    """Mark the pits that do not lie as in the game; none if it is over."""
    game, counts = board.game, board.status.counts
    if game.mover is None or counts is None:
        return
    mend = to_mend(game.position, counts, board.ignored)
    then = places(game.position)
    sentences = tuple(
        ErrorText(
            "%(place)s: %(then)s instead of %(lies)s",
            place=game.pit_name(int(pit)),
            then=then[int(pit)],
            lies=then[int(pit)] - lacks,
        )
        for pit, lacks in mend.items()
    )
    board.update_status(mend=mend, sentences=sentences)
