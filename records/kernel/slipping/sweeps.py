"""What the sides take into their stores when the game is over, or when they think so."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.turn.codes import *

    from .codes import *
    from .comparison import Comparison


class Sweeps(Comparison):
    """Boards from which the sides took what was left."""

    def _try_sweeps(self) -> cython.void:
        """Let the sides take what is left into their stores: rightly if the game is over, else too early."""
        k = self.kernel
        to_whom: cython.int
        right: cython.int = self.right_way
        if not self._is_over():
            if self.depth < self.most and (self.bare[0] or self.bare[1]):
                self._try_early_sweeps(right)
                if right != TO_OWNERS:
                    self._try_early_sweeps(TO_OWNERS)
            return
        for all_unknown in range(2):
            self._try_sweep(SWEEP, right, 3, all_unknown)
        if self.depth < self.most:
            for to_whom in range(TO_OTHERS + 1):
                if to_whom != right:
                    self._try_sweep(SWEEP_WRONGLY, to_whom, 3, True)
            if k.has_specials:
                self._try_sweep(SWEEP_WRONGLY, BY_ROW, 3, True)

    def _try_early_sweeps(self, to_whom: cython.int) -> cython.void:
        """Let what lies in a row that is bare now, or in both, be taken although the game goes on."""
        row: cython.int
        for row in range(2):
            if self.bare[row]:
                self._try_sweep(SWEEP_EARLY, to_whom, 1 << row, True)
        if self.bare[0] and self.bare[1]:
            self._try_sweep(SWEEP_EARLY, to_whom, 3, True)

    def _is_over(self) -> cython.bint:
        """Whether the side to move next may begin in no pit, and neither may the other if turns are passed."""
        k = self.kernel
        mover: cython.int = k.mover
        ply: cython.int = k.ply
        over: cython.bint = True
        if self.played:
            k.ply += 1
            if not k.again:
                k.mover = 1 - mover
        for _ in range(2 if k.may_pass else 1):
            over = over and not k._starts()
            k.mover = 1 - k.mover
        k.mover, k.ply = mover, ply
        return over

    def _try_sweep(
        self, code: cython.int, to_whom: cython.int, rows: cython.int, all_unknown: cython.bint
    ) -> cython.void:
        """Let pits of these rows (bit 0: South's) be taken into the stores, and compare.

        Some may still be full. With `all_unknown`, those that nobody counted are not.
        """
        k = self.kernel
        i: cython.int
        side: cython.int
        bit: cython.uint
        none: cython.double
        most: cython.int = self.most
        self._save()
        self.swept = 0
        for i in range(k.size):
            side = 0 if i < k.row else 1
            if k.pits[i] == 0 or not (rows >> side) & 1:
                continue
            none = self.logs[(PLACES + i) * COUNT_LIMIT] - self._log(i, 0)
            if none < 0 or (none == 0 and not all_unknown):
                continue
            bit = 1
            self.swept |= bit << i
            side = self._taker(i, to_whom)
            if side >= 0:
                k.stores[side] += k.pits[i]
            k.pits[i] = 0
            k.emptied |= bit << i
            if self.wanted[i] == 0:
                k.marked &= ~(bit << i)
        if self.swept:
            self.sweep, self.to_whom = code, to_whom
            if code != SWEEP:
                self.most -= 1
            self._compare(0)
            self.most = most
        self.swept = 0
        self._restore()
        self.level -= 1

    def _taker(self, i: cython.int, to_whom: cython.int) -> cython.int:
        """Into whose store a pit goes; -1: into none."""
        k = self.kernel
        owner: cython.int = 0 if i < k.row else 1
        if to_whom == TO_NOBODY:
            return -1
        if to_whom <= TO_NORTH:
            return to_whom
        if to_whom != BY_ROW and k._marked(i):
            owner = (k.norths >> i) & 1
        return 1 - owner if to_whom == TO_OTHERS else owner
