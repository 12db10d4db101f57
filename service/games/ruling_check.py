"""Whether disputes and rulings agree with the events around them: what is disputed, and what a ruling changed."""

from __future__ import annotations

from collections.abc import Sequence

from service.storage import GameEvent

from .plies import BY_RULES
from .state import ENDS

OUTCOMES_ABOUT = {
    "turn": ("stands", "retracted", "corrected", "ended"),
    "end": ("stands", "corrected", "reopened"),
}


def ruling_faults(events: Sequence[GameEvent]) -> list[tuple[int, str]]:
    """The faults of disputes and rulings, each with the number of its event. The events are those of a game."""
    faults: list[tuple[int, str]] = []
    turns: list[int] = []  # the numbers of the events of the turns that stand
    end: GameEvent | None = None  # the event that says how the game ended
    disputes: dict[int, GameEvent] = {}
    ruled: dict[int, int] = {}  # the number of a dispute's ruling
    appealed: set[int] = set()  # disputes whose ruling was appealed
    for index, event in enumerate(events):
        kind, data = event.kind, event.data
        fault = None
        if kind == "turn":
            turns.append(event.seq)
        elif kind in ENDS:
            end = event
        elif kind == "reopening":
            end = None
        elif kind == "retraction":
            turns.pop()
            end = None
        elif kind == "dispute":
            disputes[event.seq] = event
            fault = None if _stands(event, turns, end) else f"it disputes event {data['turn']}, which does not stand"
        elif kind == "appeal":
            if ruled.pop(data["dispute"], None) is None:
                fault = f"it appeals against a ruling on event {data['dispute']}: there is none"
            appealed.add(data["dispute"])
        elif kind == "ruling":
            about = disputes.get(data["dispute"])
            if about is None:
                fault = f"it rules on event {data['dispute']}, which is no dispute before it"
            elif about.seq in ruled:
                fault = f"it rules on the dispute of event {about.seq}, which event {ruled[about.seq]} ruled on"
            else:
                ruled[about.seq] = event.seq
                fault = _ruling_fault(
                    event, about, turns, end, events[index + 1 : index + 3 + len(turns)], about.seq in appealed
                )
        if fault is not None:
            faults.append((event.seq, fault))
    return faults


def _stands(dispute: GameEvent, turns: Sequence[int], end: GameEvent | None) -> bool:
    """Whether the turn or the end that is disputed stands."""
    data = dispute.data
    if data.get("about", "turn") == "end":
        return end is not None and bool(data["turn"] == end.seq)
    if data["turn"] == dispute.seq:  # a turn that lies on the board only
        return bool(data["ply"] == len(turns) + 1)
    return bool(1 <= data["ply"] <= len(turns) and turns[data["ply"] - 1] == data["turn"])


def _ruling_fault(
    ruling: GameEvent,
    dispute: GameEvent,
    turns: Sequence[int],
    end: GameEvent | None,
    after: Sequence[GameEvent],
    appealed: bool,
) -> str | None:
    """What is wrong with a ruling; `after` are the events after it. What one changes that replaces another, after an
    appeal, depends on the game before the first, and is not compared."""
    about, outcome = dispute.data.get("about", "turn"), ruling.data["outcome"]
    if outcome not in OUTCOMES_ABOUT[about]:
        expected = ", ".join(OUTCOMES_ABOUT[about])
        return f"its outcome is {outcome!r}: of a dispute about the {about} expected {expected}"
    if outcome == "stands" or appealed:
        return None
    if not _stands(dispute, turns, end):
        return f"it changes event {dispute.data['turn']}, which does not stand any more"
    by_hand = end is not None and end.source != BY_RULES
    if about == "end":
        expected_kinds = ["correction" if outcome == "corrected" else "reopening"]
    elif outcome == "ended":
        expected_kinds = [] if by_hand else ["ended"]  # another end may be the same
    else:
        to = ruling.data.get("to", dispute.data["ply"] - 1)
        expected_kinds = [*["reopening"] * by_hand, *["retraction"] * (len(turns) - to)]
        expected_kinds += ["turn"] if outcome == "corrected" else []
    for number, kind in enumerate(expected_kinds, 1):
        found = after[number - 1].kind if number <= len(after) else "nothing"
        if found != kind:
            return f"the {about} is {outcome}, so event {ruling.seq + number} must be a {kind}: it is {found}"
    return None
