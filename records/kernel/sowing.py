"""The sowing of every game: a turn from the choice of a pit to its end.

Read it beside `docs/rules.md`. The parts of the kernel are in `records.kernel.turn`, each built on the one before:

* `state`: the options, the board, and the stack of positions;
* `captures`: what is taken, and pits that become special;
* `laps`: a hand's seeds, one by one;
* `endings`: what a lap's last seed does, `_end_<family>`;
* `cycles`: endless sowing;
* `turns`: lap after lap, `_sow`;
* `choices`: pits to begin with, and choices of direction.

They are plain Python that Cython compiles to C (pure Python mode). setup.py joins them to one class first, so that the
C compiler sees the whole loop. `records.kernel.loader` chooses the compiled or the interpreted kernel. The kernel
hardly checks its input: `records.rules.play` does, and gives the numbers their names.

Directions are +1 (counter-clockwise) and -1.
"""

from __future__ import annotations

from operator import itemgetter

from ._cython import cython

if not cython.compiled:
    from .turn.choices import Choices
    from .turn.codes import *


class Kernel(Choices):
    """One board under one set of rules: `load` a position, then `sow`, `turns`, `follow` or `perft`.

    `family` is a key of `FAMILIES`, `options` the rule set's options with all their values, `seeds` how many the
    standard set-up has. `__init__` is the table of the options that the sowing depends on.
    """

    def limit(self, laps: cython.longlong) -> None:
        """Let all that follows, until the next `load`, take at most about so many laps: a turn that would take more is
        `UNSETTLED`, and a list of turns is not complete."""
        self.work_limit = self.work + laps

    def laps_sown(self) -> int:
        """All laps that this kernel has sown so far, of turns that ended and of others."""
        return self.work

    def may_start(self, pit: cython.int) -> bool:
        """Whether the rules let the mover start from `pit`, endless sowing apart."""
        return bool((self._starts() >> pit) & 1)

    def sow(
        self, side: cython.int, index: cython.int, bits: cython.ulonglong, count: cython.int, events: cython.int = 0
    ) -> int:
        """Play the turn of `side` from its pit `index`; returns one of `STATUSES`, then ask `result` or `failure`.

        `bits` are `count` choices as in `Move.code`. The first `events` events are recorded.
        """
        pit: cython.int = index + self.row if side else index
        status: cython.int
        self.events = []
        self.recording = events
        self.points = self.laps = self.cycle = 0
        if side != self.mover or index >= self.row or not (self._starts() >> pit) & 1:
            return NOT_STARTED
        self.start = pit
        self.given = bits
        self.given_count = count
        self.exact = self.choosing and count > 0
        self._push()
        status = self._play(pit)
        self.level -= 1
        if status == ENDED and self.points < count:
            return TOO_MANY_CHOICES
        return status

    def result(self) -> tuple:
        """The turn just sown, which ended: (pit, directions at the choices that were given, as ``<>``, seeds taken by
        (South, North), pits that became special, as bits, pits that were emptied, as bits, the pit of the last seed,
        laps, whether the mover moves again, pits, marks or None where they did not change, stores, all seeds)."""
        special: cython.uint = self.marked & ~self.stack_marks[2 * self.level]
        base: cython.int = self.level * LEVEL
        k: cython.int
        taken: list = [self.stores[k] - self.stack[base + 32 + k] for k in range(2)]
        taken[self.mover] -= self.banked
        return (
            self.start,
            self._series(self.taken, min(self.points, self.given_count)),
            (taken[0], taken[1]),
            special,
            self.emptied,
            self.end,
            self.laps,
            bool(self.again),
            tuple([self.pits[k] for k in range(self.size)]),
            tuple([self._mark(k) for k in range(self.size)]) if special else None,
            (self.stores[0], self.stores[1]),
            self._seeds(),
        )

    def failure(self) -> tuple:
        """The turn just sown, which is not legal: (laps, laps in the cycle it ran into, how often a direction could be
        chosen)."""
        return self.laps, self.cycle, self.points

    def recorded(self) -> list:
        """The events of the turn just sown, as (kind, pit, count, other)."""
        return self.events

    def turns(self, most: cython.int, tries: cython.int) -> list:
        """The `result` of every legal turn, in the order of the pits, then of the choices.

        It stops after `most` turns, or `tries` attempts, and tries no more series of choices after `MAX_SERIES_LAPS` (a
        pit can have very many, and all may be endless): `all_found` says whether it stopped.
        """
        left: cython.int = MAX_SERIES_LAPS
        found: list = []
        i: cython.int
        first: cython.int
        status: cython.int
        starts: cython.uint = self._starts()
        self.recording = 0
        self.complete = True
        self._push()
        for i in range(self.size):
            if not (starts >> i) & 1:
                continue
            first = len(found)
            self.start = i
            self._first_choices()
            while True:
                if tries == 0 or len(found) >= most:
                    self.complete = False
                    break
                tries -= 1
                status = self._play(i)
                if status == ENDED:
                    self.level -= 1
                    found.append(self.result())
                    self.level += 1
                left -= self.laps
                self._back()
                if not self._next_choices(status):
                    break
                if left <= 0 or self.work >= self.work_limit:
                    self.complete = False
                    break
            found[first:] = sorted(found[first:], key=itemgetter(1))
        self.level -= 1
        if self.work >= self.work_limit:
            self.complete = False
        return found

    def all_found(self) -> bool:
        """Whether the last `turns` found all, and stopped at no limit."""
        return self.complete

    def can_move(self, side: cython.int) -> bool:
        """Whether `side` would have a legal turn if it were to move."""
        mover: cython.int = self.mover
        self.mover = side
        found: list = self.turns(1, ALL)
        self.mover = mover
        return len(found) > 0

    def follow(self, codes: list, first: cython.int, track: cython.ulonglong[:]) -> int:
        """Play the turns `codes[first:]` one after the other, as far as each is a sowing that the rules allow and that
        does what it claims. Returns the index of the first that is not, or `len(codes)`.

        A code is `Move.code`. Turn k fills the k-th `Rules.track_width` numbers of `track`: pits, marks and stores
        after it, the side to move then, the seeds taken by the mover and by the opponent, laps, the directions at the
        choices that were given, as bits and their number, the pits that were emptied, as bits, and the pit of the last
        seed.
        """
        at: cython.int = first
        k: cython.int
        pit: cython.int
        mover: cython.int
        status: cython.int
        given_count: cython.int
        captured: cython.int
        lost: cython.int
        mine: cython.int
        theirs: cython.int
        seeds: cython.int = self._seeds()
        claimed: cython.ulonglong
        special: cython.ulonglong
        base: cython.Py_ssize_t
        self.recording = 0
        while at < len(codes):
            code = codes[at]
            if code is None:
                break
            mover, pit, bits, given_count, captured, lost, souths, norths = code
            if mover != self.mover or pit >= self.row:
                break
            if mover:
                pit += self.row
            if not (self._starts() >> pit) & 1:
                break
            self.given = bits
            self.given_count = given_count
            self.exact = self.choosing and given_count > 0
            self._push()
            status = self._play(pit)
            self.level -= 1
            if status != ENDED or self.points < given_count:
                break
            base = self.level * LEVEL
            mine = self.stores[mover] - self.stack[base + 32 + mover] - self.banked
            theirs = self.stores[1 - mover] - self.stack[base + 33 - mover]
            if captured >= 0 and (captured != mine or lost != theirs):
                break
            if souths is not None:
                claimed = souths | norths << self.row
                special = self.marked & ~self.stack_marks[2 * self.level]
                if claimed != special:
                    break
            if not self.again:
                self.mover = 1 - mover
            self.ply = min(self.ply + 1, MANY)
            base = at * (2 * self.size + 10)
            for k in range(self.size):
                track[base + k] = self.pits[k]
                track[base + self.size + k] = self._mark(k)
            base += 2 * self.size
            track[base] = self.stores[0]
            track[base + 1] = self.stores[1]
            track[base + 2] = self.mover
            track[base + 3] = mine
            track[base + 4] = theirs
            track[base + 5] = self.laps
            track[base + 6] = self.taken
            track[base + 7] = given_count
            track[base + 8] = self.emptied
            track[base + 9] = self.end
            if self._seeds() != seeds:
                break
            at += 1
        return at

    def texts(self, track: cython.ulonglong[:], first: cython.int, end: cython.int, ply: cython.longlong) -> list:
        """The texts of the positions after the turns `first` to `end` - 1 of the `track` that `follow` filled, without
        the sides that have not sown. The first of these positions has the number `ply`."""
        at: cython.int
        k: cython.int
        n: cython.int
        mark: cython.int
        base: cython.Py_ssize_t
        found: list = []
        for at in range(first, end):
            base = at * (2 * self.size + 10)
            n = 0
            for k in range(self.size):
                mark = track[base + self.size + k]
                if mark == CLOSED:
                    n = self._write(n, LETTER_X)
                else:
                    n = self._write_number(n, track[base + k])
                    if mark != 0:
                        n = self._write(n, LETTER_S if mark == SOUTHS else LETTER_N)
                n = self._write(n, SLASH if k == self.row - 1 else DOT)
            base += 2 * self.size
            self.text[n - 1] = SPACE
            n = self._write(self._write_number(n, track[base]), HYPHEN)
            n = self._write(self._write_number(n, track[base + 1]), SPACE)
            n = self._write(self._write(n, LETTER_N if track[base + 2] else LETTER_S), SPACE)
            n = self._write_number(n, ply + at - first)
            found.append(self.text[:n].decode("ascii"))
        return found

    def _write(self, n: cython.int, letter: cython.int) -> cython.int:
        """Write a character at place `n` of the text; returns the next place."""
        self.text[n] = letter
        return n + 1

    def _write_number(self, n: cython.int, number: cython.longlong) -> cython.int:
        """Write a number at place `n` of the text; returns the next place."""
        digits: cython.int = 1
        k: cython.int
        rest: cython.longlong = number // 10
        while rest > 0:
            digits += 1
            rest //= 10
        for k in range(n + digits - 1, n - 1, -1):
            self.text[k] = ZERO + number % 10
            number //= 10
        return n + digits

    def perft(self, depth: cython.int) -> int:
        """How many sequences of exactly `depth` turns there are from here; `depth` is at most 60."""
        self.recording = 0
        self._first_choices()
        with cython.nogil:
            count: cython.longlong = self._perft(depth)
        return count

    # Counting

    def _perft(self, depth: cython.int) -> cython.longlong:
        i: cython.int
        total: cython.longlong = 0
        moved: cython.bint = False
        status: cython.int
        starts: cython.uint
        if depth == 0:
            return 1
        starts = self._starts()
        self._push()
        while starts:
            i = first_bit(starts)
            starts &= starts - 1
            status = self._sow(i)
            if self.points > 0:
                total += self._perft_choices(i, depth, status)
            elif status == ENDED:
                moved = True
                total += 1 if depth == 1 else self._perft_next(depth - 1)
            self._back()
        if self.may_pass and not moved:  # no game has both choices and passes
            total += self._perft_pass(depth)
        self.level -= 1
        return total

    def _perft_choices(self, start: cython.int, depth: cython.int, status: cython.int) -> cython.longlong:
        """Count from each turn that `start` has with different choices; the one without was just sown."""
        total: cython.longlong = 0
        while True:
            if status == ENDED:
                if depth == 1:
                    total += 1
                else:
                    given, taken, flipped = self.given, self.taken, self.flipped
                    given_count, points, exact = self.given_count, self.points, self.exact
                    self._first_choices()
                    total += self._perft_next(depth - 1)
                    self.given, self.taken, self.flipped = given, taken, flipped
                    self.given_count, self.points, self.exact = given_count, points, exact
            if not self._next_choices(status):
                self._first_choices()
                return total
            self._back()
            status = self._play(start)

    def _perft_next(self, depth: cython.int) -> cython.longlong:
        """Count on from where a turn ended."""
        mover: cython.int = self.mover
        if not self.again:
            self.mover = 1 - mover
        self.ply += 1
        total: cython.longlong = self._perft(depth)
        self.mover = mover
        self.ply -= 1
        return total

    def _perft_pass(self, depth: cython.int) -> cython.longlong:
        if not self.can_move(1 - self.mover):
            return 0
        self.again = False
        return self._perft_next(depth - 1)
