"""An engine to measure others against: alpha-beta to a fixed depth that counts captured seeds.

    inkeek engine match inkeek "python -m benchmarks.analysis.fixed_depth" --game bof --games 400 --move-time 0.05

It speaks the engine protocol (docs/engine.md) and shares nothing with `records.analysis.search`: no table, no
estimate of seeds that are still in play, no deepening. Turns that capture most come first, else the order of the pits.
Limits of time and nodes are ignored: the depth is what it has.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from records import Position, RecordsError, Rules, ruleset
from records.analysis.protocol import VERSION, Answer, Info, answer_text, read_position, read_rules
from records.moves import Move
from records.rules.outcome import owned

DEPTH = 7  # turns
INFINITE = 10_000  # seeds


class FixedDepth:
    """Alpha-beta under one set of rules. `nodes` counts the positions it has seen."""

    def __init__(self, rules: Rules, depth: int = DEPTH) -> None:
        self._rules = rules
        self._depth = depth
        self.nodes = 0

    def choose(self, position: Position, earlier: Sequence[Position] = ()) -> tuple[Move | None, int]:
        """The best turn, None if the game is over, and its value: captured seeds for the side to move. What was
        `earlier` does not matter to it."""
        board: Any = self._rules.board(position)
        best, found = -INFINITE, None
        for move in self._ordered(board):
            value = self._after(board, move, position.to_move, self._depth - 1, best, INFINITE)
            if value > best:
                best, found = value, move
        return found, best if found else self._final(position)

    def _after(self, board: Any, move: Move, mover: int, depth: int, alpha: int, beta: int) -> int:
        """The value of a turn for `mover`, who plays it."""
        board.push(move)
        position = board.position()
        if position.to_move == mover:  # moves again
            value = self._search(board, position, depth, alpha, beta)
        else:
            value = -self._search(board, position, depth, -beta, -alpha)
        board.pop()
        return value

    def _search(self, board: Any, position: Position, depth: int, alpha: int, beta: int) -> int:
        self.nodes += 1
        if depth == 0:
            return _lead(owned(position), position)
        moves = self._ordered(board)
        if not moves:
            return self._final(position)
        best = -INFINITE
        for move in moves:
            best = max(best, self._after(board, move, position.to_move, depth - 1, max(alpha, best), beta))
            if best >= beta:
                break
        return best

    def _final(self, position: Position) -> int:
        return _lead(self._rules.final_score(position), position)

    def _ordered(self, board: Any) -> list[Move]:
        return sorted(board.legal(), key=_captured, reverse=True)


def _captured(move: Move) -> int:
    return move.captured[0] - move.captured[1] if move.captured else 0


def _lead(score: tuple[int, int], position: Position) -> int:
    return score[position.to_move] - score[1 - position.to_move]


def main() -> None:
    parser = argparse.ArgumentParser(description="Alpha-beta to a fixed depth, by the engine protocol.")
    parser.add_argument("depth", nargs="?", type=int, default=DEPTH)
    depth = parser.parse_args().depth
    rules, position = ruleset("kalah"), ruleset("kalah").start()
    for line in sys.stdin:
        words = line.split()
        try:
            match words:
                case ["inkeek", _]:
                    print(f"id name Depth {depth}\ninkeekok {VERSION}", flush=True)
                case ["rules", *rest]:
                    rules = read_rules(rest)
                    position = rules.start()
                case ["position", *rest]:
                    rules, positions = read_position(rules, rest)
                    position = positions[-1]
                case ["isready"]:
                    print("readyok", flush=True)
                case ["go", *_]:
                    engine = FixedDepth(rules, depth)
                    move, value = engine.choose(position)
                    print(answer_text(Answer(move, Info(value))), flush=True)
                case ["quit"]:
                    return
        except RecordsError as error:
            print("error", *str(error).split(), flush=True)


if __name__ == "__main__":
    main()
