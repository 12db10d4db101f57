"""What slips do to the board."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.turn.codes import *

    from .codes import *
    from .hand import Hand


class Actions(Hand):
    """The slips that the kernel does not do itself."""

    def _jump(self, place: cython.int) -> cython.void:
        k = self.kernel
        start: cython.int = place // 64
        to: cython.int = place % 64
        k.pits[start] -= 1
        k.pits[to] += 1
        if k.recording:
            k._note(SHIFT, start, 1, to)

    def _lay(self, place: cython.int) -> cython.void:
        k = self.kernel
        k.pits[place] += 1
        k.left += 1
        if k.recording:
            k._note(ADD, place, k.pits[place], 0)

    def _make_wrongly(self, end: cython.int) -> cython.void:
        k = self.kernel
        opposite: cython.int = k.size - 1 - end
        self._jump(opposite * 64 + end)
        k._make_special(opposite)
        k._make_special(end)

    def _end_unmarked(self, end: cython.int) -> cython.int:
        """Let the rules end the turn, and take its marks away again."""
        k = self.kernel
        marked: cython.uint = k.marked
        norths: cython.uint = k.norths
        reason: cython.int = k._end(end, k.pits[end], k.family)
        k.marked, k.norths = marked, norths
        return reason

    def _take_wrongly(self, end: cython.int, place: cython.int, also: cython.int) -> cython.int:
        """Why the turn ends, if `place` is captured wrongly."""
        k = self.kernel
        reason: cython.int = GO_ON
        if also == WITH_DUE:
            reason = k._end(end, k.pits[end], k.family)
        elif also in (WITH_LAST, IN_PLACE_OF_SPECIAL):
            k._take(end, k.mover, LAST_SEED)
        k._take(place, k.mover, LAST_SEED if place == end else OPPOSITE_EMPTY)
        return reason

    def _take_forbidden(self, end: cython.int, last: cython.int, reason: cython.int) -> cython.void:
        """Capture what a rule forbids as a whole for this reason, up to the pit `last`."""
        k = self.kernel
        i: cython.int = end
        if reason == GRAND_SLAM:
            while i != last and 0 <= i < k.size:
                k._take(i, k.mover, TWO_OR_THREE)
                i -= k.direction
            k.void = k.void or i != last  # another slip made the lap end elsewhere
            k._take(last, k.mover, TWO_OR_THREE)
        elif reason == FOUR:
            k._end(end, k.pits[end], k.family)
            for i in range(k.size):
                if k.pits[i] > 0:
                    k._take(i, k.mover, REST)
        else:
            k._take(end, k.mover, LAST_SEED)
            while last != end and 0 <= i < k.size:
                k._take(k.size - 1 - i, k.mover, OPPOSITE_EMPTY)
                if k.size - 1 - i == last:
                    return
                i += k.direction
            k.void = k.void or last != end

    def _take_on(self, end: cython.int, last: cython.int, mode: cython.int) -> cython.void:
        """Take what is due, and then on up to the pit `last`."""
        k = self.kernel
        i: cython.int = end
        place: cython.int = -1
        k._end(end, k.pits[end], k.family)
        while place != last:
            i += -k.direction if k.backward else k.direction
            if not 0 <= i < k.size:
                k.void = True
                return
            if k.backward:
                place = i
                if k.pits[i] > 0 and (mode == ALL_BEHIND or 2 <= k.pits[i] <= 3):
                    k._take(i, k.mover, TWO_OR_THREE)
            else:
                place = k.size - 1 - i
                if k.pits[place] > 0 and not k._marked(place) and (mode == ALL_BEHIND or k.pits[i] == 0):
                    k._take(place, k.mover, OPPOSITE_EMPTY)
