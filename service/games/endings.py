"""Games that the players end, not the rules."""

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
    """The data of the ``ended`` event; one by `repetition` is still to be checked with `ended_by_repetition`.

    :raises Invalid: a termination that is not known here, or a winner that does not fit it.
    """
    if termination not in TERMINATIONS:
        raise Invalid(f"termination is {termination!r}: expected one of {', '.join(TERMINATIONS)}")
    need = TERMINATIONS[termination]
    if winner is not None and winner not in RESULTS:
        raise Invalid(f"winner is {winner!r}: expected South, North or nothing")
    if need == "must" and winner is None:
        raise Invalid(f"termination is {termination!r}: the winner must be named, South or North")
    if need == "not" and winner is not None:
        raise Invalid(f"termination is {termination!r}: its winner is not named, but winner is {winner!r}")
    drawn = "*" if termination == "abandoned" else "1/2-1/2"
    result = drawn if winner is None else RESULTS[winner]
    return {"termination": termination, "winner": winner, "result": result, "score": None, "by": by}


def ended_by_repetition(record: Game, position: Position, by: str) -> dict[str, Any]:
    """The data of an end by repetition.

    :raises Invalid: the position has not come up often enough.
    """
    outcome = Outcome.of("repetition", record.rules().final_score(position))
    replay = record.with_tags(Result=outcome.result, Termination="repetition").replay()
    if replay.error is not None:
        raise Invalid(replay.error.message)
    return ending(outcome, by)
