"""Tune the weights of the search's estimate by self-play: ``python -m benchmarks.analysis.tune --game oware``.

Plays games with the weights of the rule set, fits weights to how they ended, and plays those against the old ones, from
other openings. Fits again to games of the better ones, `--rounds` times. Prints the weights as
`records/analysis/weights.toml` has them, and the score of the last match against the weights of the rule set.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from itertools import islice
from random import Random

from records import ruleset, ruleset_ids
from records.analysis.strength import MatchScore
from records.analysis.tuning import compare, fit, self_play
from records.analysis.weights import Weights, load_weights


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
        rules, old = ruleset(id), load_weights(id)
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


if __name__ == "__main__":
    main()
