"""The trial button: a side tries a move and puts the seeds back, and the record says what was tried.

A trial begins when the side to move presses the button. It ends, and is recorded, when the seeds are back. If the
commit button is pressed instead, the move was a turn.
"""

from __future__ import annotations

from dataclasses import replace

from inkeek.drivers import events
from inkeek.drivers.detection.verdicts import Clear
from inkeek.records import SOUTH, Kind, Move
from inkeek.service.boards.status import Question, RunningTrial
from inkeek.service.errors import Conflict, ErrorText, Invalid
from inkeek.service.games.people import try_move
from inkeek.service.games.write import Write

from .core import ControllerCore
from .game_view import to_mend


def trial(board: ControllerCore, event: events.Button) -> None:
    """A side begins to try a move, or has tried it."""
    board.update_status(counts=event.counts)
    board.refresh_game()
    mover, side = board.game.mover, event.side
    if board.is_recorded(event):
        board.answer_button(event, ErrorText("This trial was already recorded."))
    elif board.game.dispute is not None:
        message = ErrorText("No move is tried while a dispute is open. It must be ruled on or withdrawn first.")
        board.answer_button(event, message)
    elif board.status.trial is not None:
        put_back(board, event)
    elif side is not mover:
        message = ErrorText("%(side)s pressed trial, but the game is over: nothing is tried.", side=side)
        if mover is not None:
            message = ErrorText(
                "%(side)s pressed trial, but %(mover)s is to move: nothing is tried.", side=side, mover=mover
            )
        board.answer_button(event, message)
    else:
        game = board.game.row
        begun = RunningTrial(game.ply + 1, str(side), event.boot, event.seq, at=game.seq)
        board.update_status(board.status.given_up(side), trial=begun)
        look(board)
        message = ErrorText(
            "%(side)s tries a move: sow it, then put the seeds back, or press commit to play it.", side=side
        )
        board.answer_button(event, message)


def put_back(board: ControllerCore, event: events.Button) -> None:
    """The move was tried: end the trial if the seeds are back, otherwise say how to put them back."""
    look(board)
    if board.agrees(board.game.position, board.status.counts):
        end(board, event)
        return
    mend = to_mend(board.game.position, board.status.counts, board.ignored)
    message = ErrorText("The move was tried: put the seeds back as they were before it.")
    board.answer_button(event, message, mend=mend)


def note_lift(board: ControllerCore, pit: int) -> None:
    """A hand emptied a pit: the first own pit that the side to move empties is where its move begins."""
    running, position = board.status.trial, board.game.position
    is_own = pit < position.row if board.game.mover is SOUTH else pit >= position.row
    if running is not None and running.from_ is None and is_own and pit < len(position.pits):
        board.update_status(trial=replace(running, from_=position.letter(pit), touched=True))


def look(board: ControllerCore) -> None:
    """If a clear turn is on the board, it is the move that is tried."""
    running, counts = board.status.trial, board.status.counts
    if running is None or counts is None or board.agrees(board.game.position, counts):
        return
    verdict = board.detect_turn(counts, None)
    move = str(verdict.turn.move) if isinstance(verdict, Clear) else running.move
    board.update_status(trial=replace(running, move=move, touched=True))


def end(board: ControllerCore, event: events.Button | None = None) -> None:
    """The seeds are back: record what was tried. `event`: the button, if one was pressed."""
    running = board.status.trial
    assert running is not None
    tried, ask = running.move or running.from_, None
    if tried is not None:
        message = _record(board, running, Move.parse(tried))
    elif running.touched:
        message = ErrorText(
            "The trial is over, but the board did not see which pit was sown. Enter the move on the page."
        )
        ask = Question("trial", running.ply, running.side, message, at=board.game.row.seq)
    else:
        message = ErrorText("The trial is over: nothing was tried.")
    board.disagrees = False
    board.update_status(message=message, trial=None, ask=ask, mend={}, sentences=(), verdict=None, seen=())
    board.commit_event(event)
    board.show()


def _record(board: ControllerCore, running: RunningTrial, move: Move) -> str:
    """Record the trial, and return the message that says so."""
    if move.kind is not Kind.SOW:
        return ErrorText("The trial is over: nothing was sown.")
    try:
        write = Write(board.source(running), expected_ply=board.game.row.ply + 1)
        try_move(board.games, board.row.game, move, write)
    except (Conflict, Invalid) as error:
        board.refresh_game()
        return ErrorText("The trial of %(move)s was not recorded: %(error)s.", move=str(move), error=error.text)
    board.refresh_game()
    mover = board.game.position.to_move
    return ErrorText("Tried and taken back: %(move)s. %(mover)s is to move.", move=str(move), mover=mover)
