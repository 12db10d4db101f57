"""Reading records against python-chess reading PGN: ``python -m benchmarks.notation.reading --games 200``.

Both read a file with the same number of random games and plies. Ours is read and replayed (`read_games`, then
`Game.errors`); theirs is read with `chess.pgn.read_game`, which checks every move and builds the game. Both run in one
process, in turn; the ratio is that of the medians. The kinds of files are those of `corpus.KINDS`. For bare moves there
is also a row with the position after each turn: theirs plays the game once more and copies the board. The last rows are
`inkeek validate` in wall time, with the start of Python, in one process and in two.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import chess.pgn

from inkeek.records import read_games, ruleset_ids

from .. import corpus

Reader = Callable[[Path], int]
OFTEN = 20  # so that the start of a command does not count for much


def read_ours(path: Path) -> int:
    """The plies of a file of correct records."""
    plies = 0
    for game in read_games(path):
        assert not game.errors, game.errors[0]
        plies += game.replay().count
    return plies


def read_theirs(path: Path) -> int:
    """The plies of a correct PGN file."""
    plies = 0
    with path.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors, game.errors[0]
            plies += game.end().ply()
    return plies


def positions_of_ours(path: Path) -> int:
    """The plies of a file of records, with every position and turn."""
    plies = 0
    for game in read_games(path):
        assert not game.errors, game.errors[0]
        plies += len(game.replay().positions) - 1
    return plies


def positions_of_theirs(path: Path) -> int:
    """The plies of a PGN file, with every board."""
    plies = 0
    with path.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            board = game.board()
            boards = [board.copy(stack=False)]
            for move in game.mainline_moves():
                board.push(move)
                boards.append(board.copy(stack=False))
            plies += len(boards) - 1
    return plies


def validate(path: Path) -> None:
    """Run `inkeek validate` on a file."""
    command = [sys.executable, "-m", "inkeek.service.cli", "validate", path]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def row(made: corpus.Corpus, name: str, rounds: int, a: Reader = read_ours, b: Reader = read_theirs) -> str:
    """A line of the table: both readers on one corpus."""
    assert a(made.pmn) == b(made.pgn) == made.plies
    ours, theirs = corpus.in_turn(rounds, lambda: a(made.pmn), lambda: b(made.pgn))
    return f"| {name} | {made.plies:,} | {made.plies / ours:,.0f} | {made.plies / theirs:,.0f} | {theirs / ours:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Reading records against python-chess reading PGN.")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--game", default="enkeshui", choices=ruleset_ids())
    options = parser.parse_args()
    print("| file | plies | ours, plies/s | python-chess, plies/s | ratio |")
    print("|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in corpus.KINDS:
            made = corpus.make(Path(folder), options.games, kind, options.game)
            print(row(made, f"{options.game}, {kind}", options.rounds), flush=True)
            if kind == "moves":
                name = f"{options.game}, every position"
                print(row(made, name, options.rounds, positions_of_ours, positions_of_theirs), flush=True)
        many = Path(folder) / "many.pmn"
        many.write_text(made.pmn.read_text("utf-8") * OFTEN, "utf-8")
        began = time.perf_counter()
        validate(many)
        plies, seconds = OFTEN * made.plies, time.perf_counter() - began
    print(f"| the last {OFTEN} times over, by `inkeek validate` | {plies:,} | {plies / seconds:,.0f} | | |")


if __name__ == "__main__":
    main()
