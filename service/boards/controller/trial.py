"""The trial button: a move is tried, the stones are put back, and the record says what was tried.

It begins when the side to move presses the button. It ends when the stones lie as before, and is recorded then; or with
the commit button, when the move stands: then it was a turn.
"""

from __future__ import annotations

from drivers import events
from drivers.detection.detector import Clear
from records import SOUTH, Kind, Move
from service.errors import Conflict, Invalid
from service.games.people import try_move
from service.games.write import Write

from .sitting import Sitting


def trial(sitting: Sitting, event: events.Button) -> None:
    """A side begins to try a move, or has tried it."""
    sitting.say(counts=list(event.counts))
    sitting.refresh()
    if sitting.games.has(sitting.board.game, sitting.source(event.boot, event.seq)):
        _say(sitting, event, "The trial had been recorded before.")
    elif sitting.dispute is not None:
        _say(sitting, event, "A dispute is open: no move is tried until it is ruled on or withdrawn.")
    elif sitting.status["trial"] is not None:
        put_back(sitting, event)
    elif event.side is not sitting.mover:
        whose = "the game is over" if sitting.mover is None else f"{sitting.mover} is to move"
        _say(sitting, event, f"{event.side} pressed trial, but {whose}: nothing is tried.")
    else:
        begun = {
            "ply": sitting.row.ply + 1,
            "side": str(event.side),
            "boot": event.boot,
            "seq": event.seq,
            "from": None,
            "move": None,
            "touched": False,
        }
        sitting.say(trial=begun, refusal=None, sentences=[], mend={})
        glimpse(sitting)
        message = f"{event.side} tries a move: sow it, and put the stones back; or press the button, and it stands."
        _say(sitting, event, message)


def put_back(sitting: Sitting, event: events.Button) -> None:
    """The move has been tried: say how the stones lay before it, or record it if they lie so already."""
    glimpse(sitting)
    if sitting.may_lie(sitting.position):
        end(sitting, event)
        return
    message = "The move is tried: put the stones back as they lay before it."
    _say(sitting, event, message, mend=sitting.to_mend(sitting.position))


def lifted(sitting: Sitting, pit: int) -> None:
    """A hand emptied a pit: the first that the side to move empties of its own is where it tries to sow from."""
    running = sitting.status["trial"]
    own = pit < sitting.position.row if sitting.mover is SOUTH else pit >= sitting.position.row
    if running["from"] is None and own and pit < len(sitting.position.pits):
        sitting.say(trial={**running, "from": sitting.position.letter(pit), "touched": True})


def glimpse(sitting: Sitting) -> None:
    """Look whether a turn lies there: then it is what is being tried."""
    running, counts = sitting.status["trial"], sitting.status["counts"]
    if counts is None or sitting.may_lie(sitting.position):
        return
    verdict = sitting.judge(counts, None)
    move = str(verdict.turn.move) if isinstance(verdict, Clear) else running["move"]
    sitting.say(trial={**running, "move": move, "touched": True})


def end(sitting: Sitting, event: events.Button | None = None) -> None:
    """The stones lie as before: record what was tried. `event`: the button, if one was pressed."""
    running = sitting.status["trial"]
    tried = running["move"] or running["from"]
    ask = None
    if tried is None and running["touched"]:
        message = "The trial is over, but the board did not see from which pit: enter it on the page."
        ask = {"kind": "trial", "ply": running["ply"], "side": running["side"], "message": message}
    elif tried is None:
        message = "The trial is over: nothing was tried."
    else:
        message = _record(sitting, running, Move.parse(tried))
    sitting.astray = False
    sitting.say(message=message, trial=None, ask=ask, mend={}, sentences=[], verdict=None)
    if event is None:
        sitting.store()
    else:
        sitting.settle(event)
    sitting.show()


def _record(sitting: Sitting, running: dict[str, object], move: Move) -> str:
    """Record the trial; what is to be said of it."""
    if move.kind is not Kind.SOW:
        return "The trial is over: nothing was sown."
    source = sitting.source(str(running["boot"]), int(str(running["seq"])))
    try:
        try_move(sitting.games, sitting.board.game, move, Write(source, expected_ply=sitting.row.ply + 1))
    except (Conflict, Invalid) as error:
        sitting.refresh()
        return f"The trial of {move} was not recorded: {error}."
    sitting.refresh()
    return f"Tried and taken back: {move}. {sitting.position.to_move} is to move."


def _say(sitting: Sitting, event: events.Button, message: str, **more: object) -> None:
    sitting.say(message=message, **more)
    sitting.settle(event, ("button", {"side": str(event.side), "action": event.action, "message": message}))
    sitting.show()
