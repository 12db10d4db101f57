"""What the table and the path know of a position: stored bounds, and repetitions."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from .children import Children
    from .codes import *


class StoredBounds(Children):
    """Looks bounds up, and stores them."""

    def _repeats(self, c: cython.int, at: cython.int) -> cython.bint:
        """Whether position `c`, at place `at` of the path, repeats one there, as far as it ends the game.

        A position that comes up again while searching counts as if it had come up as often as the rules ask.
        """
        j: cython.int = at - 1
        times: cython.int = 1
        rest: cython.int = self.path_rests[at]
        while j >= 0 and self.path_rests[j] >> 1 == rest >> 1:
            if (
                self.path_rests[j] == rest
                and self.path_keys[j] == self.keys[c]
                and self.path_checks[j] == self.checks[c]
            ):
                if j >= self.earlier:
                    return True
                times += 1
                if self.prover == 0 and times == self.repetition:
                    return True
            j -= 1
        return False

    def _usable(self, c: cython.int, data: cython.ulonglong, flags: cython.int, deep: cython.bint) -> cython.int:
        """The flags of a stored bound of position `c`, or -1 where it does not hold here."""
        n: cython.int = (data >> PROVER_AT) & 3
        if flags & HORIZON and not (deep and self._is_of_age(data)):
            return -1
        if flags & REPETITION and self.strict:
            return -1
        if flags & (HORIZON | REPETITION) and n != self._relation(c):
            return -1
        return flags

    def _is_of_age(self, data: cython.ulonglong) -> cython.bint:
        """Whether an entry is of the age of this search."""
        age: cython.int = (data >> AGE_AT) & (AGES - 1)
        return age == self.age

    def _relation(self, c: cython.int) -> cython.int:
        """For whom the search proves: 0: nobody, 1: the mover of `c`, 2: the other."""
        if self.prover == 0:
            return 0
        return 1 if self.prover - 1 == self.movers[c] else 2

    def _settle(
        self, alpha: cython.int, beta: cython.int, depth: cython.int, base: cython.int, count: cython.int
    ) -> cython.int:
        """Look the turns' positions up: the value of a turn that is good enough; else the best value of those that are
        known not to be, which need no search (rank `SETTLED`), or `-INFINITE`."""
        i: cython.int
        value: cython.int
        flags: cython.int
        bound: cython.int
        known: cython.int
        seen: cython.int = 0
        best: cython.int = -INFINITE
        data: cython.ulonglong
        self.probes += count
        for i in range(base, base + count):
            self.ranks[i] = 0
            bound = UNIT * (self.gains[i] + (self.sures[i] if self.again[i] else -self.sures[i]))
            value = bound - UNIT * self.rests[i]
            if value >= beta:
                self.flags = 0
                return value
            value = bound + UNIT * self.rests[i]
            if value <= alpha:
                self.ranks[i] = SETTLED
                best = max(best, value)
                continue
            data = self.table.look_up(self.keys[i], self.checks[i])
            if data == 0:
                continue
            known = (data >> DEPTH_AT) & 255
            if not self.again[i]:
                known += 1
            value = self._bound_of(i, data, True)
            flags = self._bound_flags(i, data, True)
            if value >= beta and self._holds(i, data, flags, known >= depth):
                self.flags = flags
                return value
            value = self._bound_of(i, data, False)
            flags = self._bound_flags(i, data, False)
            if flags & HORIZON and self.cycles:
                continue  # it may come up again on this path
            if value <= alpha and self._holds(i, data, flags, known >= depth):
                self.ranks[i] = SETTLED
                best = max(best, value)
                seen |= flags
        self.flags = seen
        return best

    def _bound_of(self, i: cython.int, data: cython.ulonglong, lower: cython.bint) -> cython.int:
        """What the turn to position `i` is worth at least or at most, by the entry of that position."""
        if self.again[i]:
            value: cython.int = cython.cast(cython.int, (data if lower else data >> UPPER_AT) & 0xFFFF) - 32768
            return UNIT * self.gains[i] + value
        value = cython.cast(cython.int, (data >> UPPER_AT if lower else data) & 0xFFFF) - 32768
        return UNIT * self.gains[i] - value

    def _bound_flags(self, i: cython.int, data: cython.ulonglong, lower: cython.bint) -> cython.int:
        """What that bound rests on."""
        at: cython.int = LOWER_FLAGS_AT if (self.again[i] != 0) == lower else UPPER_FLAGS_AT
        return (data >> at) & 7

    def _holds(self, i: cython.int, data: cython.ulonglong, flags: cython.int, deep: cython.bint) -> cython.bint:
        """Whether that bound holds here, whatever the positions before were."""
        return flags & REPETITION == 0 and self._usable(i, data, flags, deep) >= 0

    def _remember(
        self,
        c: cython.int,
        value: cython.int,
        bound: cython.int,
        flags: cython.int,
        depth: cython.int,
        best: cython.int,
        work: cython.longlong,
    ) -> cython.void:
        """Store what was found out about position `c`."""
        data: cython.ulonglong
        spent: cython.int = 0
        lower: cython.int = -INFINITE
        upper: cython.int = INFINITE
        lower_flags: cython.int = 0
        upper_flags: cython.int = 0
        same: cython.bint
        relation: cython.int = self._relation(c)
        i: cython.int
        while work > 1:
            work >>= 1
            spent += 1
        depth = 255 if depth > 255 else depth
        value = INFINITE if value > INFINITE else -INFINITE if value < -INFINITE else value
        # A bound that is known stays if it is exact, or found to the same depth.
        data = self.table.look_up(self.keys[c], self.checks[c])
        if data:
            i = (data >> DEPTH_AT) & 255
            same = i == depth
            i = (data >> PROVER_AT) & 3
            same = same and i == relation and self._is_of_age(data)
            lower_flags = (data >> LOWER_FLAGS_AT) & 7
            upper_flags = (data >> UPPER_FLAGS_AT) & 7
            if lower_flags == 0 or same:
                lower = cython.cast(cython.int, data & 0xFFFF) - 32768
            if upper_flags == 0 or same:
                upper = cython.cast(cython.int, (data >> UPPER_AT) & 0xFFFF) - 32768
        if bound & LOWER and not (lower_flags == 0 and lower >= value):
            if value > upper:
                if upper_flags or flags == 0:
                    upper = INFINITE
                else:
                    value = upper
            lower, lower_flags = value, flags
        if bound & UPPER and not (upper_flags == 0 and upper <= value):
            if value < lower:
                if lower_flags or flags == 0:
                    lower = -INFINITE
                else:
                    value = lower
            upper, upper_flags = value, flags
        if lower == -INFINITE:
            lower_flags = 0
        if upper == INFINITE:
            upper_flags = 0
        data = cython.cast(cython.ulonglong, lower + 32768)
        data |= cython.cast(cython.ulonglong, upper + 32768) << UPPER_AT
        data |= cython.cast(cython.ulonglong, depth) << DEPTH_AT
        data |= cython.cast(cython.ulonglong, lower_flags | upper_flags << 3 | relation << 6) << LOWER_FLAGS_AT
        data |= cython.cast(cython.ulonglong, min(spent, MOST_WORK)) << WORK_AT
        data |= cython.cast(cython.ulonglong, self.age) << AGE_AT
        if best >= 0:
            data |= (self.keys[best] & 255) << MOVE_AT
        self.table.store(self.keys[c], self.checks[c], data)
