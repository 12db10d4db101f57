"""What a turn may begin with: the pit, and each series of choices of direction."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from .codes import *
    from .turns import Turns


class Choices(Turns):
    """The pits and the series of choices of a side."""

    def _starts(self) -> cython.uint:
        """The pits that a turn may start from, as bits."""
        i: cython.int
        bit: cython.uint = 1
        starts: cython.uint = 0
        must_reach: cython.bint = False
        first: cython.int = self.row if self.mover else 0
        right: cython.int = first + self.row - 1
        if self.special_start:
            if self.right_end_first and self.ply == 0 and self.pits[right] > 0 and not self._marked(right):
                return bit << right
            if self.win_at and (self.stores[0] >= self.win_at or self.stores[1] >= self.win_at):
                return 0
            if self.looks_opposite and self._nothing_opposite():
                if not self.feeds:
                    return 0
                must_reach = True
        for i in range(first, first + self.row):
            starts |= cython.cast(cython.uint, self.pits[i] > (right - i if must_reach else 0)) << i
        return starts & ~self.marked

    def _nothing_opposite(self) -> cython.bint:
        """Whether the opponent's row is empty."""
        i: cython.int
        theirs: cython.int = 0 if self.mover else self.row
        for i in range(theirs, theirs + self.row):
            if self.pits[i] > 0:
                return False
        return True

    # Series of choices, as bits: the k-th is 1 where the k-th choice is counter-clockwise.

    def _series(self, bits: cython.ulonglong, count: cython.int) -> str:
        k: cython.int
        return "".join([">" if (bits >> k) & 1 else "<" for k in range(count)])

    def _first_choices(self) -> cython.void:
        self.given = 0
        self.given_count = 0
        self.flipped = 0
        self.exact = False

    def _next_choices(self, status: cython.int) -> cython.bint:
        """Make `given` the series to try after the one just played, which came out as `status`; False if there are no
        more.

        The first turn keeps its direction at every point. Each further one first differs from an earlier one at its
        last choice, so that no two are alike and none ends in a choice that only keeps the direction.
        """
        one: cython.ulonglong = 1
        k: cython.int = min(self.points, MAX_CHOICES) - 1
        if self.points > 0 and not self.exact:
            # The turn without choices was sown without remembering its states. If it ended, it repeated none: from a
            # state that comes again, a turn without choices would go round for ever. Else it may have offered choices
            # after it first repeated one: sow it again, remembering them.
            self.exact = True
            if status != ENDED:
                return True
        while k >= self.given_count:
            self.flipped &= ~(one << k)
            k -= 1
        k = min(self.points, MAX_CHOICES) - 1
        while k >= 0 and (self.flipped >> k) & 1:
            k -= 1
        if k < 0:
            return False
        self.flipped = (self.flipped & ((one << k) - 1)) | (one << k)
        self.given = (self.taken & ((one << k) - 1)) | (~self.taken & (one << k))
        self.given_count = k + 1
        return True
