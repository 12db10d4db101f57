"""`Rules.play` from Python against the bare kernel and against python-chess: ``python -m benchmarks.rules.play``.

Of every rule set, games played at random: `Rules.play` of every turn, which checks the position and the move and makes
the objects that tell what it did; the same turns with nothing but `Kernel.load` and `Kernel.sow`; and perft, which
never leaves the kernel. Beside them `is_legal` and `push` of python-chess over random games of chess: a library whose
speed people know, and which also refuses what is not legal. (Another writing of the sowing in plain Python would only
tell how slow one can make it.) All in one process, in turn; medians.
"""

from __future__ import annotations

import argparse
from random import Random

import chess

from records import Move, Position, Rules, ruleset, ruleset_ids

from .. import corpus

DEPTHS = {"oware": 7, "kalah": 7}  # of perft, where 6 is over too soon


def play_all(rules: Rules, turns: list[tuple[Position, Move]]) -> None:
    for position, move in turns:
        rules.play(position, move)


def sow_all(rules: Rules, turns: list[tuple[Position, Move]]) -> None:
    kernel = rules._load(rules.start())
    for position, move in turns:
        kernel.load(*position)
        kernel.sow(*(move.code or ())[:4])


def push_all(games: list[list[chess.Move]]) -> None:
    for moves in games:
        board = chess.Board()
        for move in moves:
            assert board.is_legal(move)
            board.push(move)


def chess_games(rng: Random, plies: int) -> list[list[chess.Move]]:
    """Random games of chess, together of so many plies."""
    games: list[list[chess.Move]] = []
    while plies > 0:
        board = chess.Board()
        while plies > 0 and len(board.move_stack) < 120 and (moves := list(board.legal_moves)):
            board.push(rng.choice(moves))
            plies -= 1
        games.append(board.move_stack)
    return games


def main() -> None:
    parser = argparse.ArgumentParser(description="Playing turns from Python.")
    parser.add_argument("--turns", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("| rule set | `play`, turns/s | kernel called, turns/s | perft, turns/s | python-chess, turns/s | ratio |")
    print("|---|--:|--:|--:|--:|--:|")
    for id in ruleset_ids():
        rng = Random(id)
        rules = ruleset(id)
        turns: list[tuple[Position, Move]] = []
        while len(turns) < options.turns:
            turns += corpus.random_plies(rng, rules)
        turns = [(position, move.choice) for position, move in turns if move.pit][: options.turns]
        pushed = chess_games(rng, len(turns))
        depth = DEPTHS.get(id, 6)
        sown = sum(rules.perft(rules.start(), deep) for deep in range(1, depth + 1))
        play, bare, perft, push = corpus.in_turn(
            options.rounds,
            lambda rules=rules, turns=turns: play_all(rules, turns),
            lambda rules=rules, turns=turns: sow_all(rules, turns),
            lambda rules=rules, depth=depth: rules.perft(rules.start(), depth),
            lambda pushed=pushed: push_all(pushed),
        )
        rates = [len(turns) / play, len(turns) / bare, sown / perft, len(turns) / push]
        print(f"| {id} | {' | '.join(f'{rate:,.0f}' for rate in rates)} | {push / play:.2f} |", flush=True)


if __name__ == "__main__":
    main()
