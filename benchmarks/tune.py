"""Tune the weights of the search's estimate by self-play, and print them as `records/analysis/weights.toml` has them.

    python -m benchmarks.tune --game oware [--pairs 500] [--nodes 2000] [--seed 1]

Whether new weights play better, a match must show: this does not say.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from itertools import islice
from random import Random

from records import ruleset, ruleset_ids
from records.analysis.tuning import tune
from records.analysis.weights import Weights, load_weights

EVERY = 20  # pairs of games between two prints


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", required=True, choices=ruleset_ids())
    parser.add_argument("--pairs", type=int, default=500, help="of games")
    parser.add_argument("--nodes", type=int, default=2000, help="positions searched for a turn")
    parser.add_argument("--step", type=float, default=0.05, help="of a weight, in seeds")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    weights = load_weights(options.game)
    tuned = tune(ruleset(options.game), weights, Random(options.seed), options.nodes, options.step)
    for played, weights in enumerate(islice(tuned, options.pairs), 1):
        if played % EVERY == 0 or played == options.pairs:
            show(options.game, played, weights)


def show(game: str, played: int, weights: Weights) -> None:
    print(f"# after {2 * played} games\n[{game}]")
    for name, value in asdict(weights).items():
        print(f"{name} = {value:.3f}")
    print(flush=True)


if __name__ == "__main__":
    main()
