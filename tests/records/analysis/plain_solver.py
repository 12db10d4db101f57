"""Solves small games from the slow model of the rules, looking at all their positions until none changes.

It shares nothing with the tables: whole positions in a dictionary, values from South's side with the stores in them,
and no order among the positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inkeek.records import Position, Rules
from inkeek.records.position import SOUTH, Side
from inkeek.records.rules.outcome import in_row, owned
from tests.records.reference import Done, all_turns

Bounds = dict[Position, tuple[int, int]]
Graph = dict[Position, list[Position]]


def reachable(rules: Rules, starts: Iterable[Position]) -> Graph:
    """All positions that turns lead to, each with those that its turns lead to."""
    graph: Graph = {}
    waiting = [start.replaced(ply=2) for start in starts]
    while waiting:
        position = waiting.pop()
        if position not in graph:
            graph[position] = _after(rules, position)
            waiting += graph[position]
    return graph


def solve(rules: Rules, graph: Graph) -> Bounds:
    """The bounds of every position for the side to move, under any rule of repetition; where a repetition ends the game
    and nobody gets what is left, these are the same number."""
    if rules.info.remaining_seeds != "nobody" or rules.options["repetition"] == 0:
        low = _settled(rules, graph, lambda position: _lead(position) - _ordinary(position))
        high = _settled(rules, graph, lambda position: _lead(position) + _ordinary(position))
    else:
        low = high = _settled(rules, graph, _lead)
    return {
        position: (low[position], high[position]) if position.to_move is SOUTH else (-high[position], -low[position])
        for position in graph
    }


def _settled(rules: Rules, graph: Graph, begin: Callable[[Position], int]) -> dict[Position, int]:
    """South's values if the game were over after so many turns that more of them change nothing."""
    values = {position: begin(position) for position in graph}
    while True:
        better = {}
        for position, after in graph.items():
            best = max if position.to_move is SOUTH else min
            better[position] = best(values[other] for other in after) if after else _final(rules, position)
        if better == values:
            return values
        values = better


def _after(rules: Rules, position: Position) -> list[Position]:
    other = position.to_move.other
    after = _turns(rules, position)
    if not after and rules.options.get("no_move") == "pass" and _turns(rules, position.replaced(to_move=other)):
        after = [position.replaced(to_move=other)]
    return after


def _turns(rules: Rules, position: Position) -> list[Position]:
    return [
        Position(
            turn.pits, turn.marks, turn.stores, position.to_move if turn.again else position.to_move.other, position.ply
        )
        for turn in all_turns(rules.info.family, rules.options, position, 10_000_000)
        if isinstance(turn, Done)
    ]


def _final(rules: Rules, position: Position) -> int:
    lead = _lead(position)
    if rules.info.remaining_seeds == "nobody":
        return lead
    return lead + in_row(position, Side.SOUTH) - in_row(position, Side.NORTH)


def _lead(position: Position) -> int:
    south, north = owned(position)
    return south - north


def _ordinary(position: Position) -> int:
    return in_row(position, Side.SOUTH) + in_row(position, Side.NORTH)
