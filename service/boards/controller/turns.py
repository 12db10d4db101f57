"""A turn on the board: recorded when it is clear, else refused, with what to mend."""

from __future__ import annotations

from typing import Any

from drivers import events
from drivers.detection.detector import Ambiguous, Clear, NoFit, Unchanged, Verdict
from drivers.detection.verdicts import TakenBack, TwoTurns
from records import Side, Turn
from service.errors import Conflict, Invalid
from service.games.write import Write
from service.http.serializers import turn_json

from .sitting import Sitting

TRIES = 5  # times a turn is worked out anew because somebody else played meanwhile


def commit(sitting: Sitting, event: events.Button) -> None:
    """A side says that its turn is done."""
    sitting.say(counts=list(event.counts))
    take_turn(sitting, event, event.counts, event.side)


def take_turn(sitting: Sitting, event: events.Numbered, counts: tuple[float, ...], pressed: Side | None) -> None:
    """Record the turn that the counts show, if it is clear which that is. `event` is the board's last one, and all that
    is stored goes under its name; `pressed` is the side whose button it was, None without one."""
    for _ in range(TRIES):
        # The game is taken to be as it was last read: if it is not, nothing is stored, and it is looked at anew.
        verdict = None if sitting.mover is None or sitting.dispute is not None else sitting.judge(counts, pressed)
        turns = () if verdict is None else _played(verdict, pressed)
        if verdict is not None and turns:
            known = sitting.status["before"]
            try:
                with sitting.together():
                    _record(sitting, event, counts, verdict, turns)
                sitting.show()
                if isinstance(verdict, Clear):
                    sitting.learn(verdict.turn, known, counts)
                return
            except Conflict:
                pass  # somebody entered a turn on the page, or ended the game; or this one is stored
            except Invalid as error:
                unrecorded(sitting, event, "unrecorded", f"Nothing was recorded: {error}.", pressed)
                return
        before = sitting.refresh()
        if sitting.games.has(sitting.board.game, sitting.source(event.boot, event.seq)):
            _accept(sitting, event, "The turn had been recorded before.")
            sitting.show()
            return
        if before.seq == sitting.row.seq and not turns:
            _not_recorded(sitting, event, counts, pressed, verdict)
            return
    message = "Others entered turns all the while: nothing was recorded. Press the button again."
    unrecorded(sitting, event, "unrecorded", message, pressed)


def _not_recorded(
    sitting: Sitting, event: events.Numbered, counts: tuple[float, ...], pressed: Side | None, verdict: Verdict | None
) -> None:
    if sitting.row.state == "ended":
        unrecorded(sitting, event, "after-end", "The game is over: nothing was recorded.", pressed)
    elif verdict is None:
        message = "A dispute is open: nothing is recorded until it is ruled on or withdrawn."
        unrecorded(sitting, event, "disputed", message, pressed)
    else:
        _not_clear(sitting, event, counts, pressed, verdict)


def unrecorded(sitting: Sitting, event: events.Numbered, kind: str, message: str, pressed: Side | None) -> None:
    """Say why nothing was recorded, under `kind` in the board's log."""
    sitting.say(message=message)
    sitting.settle(event, (kind, {"side": _side(pressed), "message": message}))
    sitting.show()


def _played(verdict: Verdict, pressed: Side | None) -> tuple[Turn, ...]:
    """The turns that are clear. Of two at once, the second is the business of who played it: his button, or that the
    board lies still, says that it is done."""
    if isinstance(verdict, Clear):
        return (verdict.turn,)
    if not isinstance(verdict, TwoTurns):
        return ()
    first, second = verdict.first.before.to_move, verdict.second.before.to_move
    if verdict.complete and (pressed is None or pressed is second):
        return (verdict.first, verdict.second)
    return (verdict.first,) if pressed is None or pressed is first else ()


def _record(
    sitting: Sitting, event: events.Numbered, counts: tuple[float, ...], verdict: Verdict, turns: tuple[Turn, ...]
) -> None:
    source = sitting.source(event.boot, event.seq)
    for number, turn in enumerate(turns, 1):
        played = sitting.games.play(
            sitting.board.game,
            turn.move,
            Write(
                # The last one has the event's own name: by it is found out that all of them are stored.
                source if number == len(turns) else f"{source}:{number}",
                expected_seq=sitting.row.seq,
                actor=sitting.actor,
            ),
            comments=[sitting.comment(event.seq)],
        )
        sitting.played(played.turn, played.row)
    cited = " and ".join(sitting.cite(sitting.row.ply - behind) for behind in reversed(range(len(turns))))
    begun = isinstance(verdict, TwoTurns) and len(turns) == 1
    sitting.say(before=None if begun else list(counts))
    after = f" {sitting.position.to_move} has begun already." if begun else ""
    _accept(sitting, event, f"Recorded: {cited}.{after}", turns[-1])


def _accept(sitting: Sitting, event: events.Numbered, message: str, turn: Turn | None = None) -> None:
    log = None
    refusal = sitting.status["refusal"]
    if refusal is not None:
        log = ("mended", {"ply": refusal["ply"], "move": None if turn is None else str(turn.move)})
    sitting.astray = False
    if turn is not None:
        sitting.say(last={"ply": sitting.row.ply, **turn_json(turn)})
    open_ends = dict.fromkeys(("refusal", "note", "undo", "trial", "ask"))
    sitting.say(message=message, verdict="clear", sentences=[], mend={}, **open_ends)
    sitting.settle(event, log)


def _not_clear(
    sitting: Sitting, event: events.Numbered, counts: tuple[float, ...], pressed: Side | None, verdict: Verdict
) -> None:
    if isinstance(verdict, Unchanged):
        _unchanged(sitting, event, pressed)
        return
    mend: dict[int, int] = {}
    if isinstance(verdict, NoFit):
        message = "No legal turn leads to this board: nothing was recorded."
        cause, mend = verdict.cause, verdict.mend
        meant = None if verdict.nearest is None else str(verdict.nearest.move)
    elif isinstance(verdict, TakenBack):
        first = sitting.cite(sitting.row.ply - verdict.plies + 1)
        message = f"The board lies as before {first}: nothing was recorded. Undo takes it back."
        cause, meant = "taken-back", None
    elif isinstance(verdict, TwoTurns):
        message = f"{verdict.first.before.to_move}'s turn is there, but not all of the next: nothing was recorded."
        cause, meant = "two-turns", str(verdict.second.move)
    else:
        assert isinstance(verdict, Ambiguous)
        message = "More than one turn leads to this board: nothing was recorded. Enter the turn on the page."
        cause, meant = "ambiguous", None
    refusal: dict[str, Any] = {
        "ply": sitting.row.ply + 1,
        "number": sitting.cite(sitting.row.ply + 1),
        "side": str(sitting.position.to_move if pressed is None else pressed),
        "cause": cause,
        "meant": meant,
        "message": message,
        "sentences": list(verdict.sentences),
        "mend": {str(pit): seeds for pit, seeds in mend.items()},
    }
    sitting.say(
        message=message,
        verdict=cause,
        sentences=refusal["sentences"],
        mend=refusal["mend"],
        refusal=refusal,
        refusals=sitting.status.get("refusals", 0) + 1,
        note=None,
        undo=None,
    )
    sitting.settle(event, ("refused", {**refusal, "counts": list(counts)}))
    sitting.show()


def _unchanged(sitting: Sitting, event: events.Numbered, pressed: Side | None) -> None:
    mover = sitting.position.to_move
    message = f"{pressed} pressed the button, but the board lies as before: nothing was recorded."
    if pressed is not mover and sitting.row.ply:
        message = f"{pressed} pressed the button again: the turn is recorded, and {mover} is to move."
    if pressed is None:
        message = "The board lies as the record has it."
    sitting.astray = False
    sitting.say(message=message, verdict="unchanged", sentences=[], mend={}, refusal=None, undo=None)
    sitting.settle(event, ("unchanged", {"side": _side(pressed)}))
    sitting.show()


def _side(pressed: Side | None) -> str | None:
    return None if pressed is None else str(pressed)
