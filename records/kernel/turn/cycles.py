"""Endless sowing: turns that come back to a state they were in.

A *state* is the pits, the pit a lap ended in and the direction; a turn that repeats a state is endless.
"""

from __future__ import annotations

from array import array

from records.kernel._cython import cython

if not cython.compiled:
    from .codes import *
    from .endings import LapEndings


class Cycles(LapEndings):
    """Finds the state that a turn repeats."""

    def _look(self, pit: cython.int) -> cython.int:
        """Whether the turn, after a lap that ended in `pit`, is `ENDLESS`, `UNSETTLED` or `UNSURE`; `ENDED` if it may
        go on."""
        met: cython.int
        if self.laps >= MAX_LAPS or self.work + self.laps >= self.work_limit:
            return UNSETTLED
        if self.exact:
            met = self._met(pit)
            if met != ENDED:
                return met
            if self.logged < MAX_LOGGED or self.suspect >= 0:
                return ENDED
            if self.points < self.given_count:
                return UNSETTLED
            # Without choices ahead, all that follows depends on the state alone, and so does its cycle.
        if self.laps < WATCH:
            return ENDED
        # Only one lap leads to a given state (sowing can be undone backwards), so a turn that repeats any of its states
        # repeats them all: it is enough to watch for one. A capture in passing starts this over (`_take_four`): the
        # states before it cannot come back.
        if not self.saved_at:
            self._save_state(pit)
            self.saved_at = self.laps
        elif self._as_saved(pit):
            self.cycle = self.laps - self.saved_at
            return ENDLESS
        return ENDED

    def _save_state(self, pit: cython.int) -> cython.void:
        i: cython.int
        for i in range(self.size):
            self.old[i] = self.pits[i]
        self.old_pit = pit
        self.old_direction = self.direction

    def _as_saved(self, pit: cython.int) -> cython.bint:
        i: cython.int
        if pit != self.old_pit or self.direction != self.old_direction:
            return False
        for i in range(self.size):
            if self.old[i] != self.pits[i]:
                return False
        return True

    def _met(self, pit: cython.int) -> cython.int:
        """Whether the turn was in this state before (`ENDLESS`), was not (`ENDED`), or that is `UNSURE`.

        Where directions are chosen every state must be remembered: a choice can lead out of a cycle, and the turn is
        endless all the same. States with different hashes are different. If two hashes are equal, the turn is sown
        again to compare the states themselves, which follow the laps `suspect` and `suspect_again`.
        """
        k: cython.int
        word: cython.ulonglong
        state: cython.ulonglong = pit * 2 + (self.direction > 0)
        if self.suspect >= 0:
            if self.laps == self.suspect:
                self._save_state(pit)
            elif self.laps == self.suspect_again:
                self.cycle = self.laps - self.suspect
                return ENDLESS if self._as_saved(pit) else UNSURE
            return ENDED
        for k in range(0, self.size - 2, 4):
            word = self.pits[k] | self.pits[k + 1] << 16
            word = word << 32 | (self.pits[k + 2] | self.pits[k + 3] << 16)
            state = state * self.mix + word + 1
        if self.size % 4:  # a row of an odd number of pits; what lies past the last pit is no part of the state
            word = self.pits[self.size - 2] | self.pits[self.size - 1] << 16
            state = state * self.mix + word + 1
        if not cython.compiled:
            state &= MASK
        k = self._place(state)
        if self.log_turn[k] == self.turn:
            self.suspect = self.log_lap[k]
            self.suspect_again = self.laps
            return UNSURE
        if self.logged < MAX_LOGGED:
            self.log[k] = state
            self.log_lap[k] = self.laps
            self.log_turn[k] = self.turn
            self.logged += 1
            if self.log_size - self.log_size // 4 == self.logged < MAX_LOGGED:
                self._make_log(4 * self.log_size)
        return ENDED

    def _make_log(self, places: cython.int) -> cython.void:
        """Make room for the states of a turn, and put those remembered so far into it."""
        k: cython.int
        old: cython.int
        log, log_lap, log_turn, size = self.log, self.log_lap, self.log_turn, self.log_size
        self.log = array("Q", bytes(8 * places))
        self.log_lap = array("q", bytes(8 * places))
        self.log_turn = array("q", bytes(8 * places))
        self.log_size = places
        for old in range(size):
            if log_turn[old] == self.turn:
                k = self._place(log[old])
                self.log[k], self.log_lap[k], self.log_turn[k] = log[old], log_lap[old], self.turn

    def _place(self, state: cython.ulonglong) -> cython.int:
        """The place of a state's hash in the log, or the place for it."""
        k: cython.int = state >> 40 & (self.log_size - 1)
        while self.log_turn[k] == self.turn and self.log[k] != state:  # an earlier turn's places are free
            k = (k + 1) & (self.log_size - 1)
        return k
