"""Endgame tables: looking a value up, and the sweep of retrograde analysis.

The parts are in `records.kernel.tables`: table_set is the index of positions; layer and outcomes work out a layer, and
the sweep here is built on them. Like the sowing, they are plain Python that setup.py joins and Cython compiles.
`records.analysis.tables` has the files; `docs/tables.md` says what a table holds.
"""

from __future__ import annotations

from array import array

from ._cython import cython

if not cython.compiled:
    from .sowing import Kernel
    from .tables.codes import *
    from .tables.outcomes import Outcomes
    from .tables.table_set import TableSet


def _copy(store: array, count: int) -> array:
    """The first `count` numbers."""
    return array(store.typecode, memoryview(store)[:count].tobytes())


__all__ = ["Retrograde", "TableSet"]


class Retrograde(Outcomes):
    """Works out one layer of a table from those below it: one for each thread, all on the same `low` and `high`.

    These hold a bound for each position of the layer, which sweeps bring closer until none changes. The lower bounds
    come from below and the upper ones from above, so a turn that only leads round in a cycle raises no lower bound: it
    counts against the side whose bound it is. Bounds that meet are the value under any rule of repetition.
    """

    def sweep_keeping(self, first: cython.longlong, last: cython.longlong) -> tuple:
        """`sweep`, and what `relax` needs to go on without sowing again, last; None if there is no room for it."""
        self.keeping = True
        self.kept_opens = 0
        self.kept_edges = 0
        counts: tuple = self.sweep(first, last)
        graph: tuple | None = None
        if self.keeping:
            graph = tuple(
                _copy(store, count)
                for store, count in (
                    (self.open_store, self.kept_opens),
                    (self.end_store, self.kept_opens),
                    (self.sure_store, 2 * self.kept_opens),
                    (self.edge_store, self.kept_edges),
                )
            )
        self.keeping = False
        return (*counts, graph)

    def relax(
        self, opens: cython.uint[::1], ends: cython.uint[::1], sure: cython.schar[::1], edges: cython.uint[::1]
    ) -> tuple:
        """Bring the bounds of the positions that `sweep_keeping` kept closer, as `sweep` does.

        `opens`: their places. `sure`: for each its bounds from turns that leave the layer. `edges`: the places that its
        other turns lead to, up to its number in `ends`.
        """
        count: cython.Py_ssize_t = len(opens)
        self.changed = 0
        self.open = 0
        with cython.nogil:
            self._relax(count, opens, ends, sure, edges)
        return self.changed, self.open, 0

    def sweep(self, first: cython.longlong, last: cython.longlong, check: cython.bint = False) -> tuple:
        """Bring the bounds of the positions `first` to `last` closer. Returns how many changed, how many positions have
        bounds that differ, and how many turns were refused because they are not settled.

        With `check` nothing is written, and every position is worked out again: those that would change are counted.
        """
        self.changed = 0
        self.open = 0
        self.unsettled = 0
        k: Kernel = self.kernel
        tables: TableSet = self.tables
        with cython.nogil:
            self._sweep(k, tables, first, last, check)
        return self.changed, self.open, self.unsettled

    def _sweep(
        self, k: Kernel, tables: TableSet, first: cython.longlong, last: cython.longlong, check: cython.bint
    ) -> cython.void:
        n: cython.int
        j: cython.int
        count: cython.int
        order: cython.int
        base: cython.longlong
        end: cython.longlong
        edges: cython.int
        place: cython.longlong = first
        for n in range(tables.patterns):
            base = tables.bases[self.seeds * tables.patterns + n]
            if base < 0:
                continue
            count = tables.counts[n]
            order = 32 * n
            if count == 0:  # no pit can hold a seed
                end = base + (1 if self.seeds == 0 else 0)
            else:
                end = base + tables.choose[(count - 1) * tables.across + self.seeds + count - 1]
            if place >= end:
                continue
            self._enter(k, tables, n)
            self._unrank(k, tables, n, place - base)
            while place < end:
                if place == last:
                    return
                if check or self.low[place] < self.high[place]:
                    edges = self.kept_edges
                    self._work_out(k, tables)
                    if self.best_low != self.low[place] or self.best_high != self.high[place]:
                        self.changed += 1
                        if check:
                            self.wrong = place
                        else:
                            self.low[place] = self.best_low
                            self.high[place] = self.best_high
                    if self.best_low < self.best_high:
                        self.open += 1
                        if self.keeping:
                            self._keep(place)
                    else:
                        self.kept_edges = edges
                # The next position of the block.
                j = 1
                while j < count and k.pits[tables.order[order + j]] == 0:
                    j += 1
                if j < count:
                    held: cython.int = k.pits[tables.order[order]]
                    k.pits[tables.order[order]] = 0
                    k.pits[tables.order[order + j - 1]] = held + 1
                    k.pits[tables.order[order + j]] -= 1
                place += 1

    def _keep(self, place: cython.longlong) -> cython.void:
        """Keep the position just worked out and its edges, if there is room."""
        n: cython.int = self.kept_opens
        if n == OPEN_ROOM:
            self.keeping = False
            return
        self.opens[n] = place
        self.ends[n] = self.kept_edges
        self.sure[2 * n] = self.sure_low
        self.sure[2 * n + 1] = self.sure_high
        self.kept_opens = n + 1

    def _relax(
        self,
        count: cython.Py_ssize_t,
        opens: cython.uint[::1],
        ends: cython.uint[::1],
        sure: cython.schar[::1],
        edges: cython.uint[::1],
    ) -> cython.void:
        n: cython.Py_ssize_t
        place: cython.longlong
        edge: cython.uint = 0
        low: cython.int
        high: cython.int
        for n in range(count):
            place = opens[n]
            if self.low[place] == self.high[place]:
                edge = ends[n]
                continue
            low = sure[2 * n]
            high = sure[2 * n + 1]
            while edge < ends[n]:
                if -self.high[edges[edge]] > low:
                    low = -self.high[edges[edge]]
                if -self.low[edges[edge]] > high:
                    high = -self.low[edges[edge]]
                edge += 1
            if low != self.low[place] or high != self.high[place]:
                self.changed += 1
                self.low[place] = low
                self.high[place] = high
            if low < high:
                self.open += 1
