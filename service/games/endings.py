"""Games that players or an arbiter end, not the rules."""

from __future__ import annotations

from typing import Any

from records import Game, Outcome, Position
from service.errors import Invalid

from .state import RESULTS, ending

# How a game may be ended by hand, and whether a winner must, may or must not be named.
TERMINATIONS = {
    "resignation": "must",
    "forfeit": "must",
    "time": "must",
    "adjudication": "may",
    "agreement": "not",
    "abandoned": "not",
    "repetition": "not",
}


def ended_by_hand(termination: str, winner: str | None, by: str) -> dict[str, Any]:
    """The data of the ``ended`` event. For `repetition`, check with `ended_by_repetition` too.

    :raises Invalid: an unknown termination, or a winner that does not fit it.
    """
    if termination not in TERMINATIONS:
        raise Invalid(f"termination is {termination!r}: expected one of {', '.join(TERMINATIONS)}")
    need = TERMINATIONS[termination]
    if winner is not None and winner not in RESULTS:
        raise Invalid(f"winner is {winner!r}: expected South, North or null")
    if need == "must" and winner is None:
        raise Invalid(f"termination is {termination!r}: give the winner, South or North")
    if need == "not" and winner is not None:
        raise Invalid(f"winner is {winner!r}: with termination {termination!r} there is none")
    drawn = "*" if termination == "abandoned" else "1/2-1/2"
    result = drawn if winner is None else RESULTS[winner]
    return {"termination": termination, "winner": winner, "result": result, "score": None, "by": by}


def ended_by_repetition(record: Game, position: Position, by: str) -> dict[str, Any]:
    """The data of an end by repetition.

    :raises Invalid: the position has not occurred often enough.
    """
    outcome = Outcome.of("repetition", record.rules().final_score(position))
    replay = record.with_tags(Result=outcome.result, Termination="repetition").replay()
    if replay.error is not None:
        raise Invalid(replay.error.message)
    return ending(outcome, by)
