"""A board that slips leave, compared with what lies there.

What lies there is a table: the log-likelihood of each number of seeds at each place (the pits, then the two stores).
"""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.turn.codes import *

    from .actions import Actions
    from .codes import *


class Comparison(Actions):
    """Compares boards, and keeps those that fit."""

    def look_for(
        self,
        kept: list,
        emptied: list,
        held: list,
        marks: tuple | None,
        least: float,
        whole: int | None,
        hand: int | None,
    ) -> None:
        """What lies there now.

        `kept` and `emptied` have a row for each place, with the log-likelihood of 0, 1, 2 … seeds there if the place
        was never emptied, and if it was; `held` the same of the seeds in the hand. `marks`: the mark of each pit, -1
        where it is unknown; None: all are. `least`: the log-likelihood from which a board counts at first. `whole`: all
        seeds on the board, `hand`: those in the hand; None: unknown.
        """
        place: cython.int
        count: cython.int
        for place in range(len(kept)):
            for count in range(COUNT_LIMIT):
                self.logs[place * COUNT_LIMIT + count] = kept[place][count]
                self.logs[(PLACES + place) * COUNT_LIMIT + count] = emptied[place][count]
        for count in range(COUNT_LIMIT):
            self.held_logs[count] = held[count]
        row: cython.int = self.kernel.row
        for count in range(2):
            self.bare[count] = True
            for place in range(count * row, (count + 1) * row):
                if self.logs[(PLACES + place) * COUNT_LIMIT] <= self.logs[(PLACES + place) * COUNT_LIMIT + 1]:
                    self.bare[count] = False
        self.marks_known = marks is not None
        for place in range(32):
            self.wanted[place] = -1
        if marks is not None:
            for place in range(len(marks)):
                self.wanted[place] = marks[place]
        self.least = least
        self.balanced = whole is not None
        self.whole = 0 if whole is None else whole
        self.hand_known = hand is not None
        if hand is not None:
            self.whole += hand

    def _seeds_in(self, place: cython.int) -> cython.int:
        k = self.kernel
        return k.pits[place] if place < k.size else k.stores[place - k.size]

    def _is_plain(self, slip: cython.int) -> cython.bint:
        """Whether a slip whose place is found may also be one without a place: a last seed that is lost on its way to
        the pit that is due would let the lap end where no seed fell."""
        return not (self.code[slip] == LOSE_DUE and self.at[slip] == 1)

    def _log(self, place: cython.int, by: cython.int) -> cython.double:
        """The log-likelihood of what is in a place now and `by` more."""
        k = self.kernel
        size: cython.int = k.size
        count: cython.int = (k.pits[place] if place < size else k.stores[place - size]) + by
        row: cython.int = PLACES if place < size and (k.emptied >> place) & 1 else 0
        if count < 0:
            return IMPOSSIBLE
        if count >= COUNT_LIMIT:
            count = COUNT_LIMIT - 1
        return self.logs[(row + place) * COUNT_LIMIT + count]

    def _compare(self, held: cython.int) -> cython.void:
        k = self.kernel
        i: cython.int
        size: cython.int = k.size
        total: cython.double = self.held_logs[held if held < COUNT_LIMIT else COUNT_LIMIT - 1]
        # Seeds that were moved once more may make up for two places.
        lowest: cython.double = self.least
        self.work += 1
        if self.depth < self.most or self.floating:
            lowest += 2 * IMPOSSIBLE
        for i in range(size):
            total += self._log(i, 0)
            if total < lowest:
                return
        total += self._log(size, 0) + self._log(size + 1, 0)
        if self.marks_known:
            for i in range(size):
                if self.wanted[i] >= 0 and self.wanted[i] != k._mark(i):
                    total += IMPOSSIBLE
        if total < lowest:
            return
        if self.floating:
            self._float(total, held)
            if not self._is_plain(self.floating - 1):
                return
        if total >= self.least:
            self._hit(total, held, 0, 0)
        if self.depth < self.most:
            self._repair(total, held)

    def _float(self, total: cython.double, held: cython.int) -> None:
        """Find where the seed is that fell elsewhere, or where it was picked up."""
        size: cython.int = self.kernel.size
        i: cython.int
        last: cython.int = self.floating - 1
        code: cython.int = self.code[last]
        by: cython.int = -1 if code == ADD_ONE else 1
        for i in range(size if by < 0 else size + 2):
            gain: cython.double = total + self._log(i, by) - self._log(i, 0)
            if gain >= self.least:
                self.place[last] = i
                self.code[last] = PICK_UP if by < 0 else INSTEAD if code == LOSE_DUE else ALSO
                self._hit(gain, held, 0, 0)
                self.place[last], self.code[last] = -1, code

    def _repair(self, total: cython.double, held: cython.int) -> cython.void:
        """Find the seed that is missing, extra or in a wrong place."""
        size: cython.int = self.kernel.size + 2
        i: cython.int
        j: cython.int
        most: cython.double = -1000.0
        gain: cython.double
        for i in range(size):
            gain = self._log(i, 1) - self._log(i, 0)
            if gain > most:
                most = gain
            if total + gain >= self.least:
                self._hit(total + gain, held, END_ADD, i)
        for i in range(size):
            gain = total + self._log(i, -1) - self._log(i, 0)
            if gain >= self.least:
                self._hit(gain, held, END_LOSE, i)
            if gain + most < self.least:
                continue
            for j in range(size):
                if j != i and gain + self._log(j, 1) - self._log(j, 0) >= self.least:
                    self._hit(gain + self._log(j, 1) - self._log(j, 0), held, END_MOVE, i * 64 + j)

    def _hit(self, total: cython.double, held: cython.int, code: cython.int, place: cython.int) -> cython.void:
        i: cython.int
        if total - WINDOW > self.least:
            self.least = total - WINDOW
        if len(self.hits) >= MAX_HITS:
            self.cut = True
            return
        slips: list = [(self.code[i], self.lap[i], self.stage[i], self.at[i], self.place[i]) for i in range(self.depth)]
        if self.swept:
            slips.append((self.sweep, 0, AFTER_LAP, self.to_whom, self.swept))
        if code:
            slips.append((code, 0, AFTER_LAP, 0, place))
        self.hits.append((total, tuple(slips), self.taken, self.points, held))
