"""The bounds of a layer's positions while it is worked out."""

from __future__ import annotations

from array import array

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.sowing import Kernel

    from .codes import *
    from .table_set import TableSet


class Layer:
    """One layer of a table that is worked out from those below it."""

    def __init__(
        self,
        kernel: Kernel,
        tables: TableSet,
        seeds: cython.int,
        low: cython.schar[::1],
        high: cython.schar[::1],
        rest_counts: cython.bint,
    ) -> None:
        self.kernel = kernel
        self.tables = tables
        self.seeds = seeds
        self.rest_counts = rest_counts
        self.low = low
        self.high = high
        self.missing = 0
        self.unsettled = 0
        self.wrong = -1
        self.open_store = array("I", bytes(4 * OPEN_ROOM))
        self.end_store = array("I", bytes(4 * OPEN_ROOM))
        self.sure_store = array("b", bytes(2 * OPEN_ROOM))
        self.edge_store = array("I", bytes(4 * EDGE_ROOM))
        self.opens = self.open_store
        self.ends = self.end_store
        self.sure = self.sure_store
        self.edges = self.edge_store
        self.keeping = False
        self.kept_opens = 0
        self.kept_edges = 0

    def fault(self) -> tuple:
        """How many turns led out of the table, and the place of the last position found wrong, -1 if none was."""
        return self.missing, self.wrong

    def fill(self, first: cython.longlong, last: cython.longlong) -> None:
        """Begin with the bounds that hold for any position."""
        place: cython.longlong
        with cython.nogil:
            for place in range(first, last):
                self.low[place] = -self.seeds
                self.high[place] = self.seeds

    def level(self, first: cython.longlong, last: cython.longlong) -> None:
        """Make bounds that differ meet, where a game that repeats a position ends and nobody gets what is left.

        A side that can get more than nothing by the turns that leave the layer does so, and else repeats rather than
        get less: the value is 0 or the bound nearest to it.
        """
        place: cython.longlong
        with cython.nogil:
            for place in range(first, last):
                if self.low[place] > 0:
                    self.high[place] = self.low[place]
                elif self.high[place] < 0:
                    self.low[place] = self.high[place]
                else:
                    self.low[place] = self.high[place] = 0

    def read(self, first: cython.longlong, last: cython.longlong) -> None:
        """Take the bounds from the table, which has this layer."""
        place: cython.longlong
        bounds: cython.int
        tables: TableSet = self.tables
        with cython.nogil:
            for place in range(first, last):
                bounds = tables._bounds(self.seeds, place)
                self.low[place] = (bounds >> BOUND_BITS) - OFFSET
                self.high[place] = (bounds & 4095) - OFFSET

    def survey(self, first: cython.longlong, last: cython.longlong, seen: cython.uchar[::1]) -> None:
        """Mark which pairs of bounds occur, at 256 times the lower one and the upper one, each with 128 added."""
        place: cython.longlong
        with cython.nogil:
            for place in range(first, last):
                seen[(self.low[place] + 128) * 256 + self.high[place] + 128] = 1

    def encode(
        self,
        first: cython.longlong,
        last: cython.longlong,
        width: cython.int,
        codes: cython.uchar[::1],
        out: cython.uchar[::1],
    ) -> None:
        """Write the bounds as the table holds them: the code of each pair, or both bounds."""
        place: cython.longlong
        pair: cython.int
        with cython.nogil:
            for place in range(first, last):
                pair = (self.low[place] + 128) * 256 + self.high[place] + 128
                if width == 1:
                    out[place - first] = codes[pair]
                else:
                    out[2 * (place - first)] = pair >> 8
                    out[2 * (place - first) + 1] = pair & 255
