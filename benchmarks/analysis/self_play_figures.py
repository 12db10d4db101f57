"""What a collection of games shows on average: who wins, how long games are, what is captured."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from inkeek.records.analysis.self_play.collection import SelfPlayGame
from inkeek.records.analysis.strength import INTERVAL_WIDTH
from inkeek.records.errors import RecordsError
from inkeek.records.position import NORTH, OWNED, SOUTH
from inkeek.records.rules.play import Rules


@dataclass(frozen=True, slots=True)
class Mean:
    """An average over games, with half the width of its 95 % interval."""

    value: float
    error: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Mean:
        """The average of at least two numbers."""
        count = len(numbers)
        mean = sum(numbers) / count
        variance = sum((number - mean) ** 2 for number in numbers) / (count - 1)
        return cls(mean, INTERVAL_WIDTH * math.sqrt(variance / count))


@dataclass(frozen=True, slots=True)
class SelfPlayFigures:
    """What the games show; South moves first.

    `score`: South's share of the points. `difference`: South's seeds less North's at the end. `differences`, `lengths`
    (in turns) and `terminations` count games. `capturing`: the share of turns that capture; `captured`: seeds per such
    turn, for the mover; `largest`: the most seeds of one turn; `lost`: the share of turns that give seeds to the
    opponent. `by_turn`: seeds captured on average by each number of turn, for as long as half the games go on.
    `specials`: special pits at the end of a game; `with_specials`: the share of games that have any; `special_seeds`:
    the share of all seeds in them at the end.
    """

    games: int
    south: int
    drawn: int
    north: int
    score: Mean
    difference: Mean
    differences: Counter[int]
    lengths: Counter[int]
    terminations: Counter[str]
    capturing: float
    captured: float
    largest: int
    lost: float
    by_turn: tuple[float, ...]
    specials: Mean
    with_specials: float
    special_seeds: float


def figures_of(rules: Rules, games: Sequence[SelfPlayGame]) -> SelfPlayFigures:
    """Replay games and count.

    :raises RecordsError: a game is not what its moves and the rules say.
    """
    points: list[float] = []
    specials: list[float] = []
    special_seeds = turns = lost = 0
    captures: list[int] = []
    by_turn: Counter[int] = Counter()
    for number, game in enumerate(games, 1):
        position, previous = rules.start(), None
        for ply, move in enumerate(game.moves, 1):
            turn = rules.play(position, move, previous)
            mine, theirs = turn.captured[position.to_move], turn.captured[1 - position.to_move]
            position, previous = turn.position, turn.move
            by_turn[ply] += mine
            turns += 1
            lost += theirs > 0
            if mine:
                captures.append(mine)
        score = rules.final_score(position)
        if game.outcome.termination in ("normal", "repetition") and score != game.outcome.score:
            raise RecordsError(f"game {number} ends {score[0]}-{score[1]}, not {game.outcome.score}")
        points.append(1.0 if game.outcome.winner is SOUTH else 0.5 if game.outcome.winner is None else 0.0)
        owned = [count for count, mark in zip(position.pits, position.marks, strict=True) if mark in OWNED]
        specials.append(len(owned))
        special_seeds += sum(owned)
    lengths = Counter(len(game.moves) for game in games)
    median = sorted(lengths.elements())[len(games) // 2]
    winners = Counter(game.outcome.winner for game in games)
    differences = [game.outcome.score[0] - game.outcome.score[1] for game in games]
    going_on = [sum(count for length, count in lengths.items() if length >= ply) for ply in range(1, median + 1)]
    return SelfPlayFigures(
        games=len(games),
        south=winners[SOUTH],
        drawn=winners[None],
        north=winners[NORTH],
        score=Mean.of(points),
        difference=Mean.of(differences),
        differences=Counter(differences),
        lengths=lengths,
        terminations=Counter(game.outcome.termination for game in games),
        capturing=len(captures) / turns,
        captured=sum(captures) / len(captures) if captures else 0.0,
        largest=max(captures, default=0),
        lost=lost / turns,
        by_turn=tuple(by_turn[ply] / count for ply, count in enumerate(going_on, 1)),
        specials=Mean.of(specials),
        with_specials=sum(map(bool, specials)) / len(games),
        special_seeds=special_seeds / (len(games) * rules.seeds),
    )


def quantile(counts: Counter[int], share: float) -> int:
    """The number that this share of those counted does not exceed."""
    left = share * sum(counts.values())
    for number in sorted(counts):
        left -= counts[number]
        if left <= 0:
            return number
    return max(counts)
