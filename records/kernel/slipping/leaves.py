"""The end of a turn with slips: the turns that follow, and what may go wrong after it."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.turn.codes import *

    from .codes import *
    from .sweeps import Sweeps


class Leaves(Sweeps):
    """Slips one after the other, and boards after the last one."""

    def _push(
        self, code: cython.int, stage: cython.int, at: cython.int, place: cython.int, floating: cython.bint = False
    ) -> cython.bint:
        """Let one more slip happen in this lap, unless the number of seeds that lie there rules it out.

        `floating`: its place follows from the board that is left.
        """
        floated: cython.int = self.floating
        self.code[self.depth] = code
        self.depth += 1
        if floating:
            self.floating = self.depth
        if not self._balances():
            self.depth -= 1
            self.floating = floated
            return False
        self.lap[self.depth - 1] = self.kernel.laps + (0 if stage == AFTER_LAP else 1)
        self.stage[self.depth - 1] = stage
        self.at[self.depth - 1] = at
        self.place[self.depth - 1] = place
        if self.depth == 1:
            self.tally[code] += 1
        return True

    def _pop(self) -> cython.void:
        """Take the last slip back, and all that was done since."""
        self.depth -= 1
        self._restore()

    def _balances(self) -> cython.bint:
        """Whether these slips, and those that may follow, can leave as many seeds as lie there.

        One slip alone is always tried: how many there could be of each code decides how likely each is.
        """
        i: cython.int
        code: cython.int
        rest: cython.int = self.most - self.depth
        least: cython.int = -rest
        most: cython.int = rest
        if self.most == 1 or not self.balanced:
            return True
        for i in range(self.depth):
            code = self.code[i]
            if code in (LOSE_ONE, LOSE_DUE):
                least -= 1
                most -= 0 if self.floating == i + 1 else 1
            elif code in (LAY, ADD_ONE):
                least += 0 if self.floating == i + 1 else 1
                most += 1
            elif code == BREAK_OFF and not self.hand_known:
                least -= COUNT_LIMIT
        if rest > 0 and not self.hand_known:
            least -= COUNT_LIMIT  # the hand may stop with seeds in it
        return least <= self.need <= most

    def _leaf(self, held: cython.int) -> cython.void:
        """Compare the board of a turn that is over with what lies there, after the turns that follow."""
        self.taken, self.points = self.kernel.taken, self.kernel.points
        if len(self.later) == 0:
            self._compare(held)
            if held == 0 and self.floating == 0:
                self._try_sweeps()
            return
        self._follow_and_compare(held, 0, 0)
        if self.depth < self.most:
            for place in range(self.kernel.size + 2):
                self._follow_and_compare(held, END_ADD, place)
                self._follow_and_compare(held, END_LOSE, place)

    def _follow_and_compare(self, held: cython.int, code: cython.int, place: cython.int) -> cython.void:
        """Compare the board after the turns that follow. `code`: first a seed is lost or added in `place`."""
        k = self.kernel
        mover: cython.int = k.mover
        ply: cython.int = k.ply
        most: cython.int = self.most
        by: cython.int = 0 if code == 0 else 1 if code == END_ADD else -1
        if by and (self._seeds_in(place) + by < 0 or held):
            return
        self._save()
        if place < k.size:
            k.pits[place] += by
        else:
            k.stores[place - k.size] += by
        if code:
            self._push(code, AFTER_LAP, 0, place)
            self.lap[self.depth - 1] = 0
        self.most = self.depth  # nothing is wrong any more
        if self._follow():
            self._compare(held)
            if held == 0:
                self._try_sweeps()
        k.given_count = 0
        if code:
            self.depth -= 1
        self.most = most
        k.mover, k.ply = mover, ply
        self._restore()
        self.level -= 1

    def _follow(self) -> cython.bint:
        """Play the turns that follow; whether the rules let them be played."""
        k = self.kernel
        end: cython.int
        pit: cython.int
        laps: cython.int
        emptied: cython.uint = k.emptied
        for side, index, bits, count in self.later:
            k.mover = side
            k.ply += 1
            pit = index
            if not k.may_start(pit):
                return False
            self._begin()
            k.given = bits
            k.given_count = count
            laps = 0
            while True:
                laps += 1
                if laps > LAPS_ON or k.pits[pit] == 0:
                    return False
                end = self._sow_lap(pit)
                if end < 0 or k._end(end, k.pits[end], k.family) != GO_ON:
                    break
                pit = k.last
                if k.choosing:
                    self._choose_as_given(pit)
            emptied |= k.emptied
        k.emptied = emptied
        return True

    def _choose_as_given(self, pit: cython.int) -> cython.void:
        """Go on in the direction that was written, where the rules offer a choice."""
        k = self.kernel
        bit: cython.uint = 1
        theirs: cython.uint = ((bit << k.row) - 1) << (k.row if k.mover == 0 else 0)
        if (k.sown & theirs) == theirs:
            k._choose(pit)
