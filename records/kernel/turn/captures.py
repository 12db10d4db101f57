"""What is taken from pits, and pits that become special."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from .codes import *
    from .state import TurnState


class Captures(TurnState):
    """Captures, and those that go wrong as `records.kernel.slips` asks."""

    def _take(self, i: cython.int, side: cython.int, why: cython.int) -> cython.void:
        bit: cython.uint = 1
        if self.slip_take and self._slipped_take(i, side, why):
            return
        if self.recording:
            self._note(TAKE, i, self.pits[i], side + 2 * why)
        self.stores[side] += self.pits[i]
        self.pits[i] = 0
        self.emptied |= bit << i

    def _take_four(self, i: cython.int, side: cython.int, why: cython.int) -> cython.bint:
        """Take the four in pit `i`; if just four are left on the board and in the hand, take these too and return
        True."""
        k: cython.int
        self._take(i, side, why)
        self.saved_at = 0
        self.left -= 4
        if not self.last_four or self.left != 4:
            return False
        # The seeds still in the hand never reach a pit: they go to the store with those on the board.
        k = 4
        for j in range(self.size):
            if self.pits[j] > 0:
                k -= self.pits[j]
                self._take(j, side, REST)
        if k > 0:
            if self.recording:
                self._note(TAKE, -1, k, side + 2 * REST)
            self.stores[side] += k
        return True

    def _make_special(self, i: cython.int) -> cython.void:
        bit: cython.uint = 1
        self.marked |= bit << i
        if self.mover:
            self.norths |= bit << i
        if self.recording:
            self._note(SPECIAL, i, self.pits[i], self.mover)

    def _bank(self) -> cython.void:
        """Sow a seed into the mover's own store."""
        self.stores[self.mover] += 1
        self.banked += 1
        if self.recording:
            self._note(STORE, -1, self.stores[self.mover], self.mover)

    def _slipped_take(self, i: cython.int, side: cython.int, why: cython.int) -> cython.bint:
        """Whether the capture from `i` goes wrong as `records.kernel.slips` asks, and was done so."""
        kind: cython.int = self.slip_take
        left: cython.int = 0
        bit: cython.uint = 1
        self.took += 1
        if self.slip_nth and self.took != self.slip_nth and not (kind == TAKE_NONE and self.took > self.slip_nth):
            return False
        if kind in (TAKE_NONE, TAKE_NOT):
            self.left += self.pits[i]
            return True
        if kind == TAKE_OTHER_STORE:
            side = 1 - side
        elif kind == TAKE_ELSEWHERE:
            i = self.slip_place
        else:
            left = self.slip_place
        if self.recording:
            self._note(TAKE, i, self.pits[i] - left, side + 2 * why)
        self.left += left
        self.stores[side] += self.pits[i] - left
        self.pits[i] = left
        self.emptied |= bit << i
        return True
