"""Games that players or an arbiter end, not the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inkeek.records import Position, RecordsError, Rules
from inkeek.records.notation.commands import WON
from inkeek.records.notation.tags import RESULTS_BY_TERMINATION
from inkeek.records.replay import repetition_outcome
from inkeek.service.errors import Invalid

from .state import RESULTS, ending, ending_of

# How a game may be ended by hand; the results that each allows are those of a record's tags.
TERMINATIONS = ("resignation", "forfeit", "time", "adjudication", "agreement", "abandoned", "repetition", "unrecorded")
BY_ITS_RULES = "normal"  # only a game whose rules are not known
WITHOUT_GAME = ("bye", "unplayed")  # how only an event ends its games
Score = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CorrectedEnd:
    """An end that replaces the current one. `score`: the seeds of (South, North), None if they do not matter."""

    termination: str
    winner: str | None = None
    score: Score | None = None


def manual_end(
    termination: str,
    winner: str | None,
    by: str,
    rules: Rules,
    positions: Sequence[Position],
    score: Sequence[int] | None = None,
    result: str | None = None,
) -> dict[str, Any]:
    """The data of an end. `positions` are those of the game; `score` are the seeds of (South, North). `result` says
    what an end without a winner is where it may be a draw or none; by default equal seeds are a draw, and so is what
    the players agree or an arbiter decides.

    :raises Invalid: an unknown termination, or a winner or score that does not fit it; or the last position did not
        occur often enough.
    """
    is_unchecked = termination == BY_ITS_RULES and not rules.info.is_known
    if termination not in (*TERMINATIONS, *WITHOUT_GAME) and not is_unchecked:
        raise Invalid(
            "termination is %(termination)r: expected one of %(terminations)s",
            field="termination",
            termination=termination,
            terminations=", ".join(TERMINATIONS),
        )
    if winner is not None and winner not in RESULTS:
        raise Invalid("winner is %(winner)r: expected South, North or null", field="winner", winner=winner)
    allowed = WON if is_unchecked else RESULTS_BY_TERMINATION[termination]
    if winner is None and not {"*", "1/2-1/2"}.intersection(allowed):
        raise Invalid(
            "The winner is missing. An end by %(termination)r has one: choose South or North.",
            field="termination",
            termination=termination,
        )
    if winner is not None and (termination == "repetition" or RESULTS[winner] not in allowed):
        raise Invalid(
            "winner is %(winner)r: with termination %(termination)r there is none",
            field="winner",
            winner=winner,
            termination=termination,
        )
    if score is not None and (min(score) < 0 or (sum(score) > rules.seeds and rules.info.is_known)):
        given = f"{score[0]}-{score[1]}"
        raise Invalid(
            "score is %(score)s: the game is played with %(seeds)s seeds", field="score", score=given, seeds=rules.seeds
        )
    if termination == "repetition":
        try:
            data = ending(repetition_outcome(rules, positions), by)
        except RecordsError as error:
            raise Invalid(str(error)) from error
        if score is not None and list(score) != data["score"]:
            given, gives = f"{score[0]}-{score[1]}", "-".join(map(str, data["score"]))
            raise Invalid(
                "score is %(score)s: the last position gives %(gives)s", field="score", score=given, gives=gives
            )
        return data
    if winner is not None:
        result = RESULTS[winner]
    elif result not in ("*", "1/2-1/2") or result not in allowed:
        is_even = score is not None and score[0] == score[1] and sum(score) == rules.seeds
        is_draw = "1/2-1/2" in allowed and (is_even or termination != "unrecorded")
        result = "1/2-1/2" if is_draw else "*"
    return {**ending_of(termination, result, by), "score": None if score is None else list(score)}
