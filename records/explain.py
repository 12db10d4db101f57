"""A trace in plain sentences that a scorekeeper can follow. The only place where turns become prose."""

from __future__ import annotations

from collections.abc import Mapping

from .position import Side
from .trace import Event, Trace

_ENDS = {
    "in-special": "{pit} is a {special}: {mover} sleeps.",
    "made-special": "{mover} sleeps.",
    "empty-theirs": "{pit} was empty and lies in {other}'s row: {mover} sleeps.",
    "empty-nothing": "{pit} was empty and there is nothing to take opposite: {mover} sleeps.",
    "captured": "{mover} sleeps.",
    "no-capture-after-relay": "{pit} was empty; a turn of more than one lap captures nothing: {mover} sleeps.",
    "four": "{mover} sleeps.",
    "last-four": "Only four seeds were left, which go to the same side: the game is over.",
    "empty": "{pit} was empty: {mover} sleeps.",
    "took-beyond": "{mover} sleeps.",
    "grand-slam": "This would take all that {other} has, so it takes nothing: {mover} sleeps.",
    "in-store": "The last seed fell in the store: {mover} moves again.",
    "in-occupied": "{mover} sleeps.",
    "nothing-beyond": "The next pit is empty, and so is the one after it: {mover} takes nothing and sleeps.",
}


def explain_trace(trace: Trace, terms: Mapping[str, str]) -> list[str]:
    """One sentence for each lap and each thing that came of it."""
    if not trace.events:
        if str(trace.move) == "--":
            return [f"{trace.before.to_move} has no turn and passes."]
        return [f"{trace.before.to_move} rearranges: {trace.move}."]
    sentences: list[str] = []
    lap: list[str] = []
    lifted = ""

    def end_lap() -> None:
        if lap:
            sentences.append(f"{lifted}: {' '.join(lap)}.")
            lap.clear()

    for event in trace.events:
        if event.kind == "lift":
            end_lap()
            lifted = f"{trace.before.letter(event.pit)} has {event.count}"
        elif event.kind == "drop":
            lap.append(trace.before.letter(event.pit))
        elif event.kind == "store":
            lap.append("the store")
        else:
            end_lap()
            sentences.append(_sentence(event, trace, terms))
    end_lap()
    if trace.cycle:
        sentences.append(
            f"After {trace.cycle} more laps everything is as it was: the sowing never ends, and the move is not legal."
        )
    return sentences


def _sentence(event: Event, trace: Trace, terms: Mapping[str, str]) -> str:
    before = trace.before
    pit = before.letter(event.pit) if event.pit >= 0 else "the hand"
    if event.kind == "choose":
        way = "counter-clockwise" if event.other > 0 else "clockwise"
        return f"{before.to_move} has been all along {before.to_move.other}'s row and goes on {way} from {pit}."
    if event.kind == "take":
        return f"{Side(event.other)} takes {event.count} from {pit}."
    if event.kind == "shift":
        return f"One of the 3 in {pit} goes over to {before.letter(event.other)}: both hold 2."
    if event.kind == "special":
        return f"{pit} now holds {event.count}: a {terms['special']} for {Side(event.other)}."
    return _ENDS[event.reason].format(
        pit=pit, mover=before.to_move, other=before.to_move.other, special=terms.get("special", "")
    )
