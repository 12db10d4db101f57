"""What a turn may begin with: the pit, and each series of choices of direction."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from .codes import *
    from .turns import Turns


class Choices(Turns):
    """The pits and the series of choices of a side."""

    def _may_start(self, i: cython.int) -> cython.bint:
        if not self._own(i) or self.pits[i] == 0 or self._marked(i):
            return False
        return not self.special_start or self._may_start_here(i)

    def _may_start_here(self, i: cython.int) -> cython.bint:
        """The rules of some games about the pit a turn starts from."""
        if self.right_end_first and self.ply == 0:
            right: cython.int = (self.size if self.mover else self.row) - 1
            return i == right or self.pits[right] == 0 or self._marked(right)
        if self.win_at and (self.stores[0] >= self.win_at or self.stores[1] >= self.win_at):
            return False
        if self.looks_opposite and self._nothing_opposite():
            return self.feeds and self.pits[i] >= self.row - i % self.row  # else the game is over
        return True

    def _nothing_opposite(self) -> cython.bint:
        """Whether the opponent's row is empty."""
        i: cython.int
        for i in range(self.size):
            if not self._own(i) and self.pits[i] > 0:
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

    def _next_choices(self) -> cython.bint:
        """Make `given` the series to try after the one just played; False if there are no more.

        The first turn keeps its direction at every point. Each further one first differs from an earlier one at its
        last choice, so that no two are alike and none ends in a choice that only keeps the direction.
        """
        one: cython.ulonglong = 1
        k: cython.int = min(self.points, MAX_CHOICES) - 1
        if self.points > 0 and not self.exact:
            # The turn without choices was sown without remembering its states, so it may have offered choices after it
            # first repeated one. Sow it again, remembering them.
            self.exact = True
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
