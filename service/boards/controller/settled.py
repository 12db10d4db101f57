"""What a board that lies still tells without a button: the turn that was played on it, if it is clear which."""

from __future__ import annotations

from drivers import events
from drivers.detection.detector import Clear, NoFit, Unchanged
from drivers.detection.verdicts import TakenBack, TwoTurns

from . import trial
from .sitting import Sitting
from .turns import take_turn

STILL_AFTER = 2.0  # seconds without a change after which a board counts as still
IN_HAND = 0.5  # seeds: a board that lacks more has some in a hand, or fallen down


def look(sitting: Sitting, after: float) -> None:
    """If the board has just become still, look what was played, or what is being tried."""
    if sitting.moved is None or sitting.clock() - sitting.moved[1] < after:
        return
    event, _ = sitting.moved
    sitting.moved = None
    counts = sitting.status["counts"]
    if counts is None or sitting.mover is None or sitting.dispute is not None:
        return
    if sitting.status["trial"] is not None:
        trial.glimpse(sitting)
    elif not sitting.buttons:
        _take(sitting, event, tuple(counts))


def _take(sitting: Sitting, event: events.Numbered, counts: tuple[float, ...]) -> None:
    verdict = sitting.judge(counts, None)
    if isinstance(verdict, Clear | TwoTurns):
        take_turn(sitting, event, counts, None)
        return
    if isinstance(verdict, Unchanged):
        if sitting.astray or sitting.status["refusal"] is not None or sitting.status["ask"] is not None:
            sitting.say(ask=None)
            take_turn(sitting, event, counts, None)
    elif isinstance(verdict, TakenBack):
        _ask_whether_taken_back(sitting, verdict)
    elif _in_hand(sitting, counts) or (isinstance(verdict, NoFit) and verdict.cause == "unfinished"):
        sitting.astray = True
        sitting.say(message="A turn seems to be under way.")
        sitting.store()
    else:
        take_turn(sitting, event, counts, None)


def _ask_whether_taken_back(sitting: Sitting, verdict: TakenBack) -> None:
    """Only people can say that turns are taken back: the board may have been laid out anew to look at it."""
    first = sitting.cite(sitting.row.ply - verdict.plies + 1)
    what = "is it" if verdict.plies == 1 else f"are it and the {verdict.plies - 1} after it"
    message = f"The board lies as before {first}: {what} taken back?"
    ask = {"kind": "taken-back", "ply": sitting.row.ply, "plies": verdict.plies, "side": None, "message": message}
    sitting.astray = True
    sitting.say(ask=ask, message=message, sentences=[], mend={}, refusal=None)
    sitting.store()
    sitting.show()


def _in_hand(sitting: Sitting, counts: tuple[float, ...]) -> bool:
    """Whether seeds are missing on a board that weighs all of them."""
    position = sitting.position
    whole = (*position.pits, *position.stores)
    return len(counts) == len(whole) and sum(whole) - sum(counts) > IN_HAND
