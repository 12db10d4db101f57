"""What may go wrong with the captures that end a turn."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.turn.codes import *

    from .codes import *
    from .leaves import Leaves


class CaptureSlips(Leaves):
    """Tries slips after which the turn is over."""

    def _try_stop(self, code: cython.int, end: cython.int) -> cython.void:
        """Let the turn end here with this slip."""
        if not self._push(code, AFTER_LAP, 0, end):
            return
        if code == MARK_WRONGLY:
            self.kernel._make_special(end)
        elif code == NOT_MARKED:
            self._end_unmarked(end)
        elif code == MAKE_WRONGLY:
            self._make_wrongly(end)
        self._leaf(0)
        self._pop()

    def _try_captures(self, end: cython.int) -> None:
        """What may go wrong with the captures that end a turn."""
        k = self.kernel
        nth: cython.int
        takes: cython.int
        place: cython.int
        step: cython.int
        k.recording = 1000
        k.events = []
        k._end(end, k.pits[end], k.family)
        taken: list = [event for event in k.events if event[0] == 3]
        due: set = {event[1] for event in taken}
        k.recording = 0
        takes = len(taken)
        self._restore()
        self._try_take(end, TAKE_NONE, 1, 0)
        if k.opposite_specials and k.pits[k.size - 1 - end] > 1:
            self._try_stop(MAKE_WRONGLY, end)
        for nth in range(1, takes + 1):
            if takes > 1:
                self._try_take(end, TAKE_NOT, nth, 0)
            if 1 < nth < takes:
                self._try_take(end, TAKE_NONE, nth, 0)
            self._try_take(end, TAKE_OTHER_STORE, nth, 0)
            place = taken[nth - 1][1]
            if place < 0:
                continue
            for step in range(1, taken[nth - 1][2]):
                self._try_take(end, TAKE_PART, nth, step)
            for step in (1, k.size - 1):
                if k.pits[(place + step) % k.size] > 0 and (place + step) % k.size not in due:
                    self._try_take(end, TAKE_ELSEWHERE, nth, (place + step) % k.size)
        if takes > 1:
            self._try_take(end, TAKE_OTHER_STORE, 0, 0)
        if k.goes_on:
            due |= self._try_on(end)
        k._end(end, k.pits[end], k.family)
        more: list = [place for place in range(k.size) if k.pits[place] > 0 and place != end and place not in due]
        self._restore()
        for place in more:
            self._try_wrong_take(end, place, WITH_DUE)

    def _try_take(self, end: cython.int, code: cython.int, nth: cython.int, place: cython.int) -> cython.void:
        k = self.kernel
        if self._push(code, AFTER_LAP, nth, place):
            self._arm(code, nth, place)
            k._end(end, k.pits[end], k.family)
            k.slip_take = 0
            self._leaf(0)
            self._pop()

    def _try_wrong_take(self, end: cython.int, place: cython.int, also: cython.int) -> cython.void:
        """Capture the seeds in `place` and what `also` says, and stop."""
        k = self.kernel
        likely: cython.bint = also == IN_PLACE_OF_SPECIAL or (
            place == end
            if k.backward
            else (also == (WITH_LAST if k.takes_last else ALONE) and place == k.size - 1 - end)
        )
        if self._push(TAKE_WRONGLY if likely else TAKE_ODDLY, AFTER_LAP, also, place):
            self._take_wrongly(end, place, also)
            self._leaf(0)
            self._pop()

    def _try_forbidden(self, end: cython.int, reason: cython.int) -> cython.bint:
        """Capture what a rule forbids as a whole, as far as to each of its pits; whether it has only one.

        Of several, the first alone is captured wrongly like any other pit.
        """
        k = self.kernel
        i: cython.int = end
        last: cython.int
        seeds: cython.int = 0
        pits: list = []
        if reason == GRAND_SLAM:
            while 0 <= i < k.size and not k._own(i) and 2 <= k.pits[i] <= 3:
                pits.append(i)
                i -= k.direction
        elif reason == NO_CAPTURE_AFTER_RELAY:
            while 0 <= i < k.size and k._own(i) and (i == end or k.pits[i] == 0):
                last = k.size - 1 - i
                if k.pits[last] == 0 or k._marked(last):
                    break
                pits.append(last)
                i += k.direction
        elif reason == EMPTY_NOTHING and k.asks_empty_capture:
            pits.append(end)
        elif reason == FOUR and not k.last_four:
            for i in range(k.size):
                seeds += k.pits[i]
                if k.pits[i] > 0 and i != end:
                    last = i
            if seeds == 8:
                pits.append(last)
        only: cython.bint = len(pits) == 1
        for last in pits if only else pits[1:]:
            if self._push(TAKE_FORBIDDEN, AFTER_LAP, reason, last):
                self._take_forbidden(end, last, reason)
                self._leaf(0)
                self._pop()
        return only

    def _try_on(self, end: cython.int) -> set:
        """Take a capture on behind the pit where it was over; the pits that this captures alone."""
        k = self.kernel
        i: cython.int
        place: cython.int
        mode: cython.int
        fit: cython.bint
        behind: list = []
        alone: set = set()
        k._end(end, k.pits[end], k.family)
        i = end
        fits: cython.int = 0
        others: cython.int = 0
        while True:
            i += -k.direction if k.backward else k.direction
            if not 0 <= i < k.size or not (k.backward or k._own(i)):
                break
            place = i if k.backward else k.size - 1 - i
            if k.pits[place] == 0 or k._marked(place):
                continue
            fit = k.pits[i] <= 3 and k.pits[i] >= 2 if k.backward else k.pits[i] == 0
            fits += fit
            others += not fit
            if fit:
                behind.append((place, WHAT_FITS))
            if others:
                behind.append((place, ALL_BEHIND))
            if fits + others == 1 or (fit and fits == 1):
                alone.add(place)
        self._restore()
        for place, mode in behind:
            if self._push(TAKE_ON, AFTER_LAP, mode, place):
                self._take_on(end, place, mode)
                self._leaf(0)
                self._pop()
        return alone
