"""Writing records against python-chess writing PGN: ``python -m benchmarks.notation.writing --games 200``.

`write_game` of games that were read but not replayed, so it must replay them first, against `str` of the same number of
chess games with as many plies, where python-chess must name the moves. The last column is `write_game` of games that
were replayed before.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

import chess.pgn

from records import read_games, ruleset_ids, write_game

from .. import corpus


def row(made: corpus.Corpus, name: str, rounds: int) -> str:
    """A line of the table: both writers, and ours after the replay."""
    games = list(read_games(made.pmn))
    replayed = [replace(game) for game in games]
    for game in replayed:
        game.replay()
    with made.pgn.open(encoding="utf-8") as pgn:
        others = [chess.pgn.read_game(pgn) for _ in games]
    seconds = corpus.in_turn(
        rounds,
        # A copy of a game does not have its replay.
        lambda: [write_game(replace(game)) for game in games],
        lambda: [str(game) for game in others],
        lambda: [write_game(game) for game in replayed],
    )
    ours, theirs, known = (f"{made.plies / each:,.0f}" for each in seconds)
    return f"| {name} | {made.plies:,} | {ours} | {theirs} | {seconds[1] / seconds[0]:.2f} | {known} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Writing records against python-chess writing PGN.")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--game", default="enkeshui", choices=ruleset_ids())
    options = parser.parse_args()
    print("| games | plies | ours, plies/s | python-chess, plies/s | ratio | ours, replayed before, plies/s |")
    print("|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in corpus.KINDS:
            made = corpus.make(Path(folder), options.games, kind, options.game)
            print(row(made, f"{options.game}, {kind}", options.rounds), flush=True)


if __name__ == "__main__":
    main()
