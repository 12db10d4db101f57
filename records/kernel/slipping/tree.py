"""The tree of slips: a turn sown on, and at each step with every slip that is left."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.turn.codes import *

    from .captures import CaptureSlips
    from .codes import *


class SlipTree(CaptureSlips):
    """Sows a turn in every way."""

    def _turn(self, pit: cython.int) -> cython.void:
        """Sow on from `pit`, by the rules and with every slip that is left."""
        k = self.kernel
        end: cython.int
        most: cython.int = k.laps + LAPS_ON if self.depth else LAPS_WITHOUT_SLIP
        while k.laps < most and not self.cut:
            if k.pits[pit] == 0:
                return
            if self.depth < self.most:
                if self.depth or not self.placed:
                    self._try_starts(pit)
                self._try_laps(pit)
            end = self._sow_lap(pit)
            if end < 0:
                self._leaf(0)
                return
            if self.depth < self.most and (self.depth or not self.placed):
                self._try_end(end)
            pit = self._go_on(end)
            if pit < 0:
                return

    def _after_lap(self, end: cython.int) -> cython.void:
        """Go on after a lap with a slip."""
        if end < 0:
            self._leaf(0)
            return
        if self.depth < self.most:
            self._try_end(end)
        end = self._go_on(end)
        if end >= 0:
            self._turn(end)

    def _go_on(self, end: cython.int) -> cython.int:
        """Do what the rules say after a lap; the pit of the next lap, -1 if the turn is over."""
        k = self.kernel
        if k._end(end, k.pits[end], k.family) != GO_ON:
            self._leaf(0)
            return -1
        if k.choosing:
            self._offer(k.last)
        return k.last

    def _offer(self, pit: cython.int) -> None:
        """Let the mover choose a direction if the rules do: first go on as before, then the other way."""
        k = self.kernel
        one: cython.ulonglong = 1
        bit: cython.uint = 1
        points: cython.int = k.points
        theirs: cython.uint = ((bit << k.row) - 1) << (k.row if k.mover == 0 else 0)
        if (k.sown & theirs) != theirs or points >= MAX_POINTS:
            return
        k._choose(pit)
        if k.points == points or k.recording:
            return
        if self.level >= DEEPEST:
            self.cut = True
            return
        self._save()
        self._turn(pit)
        self._restore()
        self.level -= 1
        k.direction = -k.direction
        if k.direction > 0:
            k.taken |= one << points
        else:
            k.taken &= ~(one << points)

    # Before a lap

    def _try_starts(self, pit: cython.int) -> cython.void:
        """What may go wrong before a lap."""
        k = self.kernel
        i: cython.int
        step: cython.int
        to: cython.int
        self._save()
        if k.laps > 0:
            for i in range(k.size):
                if i != pit and k.pits[i] > 0 and self._push(OTHER_PIT, BEFORE_LAP, 0, i):
                    self._turn(i)
                    self._pop()
        for step in (REVERSE, REVERSE_LAP):
            if self._push(step, BEFORE_LAP, 0, pit):
                k.direction = -k.direction
                self.turn_back = step == REVERSE_LAP
                self._turn(pit)
                self._pop()
        for i in range(k.size):
            if i != pit and not (k.closed >> i) & 1 and self._push(LAY, BEFORE_LAP, 0, i):
                self._lay(i)
                self._turn(pit)
                self._pop()
            if k.pits[i] <= (1 if i == pit else 0):
                continue
            for step in (k.size - 1, 1):
                to = i * 64 + (i + step) % k.size
                if self._push(JUMP, BEFORE_LAP, 0, to):
                    self._jump(to)
                    self._turn(pit)
                    self._pop()
        self.level -= 1

    # In a lap

    def _try_laps(self, pit: cython.int) -> cython.void:
        """What may go wrong in a lap."""
        k = self.kernel
        at: cython.int
        place: cython.int
        hand: cython.int = k.pits[pit]
        two: cython.bint = self.most > 1
        only_placed: cython.bint = self.placed and self.depth == 0
        due: cython.int = pit
        at_pit: cython.bint = True
        beside: cython.bint
        self._save()
        for at in range(hand, 0, -1):
            at_pit = not (k.banks and at_pit and due == k._before_store())
            if at_pit:
                due = k._following(due)
                if k.skip_origin and due == pit:
                    due = k._following(due)
            if not only_placed:
                self._try_drop(pit, SKIP, at, 0, False)
                if at < hand:
                    self._try_drop(pit, BREAK_OFF, at, 0, False)
                    self._try_drop(pit, DOUBLE, at, LAST_SOWN, False)
                elif hand > 1:
                    self._try_drop(pit, LEAVE_BEHIND, at, LAST_SOWN, False)
                self._try_losses(pit, at, hand)
            for place in range(k.size + 2):
                beside = at_pit and (
                    place == due - k.direction or place == due + k.direction or place == k.size - 1 - due
                )
                if beside and not only_placed:
                    self._try_drop(pit, INSTEAD_NEAR, at, place, False)
                    if at == 1 and place < k.size and (hand == 1 or place != due - k.direction):
                        self._try_drop(pit, ASTRAY, at, place, False)
                elif not beside and (only_placed or not two):
                    self._try_drop(pit, INSTEAD, at, place, False)
                if hand > 1 and (only_placed or not two):
                    self._try_drop(pit, ALSO, at, place, False)
                if place < k.size and place != pit:
                    beside = at == hand and (place == pit - 1 or place == pit + 1)
                    if beside and not only_placed:
                        self._try_drop(pit, PICK_BESIDE, at, place, False)
                    elif not beside and (only_placed or not two):
                        self._try_drop(pit, PICK_UP, at, place, False)
        if k.in_passing and not only_placed:
            self._try_takes(pit)
        self.level -= 1

    def _try_losses(self, pit: cython.int, at: cython.int, hand: cython.int) -> cython.void:
        """Let a seed be lost or added while `at` seeds are in the hand.

        Of two slips, one of these may have its place found from the board that is left: the seed fell there, or was
        picked up there.
        """
        floated: cython.bint = self.floating != 0
        if self.most == 1 or floated:
            if hand > 1:
                self._try_drop(pit, LOSE_ONE, at, -1, False)
            if at > 1:
                self._try_drop(pit, LOSE_DUE, at, -1, False)
            self._try_drop(pit, ADD_ONE, at, -1, False)
        if self.most == 1 or (floated and not self._is_plain(self.floating - 1)):
            return
        self._try_drop(pit, LOSE_DUE, at, -1, True)
        if hand > 1:
            self._try_drop(pit, LOSE_ONE, at, -1, True)
        self._try_drop(pit, ADD_ONE, at, -1, True)

    def _try_drop(
        self, pit: cython.int, code: cython.int, at: cython.int, place: cython.int, floating: cython.bint
    ) -> cython.void:
        """Sow the lap with a slip while `at` seeds are in the hand, and then with one more slip in it.

        `floating`: the place of this one follows from the board that is left.
        """
        then: cython.int
        other: cython.int
        held: cython.int = at if code in (SKIP, PICK_UP, PICK_BESIDE, ADD_ONE) else at - 1  # after this slip
        if code in (PICK_UP, PICK_BESIDE, ADD_ONE):
            held += 1
        if self.cut or not self._push(code, IN_LAP, at, place, floating):
            return
        if not self._sow_slipping(pit, 1, code == ALSO):
            self.tally[code] -= 1 if self.depth == 1 else 0
        self._restore()
        if self.depth < self.most and code != BREAK_OFF:
            if floating:
                self.floating = self.depth
            if code in (INSTEAD, INSTEAD_NEAR) and at > 1:
                self._try_second(pit, DOUBLE, held, place, False)
            for then in range(held, 0, -1):
                for other in (SKIP, BREAK_OFF, DOUBLE):
                    self._try_second(pit, other, then, LAST_SOWN if other == DOUBLE else 0, False)
                for other in (LOSE_DUE, LOSE_ONE, ADD_ONE):
                    if floating and not (other == LOSE_DUE and then == 1):
                        self._try_second(pit, other, then, -1, False)
                    if not floating or self._is_plain(self.depth - 1):
                        self._try_second(pit, other, then, -1, True)
            self.floating = 0
        self._pop()

    def _try_second(
        self, pit: cython.int, code: cython.int, at: cython.int, place: cython.int, floating: cython.bint
    ) -> cython.void:
        """Sow the lap with the slip that was pushed last and this one."""
        floated: cython.int = self.floating
        if self.cut or not self._push(code, IN_LAP, at, place, floating):
            return
        self._sow_slipping(pit, 2, False)
        self._pop()
        self.floating = floated

    def _sow_slipping(self, pit: cython.int, slips: cython.int, apart: cython.bint) -> cython.bint:
        """Sow the lap with the last one or two slips, and go on; whether they happened.

        `apart`: a seed that falls besides does so in another pit than the one before.
        """
        k = self.kernel
        end: cython.int
        last: cython.int = self.depth - 1
        if slips == 2:
            self._arm(self.code[last - 1], self.at[last - 1], self.place[last - 1])
        self._arm(self.code[last], self.at[last], self.place[last])
        end = self._sow_lap(pit)
        if k.void or k.slip_at != 0 or k.next_at != 0 or (apart and k.doubled):
            return False
        if self.code[last] == BREAK_OFF:
            self._leaf(k.held)
            return True
        if self.code[last] == ASTRAY:
            end = k.last = self.place[last]
        self._after_lap(end)
        return True

    def _try_takes(self, pit: cython.int) -> cython.void:
        """What may go wrong with captures in passing."""
        k = self.kernel
        nth: cython.int
        left: cython.int
        taken: cython.int = -k.stores[0] - k.stores[1]
        self._sow_lap(pit)
        taken += k.stores[0] + k.stores[1]
        self._restore()
        for nth in range(1, taken // 4 + 1):
            self._try_passing(pit, TAKE_NOT, nth, 0)
            self._try_passing(pit, TAKE_OTHER_STORE, nth, 0)
            for left in range(1, 4):
                self._try_passing(pit, TAKE_PART, nth, left)

    def _try_passing(self, pit: cython.int, code: cython.int, nth: cython.int, left: cython.int) -> cython.void:
        """Let the capture in passing of this number go wrong."""
        k = self.kernel
        if self._push(code, IN_LAP, nth, left):
            self._arm(code, nth, left)
            end: cython.int = self._sow_lap(pit)
            k.slip_take = 0
            self._after_lap(end)
            self._pop()

    # After a lap

    def _try_end(self, end: cython.int) -> cython.void:
        """What may go wrong when a lap has ended in `end`."""
        k = self.kernel
        i: cython.int
        step: cython.int
        reason: cython.int
        place: cython.int
        opposite: cython.int = k.size - 1 - end
        if self.cut:
            return
        self._save()
        reason = k._end(end, k.pits[end], k.family)
        self._restore()
        if reason == GO_ON:
            self._try_stop(STOP, end)
            if self.marks_known and k.has_specials:
                self._try_stop(MARK_WRONGLY, end)
        else:
            if k.pits[end] > 0 and self._push(RELAY_ON, AFTER_LAP, reason, end):
                self._turn(end)
                self._pop()
            if reason == MADE_SPECIAL:
                if self.marks_known or k.opposite_specials:
                    self._try_stop(NOT_MADE, end)
                if self.marks_known and k.opposite_specials:
                    self._try_stop(NOT_MARKED, end)
        if reason in (CAPTURED, FOUR, TOOK_BEYOND, LAST_FOUR):
            self._try_captures(end)
        forbidden: cython.bint = self._try_forbidden(end, reason)
        if reason != CAPTURED and reason != FOUR:
            if not (forbidden and (k.backward or reason == EMPTY_NOTHING)):
                self._try_wrong_take(end, end, ALONE)
            for i in range(opposite - 1, opposite + 2):
                if 0 <= i < k.size and i != end and k.pits[i] > 0:
                    self._try_wrong_take(end, i, ALONE)
                    if forbidden and i == opposite:
                        continue
                    self._try_wrong_take(
                        end, i, IN_PLACE_OF_SPECIAL if reason == MADE_SPECIAL and i == opposite else WITH_LAST
                    )
            if k.opposite_specials and reason != MADE_SPECIAL and k.pits[opposite] > 0 and not k._marked(end):
                self._try_stop(MAKE_WRONGLY, end)
        # A seed that jumps into or out of the last pit changes what follows; all others may as well jump before the
        # next lap, or at the end.
        for step in (1, k.size - 1):
            i = (end + step) % k.size
            for place in (i * 64 + end, end * 64 + i):
                if k.pits[place // 64] > 0 and self._push(JUMP, AFTER_LAP, 0, place):
                    self._jump(place)
                    if k.pits[end] > 0:
                        i = self._go_on(end)
                        if i >= 0:
                            self._turn(i)
                        i = (end + step) % k.size
                    self._pop()
        self.level -= 1
