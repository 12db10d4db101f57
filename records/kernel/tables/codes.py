"""The numbers of endgame tables.

setup.py makes constants of C of them (`codes.pxd`).
"""

from __future__ import annotations

from math import comb

NOT_IN_TABLE = -30000
OFFSET = 2048  # added to a bound that is packed: no board has as many seeds
BOUND_BITS = 12
HELD = 8  # seeds that a special pit holds while positions are solved; any number from 2 would do
NONE = -1000  # below every value
LOWEST = 127  # of the bounds that are kept, as a negative number
CODES = 256
NORTHS_AT = 26  # bits of a pattern's key: the special and closed pits, those of the opponent, the store
STORE_AT = 52
MAX_TRIES = 1_000_000  # series of choices from one position
OPEN_ROOM = 32_768  # places for positions that a sweep keeps, and for their turns
EDGE_ROOM = 524_288
MOST_PITS = 26
SPREAD = 0x9E3779B97F4A7C15  # odd, for the hash of a pattern's key


def unpack(bounds: int) -> tuple[int, int]:
    """The lower and the upper bound that `TableSet.probe_bounds` packed."""
    return (bounds >> BOUND_BITS) - OFFSET, (bounds & ((1 << BOUND_BITS) - 1)) - OFFSET


def positions_of(pits: int, seeds: int) -> int:
    """In how many ways `seeds` seeds lie in `pits` pits."""
    if pits == 0:
        return 1 if seeds == 0 else 0
    return comb(seeds + pits - 1, pits - 1)
