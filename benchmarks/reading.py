"""Reading records against python-chess reading PGN: ``python -m benchmarks.reading --games 200``.

Two files of as many games and plies, played at random: ours is read, validated and replayed (`read_games`, then
`Game.errors`), theirs is read with `chess.pgn.read_game`, which checks every move and builds the game. Both in one
process, A B A B …, the ratio is of the medians. First with nothing but moves, then with a clock beside every move. Then
`inkeek validate`, with the start of Python in it, in one process and in two.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import chess.pgn

from records import read_games

from . import corpus


def read_ours(path: Path) -> int:
    """The plies of a file of records, each of which must be right."""
    plies = 0
    with path.open("rb") as file:
        for game in read_games(file):
            assert not game.errors, game.errors[0]
            plies += len(game.replay().turns)
    return plies


def read_theirs(path: Path) -> int:
    """The plies of a PGN file, each of which must be right."""
    plies = 0
    with path.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors, game.errors[0]
            plies += game.end().ply()
    return plies


def validate(path: Path, jobs: int) -> None:
    command = [sys.executable, "-m", "service.cli", "validate", "-j", str(jobs), str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description="Reading records against python-chess reading PGN.")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--game", default="enkeshui")
    options = parser.parse_args()
    print("| file | plies | ours, plies/s | python-chess, plies/s | ratio |")
    print("|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for clocks in (False, True):
            made = corpus.make(Path(folder), options.games, clocks, options.game, {})
            assert read_ours(made.pmn) == read_theirs(made.pgn) == made.plies
            ours, theirs = corpus.in_turn(
                options.rounds, lambda: read_ours(made.pmn), lambda: read_theirs(made.pgn)
            )
            name = f"{options.game}, {'a clock beside every move' if clocks else 'moves alone'}"
            print(
                f"| {name} | {made.plies:,} | {made.plies / ours:,.0f} | {made.plies / theirs:,.0f} "
                f"| {theirs / ours:.2f} |",
                flush=True,
            )
        jobs = (1, 2)
        for seconds, count in zip(
            corpus.in_turn(options.rounds, *(lambda count=count: validate(made.pmn, count) for count in jobs)),
            jobs,
            strict=True,
        ):
            print(f"| `inkeek validate -j {count}` of the last | {made.plies:,} | {made.plies / seconds:,.0f} | | |")


if __name__ == "__main__":
    main()
