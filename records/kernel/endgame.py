"""Endgame tables: looking a value up, and the sweep of retrograde analysis.

`inkeek.records.analysis.tables` has the files; `docs/tables.md` says what a table holds.

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

try:
    import cython
except ImportError:
    from . import _no_cython as cython

if not cython.compiled:
    from .codes import *
    from .sowing import Kernel


def unpack(bounds: int) -> tuple[int, int]:
    """The lower and the upper bound that `TableSet.probe_bounds` packed."""
    return (bounds >> BOUND_BITS) - OFFSET, (bounds & BOUND_MASK) - OFFSET


def positions_of(pits: int, seeds: int) -> int:
    """In how many ways `seeds` seeds lie in `pits` pits."""
    if pits == 0:
        return 1 if seeds == 0 else 0
    return comb(seeds + pits - 1, pits - 1)


class TableSet:
    """The values of all positions with few seeds in ordinary pits, under one set of rules; several threads may read.

    `layers`: for each number of seeds from 0, the keys of its patterns in order. `win_at`: the store that ends the
    game; `total`: all its seeds, where that matters.
    """

    def __init__(self, row: cython.int, layers: list, win_at: cython.int, total: cython.int) -> None:
        i: cython.int
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
                    j: cython.int = self.counts[n]
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
        self.lows = array("b", bytes(PAIRS * len(layers)))
        self.highs = array("b", bytes(PAIRS * len(layers)))
        self.covered = -1
        self.values = memoryview(b"\0")

    def attach(self, values: bytes | mmap, layers: list) -> None:
        """Read the values of the first layers from here on out of this buffer.

        Of each layer: where it starts, bytes for a position, and the bounds that each code stands for.
        """
        assert len(layers) <= self.most + 1
        self.covered = -1
        self.values = memoryview(values)
        for s in range(len(layers)):
            start, width, codes = layers[s]
            self.starts[s] = start
            self.widths[s] = width
            for code in range(PAIRS):
                # A code that does not occur says nothing of the value.
                low, high = codes[code] if code < len(codes) else (-s, s)
                self.lows[PAIRS * s + code] = low
                self.highs[PAIRS * s + code] = high
        self.covered = len(layers) - 1

    def positions(self, seeds: cython.int) -> int:
        """How many positions have so many seeds in ordinary pits."""
        return self.lengths[seeds]

    def bounds_of(self, kernel: Kernel) -> int:
        """`probe_bounds` for Python callers."""
        return self.probe_bounds(kernel)

    def probe_bounds(self, kernel: Kernel) -> cython.int:
        """Bounds of the value that hold under any rule of repetition, packed; or `NOT_IN_TABLE`."""
        seeds = held = 0
        mover: cython.int = kernel.mover
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
        n: cython.int = self._find(self._key(kernel, mover))
        if n < 0:
            return NOT_IN_TABLE
        base: cython.longlong = self.bases[seeds * self.patterns + n]
        if base < 0:
            return NOT_IN_TABLE
        bounds: cython.int = self._bounds(seeds, base + self._rank(kernel, n, self.row if mover else 0))
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
        hashed: cython.ulonglong = key * SPREAD & MASK
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
        for j in range(self.counts[n] - 1):
            i: cython.int = self.order[first + j] + shift
            if i >= self.size:
                i -= self.size
            seeds += kernel.pits[i]
            total += self.choose[at + seeds + j]
            at += self.across
        return total

    def _bounds(self, seeds: cython.int, place: cython.longlong) -> cython.int:
        """The packed bounds that stand at a place of a layer."""
        if self.widths[seeds] == 1:
            code: cython.int = PAIRS * seeds + self.values[self.starts[seeds] + place]
            low: cython.int = self.lows[code]
            high: cython.int = self.highs[code]
        else:
            low = self.values[self.starts[seeds] + 2 * place] - 128
            high = self.values[self.starts[seeds] + 2 * place + 1] - 128
        return ((low + OFFSET) << BOUND_BITS) + high + OFFSET


def _copy(store: array, count: int) -> array:
    """The first `count` numbers."""
    return array(store.typecode, memoryview(store)[:count].tobytes())


class Retrograde:
    """Works out one layer of a table from those below it: one for each thread, all on the same `low` and `high`.

    These hold a bound for each position of the layer, which sweeps bring closer until none changes. The lower bounds
    come from below and the upper ones from above, so a turn that only leads round in a cycle raises no lower bound: it
    counts against the side whose bound it is. Bounds that meet are the value under any rule of repetition.
    """

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

    def strays(self) -> int:
        """How many turns led out of the table."""
        return self.missing

    def fill(self, first: cython.longlong, last: cython.longlong) -> None:
        """Begin with the bounds that hold for any position."""
        with cython.nogil:
            for place in range(first, last):
                self.low[place] = -self.seeds
                self.high[place] = self.seeds

    def level(self, first: cython.longlong, last: cython.longlong) -> None:
        """Make bounds that differ meet, where a game that repeats a position ends and nobody gets what is left.

        A side that can get more than nothing by the turns that leave the layer does so, and else repeats rather than
        get less: the value is 0 or the bound nearest to it.
        """
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
        tables: TableSet = self.tables
        with cython.nogil:
            for place in range(first, last):
                bounds: cython.int = tables._bounds(self.seeds, place)
                self.low[place] = (bounds >> BOUND_BITS) - OFFSET
                self.high[place] = (bounds & BOUND_MASK) - OFFSET

    def survey(self, first: cython.longlong, last: cython.longlong, seen: cython.uchar[::1]) -> None:
        """Mark which pairs of bounds occur, at 256 times the lower one and the upper one, each with 128 added."""
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
        with cython.nogil:
            for place in range(first, last):
                pair: cython.int = (self.low[place] + 128) * 256 + self.high[place] + 128
                if width == 1:
                    out[place - first] = codes[pair]
                else:
                    out[2 * (place - first)] = pair >> 8
                    out[2 * (place - first) + 1] = pair & 255

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
        place: cython.longlong = first
        for n in range(tables.patterns):
            base: cython.longlong = tables.bases[self.seeds * tables.patterns + n]
            if base < 0:
                continue
            count: cython.int = tables.counts[n]
            order: cython.int = 32 * n
            if count == 0:  # no pit can hold a seed
                end: cython.longlong = base + (1 if self.seeds == 0 else 0)
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
                    edges: cython.int = self.kept_edges
                    self._work_out(k, tables)
                    if self.best_low != self.low[place] or self.best_high != self.high[place]:
                        self.changed += 1
                        if not check:
                            self.low[place] = self.best_low
                            self.high[place] = self.best_high
                    if self.best_low < self.best_high:
                        self.open += 1
                        if self.keeping:
                            self._keep(place)
                    else:
                        self.kept_edges = edges
                # The next position of the block.
                j: cython.int = 1
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
        edge: cython.uint = 0
        low: cython.int
        high: cython.int
        for n in range(count):
            place: cython.longlong = opens[n]
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

    # One position, from those that its turns lead to

    def _enter(self, k: Kernel, tables: TableSet, n: cython.int) -> cython.void:
        """Prepare the kernel for the positions of a pattern."""
        one: cython.ulonglong = 1
        key: cython.ulonglong = tables.keys[n]
        seeds: cython.int = self.seeds
        k.marked = key & ((one << tables.size) - 1)
        k.norths = k.closed = 0
        if k.has_specials:
            k.norths = (key >> NORTHS_AT) & ((one << tables.size) - 1)
        else:
            k.closed = k.marked
        k.stores[0] = k.stores[1] = 0
        if tables.win_at:
            k.stores[0] = key >> STORE_AT
            k.stores[1] = tables.total - seeds - k.stores[0]
        k.mover = 0
        k.ply = MANY
        k.level = 0
        k.recording = 0
        k.work_limit = NO_LIMIT
        self.marked = k.marked
        self.whole = seeds + k.stores[0] + k.stores[1]
        self.lead = k.stores[0] - k.stores[1]
        for i in range(tables.size):
            k.pits[i] = 0
            if k.has_specials and (k.marked >> i) & 1:
                k.pits[i] = HELD
                self.whole += HELD
                self.lead += -HELD if (k.norths >> i) & 1 else HELD
        self.turned = tables._find(tables._key(k, 1))
        self.kept = n

    def _unrank(self, k: Kernel, tables: TableSet, n: cython.int, rank: cython.longlong) -> cython.void:
        """Lay out the position with this number in its block."""
        j: cython.int = tables.counts[n] - 1
        left: cython.int = self.seeds
        below: cython.int
        if j < 0:
            return
        while j > 0:
            # `below` seeds lie in the pits before `j`: as many as the rank has room for.
            below = left
            while tables.choose[j * tables.across + below + j - 1] > rank:
                below -= 1
            rank -= tables.choose[j * tables.across + below + j - 1]
            k.pits[tables.order[32 * n + j]] = left - below
            left = below
            j -= 1
        k.pits[tables.order[32 * n]] = left

    def _work_out(self, k: Kernel, tables: TableSet) -> cython.void:
        """Work out the bounds of the kernel's position from those of the positions that its turns lead to."""
        self.best_low = self.best_high = NONE
        self.sure_low = self.sure_high = -LOWEST
        starts: cython.uint = k._starts()
        k._push()
        for i in range(k.row):
            if (starts >> i) & 1:
                if k.choosing:
                    self._work_out_choices(k, tables, i)
                else:
                    status: cython.int = k._play(i)
                    if status == ENDED:
                        self._reach(k, tables)
                    elif status == UNSETTLED:
                        self.unsettled += 1
                k._back()
        k.level = 0
        if self.best_high == NONE:
            self._stay(k, tables)

    def _work_out_choices(self, k: Kernel, tables: TableSet, start: cython.int) -> cython.void:
        """All turns from a pit, with each series of choices."""
        tries: cython.int = MAX_TRIES
        k.start = start
        k._first_choices()
        while True:
            status: cython.int = k._play(start)
            if status == ENDED:
                self._reach(k, tables)
            elif status == UNSETTLED:
                self.unsettled += 1
            tries -= 1
            if tries == 0:
                self.unsettled += 1
                self.best_high = self.sure_high = self.seeds  # turns that were not tried may be better
                return
            if k.points == 0 or not k._next_choices(status):
                return
            k._back()

    def _stay(self, k: Kernel, tables: TableSet) -> cython.void:
        """The side to move has no turn: it passes, or the game is over."""
        free: cython.bint = False
        if k.may_pass:
            k.mover = 1
            starts: cython.uint = k._starts()
            k._push()
            for i in range(k.row, k.size):
                if (starts >> i) & 1 and not free:
                    free = k._play(i) == ENDED
                    k._back()
            k.level = 0
            k.mover = 0
        if free:
            k.again = False
            self._reach(k, tables)
        else:
            self.best_low = self.best_high = self._rest(k)

    def _rest(self, k: Kernel) -> cython.int:
        """What the seeds in ordinary pits are worth for the side to move if the game ends here."""
        worth: cython.int = 0
        if not self.rest_counts:
            return 0
        for i in range(k.size):
            if not (k.marked >> i) & 1:
                worth += k.pits[i] if i < k.row else -k.pits[i]
        return worth

    def _reach(self, k: Kernel, tables: TableSet) -> cython.void:
        """Compare the turn just played with the best so far, by the bounds of the position that it leads to."""
        mine: cython.int = k.stores[0]
        theirs: cython.int = k.stores[1]
        high: cython.int
        if k.has_specials and k.marked:
            for i in range(k.size):
                if (k.marked >> i) & 1:
                    if (k.norths >> i) & 1:
                        theirs += k.pits[i]
                    else:
                        mine += k.pits[i]
        gain: cython.int = mine - theirs - self.lead
        seeds: cython.int = self.whole - mine - theirs
        if tables.win_at and (mine >= tables.win_at or theirs >= tables.win_at):
            gain += self._rest(k)
            self._offer(gain, gain)
            return
        if k.marked == self.marked and not tables.win_at:
            n: cython.int = self.kept if k.again else self.turned
        else:
            n = tables._find(tables._key(k, 0 if k.again else 1))
        place: cython.longlong = -1 if n < 0 else tables.bases[seeds * tables.patterns + n]
        if place < 0:
            self.missing += 1
            self._offer(gain - seeds, gain + seeds)
            return
        place += tables._rank(k, n, 0 if k.again else k.row)
        if seeds == self.seeds:  # nobody moves again: that takes a seed into the store
            if self.keeping:
                if self.kept_edges == EDGE_ROOM or (place >> 32) != 0:
                    self.keeping = False
                else:
                    self.edges[self.kept_edges] = place
                    self.kept_edges += 1
            low: cython.int = -self.high[place]
            high = -self.low[place]
            if low > self.best_low:
                self.best_low = low
            if high > self.best_high:
                self.best_high = high
        else:
            bounds: cython.int = tables._bounds(seeds, place)
            low = (bounds >> BOUND_BITS) - OFFSET
            high = (bounds & BOUND_MASK) - OFFSET
            if k.again:
                self._offer(gain + low, gain + high)
            else:
                self._offer(gain - high, gain - low)

    def _offer(self, low: cython.int, high: cython.int) -> cython.void:
        """Compare a turn that leaves the layer, or ends the game, with the best so far."""
        if low > self.best_low:
            self.best_low = low
        if high > self.best_high:
            self.best_high = high
        if low > self.sure_low:
            self.sure_low = low
        if high > self.sure_high:
            self.sure_high = high
