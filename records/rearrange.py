"""Rearranging: a player empties two own pits and lays those seeds out again in the own row. It sows nothing."""

from __future__ import annotations

from .moves import Move
from .position import ORDINARY, Position


def rearranged(position: Position, move: Move) -> tuple[int, ...]:
    """The pits after the rearrangement `move` by the side to move.

    :raises ValueError: it is not one; says what is wrong.
    """
    own = {position.letter(pit): pit for pit in position.pits_of(position.to_move)}
    for letter in (*move.emptied, *(letter for letter, _ in move.laid)):
        if letter not in own:
            raise ValueError(f"{letter} is not a pit of {position.to_move}'s row, which is {' '.join(own)}")
        if position.marks[own[letter]] != ORDINARY:
            raise ValueError(f"{letter} is not an ordinary pit")
    first, second = move.emptied[0], move.emptied[1]
    if first == second:
        raise ValueError(f"two different pits are emptied, not {first} twice")
    pits = list(position.pits)
    lifted = pits[own[first]] + pits[own[second]]
    laid = sum(count for _, count in move.laid)
    if lifted == 0:
        raise ValueError(f"{first} and {second} are both empty")
    if laid != lifted:
        raise ValueError(f"{first} and {second} hold {lifted} seeds and {laid} are laid out")
    pits[own[first]] = pits[own[second]] = 0
    for letter, count in move.laid:
        if count == 0:
            raise ValueError(f"nothing is laid in {letter}: leave it out")
        pits[own[letter]] += count
    return tuple(pits)
