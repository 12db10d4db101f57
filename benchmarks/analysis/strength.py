"""Measure how strong the search is: ``python -m benchmarks.analysis.strength --tables FOLDER``.

Matches of pairs of games, each opening played twice with sides changed: against an alpha-beta of depth 7 that counts
captured seeds (`fixed_depth.py`), against the same search with half of the positions, and against the same search
without endgame tables. An opening is six random turns after which a search sees at most two seeds of difference.
Limits are numbers of positions, not times, so the same seed plays the same games on any machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from records import Move, Rules, ruleset, ruleset_ids
from records.analysis.strength import MatchScore
from records.analysis.tables import Tables

from .fixed_depth import DEPTH, FixedDepth
from .playing import Chooser, Player, play_pair, random_opening

OPPONENTS = (DEPTH_7, HALF, NO_TABLES) = (f"depth {DEPTH}", "half the positions", "itself without tables")
FIVE = ("enkeshui", "enkeshui-wikipedia", "layli-goobalay", "anywoli", "bof")
OPENING = 6  # random turns
BALANCED = 2.0  # seeds
SPRT = (0.0, 100.0)  # Elo points, between which the match against the fixed depth decides


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", action="append", choices=ruleset_ids(), help="by default the five games")
    parser.add_argument("--against", action="append", choices=OPPONENTS, help="one opponent; may be repeated")
    parser.add_argument("--games", type=int, default=400, help="of each match, at most")
    parser.add_argument("--nodes", type=int, default=2000, help="positions searched for a turn")
    parser.add_argument("--tables", type=Path, help="folder of endgame tables")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tables = None if options.tables is None else Tables(options.tables)
    print("| game | against | games | won | drawn | lost | score |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for id in options.game or FIVE:
        rules = ruleset(id)
        endgame = None if tables is None else tables.set_for(rules)
        for name, one, other, sprt in matches(rules, options.nodes, endgame):
            if options.against and name not in options.against:
                continue
            rng = Random(f"{options.seed} {id}")
            score = play(rules, rng, options.games // 2, one, other, sprt)
            row = [id, name, score.games, score.wins, score.draws, score.losses]
            error = f"{100 * score.score:.1f} ± {100 * score.error:.1f} %"
            print(f"| {' | '.join(map(str, row))} | {error} |", flush=True)


Make = Callable[[], Chooser]


def matches(rules: Rules, nodes: int, endgame: Any) -> Iterator[tuple[str, Make, Make, bool]]:
    """What is played: whom against, both players, and whether the match may end early."""

    def player(share: float = 1.0, endgame: Any = None) -> Make:
        return lambda: Player(rules, round(share * nodes), endgame=endgame)

    yield DEPTH_7, player(), lambda: FixedDepth(rules), True
    yield HALF, player(), player(0.5), False
    if endgame is not None:
        yield NO_TABLES, player(endgame=endgame), player(), False


def play(rules: Rules, rng: Random, pairs: int, one: Make, other: Make, sprt: bool) -> MatchScore:
    """The score of `one`. With `sprt` the match ends once a sequential test has decided."""
    points: list[Sequence[float]] = []
    score = MatchScore.of(points)
    while len(points) < pairs and not (sprt and score.decision(*SPRT) is not None):
        points.append(play_pair(rules, balanced_opening(rules, rng), one, other))
        score = MatchScore.of(points)
    return score


def balanced_opening(rules: Rules, rng: Random) -> list[Move]:
    """Random turns after which neither side is much ahead."""
    while True:
        moves, position = random_opening(rules, rng, OPENING)
        if abs(Player(rules, 2000).choose(position)[1]) <= BALANCED:
            return moves


if __name__ == "__main__":
    main()
