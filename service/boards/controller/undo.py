"""The undo button: the side that presses it takes its last turn back, once the stones lie as before it."""

from __future__ import annotations

from drivers import events
from drivers.detection.detector import Unchanged
from service.errors import Conflict, Invalid
from service.games.disputes import take_back
from service.games.write import Write

from . import trial
from .sitting import Sitting

NOTE = "undo pressed at the board"


def undo(sitting: Sitting, event: events.Button) -> None:
    """A side wants its last turn back, or what it has begun to sow."""
    sitting.say(counts=list(event.counts))
    sitting.refresh()
    if sitting.games.has(sitting.board.game, sitting.source(event.boot, event.seq)):
        _say(sitting, event, "The turn had been taken back before.")
        return
    if sitting.dispute is not None:
        _say(sitting, event, "A dispute is open: nothing is taken back until it is ruled on or withdrawn.")
        return
    if sitting.status["trial"] is not None:
        trial.put_back(sitting, event)
        return
    before = sitting.before_last()
    own = before is not None and before.to_move is event.side
    begun = event.side is sitting.mover and not isinstance(sitting.judge(event.counts, None), Unchanged)
    if before is not None and own and (not begun or sitting.lies_as(before)):
        asked = {"ply": sitting.row.ply, "side": str(event.side), "boot": event.boot, "seq": event.seq}
        sitting.say(undo=asked, refusal=None, sentences=[], ask=None)
        if not finish(sitting, event):
            last = sitting.cite(sitting.row.ply)
            message = f"{event.side} takes {last} back: put the stones back as they lay before it."
            _say(sitting, event, message, mend=sitting.to_mend(before))
    elif begun:
        lies = f"as after {sitting.cite(sitting.row.ply)}" if sitting.row.ply else "as at the start"
        message = f"{event.side} takes back what was begun: put the stones back {lies}."
        sitting.astray = True
        _say(sitting, event, message, mend=sitting.to_mend(sitting.position), refusal=None, sentences=[])
    elif sitting.row.ply and not own:
        last = sitting.cite(sitting.row.ply)
        message = (
            f"{event.side} pressed undo, but the last turn, {last}, is not {event.side}'s: nothing was taken back."
        )
        _say(sitting, event, message)
    else:
        _say(sitting, event, f"{event.side} pressed undo, but there is no turn to take back.")


def finish(sitting: Sitting, event: events.Button | None = None) -> bool:
    """Record the retraction that was asked for, if the stones are back; whether it is settled. `event`: the button."""
    asked = sitting.status["undo"]
    before = sitting.before_last()
    if before is None or asked["ply"] != sitting.row.ply:
        sitting.say(undo=None, mend={})
        return True
    if not sitting.may_lie(before) or not sitting.lies_as(before):
        return False
    last = sitting.cite(sitting.row.ply)
    try:
        with sitting.together():
            take_back(
                sitting.games,
                sitting.board.game,
                "team",
                Write(sitting.source(asked["boot"], asked["seq"]), expected_ply=asked["ply"], actor=sitting.actor),
                asked["side"],
                NOTE,
            )
            sitting.refresh()
            said = f"Taken back: {last}. {sitting.position.to_move} is to move."
            _settled(sitting, event, said, before=list(sitting.status["counts"]), last=None)
    except (Conflict, Invalid) as error:
        sitting.refresh()
        _settled(sitting, event, f"Nothing was taken back: {error}.")
    sitting.show()
    return True


def _settled(sitting: Sitting, event: events.Button | None, message: str, **more: object) -> None:
    sitting.astray = False
    sitting.say(message=message, undo=None, mend={}, sentences=[], refusal=None, verdict=None, **more)
    if event is None:
        sitting.store()
    else:
        sitting.settle(event)


def _say(sitting: Sitting, event: events.Button, message: str, **more: object) -> None:
    sitting.say(message=message, **more)
    sitting.settle(event, ("button", {"side": str(event.side), "action": event.action, "message": message}))
    sitting.show()
