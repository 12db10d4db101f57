"""Whether disputes, rulings and appeals come in a valid order, and each dispute is about a current turn or end."""

from __future__ import annotations

from collections.abc import Sequence

from inkeek.service.games.state import ENDS
from inkeek.service.storage import GameEvent


def ruling_faults(events: Sequence[GameEvent]) -> list[tuple[int, str]]:
    """The faults of disputes, rulings and appeals, each with the number of its event. The events are those of a game.

    What a ruling orders is the business of `ruling_replay`.
    """
    faults: list[tuple[int, str]] = []
    turns: list[int] = []  # the numbers of the events of the turns that stand
    end: GameEvent | None = None  # the event that says how the game ended
    disputes: dict[int, GameEvent] = {}
    ruled: dict[int, int] = {}  # the number of a dispute's ruling
    for event in events:
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
        elif kind == "ruling":
            about = disputes.get(data["dispute"])
            if about is None:
                fault = f"it rules on event {data['dispute']}, which is no dispute before it"
            elif about.seq in ruled:
                fault = f"it rules on the dispute of event {about.seq}, which event {ruled[about.seq]} ruled on"
            else:
                ruled[about.seq] = event.seq
        if fault is not None:
            faults.append((event.seq, fault))
    return faults


def _stands(dispute: GameEvent, turns: Sequence[int], end: GameEvent | None) -> bool:
    """Whether the disputed turn or end is current: not taken back or replaced."""
    data = dispute.data
    if data.get("about", "turn") == "end":
        return end is not None and bool(data["turn"] == end.seq)
    if data["turn"] == dispute.seq:  # a turn that lies on the board only
        return bool(data["ply"] == len(turns) + 1)
    return bool(1 <= data["ply"] <= len(turns) and turns[data["ply"] - 1] == data["turn"])
