"""The index of positions in endgame tables, and looking a value up.

The side to move is at the front: its pits are ``0 … row-1``, whichever side it is. A *pattern* is all of a position
that a turn without captures leaves as it is: which pits are special, and whose, or closed; in Oware with an end by
majority also the store of the side to move. Seeds in special pits never leave them and count for the owner, so how many
there are does not matter for what is still to be won. A *layer* holds the positions with the same number of seeds in
ordinary pits: a *block* for each pattern, and in it the ways to lay out the seeds by their combinatorial number.
"""

from __future__ import annotations

from array import array
from math import comb
from mmap import mmap

from records.kernel._cython import cython
from records.kernel.tables.codes import positions_of

if not cython.compiled:
    from records.kernel.sowing import Kernel
    from records.kernel.turn.codes import *

    from .codes import *


class TableSet:
    """The values of all positions with few seeds in ordinary pits, under one set of rules; several threads may read.

    `layers`: for each number of seeds from 0, the keys of its patterns in order. `win_at`: the store that ends the
    game; `total`: all its seeds, where that matters.
    """

    def __init__(self, row: cython.int, layers: list, win_at: cython.int, total: cython.int) -> None:
        i: cython.int
        j: cython.int
        n: cython.int
        self.row = row
        self.size = 2 * row
        self.most = len(layers) - 1
        self.win_at = win_at
        self.total = total
        keys: list = sorted({key for layer in layers for key in layer})
        number: dict = {key: n for n, key in enumerate(keys)}
        self.patterns = len(keys)
        places: cython.int = 1
        while places < 2 * self.patterns:
            places *= 2
        self.keys = array("Q", keys)
        self.slots = array("i", [-1] * places)
        self.places = places
        self.order = array("b", bytes(32 * self.patterns))
        self.counts = array("i", bytes(4 * self.patterns))
        for n in range(self.patterns):
            key: cython.ulonglong = keys[n]
            i = self._slot(key)
            self.slots[i] = n
            for i in range(self.size):
                if not (key >> i) & 1:
                    j = self.counts[n]
                    self.order[32 * n + j] = i
                    self.counts[n] = j + 1
        self.bases = array("q", [-1] * (len(layers) * self.patterns))
        self.lengths = array("q", [0] * len(layers))
        for i in range(len(layers)):
            for key_of in layers[i]:
                n = number[key_of]
                self.bases[i * self.patterns + n] = self.lengths[i]
                self.lengths[i] += positions_of(self.counts[n], i)
        # Products of one row of Pascal's triangle: choose[k * across + n] is n over k.
        self.across = self.most + self.size + 1
        self.choose = array("q", [min(comb(n, k), 1 << 62) for k in range(self.size + 1) for n in range(self.across)])
        self.widths = array("i", [0] * len(layers))
        self.starts = array("q", [0] * len(layers))
        self.lows = array("b", bytes(CODES * len(layers)))
        self.highs = array("b", bytes(CODES * len(layers)))
        self.covered = -1
        self.values = memoryview(b"\0")

    def attach(self, values: bytes | mmap, layers: list) -> None:
        """Read the values of the first layers from here on out of this buffer.

        Of each layer: where it starts, bytes for a position, and the bounds that each code stands for.
        """
        s: cython.int
        code: cython.int
        assert len(layers) <= self.most + 1
        self.covered = -1
        self.values = memoryview(values)
        for s in range(len(layers)):
            start, width, codes = layers[s]
            self.starts[s] = start
            self.widths[s] = width
            for code in range(CODES):
                # A code that does not occur says nothing of the value.
                low, high = codes[code] if code < len(codes) else (-s, s)
                self.lows[CODES * s + code] = low
                self.highs[CODES * s + code] = high
        self.covered = len(layers) - 1

    def positions(self, seeds: cython.int) -> int:
        """How many positions have so many seeds in ordinary pits."""
        return self.lengths[seeds]

    def bounds_of(self, kernel: Kernel) -> int:
        """`probe_bounds` for Python callers."""
        return self.probe_bounds(kernel)

    def probe(self, kernel: Kernel) -> cython.int:
        """The value of the kernel's position for the side to move, less what the stores hold; `NOT_IN_TABLE` if the
        table does not have it or it depends on repetition."""
        bounds: cython.int = self.probe_bounds(kernel)
        if bounds == NOT_IN_TABLE or (bounds >> BOUND_BITS) != (bounds & 4095):
            return NOT_IN_TABLE
        return (bounds >> BOUND_BITS) - OFFSET

    def probe_bounds(self, kernel: Kernel) -> cython.int:
        """Bounds of the value that hold under any rule of repetition, packed; or `NOT_IN_TABLE`."""
        i: cython.int
        seeds: cython.int = 0
        held: cython.int = 0
        n: cython.int
        base: cython.longlong
        mover: cython.int = kernel.mover
        bounds: cython.int
        if kernel.right_end_first and kernel.ply == 0:
            return NOT_IN_TABLE
        if kernel.ply < kernel.specials_from[mover] or kernel.ply + 1 < kernel.specials_from[1 - mover]:
            return NOT_IN_TABLE
        for i in range(self.size):
            if not (kernel.marked >> i) & 1:
                seeds += kernel.pits[i]
            elif kernel.has_specials:
                held += kernel.pits[i] if ((kernel.norths >> i) & 1) == mover else -kernel.pits[i]
        if seeds > self.covered:
            return NOT_IN_TABLE
        if self.win_at and kernel.stores[0] + kernel.stores[1] + seeds != self.total:
            return NOT_IN_TABLE
        n = self._find(self._key(kernel, mover))
        if n < 0:
            return NOT_IN_TABLE
        base = self.bases[seeds * self.patterns + n]
        if base < 0:
            return NOT_IN_TABLE
        bounds = self._bounds(seeds, base + self._rank(kernel, n, self.row if mover else 0))
        return bounds + held * ((1 << BOUND_BITS) + 1)

    def _key(self, kernel: Kernel, side: cython.int) -> cython.ulonglong:
        """The key of the kernel's pattern, with `side` to move."""
        one: cython.ulonglong = 1
        whole: cython.ulonglong = (one << self.size) - 1
        marked: cython.ulonglong = kernel.marked
        theirs: cython.ulonglong = 0
        store: cython.ulonglong = 0
        if kernel.has_specials:
            theirs = kernel.norths if side == 0 else kernel.marked & ~kernel.norths
        if side:
            marked = ((marked >> self.row) | (marked << self.row)) & whole
            theirs = ((theirs >> self.row) | (theirs << self.row)) & whole
        if self.win_at:
            store = kernel.stores[side]
        return marked | (theirs << NORTHS_AT) | (store << STORE_AT)

    def _slot(self, key: cython.ulonglong) -> cython.int:
        """The place of a key in the hash table, or the place for it."""
        hashed: cython.ulonglong = key * SPREAD
        if not cython.compiled:
            hashed &= MASK
        place: cython.int = (hashed >> 33) & (self.places - 1)
        while self.slots[place] >= 0 and self.keys[self.slots[place]] != key:
            place = (place + 1) & (self.places - 1)
        return place

    def _find(self, key: cython.ulonglong) -> cython.int:
        """The number of the pattern with this key, -1 if there is none."""
        return self.slots[self._slot(key)]

    def _rank(self, kernel: Kernel, n: cython.int, shift: cython.int) -> cython.longlong:
        """The number of the kernel's position in its block; `shift` is the first pit of the side to move."""
        total: cython.longlong = 0
        seeds: cython.int = 0
        at: cython.int = self.across
        first: cython.int = 32 * n
        j: cython.int
        i: cython.int
        for j in range(self.counts[n] - 1):
            i = self.order[first + j] + shift
            if i >= self.size:
                i -= self.size
            seeds += kernel.pits[i]
            total += self.choose[at + seeds + j]
            at += self.across
        return total

    def _bounds(self, seeds: cython.int, place: cython.longlong) -> cython.int:
        """The packed bounds that stand at a place of a layer."""
        low: cython.int
        high: cython.int
        code: cython.int
        if self.widths[seeds] == 1:
            code = CODES * seeds + self.values[self.starts[seeds] + place]
            low = self.lows[code]
            high = self.highs[code]
        else:
            low = self.values[self.starts[seeds] + 2 * place] - 128
            high = self.values[self.starts[seeds] + 2 * place + 1] - 128
        return ((low + OFFSET) << BOUND_BITS) + high + OFFSET
