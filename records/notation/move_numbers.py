"""The numbers of turns, as in chess: South's turn and North's after it share one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from inkeek.records.moves import Move
from inkeek.records.position import NORTH, SOUTH, Position, Side


def first_number(start: Position) -> int:
    """The number of the turn played from `start`: 1 where a game begins, else what its turns so far have come to."""
    north_began = (start.ply + int(start.to_move)) % 2
    return (start.ply + north_began) // 2 + 1


def next_number(number: int, mover: Side, following: Side, turns: int = 1) -> int:
    """The number of the turn of `following` that comes after `mover`'s turn `number`, or after `turns` turns from that
    one on: a new one whenever South follows North."""
    if turns > 1:  # nobody saw them
        return number + (turns + mover) // 2
    return number + (mover is NORTH and following is SOUTH)


def number_turns(positions: Iterable[Position]) -> Iterator[int]:
    """The number of each turn of a game that was played from these positions."""
    number, last = 0, None
    for position in positions:
        if last is None:
            number = first_number(position)
        else:
            number = next_number(number, last.to_move, position.to_move, position.ply - last.ply)
        last = position
        yield number


def cite_moves(start: Position, moves: Sequence[Move]) -> list[str]:
    """Cite the moves played one after the other from `start`, as `cite_turn` does."""
    movers: list[Side] = []
    for move in moves:
        movers.append(move.side or (movers[-1].other if movers else start.to_move))  # a pass names no side
    numbers = [first_number(start)]
    for before, after in pairwise(movers):
        numbers.append(next_number(numbers[-1], before, after))
    numbered = zip(numbers, movers, moves, strict=False)
    return [f"{number}{'.' if mover is SOUTH else '…'} {move}" for number, mover, move in numbered]


def cite_turn(positions: Sequence[Position], move: str = "") -> str:
    """Cite the turn played from the last of `positions`: ``4. d``, ``7… C``, or ``7…`` without a move.

    `positions` are those of the game, from its start.
    """
    *_, number = number_turns(positions)
    return f"{number}{'.' if positions[-1].to_move is SOUTH else '…'} {move}".rstrip()
