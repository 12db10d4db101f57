"""Positions for tests."""

from inkeek.records import Position


def moved(position: str) -> str:
    """The position with the first seed a pit further than it should be."""
    read = Position.parse(position)
    pits = list(read.pits)
    start = next(pit for pit, seeds in enumerate(pits) if seeds)
    pits[start] -= 1
    pits[start + 1] += 1
    return str(read.replaced(pits=tuple(pits)))
