"""Play fast, repeatable games between two searches: each turn searches a fixed number of positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from inkeek.records.analysis.search import Weights, aspirate, new_searcher, to_move
from inkeek.records.kernel.codes import DEEPEST, HORIZON, UNIT
from inkeek.records.kernel.searcher import TranspositionTable
from inkeek.records.moves import Move
from inkeek.records.position import SOUTH, Position
from inkeek.records.rules.outcome import Outcome
from inkeek.records.rules.play import Rules
from inkeek.service.engines.match import game_end

MEMORY = 1  # MiB for a player's transposition table


@dataclass(frozen=True, slots=True)
class SelfPlayGame:
    """A game of self-play from the set-up. `values`: what the position after each turn is worth for South, in seeds."""

    moves: tuple[Move, ...]
    values: tuple[float, ...]
    outcome: Outcome


class Player:
    """Chooses the turns of one game, by searches of a fixed number of positions that share a table.

    `endgame`: what `Tables.set_for` returns.
    """

    def __init__(self, rules: Rules, nodes: int, weights: Weights | None = None, endgame: Any = None) -> None:
        self._rules = rules
        self._nodes = nodes
        self._searcher = new_searcher(rules, TranspositionTable(MEMORY), weights, endgame)

    def choose(self, position: Position, earlier: Sequence[Position] = ()) -> tuple[Move | None, float]:
        """The best turn, None if the game is over, and the value for the side to move. `earlier`: the positions that
        could come up again."""
        searcher = self._searcher
        turns = searcher.set_root(position, list(earlier))
        ahead, value, ended = searcher.standing()
        if not turns:
            return None, ahead + ended / UNIT
        searcher.limit(self._nodes)
        best = 0
        for depth in range(1, DEEPEST + 1):
            found, flags, number = aspirate(searcher, depth, value)
            if searcher.was_stopped():
                break
            value, best = found, number
            if not flags & HORIZON:
                break
        return to_move(self._rules, turns[best]), ahead + value / UNIT


def play_game(rules: Rules, opening: Sequence[Move], players: tuple[Player, Player]) -> SelfPlayGame:
    """A game between two players, (South, North), after these turns."""
    moves: list[Move] = []
    values: list[float] = []
    earlier: list[Position] = []
    position = rules.start()
    times: Counter[object] = Counter()
    while True:
        if earlier and earlier[-1].stores != position.stores:
            earlier.clear()
        same = position.pits, position.marks, position.stores, position.to_move
        times[same] += 1
        outcome = game_end(rules, position, times[same])
        if outcome is not None:
            values.append(float(outcome.score[0] - outcome.score[1]))
            return SelfPlayGame(tuple(moves), tuple(values[1:]), outcome)
        side = position.to_move
        best, value = players[side].choose(position, earlier)
        values.append(value if side is SOUTH else -value)
        move = opening[len(moves)] if len(moves) < len(opening) else best
        if move is None:  # the search leaves out what only rearranging could play
            move = rules.turns(position, 1)[0].move
        earlier.append(position)
        turn = rules.play(position, move, moves[-1] if moves else None)
        moves.append(turn.move)
        position = turn.position


def play_pair(
    rules: Rules, opening: Sequence[Move], one: Callable[[], Player], other: Callable[[], Player]
) -> tuple[float, float]:
    """Play an opening twice, with sides changed, each time with new players. Returns the points of `one`."""
    points = []
    for side in (0, 1):
        players = (one(), other())
        game = play_game(rules, opening, (players[side], players[1 - side]))
        winner = game.outcome.winner
        points.append(0.5 if winner is None else 1.0 if winner == side else 0.0)
    return points[0], points[1]


def random_opening(rules: Rules, rng: Random, plies: int) -> tuple[list[Move], Position]:
    """So many random turns from the set-up, and the position after them, at which the game goes on."""
    while True:
        moves: list[Move] = []
        position = rules.start()
        while len(moves) < plies and (turns := rules.turns(position)):
            turn = rng.choice(turns)
            moves.append(turn.move)
            position = turn.position
        if len(moves) == plies and rules.outcome(position) is None:
            return moves, position
