"""Games between programs, and how they end."""

from __future__ import annotations

from dataclasses import dataclass

from inkeek.records.moves import Move
from inkeek.records.position import Position
from inkeek.records.rules.outcome import Outcome
from inkeek.records.rules.play import Rules

MAX_PLIES = 1000  # of a game; then it is adjudicated by the seeds in stores and special pits
REPETITIONS = 3  # that end a game under rules that leave it to the players


@dataclass(frozen=True, slots=True)
class SelfPlayGame:
    """A game of self-play from the set-up. `values`: what the position after each of the first turns is worth for
    South, in seeds, by the search that was asked there; as many as the game has turns, or as were kept."""

    moves: tuple[Move, ...]
    values: tuple[float, ...]
    outcome: Outcome


def game_end(rules: Rules, position: Position, times: int) -> Outcome | None:
    """How a game between programs ends in a position that came up `times` times; None if it continues.

    It ends by the rules, by repetition also where they leave that to the players, and after `MAX_PLIES` turns.
    """
    outcome = rules.outcome(position) or rules.repetition(position, times)
    if outcome is not None:
        return outcome
    is_endless = rules.options["repetition"] == 0 and times >= REPETITIONS
    if position.ply - rules.start().ply >= MAX_PLIES or is_endless:
        return Outcome.of("adjudication", rules.score(position))
    return None
