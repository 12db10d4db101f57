"""What the last seed of a lap does: the next lap follows, or the turn ends."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from .codes import *
    from .laps import Laps


class LapEndings(Laps):
    """The end of a lap, by the rules of each family."""

    def _end(self, i: cython.int, count: cython.int, family: cython.int) -> cython.int:
        """What follows from a lap whose last seed fell in `i`, now of `count` seeds: `GO_ON`, or why the turn ends."""
        if family == ENKESHUI:
            return self._end_enkeshui(i, count)
        if family == ANYWOLI:
            return self._end_anywoli(i, count)
        if family == LAYLI:
            return self._end_layli(i, count)
        if family == BOF:
            return self._end_bof(i, count)
        if family == OWARE:
            return self._end_oware(i, count)
        return self._end_kalah(i, count)

    def _end_enkeshui(self, i: cython.int, count: cython.int) -> cython.int:
        before: cython.int
        pair: cython.bint
        opposite: cython.int
        if self._marked(i):
            return IN_SPECIAL
        if count > 1:
            if self.ply >= self.specials_from[self.mover]:
                before = self._before(i)
                pair = self.pits[before] == 7 - count
                if (count == 4) | (count == 3) & pair:  # one branch: each alone is hard to predict
                    pair = pair and self.handful > 1 and not self._marked(before)
                    if pair:
                        self._make_special(before)
                    if pair or count == 4:
                        self._make_special(i)
                        return MADE_SPECIAL
            return GO_ON
        opposite = self.size - 1 - i
        if not self._own(i) & (self.pits[opposite] != 0) & (not self._marked(opposite)):  # one branch, as above
            if not self._own(i):
                return EMPTY_THEIRS
            return EMPTY_SPECIAL if self._marked(opposite) else EMPTY_NOTHING
        if self.laps > 1 and not self.capture_after_relay:
            return NO_CAPTURE_AFTER_RELAY
        self._take(i, self.mover, LAST_SEED)
        while True:
            self._take(opposite, self.mover, OPPOSITE_EMPTY)
            i += self.direction
            if i < 0 or i >= self.size or not self._own(i) or self.pits[i] != 0:
                return CAPTURED
            opposite = self.size - 1 - i
            if self.pits[opposite] == 0 or self._marked(opposite):
                return CAPTURED

    def _end_anywoli(self, i: cython.int, count: cython.int) -> cython.int:
        if count == 4:
            if self._take_four(i, self.mover, FOUR_AT_END):
                return LAST_FOUR
            return FOUR
        if count > 1:
            return GO_ON
        return EMPTY_PIT

    def _end_layli(self, i: cython.int, count: cython.int) -> cython.int:
        opposite: cython.int
        if self._marked(i):
            return IN_SPECIAL
        if count > 1:
            return GO_ON
        if not self._own(i):
            return EMPTY_THEIRS
        opposite = self.size - 1 - i
        if self._marked(opposite):
            return EMPTY_SPECIAL
        if self.pits[opposite] == 0:
            return EMPTY_NOTHING
        if self.pits[opposite] == 3:
            self.pits[opposite] = 2
            self.pits[i] = 2
            if self.recording:
                self._note(SHIFT, opposite, 1, i)
            self._make_special(opposite)
            self._make_special(i)
            return MADE_SPECIAL
        self._take(i, self.mover, LAST_SEED)
        self._take(opposite, self.mover, OPPOSITE_EMPTY)
        return CAPTURED

    def _end_bof(self, i: cython.int, count: cython.int) -> cython.int:
        self.last = self._following(i)
        if self.pits[self.last] > 0:
            return GO_ON
        i = self._following(self.last)
        if self.pits[i] == 0:
            return NOTHING_BEYOND
        self._take(i, self.mover, BEYOND_EMPTY)
        return TOOK_BEYOND

    def _end_oware(self, i: cython.int, count: cython.int) -> cython.int:
        k: cython.int
        j: cython.int
        first: cython.int = 0 if self.mover else self.row
        theirs: cython.int = 0
        worth: cython.int = 0
        k = i
        while 0 <= k < self.size and not self._own(k) and 2 <= self.pits[k] <= 3:
            worth += self.pits[k]
            k -= self.direction
        if worth == 0:
            return IN_OCCUPIED if count > 1 else EMPTY_PIT
        for j in range(first, first + self.row):
            theirs += self.pits[j]
        if worth == theirs:
            return GRAND_SLAM
        while i != k:
            self._take(i, self.mover, TWO_OR_THREE)
            i -= self.direction
        return CAPTURED

    def _end_kalah(self, i: cython.int, count: cython.int) -> cython.int:
        if self.again:
            return IN_STORE
        if count > 1:
            return IN_OCCUPIED
        if not self._own(i):
            return EMPTY_THEIRS
        if self.pits[self.size - 1 - i] == 0 and not self.empty_capture:
            return EMPTY_NOTHING
        self._take(i, self.mover, LAST_SEED)
        if self.pits[self.size - 1 - i] > 0:
            self._take(self.size - 1 - i, self.mover, OPPOSITE_EMPTY)
        return CAPTURED
