"""One lap: the seeds of a hand, one by one."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from .captures import Captures
    from .codes import *


class Laps(Captures):
    """Laps, and hands that slip in them as `records.kernel.slips` asks."""

    def _spread(self, pit: cython.int, hand: cython.int, in_passing: cython.bint) -> cython.int:
        """Drop a seed in each of the `hand` pits after `pit`; return the last pit, or -1 as `_lap` does."""
        i: cython.int = pit
        size: cython.int = self.size
        self.pits[pit] = 0
        if self.direction > 0:
            while hand > 0:
                i += 1
                if i == size:
                    i = 0
                self.pits[i] += 1
                hand -= 1
                if in_passing and self.pits[i] == 4 and hand > 0:
                    if self._take_four(i, 0 if i < self.row else 1, FOUR_IN_PASSING):
                        self.last = i
                        return -1
        else:
            while hand > 0:
                i -= 1
                if i < 0:
                    i = size - 1
                self.pits[i] += 1
                hand -= 1
                if in_passing and self.pits[i] == 4 and hand > 0:
                    if self._take_four(i, 0 if i < self.row else 1, FOUR_IN_PASSING):
                        self.last = i
                        return -1
        return i

    def _away(self, pit: cython.int, hand: cython.int) -> cython.int:
        """The last pit of a hand from `pit` that does not come round."""
        # Without a branch, which would be hard to predict.
        pit += hand - self.size if self.direction > 0 else -hand
        return pit + (self.size & (pit >> 31))

    def _sweep(self, pit: cython.int, hand: cython.int) -> cython.void:
        """Do what `_spread` does, without a loop whose end the processor would have to predict: add a row of a table to
        all pits. For a hand that does not come round, on at most 24 pits."""
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t = self.size - pit
        row: cython.Py_ssize_t = (hand if self.direction > 0 else hand + MAX_PITS) * (2 * MAX_PITS) + at
        for k in range(16):
            self.pits[k] = (self.pits[k] & self.kept[at + k]) + self.dropped[row + k]
        if self.size > 16:
            for k in range(16, 24):
                self.pits[k] = (self.pits[k] & self.kept[at + k]) + self.dropped[row + k]

    def _lap(
        self, pit: cython.int, hand: cython.int, banks: cython.bint, in_passing: cython.bint, slipping: cython.bint
    ) -> cython.int:
        """Sow `hand` seeds from `pit` by all the rules of a lap; return the last pit, or -1 if the last four
        ended the game on the way."""
        i: cython.int = pit
        bit: cython.uint = 1
        gate: cython.int = self._before_store() if banks else -1
        self.pits[pit] = 0
        self.last = pit
        if self.recording:
            self._note(LIFT, pit, hand, 0)
        while hand > 0:
            if slipping and hand == self.slip_at:
                hand = self._slip(hand)
                i = self.last
                continue
            if banks and i == gate and not self.again:
                self._bank()
                hand -= 1
                self.again = True
                continue
            self.again = False
            i += self.direction
            if i == self.size:
                i = 0
            elif i < 0:
                i = self.size - 1
            if (self.closed >> i) & 1 or (self.skip_origin and i == pit):
                continue
            self.previous = self.last
            self.last = i
            hand -= 1
            self.pits[i] += 1
            self.sown |= bit << i
            if self.recording:
                self._note(DROP, i, self.pits[i], 0)
            if in_passing and hand > 0 and self.pits[i] == 4:
                if self._take_four(i, 0 if i < self.row else 1, FOUR_IN_PASSING):
                    return -1
        return i

    def _arc(self, pit: cython.int, count: cython.int) -> cython.uint:
        """The `count` pits after `pit` in the direction of sowing, as bits."""
        one: cython.ulonglong = 1
        bits: cython.ulonglong
        if count >= self.size:
            return (one << self.size) - 1
        if self.direction > 0:
            pit += 1
        else:
            pit -= count
            if pit < 0:
                pit += self.size
        bits = ((one << count) - 1) << pit
        return (bits | (bits >> self.size)) & ((one << self.size) - 1)

    def _slip(self, hand: cython.int) -> cython.int:
        """What a hand of `hand` seeds does wrong after the pit `last`, as `records.kernel.slips` asks; what it holds
        then."""
        kind: cython.int = self.slip_kind
        place: cython.int = self.slip_place
        self.slip_at, self.slip_kind, self.slip_place = self.next_at, self.next_kind, self.next_place
        self.next_at = 0
        if kind == BREAK_OFF:
            self.held = hand
            return 0
        self.doubled = kind == ALSO and (place == self.last or place == LAST_SOWN)
        if place == LAST_SOWN:
            place = self.size + self.mover if self.banks and self.again else self.last
        if kind == PICK_UP:
            if 0 <= place < self.size and self.pits[place] == 0:
                self.void = True
                return hand
            if place >= 0:
                self.pits[place] -= 1
            else:
                self.left += 1
            if self.recording:
                self._note(PICK if place >= 0 else ADD, place, self.pits[place] if place >= 0 else hand + 1, 0)
            return hand + 1
        if kind != ALSO:
            if self.banks and not self.again and self.last == self._before_store():
                self.again = True  # past the store
            else:
                self.again = False
                self.last = self._following(self.last)
        if kind == SKIP:
            return hand
        if kind == INSTEAD and place == self.last:
            self.void = True  # it fell where it belongs
        if place < 0 or place >= self.size:
            self.left -= 1
        if place >= self.size:
            self.stores[place - self.size] += 1
            if self.recording:
                self._note(STORE, -1, self.stores[place - self.size], place - self.size)
        elif place >= 0:
            self.pits[place] += 1
            if self.recording:
                self._note(DROP, place, self.pits[place], 0)
            if self.in_passing and hand > 1 and self.pits[place] == 4:
                # The hand takes a four where it lies.
                self.void = self._take_four(place, 0 if place < self.row else 1, FOUR_IN_PASSING) or self.void
        elif self.recording:
            self._note(LOSE, -1, hand - 1, 0)
        return hand - 1
