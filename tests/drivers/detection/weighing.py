"""Boards of seeds that differ in weight, on scales that are not quite true."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from records import Position


def places(position: Position, stores: bool = False) -> tuple[int, ...]:
    return (*position.pits, *(position.stores if stores else ()))


def weigh(board: Sequence[int], random: Random, stone: float = 0.03, noise: float = 0.03) -> list[float]:
    """Readings of a board, to the hundredth, as a line carries them."""
    return [
        round(max(0.0, sum(random.gauss(1, stone) for _ in range(count)) + random.gauss(0, noise)), 2)
        for count in board
    ]
