"""Tune the weights of the search's estimate by self-play: ``python -m benchmarks.analysis.tune --game oware``.

Plays games with the weights of the rule set, fits weights to how they ended, and plays those against the old ones, from
other openings. Fits again to games of the better ones, `--rounds` times. Prints the weights as
`records/analysis/weights.toml` has them, and the score of the last match against the weights of the rule set.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from itertools import islice
from random import Random

from inkeek.records import ruleset, ruleset_ids
from inkeek.records.analysis.search import Weights, load_weights, new_searcher
from inkeek.records.analysis.strength import MatchScore
from inkeek.records.kernel.codes import UNIT
from inkeek.records.kernel.searcher import TranspositionTable
from inkeek.records.rules.play import Rules

from .playing import Player, SelfPlayGame, play_game, play_pair, random_opening

THINGS = len(fields(Weights))
OPENING_TURNS = 6  # random turns, so that games differ
ONE = 1 / UNIT  # seeds: the weight with which a thing is counted, so small that the estimate cuts nothing off
PRIOR_POSITIONS = 10.0  # positions in which a thing is worth nothing that are added, so that what never occurs gets 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", action="append", choices=ruleset_ids(), help="one rule set; may be repeated")
    parser.add_argument("--games", type=int, default=1000, help="to fit to, in each round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--match", type=int, default=400, help="games against the old weights")
    parser.add_argument("--nodes", type=int, default=1000, help="positions searched for a turn")
    parser.add_argument("--seed", type=int, default=1000)
    options = parser.parse_args()
    for id in options.game or ruleset_ids():
        rules = ruleset(id)
        old = load_weights(id, rules.info.family)
        weights = old
        for round in range(options.rounds):
            rng = Random(f"{options.seed} {id} {round}")
            weights = rounded(fit(rules, islice(self_play(rules, weights, rng, options.nodes), options.games)))
        show(id, weights)
        rng = Random(f"{options.seed} {id} match")
        pairs = list(islice(compare(rules, weights, old, rng, options.nodes), options.match // 2))
        score = MatchScore.of(pairs)
        print(
            f"# against the old ones: {score.wins} won, {score.draws} drawn, {score.losses} lost; "
            f"score {100 * score.score:.1f} % ± {100 * score.error:.1f} %",
            flush=True,
        )


def rounded(weights: Weights) -> Weights:
    """As the file has them."""
    return Weights(*(round(value, 2) + 0.0 for value in asdict(weights).values()))


def show(game: str, weights: Weights) -> None:
    print(f"[{game}]")
    for name, value in asdict(weights).items():
        print(f"{name} = {value:g}")


def self_play(rules: Rules, weights: Weights, rng: Random, nodes: int) -> Iterator[SelfPlayGame]:
    """Games from random openings, in which both sides search `nodes` positions for a turn with these weights."""
    while True:
        opening, _ = random_opening(rules, rng, OPENING_TURNS)
        yield play_game(rules, opening, (Player(rules, nodes, weights), Player(rules, nodes, weights)))


def fit(rules: Rules, games: Iterable[SelfPlayGame]) -> Weights:
    """The weights with which the estimate of the positions of games comes nearest to how they ended (least squares).

    Positions of the opening do not count, nor do games that were adjudicated.
    """
    sums = [[PRIOR_POSITIONS if row == column else 0.0 for column in range(THINGS)] for row in range(THINGS)]
    right = [0.0] * THINGS
    counters = _Counters(rules)
    for game in games:
        if game.outcome.termination == "adjudication":
            continue
        position = rules.start()
        for number, move in enumerate(game.moves):
            if number >= OPENING_TURNS:
                counts, ahead = counters.count(position)
                south = game.outcome.score[0] - game.outcome.score[1]
                gained = (south if position.to_move == 0 else -south) - ahead
                for row, one in enumerate(counts):
                    right[row] += one * gained
                    for column, other in enumerate(counts):
                        sums[row][column] += one * other
            position = rules.play(position, move, game.moves[number - 1] if number else None).position
    return Weights(*_solve_equations(sums, right))


class _Counters:
    """Count what the estimate counts, by searchers themselves: one for each thing, with a weight for it alone."""

    def __init__(self, rules: Rules) -> None:
        table = TranspositionTable(1)
        none = [0.0] * THINGS
        alone = [[*none[:index], ONE, *none[index + 1 :]] for index in range(THINGS)]
        self._searchers = [new_searcher(rules, table, Weights(*weights)) for weights in (none, *alone)]

    def count(self, position: object) -> tuple[list[float], float]:
        """How much of each thing the side to move has more, and the seeds by which it is ahead for sure."""
        standings = []
        for searcher in self._searchers:
            searcher.set_root(position, [])
            standings.append(searcher.standing())
        ahead, sure, _ = standings[0]
        return [(estimate - sure) / (ONE * UNIT) for _, estimate, _ in standings[1:]], ahead + sure / UNIT


def _solve_equations(rows: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution of linear equations, by Gauss with the largest pivot."""
    work = [[*row, value] for row, value in zip(rows, right, strict=True)]
    size = len(work)
    for step in range(size):
        pivot = max(range(step, size), key=lambda row: abs(work[row][step]))
        work[step], work[pivot] = work[pivot], work[step]
        for row in range(size):
            if row != step:
                factor = work[row][step] / work[step][step]
                work[row] = [one - factor * other for one, other in zip(work[row], work[step], strict=True)]
    return [work[row][size] / work[row][row] for row in range(size)]


def compare(rules: Rules, new: Weights, old: Weights, rng: Random, nodes: int) -> Iterator[tuple[float, float]]:
    """Play `new` against `old`, and yield the points of `new` in the two games of each opening, sides changed."""
    while True:
        opening, _ = random_opening(rules, rng, OPENING_TURNS)
        yield play_pair(rules, opening, lambda: Player(rules, nodes, new), lambda: Player(rules, nodes, old))


if __name__ == "__main__":
    main()
