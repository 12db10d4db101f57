"""The transposition table: values of positions that several searches share."""

from __future__ import annotations

import mmap

from records.kernel._cython import cython
from records.kernel.search.memory import mapped

if not cython.compiled:
    from .codes import *


class TranspositionTable:
    """Values of positions that several searches share: `mebibytes` of memory at most, but one line at least.

    An entry is two numbers: its data, and the position's check XOR the data, so that what two threads write at once
    matches no position. Four entries stand together in one line of the cache; the one that took the least work makes
    room.

    The data: a lower and an upper bound, each with its flags; the depth, for bounds with the flag `HORIZON`; for whom
    was proven, for bounds with the flag `HORIZON` or `REPETITION`; the work it took; the age, for bounds with the flag
    `HORIZON`: a proof uses only those of the same age; and a part of the key of the best child.
    """

    def __init__(self, mebibytes: cython.double) -> None:
        lines: cython.longlong = 1
        while lines * 2 * 64 <= mebibytes * (1 << 20):
            lines *= 2
        memory = mapped(lines * 64)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            memory.madvise(mmap.MADV_HUGEPAGE)
        self.memory = memory
        self.cells = memoryview(memory).cast("Q")
        self.mask = lines - 1

    def clear(self) -> None:
        """Forget everything. Afterwards the system has made all of the memory: no search waits for it."""
        i: cython.longlong
        for i in range(2 * self.entries()):
            self.cells[i] = 0

    def entries(self) -> int:
        """How many entries there is room for."""
        return (self.mask + 1) * SLOTS

    def used(self, sample: cython.int = 1000) -> float:
        """The part of the table that is filled, by its first lines."""
        line: cython.int
        slot: cython.int
        filled: cython.int = 0
        lines: cython.int = min(sample, self.entries() // SLOTS)
        for line in range(lines):
            for slot in range(SLOTS):
                filled += self.cells[line * 2 * SLOTS + 2 * slot + 1] != 0
        return cython.cast(cython.double, filled) / (lines * SLOTS)

    def fetch(self, key: cython.ulonglong) -> None:
        """Let the processor fetch a line that will be looked up soon."""
        if cython.compiled:
            prefetch(cython.address(self.cells[(key & self.mask) * (2 * SLOTS)]))  # type: ignore[name-defined]

    def look_up(self, key: cython.ulonglong, check: cython.ulonglong) -> cython.ulonglong:
        """The entry's data; 0 if there is none."""
        slot: cython.int
        at = (key & self.mask) * (2 * SLOTS)
        for slot in range(SLOTS):
            data = self.cells[at + 2 * slot + 1]
            if self.cells[at + 2 * slot] ^ data == check and data != 0:
                return data
        return 0

    def store(self, key: cython.ulonglong, check: cython.ulonglong, data: cython.ulonglong) -> None:
        """Store an entry."""
        slot: cython.int
        worth: cython.int
        least: cython.int = 64
        at = (key & self.mask) * (2 * SLOTS)
        place = at
        for slot in range(SLOTS):
            old = self.cells[at + 2 * slot + 1]
            if old == 0 or self.cells[at + 2 * slot] ^ old == check:
                place = at + 2 * slot
                break
            worth = (old >> WORK_AT) & MOST_WORK
            if worth < least:
                least = worth
                place = at + 2 * slot
        self.cells[place] = check ^ data
        self.cells[place + 1] = data
