"""One turn: lap after lap to its end."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from .codes import *
    from .cycles import Cycles


class Turns(Cycles):
    """Sows a turn from the choice of a pit to its end."""

    def _play(self, start: cython.int) -> cython.int:
        """Sow a turn from the position that was pushed last, with the choices in `given`. Every sowing goes through
        here."""
        status: cython.int = self._sow(start)
        if status == UNSURE:
            status = self._settled(start)
        self.work += self.laps
        return status

    def _sow(self, start: cython.int) -> cython.int:
        """Sow a turn. The compiler makes a turn of its own for each family that is named here, and one for Enkeshui
        with choices; turns of other families are slower. The last two constants are `banks` and `in_passing`."""
        if self.family == ENKESHUI:
            if self.choosing:
                return self._turn(start, ENKESHUI, True, False, False)
            return self._turn(start, ENKESHUI, False, False, False)
        if self.family == ANYWOLI:
            return self._turn(start, ANYWOLI, False, False, True)
        if self.family == LAYLI:
            return self._turn(start, LAYLI, False, False, False)
        if self.family == BOF:
            return self._turn(start, BOF, False, False, False)
        if self.family == OWARE:
            return self._turn(start, OWARE, False, False, False)
        if self.family == KALAH:
            return self._turn(start, KALAH, False, True, False)
        return self._sow_other(start)

    def _sow_other(self, start: cython.int) -> cython.int:
        """Sow a turn of any family. Within `_sow` this would slow the others."""
        return self._turn(start, self.family, self.choosing, self.banks, self.in_passing)

    def _turn(
        self,
        start: cython.int,
        family: cython.int,
        choosing: cython.bint,
        banks: cython.bint,
        in_passing: cython.bint,
    ) -> cython.int:
        pit: cython.int = start
        i: cython.int
        end: cython.int
        hand: cython.int
        count: cython.int
        reason: cython.int
        bit: cython.uint = 1
        theirs: cython.uint = 0
        emptied: cython.uint = 0
        laps: cython.int = 0
        look_at: cython.int = WATCH
        gate: cython.int = self._before_store() if banks else -1
        to_gate: cython.int
        # `_spread` sows a lap that only drops a seed in each following pit; `_lap` sows any other.
        plain: cython.bint = not banks and self.plain and not (self.closed or self.recording)
        # Hands of fewer seeds are swept (`_sweep`). That pays in C, where hands are large or pits few.
        swept: cython.int = 0
        if cython.compiled and not in_passing and self.size <= 24:
            if not (self.closed or self.recording):
                swept = self.size
        self.laps = 0
        self.points = 0
        self.cycle = 0
        self.saved_at = 0
        self.reason = GO_ON
        self.banked = 0
        self.left = 0
        self.sown = 0
        self.emptied = 0
        self.taken = 0
        self.again = False
        self.direction = self.step
        if choosing:
            theirs = ((bit << self.row) - 1) << (self.row if self.mover == 0 else 0)
        if in_passing and self.last_four:
            for i in range(self.size):
                self.left += self.pits[i]
        if choosing and self.exact:
            if self.log_size == 0:
                self._make_log(LOG)
            look_at = 0
            self.logged = 0
            self.turn += 1
            self._met(pit)  # the state it starts from counts too
        hand = self.pits[pit]
        while True:
            self.handful = hand
            emptied |= bit << pit
            laps += 1
            self.laps = laps
            if choosing and self.single_lap and (self.points == 0 or not self.each_relay):
                self.sown = 0  # what earlier laps have sown does not count
            if hand < swept:
                if banks:
                    to_gate = gate - pit if gate >= pit else gate - pit + self.size
                    self.again = hand == to_gate + 1
                    self.banked = hand > to_gate  # without a branch, which would be hard to predict
                    self.stores[self.mover] += self.banked
                    hand -= self.banked
                # The seeds in the last pit: faster than waiting for the pits that are written.
                i = self._away(pit, hand)
                count = self.pits[i] + 1
                self._sweep(pit, hand)
                end = i
                if family == ENKESHUI and not plain:
                    self.previous = self._away(pit, hand - 1)
            elif plain:
                i = self._spread(pit, hand, in_passing)
                end = i
            else:
                i = self._lap(pit, hand, banks, in_passing, False)
                end = self.last  # a lap may end in a store, or pass over the pit where it began
            if hand >= swept:
                if in_passing and i < 0:
                    end = i = self.last
                    reason = LAST_FOUR
                    break
                count = self.pits[i]
            reason = self._end(i, count, family)
            if reason != GO_ON:
                break
            if family == BOF:
                i = self.last
                count = self.pits[i]
            if laps >= look_at:
                reason = self._look(i)
                if reason != ENDED:
                    return reason
            if choosing:
                if plain or hand < swept:
                    self.sown |= self._arc(pit, hand)
                if (self.sown & theirs) == theirs:
                    self._choose(i)
            pit = i
            hand = count
        self.emptied |= emptied
        self.end = end
        return self._finish(i, reason)

    def _choose(self, pit: cython.int) -> cython.void:
        """Choose the direction of the next lap, after one that ended in `pit`, if the turn has a choice left."""
        one: cython.ulonglong = 1
        if (self.single_lap and self.points > 0 and not self.each_relay) or (self.first_lap and self.laps > 1):
            return
        if not self.each_relay:  # where each relay offers a choice, the row stays sown
            self.sown = 0
        if self.points < self.given_count:
            self.direction = 1 if (self.given >> self.points) & 1 else -1
        if self.points >= MAX_CHOICES:
            self.complete = False
        elif self.direction > 0:
            self.taken |= one << self.points
        self.points += 1
        if self.recording:
            self._note(CHOOSE, pit, 0, self.direction)

    def _finish(self, last: cython.int, reason: cython.int) -> cython.int:
        self.reason = reason
        if self.recording:
            self._note(END, last, 0, reason)
        return ENDED

    def _settled(self, start: cython.int) -> cython.int:
        """Sow the turn again to compare the two states that may be the same."""
        status: cython.int = UNSURE
        while status == UNSURE:
            self._again()
            status = self._sow(start)
            self.suspect = -1
            if status == UNSURE:
                self._again()
                self.mix += 2  # two states had one hash: take another hash
                status = self._sow(start)
        self.suspect = -1
        self.mix = MIX
        return status

    def _again(self) -> cython.void:
        """Prepare to sow the same turn once more."""
        self._back()
        if self.recording:
            self._forget()

    def _forget(self) -> cython.void:
        self.events = []
