"""The bounds of one position, from those of the positions that its turns lead to."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.sowing import Kernel
    from records.kernel.turn.codes import *

    from .codes import *
    from .layer import Layer
    from .table_set import TableSet


class Outcomes(Layer):
    """Works out one position after the other."""

    def _enter(self, k: Kernel, tables: TableSet, n: cython.int) -> cython.void:
        """Prepare the kernel for the positions of a pattern."""
        i: cython.int
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
        k.work_limit = 0x3FFFFFFFFFFFFFFF
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
        i: cython.int
        status: cython.int
        self.best_low = self.best_high = NONE
        self.sure_low = self.sure_high = -LOWEST
        starts: cython.uint = k._starts()
        k._push()
        for i in range(k.row):
            if (starts >> i) & 1:
                if k.choosing:
                    self._work_out_choices(k, tables, i)
                else:
                    status = k._play(i)
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
        status: cython.int
        tries: cython.int = MAX_TRIES
        k.start = start
        k._first_choices()
        while True:
            status = k._play(start)
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
        i: cython.int
        free: cython.bint = False
        starts: cython.uint
        if k.may_pass:
            k.mover = 1
            starts = k._starts()
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
        i: cython.int
        worth: cython.int = 0
        if not self.rest_counts:
            return 0
        for i in range(k.size):
            if not (k.marked >> i) & 1:
                worth += k.pits[i] if i < k.row else -k.pits[i]
        return worth

    def _reach(self, k: Kernel, tables: TableSet) -> cython.void:
        """Compare the turn just played with the best so far, by the bounds of the position that it leads to."""
        i: cython.int
        n: cython.int
        mine: cython.int = k.stores[0]
        theirs: cython.int = k.stores[1]
        gain: cython.int
        seeds: cython.int
        low: cython.int
        high: cython.int
        bounds: cython.int
        place: cython.longlong
        if k.has_specials and k.marked:
            for i in range(k.size):
                if (k.marked >> i) & 1:
                    if (k.norths >> i) & 1:
                        theirs += k.pits[i]
                    else:
                        mine += k.pits[i]
        gain = mine - theirs - self.lead
        seeds = self.whole - mine - theirs
        if tables.win_at and (mine >= tables.win_at or theirs >= tables.win_at):
            gain += self._rest(k)
            self._offer(gain, gain)
            return
        if k.marked == self.marked and not tables.win_at:
            n = self.kept if k.again else self.turned
        else:
            n = tables._find(tables._key(k, 0 if k.again else 1))
        place = -1 if n < 0 else tables.bases[seeds * tables.patterns + n]
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
            low = -self.high[place]
            high = -self.low[place]
            if low > self.best_low:
                self.best_low = low
            if high > self.best_high:
                self.best_high = high
        else:
            bounds = tables._bounds(seeds, place)
            low = (bounds >> BOUND_BITS) - OFFSET
            high = (bounds & 4095) - OFFSET
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
