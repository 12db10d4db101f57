"""The positions that turns lead to."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.turn.codes import *

    from .codes import *
    from .positions import Positions


class Children(Positions):
    """Puts the children of a position on the stack."""

    def _keep(self, start: cython.int, base: cython.int) -> cython.bint:
        """Put the position that a turn from `start` led to on the stack; False if there is no room for more."""
        c: cython.int = self.top
        i: cython.int
        mover: cython.int = self.kernel.mover
        next_mover: cython.int = mover if self.kernel.again else 1 - mover
        if c >= CHILDREN or c - base >= MAX_TURNS:
            self.flags |= LEFT_OUT
            return False
        self.kernel.ply += 1
        self._identify(next_mover)
        self.kernel.ply -= 1
        if self.kernel.choosing:
            for i in range(base, c):
                if self.checks[i] == self.made_check and self.keys[i] == self.made_key:
                    return True  # other choices, the same position
        self.table.fetch(self.made_key)
        for i in range(16):
            self.boards[32 * c + i] = self.kernel.pits[i]
        if self.kernel.size > 16:
            for i in range(16, 32):
                self.boards[32 * c + i] = self.kernel.pits[i]
        self.marks[2 * c] = self.kernel.marked
        self.marks[2 * c + 1] = self.kernel.norths
        self.stores[2 * c] = self.kernel.stores[0]
        self.stores[2 * c + 1] = self.kernel.stores[1]
        i = self.kernel.stores[mover] - self.kernel.stores[1 - mover]
        self.gains[c] = i - self.kernel.stack[32 + mover] + self.kernel.stack[33 - mover]
        self.movers[c] = next_mover
        self.again[c] = self.kernel.again
        self.keys[c] = self.made_key
        self.checks[c] = self.made_check
        self.rests[c] = self.made_rest
        self.sures[c] = self.made_sure
        self.rows[c] = self.made_rows
        self.mobilities[c] = self.made_mobility
        self.starts[c] = start
        self.counts[c] = min(self.kernel.points, self.kernel.given_count)
        self.bits[c] = self.kernel.taken
        self.top = c + 1
        return True

    def _generate(self) -> cython.int:
        """Put all positions that turns from the kernel's position lead to on the stack; how many."""
        i: cython.int
        base: cython.int = self.top
        starts: cython.uint = self.kernel._starts()
        self.kernel._push()
        while starts:
            i = first_bit(starts)
            starts &= starts - 1
            if self.kernel.choosing:
                self._generate_choices(i, base)
            else:
                if self.kernel._sow(i) == ENDED:
                    self._keep(i, base)
                self.kernel._back()
        self.kernel.level = 0
        return self.top - base

    def _generate_choices(self, start: cython.int, base: cython.int) -> cython.void:
        """The same of the turns from one pit with all choices of direction."""
        left: cython.int = MAX_NODE_LAPS
        kept: cython.bint = True
        status: cython.int
        self.kernel._first_choices()
        while True:
            status = self.kernel._play(start)
            if status == ENDED:
                kept = self._keep(start, base)
            left -= self.kernel.laps
            self.kernel._back()
            if not kept or self.halted or not self.kernel._next_choices(status):
                return
            if left <= 0:
                self.flags |= LEFT_OUT
                return

    def _generate_pass(self) -> cython.int:
        """Put the position after a pass on the stack, if the mover, who cannot move, must pass; how many."""
        base: cython.int = self.top
        moves: cython.int
        self.kernel.mover = 1 - self.kernel.mover
        moves = self._generate()
        self.top = base
        self.kernel.mover = 1 - self.kernel.mover
        if moves == 0:
            return 0
        self.kernel.again = False
        self.kernel.points = 0
        self.kernel.taken = 0
        self.kernel._push()
        self._keep(PASSED, base)
        self.kernel.level = 0
        return self.top - base
