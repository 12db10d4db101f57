"""The numbers of turns, as in chess: South's turn and North's after it share one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from records.moves import Move
from records.position import NORTH, SOUTH, Position, Side


def first_number(start: Position) -> int:
    """The number of the turn played from `start`: 1 where a game begins, else what its turns so far have come to."""
    north_began = (start.ply + int(start.to_move)) % 2
    return (start.ply + north_began) // 2 + 1


def number_turns(start: Position, movers: Iterable[Side]) -> Iterator[int]:
    """The number of each turn of a game from `start`: a new one whenever South follows North."""
    number = first_number(start)
    last = None
    for mover in movers:
        number += last is NORTH and mover is SOUTH
        last = mover
        yield number


def cite_moves(start: Position, moves: Sequence[Move]) -> list[str]:
    """Cite the moves played one after the other from `start`, as `cite_turn` does."""
    movers: list[Side] = []
    for move in moves:
        movers.append(move.side or (movers[-1].other if movers else start.to_move))  # a pass names no side
    numbered = zip(number_turns(start, movers), movers, moves, strict=True)
    return [f"{number}{'.' if mover is SOUTH else '…'} {move}" for number, mover, move in numbered]


def cite_turn(positions: Sequence[Position], move: str = "") -> str:
    """Cite the turn played from the last of `positions`: ``4. d``, ``7… C``, or ``7…`` without a move.

    `positions` are those of the game, from its start.
    """
    *_, number = number_turns(positions[0], (position.to_move for position in positions))
    return f"{number}{'.' if positions[-1].to_move is SOUTH else '…'} {move}".rstrip()
