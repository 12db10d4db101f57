"""The sowing of every game: a turn from the choice of a pit to its end.

Read it beside `docs/rules.md`. It is plain Python that Cython compiles to C; `sowing.pxd` has the types.
`inkeek.records.kernel.loader` chooses the compiled or the interpreted kernel. The kernel hardly checks its input:
`inkeek.records.rules.play` does, and gives the numbers their names.

Directions are +1 (counter-clockwise) and -1.
"""

from __future__ import annotations

from array import array
from operator import itemgetter

from inkeek.records.kernel.codes import Sown
from inkeek.records.rules.table import Family

try:
    import cython
except ImportError:
    from . import _no_cython as cython

if not cython.compiled:
    from .codes import *

    def first_bit(bits: int) -> int:
        """Return the lowest bit that is 1. In C it is one instruction."""
        return (bits & -bits).bit_length() - 1


class Kernel:
    """One board under one set of rules: `load` a position, then `sow`, `turns`, `follow` or `perft`.

    `family` is what is true of the game, `options` are the rule set's options with all their values (where the game is
    a table, what that says comes before them), `seeds` how many the standard set-up has. `__init__` is the table of the
    options that the sowing depends on.
    """

    def __init__(self, family: Family, options: dict, seeds: cython.int) -> None:
        if not cython.compiled:
            self.pits = [0] * MAX_PITS
            self.stores = [0, 0]
            self.specials_from = [0, 0]
            self.old = [0] * MAX_PITS
            self.kept, self.dropped = [], []  # only C sweeps
            self.text = bytearray(MAX_TEXT)
            self.stack = [0] * (MAX_DEPTH * LEVEL)
            self.stack_marks = [0] * (2 * MAX_DEPTH)
            self.log, self.log_lap, self.log_turn = array("Q"), array("q"), array("q")
            self.rows, self.tests, self.taking = [0] * (MAX_ROWS * ROW), [0] * (MAX_TESTS * SITUATIONS), [0] * MAX_PITS
            self.places, self.fitting = [0] * PLACES_TESTED, [0] * (SITUATIONS * COUNTS)
        facts = family
        options = {**options, **dict(facts.table.settings)} if facts.table else options
        option = options.get
        self.family = facts.number
        self.row = options["pits"]
        self.step = -1 if option("direction", "ccw") == "cw" else 1
        self.skip_origin = option("skip_origin", False)
        self.choosing = option("direction_choice", "none") != "none"
        self.single_lap = option("direction_choice") in ("after-one-lap", "after-first-lap", "each-relay")
        self.first_lap = option("direction_choice") == "after-first-lap"
        self.each_relay = option("direction_choice") == "each-relay"
        self.no_first_specials = not option("bulls_on_first_move", True)
        self.first_turns_vary = self.no_first_specials and option("rearrangement") == "any-turn"
        self.capture_after_relay = option("capture_after_relay", True)
        self.rest_at = 4 if option("last_four") == "taker-of-previous" else 0
        self.right_end_first = option("first_move") == "right-end"
        self.may_pass = option("no_move") == "pass"
        self.empty_capture = option("empty_capture", False)
        self.least = option("least", 1)
        self.split = option("direction") == "split"
        self.start_choice = option("direction_choice") == "start"
        self.first_stays = option("first_stays", False)
        self.skip = option("skip", -1)
        self.skip_later = option("skip_later", False)
        self.skip_second = option("skip_second", False)
        self.drains = option("drains", False)
        self.passing = option("passing", -1)
        self.passing_owner = option("passing_owner", False)
        self.passing_reason = option("passing_reason", 0)
        self.feeds_turn = option("feeds_turn", False)
        self.win_at = seeds // 2 + 1 if option("majority_end", False) else 0
        # What follows from these.
        self.size = 2 * self.row
        self.has_specials = facts.specials != ""
        self.least_special = facts.least_special
        self.special_start = self.right_end_first or self.win_at > 0 or facts.feeds or facts.ends_with_row
        self.tabled = self.first_stays or self.skip >= 0 or self.drains or self.passing >= 0
        self.plain = not (self.skip_origin or facts.banks or self.tabled)
        self.row_count = self.bare = self.quiet = 0
        if facts.table:
            self.rest_at = option("last_seeds", 0)
            self.row_count = len(facts.table.rows) // ROW
            for k in range(len(facts.table.rows)):
                self.rows[k] = facts.table.rows[k]
            for k in range(len(facts.table.tests)):
                self.tests[k] = facts.table.tests[k]
            self._fill_rows()
        # What is true of the family stands last: the fields that every turn reads lie together.
        self.banks = facts.banks
        self.in_passing = self.family == ANYWOLI
        self.feeds = facts.feeds
        self.ends_with_row = facts.ends_with_row
        self.backward = facts.captures == "backward"
        self.takes_last = facts.takes_last
        self.goes_on = facts.goes_on
        self.opposite_specials = facts.specials == "opposite"
        self.asks_empty_capture = "empty_capture" in options
        self.looks_opposite = facts.feeds or facts.ends_with_row
        if cython.compiled:
            self._fill_tables()
        self.events = []
        self.laps = self.points = self.banked = self.left = self.sown = self.emptied = self.recording = self.logged = 0
        self.given = self.given_count = self.handful = self.previous = self.planned = 0
        self.direction = self.step
        self.stored = self.decided = 0
        self.again = False
        self.last = self.end = self.suspect_again = 0
        self.slip_at = self.slip_kind = self.slip_place = self.slip_take = self.slip_nth = self.took = 0
        self.next_at = self.next_kind = self.next_place = self.held = 0
        self.void = self.doubled = False
        self.suspect = -1
        self.exact = False
        self.mix = MIX
        self.turn = 0
        self.log_size = 0
        self.complete = True
        self.work = 0
        self.work_limit = NO_LIMIT

    def load(
        self, pits: tuple, marks: tuple, stores: tuple, mover: cython.int, ply: cython.int, unsown: cython.int = 0
    ) -> int:
        """Take a position: the fields of `Position`.

        Returns how many seeds it has; or -1 where it may not be a position of this game, so that the caller must look
        at it more closely (`Rules.verify_position`).
        """
        fits: cython.bint = unsown == 0 or (self.first_turns_vary and ply > 0)
        if len(pits) != self.size or len(marks) != self.size:
            return -1
        self.marked = self.norths = self.closed = 0
        self.stores[0] = stores[0]
        self.stores[1] = stores[1]
        seeds: cython.int = self.stores[0] + self.stores[1]
        for i in range(self.size):
            self.pits[i] = pits[i]
            mark: cython.int = marks[i]
            seeds += self.pits[i]
            if mark != 0:
                self.marked |= 1 << i
                if mark == CLOSED:
                    self.closed |= 1 << i
                elif mark == NORTHS:
                    self.norths |= 1 << i
                fits = fits and self.has_specials and mark != CLOSED and self.pits[i] >= self.least_special
        self.mover = mover
        self.ply = min(ply, MANY)
        self.level = 0
        self.work_limit = NO_LIMIT
        if self.no_first_specials:
            self.specials_from[0] = self.specials_from[1] = 2
            if unsown:
                self.ply = min(ply, 2)
                for i in range(2):
                    if (unsown >> i) & 1:
                        self.specials_from[i] = self.ply + (1 if i == mover else 2)
        return seeds if fits else -1

    def _fill_tables(self) -> cython.void:
        """Fill the tables of `_sweep`, in which place `size` is the pit that is emptied: `kept` keeps all others, and
        `dropped` has a row for each hand and direction."""
        for k in range(2 * MAX_PITS):
            self.kept[k] = 0 if k == self.size else -1
            away: cython.Py_ssize_t = k % self.size
            for hand in range(MAX_PITS):
                self.dropped[hand * 2 * MAX_PITS + k] = 0 < away <= hand
                self.dropped[(hand + MAX_PITS) * 2 * MAX_PITS + k] = away >= self.size - hand

    def _fill_rows(self) -> cython.void:
        """Note which rows fit a last seed in each situation, as far as that decides; which are `bare`: they look at no
        other pit, and go on from none; and which are `quiet`: they take nothing and make nothing special."""
        for k in range(self.row_count):
            row: cython.Py_ssize_t = k * ROW
            test: cython.int = self.rows[row]
            asks: cython.bint = False
            does: cython.bint = False
            for i in range(AT_LAST + 1, ROW_THEN):
                asks = asks or self.rows[row + i] != (-1 if i < PLACES_TESTED else 0)
            for i in range(ROW_TAKE, ROW_WAY):
                does = does or self.rows[row + i] >= 0
            for i in range(ROW_MARK, ROW_REASON):
                does = does or self.rows[row + i] >= 0
            does = does or self.rows[row + ROW_SHIFT] != 0
            asks = asks or self.rows[row + ROW_THEN] in (RELAY_NEXT, RELAY_PAST)
            self.bare |= cython.cast(cython.uint, not asks) << k
            self.quiet |= cython.cast(cython.uint, not does) << k
            for i in range(SITUATIONS * COUNTS):
                fits: cython.bint = test < 0 or (self.tests[SITUATIONS * test + i // COUNTS] >> (i % COUNTS)) & 1
                self.fitting[i] |= cython.cast(cython.uint, fits) << k

    def _seeds(self) -> cython.int:
        """All seeds, in pits and in stores."""
        seeds: cython.int = self.stores[0] + self.stores[1]
        for k in range(self.size):
            seeds += self.pits[k]
        return seeds

    # Pits

    def _own(self, i: cython.int) -> cython.bint:
        return (i < self.row) == (self.mover == 0)

    def _marked(self, i: cython.int) -> cython.bint:
        """Whether the pit is special or closed."""
        return (self.marked >> i) & 1

    def _mark(self, i: cython.int) -> cython.int:
        """The mark of a pit, as in positions."""
        if not self._marked(i):
            return 0
        if (self.closed >> i) & 1:
            return CLOSED
        return NORTHS if (self.norths >> i) & 1 else SOUTHS

    def _before_store(self) -> cython.int:
        """The pit after which a hand comes to the mover's own store, which lies at the end of the own row: on the right
        where laps go counter-clockwise, else on the left."""
        right: cython.int = self.mover if self.step > 0 else 1 - self.mover  # whose right end that is
        if self.direction > 0:
            return (self.row if right == 0 else self.size) - 1
        return self.row if right == 0 else 0

    def _before(self, i: cython.int) -> cython.int:
        """The pit of the last seed but one, of a lap of two or more that ended in `i`."""
        if not self.plain:
            return self.previous
        i -= self.direction
        if i >= self.size:
            return i - self.size
        return i + self.size if i < 0 else i

    def _following(self, i: cython.int) -> cython.int:
        """The next pit in the direction of sowing that is not closed."""
        return self._neighbor(i, self.direction)

    def _neighbor(self, i: cython.int, step: cython.int) -> cython.int:
        while True:
            i += step
            if i == self.size:
                i = 0
            elif i < 0:
                i = self.size - 1
            if not (self.closed >> i) & 1:
                return i

    # Copy a fixed number of pits, whatever the size of the board: the C compiler makes a few wide moves of it.

    def _push(self) -> cython.void:
        base: cython.Py_ssize_t = self.level * LEVEL
        for i in range(16):
            self.stack[base + i] = self.pits[i]
        if self.size > 16:
            for i in range(16, 32):
                self.stack[base + i] = self.pits[i]
        self.stack[base + 32] = self.stores[0]
        self.stack[base + 33] = self.stores[1]
        self.stack_marks[2 * self.level] = self.marked
        self.stack_marks[2 * self.level + 1] = self.norths
        self.level += 1

    def _back(self) -> cython.void:
        """Go back to the position that was pushed last."""
        base: cython.Py_ssize_t = (self.level - 1) * LEVEL
        for i in range(16):
            self.pits[i] = self.stack[base + i]
        if self.size > 16:
            for i in range(16, 32):
                self.pits[i] = self.stack[base + i]
        self.stores[0] = self.stack[base + 32]
        self.stores[1] = self.stack[base + 33]
        self.marked = self.stack_marks[2 * self.level - 2]
        self.norths = self.stack_marks[2 * self.level - 1]

    def _note(self, kind: cython.int, pit: cython.int, count: cython.int, other: cython.int) -> cython.void:
        if len(self.events) < self.recording:
            self.events.append((kind, pit, count, other))

    def _note_end(self, pit: cython.int, reason: cython.int) -> cython.void:
        """Record that the turn ends, and by which row of a table; `GO_ON` and `LAST_FOUR` are by none."""
        self._note(END, pit, 0 if reason in (GO_ON, LAST_FOUR) else self.decided, reason)

    # Turns, for callers

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
        self.events = []
        self.recording = events
        self.points = self.laps = self.cycle = self.decided = 0
        if side != self.mover or index >= self.row or not (self._starts() >> pit) & 1:
            return NOT_STARTED
        self.start = pit
        return self._sow_given(pit, bits, count)

    def result(self) -> Sown:
        """The turn just sown, which ended."""
        special: cython.uint = self.marked & ~self.stack_marks[2 * self.level]
        taken: list = [self._gain(0), self._gain(1)]
        taken[self.mover] -= self.banked
        return Sown(
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
        left: cython.int = MAX_TABLE_LAPS if self.row_count else MAX_SERIES_LAPS
        found: list = []
        starts: cython.uint = self._starts()
        self.recording = 0
        self.complete = True
        self._push()
        for i in range(self.size):
            if not (starts >> i) & 1:
                continue
            first: cython.int = len(found)
            self.start = i
            self._first_choices()
            while True:
                if tries == 0 or len(found) >= most:
                    self.complete = False
                    break
                tries -= 1
                status: cython.int = self._play(i)
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
        seeds: cython.int = self._seeds()
        while at < len(codes):
            mover: cython.int = self.mover
            if codes[at] is None or not self._follow(codes[at]):
                break
            base: cython.Py_ssize_t = at * (2 * self.size + 10)
            for k in range(self.size):
                track[base + k] = self.pits[k]
                track[base + self.size + k] = self._mark(k)
            base += 2 * self.size
            track[base] = self.stores[0]
            track[base + 1] = self.stores[1]
            track[base + 2] = self.mover
            track[base + 3] = self._gain(mover) - self.banked
            track[base + 4] = self._gain(1 - mover)
            track[base + 5] = self.laps
            track[base + 6] = self.taken
            track[base + 7] = self.given_count
            track[base + 8] = self.emptied
            track[base + 9] = self.end
            if self._seeds() != seeds:
                break
            at += 1
        return at

    def _follow(self, code: tuple) -> cython.bint:
        """Play the turn of a `Move.code`; False if it is not one that the rules allow and that does what it claims."""
        mover: cython.int
        pit: cython.int
        count: cython.int
        captured: cython.int
        lost: cython.int
        mover, pit, bits, count, captured, lost, souths, norths = code
        if mover != self.mover or pit >= self.row:
            return False
        if mover:
            pit += self.row
        self.recording = 0
        if not (self._starts() >> pit) & 1 or self._sow_given(pit, bits, count) != ENDED:
            return False
        if captured >= 0 and (captured != self._gain(mover) - self.banked or lost != self._gain(1 - mover)):
            return False
        if souths is not None:
            claimed: cython.ulonglong = souths | norths << self.row
            if claimed != self.marked & ~self.stack_marks[2 * self.level]:
                return False
        if not self.again:
            self.mover = 1 - mover
        self.ply = min(self.ply + 1, MANY)
        return True

    def _gain(self, side: cython.int) -> cython.int:
        """The seeds that the turn just sown brought into the store of `side`."""
        return self.stores[side] - self.stack[self.level * LEVEL + 32 + side]

    def texts(self, track: cython.ulonglong[:], first: cython.int, end: cython.int, ply: cython.longlong) -> list:
        """The texts of the positions after the turns `first` to `end` - 1 of the `track` that `follow` filled, without
        the sides that have not sown. The first of these positions has the number `ply`."""
        found: list = []
        for at in range(first, end):
            base: cython.Py_ssize_t = at * (2 * self.size + 10)
            n: cython.int = 0
            for k in range(self.size):
                mark: cython.int = track[base + self.size + k]
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

    # One turn: lap after lap to its end

    def _play(self, start: cython.int) -> cython.int:
        """Sow a turn from the position that was pushed last, with the choices in `given`. Every sowing goes through
        here."""
        status: cython.int = self._sow(start)
        if status == UNSURE:
            status = self._settled(start)
        self.work += self.laps
        return status

    def _sow_given(self, pit: cython.int, bits: cython.ulonglong, count: cython.int) -> cython.int:
        """Sow a turn with these choices, of which it must have as many. The position before stays on the stack."""
        self.given = bits
        self.given_count = count
        self.exact = self.choosing and count > 0
        self._push()
        status: cython.int = self._play(pit)
        self.level -= 1
        return TOO_MANY_CHOICES if status == ENDED and self.points < count else status

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
        if self.family == TABLE and not self.choosing:
            if self.banks:
                return self._turn(start, TABLE, False, True, False)
            return self._turn(start, TABLE, False, False, False)
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
        count: cython.int
        reason: cython.int
        theirs: cython.uint = 0
        emptied: cython.uint = 0
        laps: cython.int = 0
        look_at: cython.int = WATCH
        gate: cython.int = self._before_store() if banks else -1
        # `_spread` sows a lap that only drops a seed in each following pit; `_lap` sows any other.
        tabled: cython.bint = family == TABLE and self.tabled
        plain: cython.bint = not banks and self.plain and not (self.closed or self.recording)
        # Hands of fewer seeds are swept (`_sweep`). That pays in C, where hands are large or pits few.
        swept: cython.int = 0
        if cython.compiled and not in_passing and self.size <= 24:
            if not (self.closed or self.recording or tabled or (family == TABLE and banks)):
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
        self.direction = self._first_direction(start) if family == TABLE else self.step
        if choosing:
            theirs = ((1 << self.row) - 1) << (self.row if self.mover == 0 else 0)
        if family == TABLE:
            self.stored = self.stores[0] + self.stores[1]
        if (in_passing or family == TABLE) and self.rest_at:
            for i in range(self.size):
                self.left += self.pits[i]
        if choosing and family == TABLE and self._starts_either_way(start):
            self._choose(pit)
        if choosing and self.exact:
            if self.log_size == 0:
                self._make_log(LOG)
            look_at = 0
            self.logged = 0
            self.turn += 1
            if family != TABLE:  # where a later lap may do what the first did not
                self._met(pit)  # the state it starts from counts too
        hand: cython.int = self.pits[pit]
        while True:
            self.handful = hand
            emptied |= 1 << pit
            laps += 1
            self.laps = laps
            if choosing and self.single_lap and (self.points == 0 or not self.each_relay):
                self.sown = 0  # what earlier laps have sown does not count
            if hand < swept:
                if banks:
                    to_gate: cython.int = gate - pit if gate >= pit else gate - pit + self.size
                    self.again = hand == to_gate + 1
                    passed: cython.int = hand > to_gate  # without a branch, which would be hard to predict
                    self.banked += passed
                    self.stores[self.mover] += passed
                    hand -= passed
                # The seeds in the last pit: faster than waiting for the pits that are written.
                i = self._away(pit, hand)
                count = self.pits[i] + 1
                self._sweep(pit, hand)
                end = i
                if family in (ENKESHUI, TABLE) and not plain:
                    self.previous = self._away(pit, hand - 1)
            elif plain:
                i = self._spread(pit, hand, in_passing)
                end = i
            else:
                i = self._lap(pit, hand, banks, in_passing, False, tabled)
                end = self.last  # a lap may end in a store, or pass over the pit where it began
            if hand >= swept:
                if (in_passing or family == TABLE) and i < 0:
                    end = i = self.last
                    reason = LAST_FOUR
                    break
                count = self.pits[i]
            reason = self._end(i, count, family)
            if reason != GO_ON:
                break
            if family in (BOF, TABLE):
                i = self.last
                count = self.pits[i]
            if laps >= look_at:
                reason = self._look(i)
                if reason != ENDED:
                    return reason
            if choosing:
                if plain or hand < swept:
                    self.sown |= self._arc(pit, hand)
                if (self.sown & theirs) == theirs and not (family == TABLE and self.start_choice):
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
            self._note_end(last, reason)
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
        self.decided = 0

    # One lap: the seeds of a hand, one by one

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
                    if self._take_counted(i, 4, 0 if i < self.row else 1, FOUR_IN_PASSING):
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
                    if self._take_counted(i, 4, 0 if i < self.row else 1, FOUR_IN_PASSING):
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
        at: cython.Py_ssize_t = self.size - pit
        row: cython.Py_ssize_t = (hand if self.direction > 0 else hand + MAX_PITS) * (2 * MAX_PITS) + at
        for k in range(16):
            self.pits[k] = (self.pits[k] & self.kept[at + k]) + self.dropped[row + k]
        if self.size > 16:
            for k in range(16, 24):
                self.pits[k] = (self.pits[k] & self.kept[at + k]) + self.dropped[row + k]

    def _lap(
        self,
        pit: cython.int,
        hand: cython.int,
        banks: cython.bint,
        in_passing: cython.bint,
        slipping: cython.bint,
        tabled: cython.bint,
    ) -> cython.int:
        """Sow `hand` seeds from `pit` by all the rules of a lap; return the last pit, or -1 if the last four
        ended the game on the way."""
        i: cython.int = pit
        gate: cython.int = self._before_store() if banks else -1
        self.pits[pit] = 0
        self.last = pit
        if self.recording:
            self._note(LIFT, pit, hand, self.decided)
            self.decided = 0
        if tabled:
            passed: cython.int = 0
            if self.first_stays and hand > 1:
                self.pits[pit] = 1
                hand -= 1
                self.sown |= cython.cast(cython.uint, 1) << pit
                if self.recording:
                    self._note(DROP, pit, 1, 0)
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
            if tabled:
                # Once every pit was passed over, the seed falls in the next one: a lap must end.
                if passed < self.size and self._passes_over(i):
                    passed += 1
                    continue
                passed = 0
            self.previous = self.last
            self.last = i
            hand -= 1
            self.pits[i] += 1
            self.sown |= 1 << i
            if self.recording:
                self._note(DROP, i, self.pits[i], 0)
            if in_passing and hand > 0 and self.pits[i] == 4:
                if self._take_counted(i, 4, 0 if i < self.row else 1, FOUR_IN_PASSING):
                    return -1
            if tabled and self._takes_in_passing(i, hand):
                return -1
        return i

    def _first_direction(self, start: cython.int) -> cython.int:
        """The direction of a turn's first lap. Where halves are sown apart, each goes to its end of the row."""
        if not self.split:
            return self.step
        return 1 if 2 * (start if start < self.row else start - self.row) + 1 >= self.row else -1

    def _starts_either_way(self, start: cython.int) -> cython.bint:
        """Whether a turn from `start` begins with a choice. Where halves are sown apart, only the middle has it."""
        column: cython.int = start if start < self.row else start - self.row
        return self.start_choice and (not self.split or 2 * column + 1 == self.row)

    def _passes_over(self, i: cython.int) -> cython.bint:
        if self.skip < 0 or (self.skip_later and self.laps == 1) or (self.skip_second and self.ply == 0):
            return False
        return self._holds(self.skip, i)

    def _takes_in_passing(self, i: cython.int, hand: cython.int) -> cython.bint:
        """Take what is taken where a seed fell in `i`, of a hand with `hand` seeds left; True if that ends the game."""
        if self.drains and self._marked(i):
            return self._take_counted(i, self.pits[i], (self.norths >> i) & 1, IN_PASSING)
        if hand > 0 and self.passing >= 0 and not self._marked(i) and self._holds(self.passing, i):
            side: cython.int = self.mover
            if self.passing_owner:
                side = 0 if i < self.row else 1
            return self._take_counted(i, self.pits[i], side, self.passing_reason)
        return False

    def _arc(self, pit: cython.int, count: cython.int) -> cython.uint:
        """The `count` pits after `pit` in the direction of sowing, as bits."""
        one: cython.ulonglong = 1
        if count >= self.size:
            return (one << self.size) - 1
        if self.direction > 0:
            pit += 1
        else:
            pit -= count
            if pit < 0:
                pit += self.size
        bits: cython.ulonglong = ((one << count) - 1) << pit
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
                self.void = self._take_counted(place, 4, 0 if place < self.row else 1, FOUR_IN_PASSING) or self.void
        elif self.recording:
            self._note(LOSE, -1, hand - 1, 0)
        return hand - 1

    # What the last seed of a lap does: the next lap follows, or the turn ends

    def _end(self, i: cython.int, count: cython.int, family: cython.int) -> cython.int:
        """What follows from a lap whose last seed fell in `i`, now of `count` seeds: `GO_ON`, or why the turn ends."""
        if family == ENKESHUI:
            return self._end_enkeshui(i, count)
        if family == ANYWOLI:
            return self._end_anywoli(i, count)
        if family == LAYLI:
            return self._end_layli(i, count)
        if family == BOF:
            return self._end_bof(i, count)
        if family == OWARE:
            return self._end_oware(i, count)
        if family == TABLE:
            return self._end_table(i, count)
        return self._end_kalah(i, count)

    def _end_enkeshui(self, i: cython.int, count: cython.int) -> cython.int:
        if self._marked(i):
            return IN_SPECIAL
        if count > 1:
            if self.ply >= self.specials_from[self.mover]:
                before: cython.int = self._before(i)
                pair: cython.bint = self.pits[before] == 7 - count
                if (count == 4) | (count == 3) & pair:  # one branch: each alone is hard to predict
                    pair = pair and self.handful > 1 and not self._marked(before)
                    if pair:
                        self._make_special(before)
                    if pair or count == 4:
                        self._make_special(i)
                        return MADE_SPECIAL
            return GO_ON
        opposite: cython.int = self.size - 1 - i
        if not self._own(i) & (self.pits[opposite] != 0) & (not self._marked(opposite)):  # one branch, as above
            if not self._own(i):
                return EMPTY_THEIRS
            return EMPTY_SPECIAL if self._marked(opposite) else EMPTY_NOTHING
        if self.laps > 1 and not self.capture_after_relay:
            return NO_CAPTURE_AFTER_RELAY
        self._take(i, self.mover, LAST_SEED)
        while True:
            self._take(opposite, self.mover, OPPOSITE_EMPTY)
            i += self.direction
            if i < 0 or i >= self.size or not self._own(i) or self.pits[i] != 0:
                return CAPTURED
            opposite = self.size - 1 - i
            if self.pits[opposite] == 0 or self._marked(opposite):
                return CAPTURED

    def _end_anywoli(self, i: cython.int, count: cython.int) -> cython.int:
        if count == 4:
            if self._take_counted(i, 4, self.mover, FOUR_AT_END):
                return LAST_FOUR
            return FOUR
        if count > 1:
            return GO_ON
        return EMPTY_PIT

    def _end_layli(self, i: cython.int, count: cython.int) -> cython.int:
        if self._marked(i):
            return IN_SPECIAL
        if count > 1:
            return GO_ON
        if not self._own(i):
            return EMPTY_THEIRS
        opposite: cython.int = self.size - 1 - i
        if self._marked(opposite):
            return EMPTY_SPECIAL
        if self.pits[opposite] == 0:
            return EMPTY_NOTHING
        if self.pits[opposite] == 3:
            self.pits[opposite] = 2
            self.pits[i] = 2
            if self.recording:
                self._note(SHIFT, opposite, 1, i)
            self._make_special(opposite)
            self._make_special(i)
            return MADE_SPECIAL
        self._take(i, self.mover, LAST_SEED)
        self._take(opposite, self.mover, OPPOSITE_EMPTY)
        return CAPTURED

    def _end_bof(self, i: cython.int, count: cython.int) -> cython.int:
        self.last = self._following(i)
        if self.pits[self.last] > 0:
            return GO_ON
        i = self._following(self.last)
        if self.pits[i] == 0:
            return NOTHING_BEYOND
        self._take(i, self.mover, BEYOND_EMPTY)
        return TOOK_BEYOND

    def _end_oware(self, i: cython.int, count: cython.int) -> cython.int:
        first: cython.int = 0 if self.mover else self.row
        theirs = worth = 0
        k: cython.int = i
        while 0 <= k < self.size and not self._own(k) and 2 <= self.pits[k] <= 3:
            worth += self.pits[k]
            k -= self.direction
        if worth == 0:
            return IN_OCCUPIED if count > 1 else EMPTY_PIT
        for j in range(first, first + self.row):
            theirs += self.pits[j]
        if worth == theirs:
            return GRAND_SLAM
        while i != k:
            self._take(i, self.mover, TWO_OR_THREE)
            i -= self.direction
        return CAPTURED

    def _end_kalah(self, i: cython.int, count: cython.int) -> cython.int:
        if self.again:
            return IN_STORE
        if count > 1:
            return IN_OCCUPIED
        if not self._own(i):
            return EMPTY_THEIRS
        if self.pits[self.size - 1 - i] == 0 and not self.empty_capture:
            return EMPTY_NOTHING
        self._take(i, self.mover, LAST_SEED)
        if self.pits[self.size - 1 - i] > 0:
            self._take(self.size - 1 - i, self.mover, OPPOSITE_EMPTY)
        return CAPTURED

    # The same where the game is a table: the first row that fits decides

    def _situation(self, i: cython.int) -> cython.int:
        """The kind of a place and its number of seeds, as one number."""
        if i == STORE_PLACE:
            return IN_A_STORE * COUNTS
        kind: cython.int = 0 if self._own(i) else 3
        count: cython.int = self.pits[i]
        if self._marked(i):
            kind += 1 if (self.norths >> i) & 1 == self.mover else 2
        return kind * COUNTS + (count if count < COUNTS else COUNTS - 2 + (count & 1))

    def _holds(self, test: cython.int, i: cython.int) -> cython.bint:
        """Whether a place passes a test; no place passes none."""
        if i == NO_PLACE or (i >= 0 and (self.closed >> i) & 1):
            return False
        k: cython.int = self._situation(i)
        return (self.tests[SITUATIONS * test + k // COUNTS] >> (k % COUNTS)) & 1

    def _fits(self, row: cython.Py_ssize_t, i: cython.int) -> cython.bint:
        """Whether the row at `row`, whose test of the last pit fits, fits a last seed in `i`."""
        mine: cython.int = 0
        for k in range(AT_LAST + 1, PLACES_TESTED):
            if self.rows[row + k] >= 0 and not self._holds(self.rows[row + k], self.places[k]):
                return False
        if self.rows[row + ROW_LAP] and (self.laps == 1) != (self.rows[row + ROW_LAP] == FIRST_LAP):
            return False
        if self.rows[row + ROW_LATER_TURN] and self.ply < self.specials_from[self.mover]:
            return False
        if self.rows[row + ROW_MOST]:
            for k in range(self.size):
                mine += self._marked(k) and (self.norths >> k) & 1 == self.mover
            if mine >= self.rows[row + ROW_MOST]:
                return False
        if self.rows[row + ROW_NOT_PIT] and i % self.row == self.rows[row + ROW_NOT_PIT] - 1:
            return False
        if self.rows[row + ROW_NOT_MIRROR]:
            mirror: cython.int = (i + self.row) % self.size
            if self._marked(mirror) and (self.norths >> mirror) & 1 != self.mover:
                return False
        return True

    def _plan(self, i: cython.int, found: cython.int) -> cython.int:
        """Add pit `i` to the `found` that will be taken, unless it is empty, special or among them; returns how many
        there are then."""
        if i < 0 or self.pits[i] == 0 or self._marked(i):
            return found
        for k in range(found):
            if self.taking[k] == i:
                return found
        self.taking[found] = i
        return found + 1

    def _plan_captures(self, row: cython.Py_ssize_t, i: cython.int) -> cython.int:
        """Make `taking` the pits that a row takes, in their order; returns how many."""
        found: cython.int = 0
        way: cython.int = self.rows[row + ROW_WAY]
        for k in range(ROW_TAKE, ROW_WAY):
            item: cython.int = self.rows[row + k]
            if item >= ALL_THAT:
                for j in range(self.size):
                    if self._holds(item - ALL_THAT, j):
                        found = self._plan(j, found)
            elif item >= 0:
                found = self._plan(self.places[item], found)
        if way == 0 or i < 0 or found == 0:
            return found
        if way == PAIRS_ON:
            i = self.places[AT_BEYOND]
        for _ in range(self.size):
            i = self._neighbor(i, -self.direction if way == BACK else self.direction)
            if not self._holds(self.rows[row + ROW_CHAIN], i):
                break
            if way == PAIRS_ON:
                i = self._following(i)
            opposite: cython.int = self.size - 1 - i
            if self.rows[row + ROW_CHAIN_OPPOSITE] >= 0:
                if not self._holds(self.rows[row + ROW_CHAIN_OPPOSITE], opposite):
                    break
            before: cython.int = found
            found = self._plan(opposite if self.rows[row + ROW_TAKES_OPPOSITE] else i, found)
            if found == before:
                break
        return found

    def _takes_all(self, found: cython.int) -> cython.bint:
        """Whether the pits that will be taken are all that the opponent has."""
        theirs: cython.int = 0
        first: cython.int = 0 if self.mover else self.row
        for k in range(first, first + self.row):
            theirs += self.pits[k]
        for k in range(found):
            if not self._own(self.taking[k]):
                theirs -= self.pits[self.taking[k]]
        return theirs == 0

    def _end_table(self, i: cython.int, count: cython.int) -> cython.int:
        k: cython.int
        pit: cython.int
        stored: cython.bint = self.banks and self.again
        made: cython.bint = False
        self.again = False
        rows: cython.uint = self.fitting[self._situation(STORE_PLACE if stored else i)]
        number: cython.int = first_bit(rows)
        row: cython.Py_ssize_t = number * ROW
        if not (self.bare & self.quiet) >> number & 1:
            following: cython.int = self._following(i)
            self.places[AT_LAST] = STORE_PLACE if stored else i
            self.places[AT_OPPOSITE] = NO_PLACE if stored else self.size - 1 - i
            self.places[AT_NEXT] = following
            self.places[AT_BEYOND] = self._following(following)
            self.places[AT_BEFORE] = self._before(i) if self.handful > 1 and not stored else NO_PLACE
            while not (self.bare >> number & 1 or self._fits(row, i)):
                rows &= rows - 1
                number = first_bit(rows)
                row = number * ROW
        self.planned = 0
        if self.recording:
            self.decided = self.rows[row + ROW_NUMBER]
        if (self.quiet >> number) & 1:
            return self._go_on(row, i, stored, ROW_WHY)
        found: cython.int = self._plan_captures(row, self.places[AT_LAST])
        self.planned = found
        if self.rows[row + ROW_SLAM] and found > 0 and self._takes_all(found):
            return GRAND_SLAM
        for k in range(found):
            pit = self.taking[k]
            why: cython.int = self.rows[row + ROW_REASON]
            if why < 0:
                if pit == i:
                    why = LAST_SEED if self.pits[i] == 1 else LAST_PIT
                elif pit == self.places[AT_OPPOSITE]:
                    why = OPPOSITE_EMPTY if count == 1 else ELSEWHERE
                elif self.rows[row + ROW_TAKES_OPPOSITE] and self.pits[self.size - 1 - pit] == 0:
                    why = OPPOSITE_EMPTY
                else:
                    why = ELSEWHERE
            if self._take_counted(pit, self.pits[pit], self.mover, why):
                return LAST_FOUR
        if (
            not stored
            and self.rows[row + ROW_SHIFT]
            and self.pits[self.size - 1 - i] > 0
            and not self._marked(self.size - 1 - i)
        ):
            self.pits[self.size - 1 - i] -= 1
            self.pits[i] += 1
            if self.recording:
                self._note(SHIFT, self.size - 1 - i, 1, i)
        if not stored:
            for k in range(3):
                if self.rows[row + ROW_MARK + k] >= 0:
                    pit = self.places[self.rows[row + ROW_MARK + k]]
                    if pit >= 0 and not self._marked(pit):
                        self._make_special(pit)
                        made = True
        return self._go_on(row, i, stored, ROW_WHY + (MADE if made else TOOK if found > 0 else 0))

    def _go_on(self, row: cython.Py_ssize_t, i: cython.int, stored: cython.bint, why: cython.int) -> cython.int:
        """How a turn goes on after a lap that ended in `i`, or in the store, by the row that fits; `why` is where that
        says why it ends."""
        then: cython.int = self.rows[row + ROW_THEN]
        pit: cython.int = NO_PLACE
        if then == RELAY and not stored:
            pit = i
        elif then == RELAY_NEXT and not stored:
            pit = self.places[AT_NEXT]
        elif then == RELAY_PAST and not stored:
            pit = self._following(self.places[AT_BEYOND])
            for _ in range(self.size):
                if self.pits[pit] == 0 or self._marked(pit):
                    pit = self._following(pit)
        elif then == AGAIN:
            # Only a turn that brought seeds gives another: a game must end.
            self.again = self.stores[0] + self.stores[1] > self.stored
        if pit >= 0 and self.pits[pit] > 0 and not self._marked(pit):
            self.last = pit
            return GO_ON
        return self.rows[row + why]

    # What is taken from pits, and pits that become special

    def _take(self, i: cython.int, side: cython.int, why: cython.int) -> cython.void:
        if self.slip_take and self._slipped_take(i, side, why):
            return
        if self.recording:
            self._note(TAKE, i, self.pits[i], side + 2 * why)
        self.stores[side] += self.pits[i]
        self.pits[i] = 0
        self.emptied |= 1 << i

    def _take_counted(self, i: cython.int, count: cython.int, side: cython.int, why: cython.int) -> cython.bint:
        """Take the `count` seeds in pit `i`; if just the last ones are left on the board and in the hand, take these
        too and return True."""
        self._take(i, side, why)
        self.saved_at = 0
        self.left -= count
        if not self.rest_at or self.left != self.rest_at:
            return False
        # The seeds still in the hand never reach a pit: they go to the store with those on the board.
        k: cython.int = self.left
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
        self.marked |= 1 << i
        if self.mover:
            self.norths |= 1 << i
        if self.recording:
            self._note(SPECIAL, i, self.pits[i], self.mover)

    def _bank(self) -> cython.void:
        """Sow a seed into the mover's own store."""
        self.stores[self.mover] += 1
        self.banked += 1
        self.left -= 1
        if self.recording:
            self._note(STORE, -1, self.stores[self.mover], self.mover)

    def _slipped_take(self, i: cython.int, side: cython.int, why: cython.int) -> cython.bint:
        """Whether the capture from `i` goes wrong as `inkeek.records.kernel.slips` asks, and was done so."""
        kind: cython.int = self.slip_take
        left: cython.int = 0
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
        self.emptied |= 1 << i
        return True

    # Endless sowing: a turn that comes back to a *state*, which is the pits, the pit a lap ended in and the direction

    def _look(self, pit: cython.int) -> cython.int:
        """Whether the turn, after a lap that ended in `pit`, is `ENDLESS`, `UNSETTLED` or `UNSURE`; `ENDED` if it may
        go on."""
        if self.laps >= MAX_LAPS or self.work + self.laps >= self.work_limit:
            return UNSETTLED
        if self.exact:
            met: cython.int = self._met(pit)
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
        # repeats them all: it is enough to watch for one. A capture in passing starts this over (`_take_counted`): the
        # states before it cannot come back.
        # Laps of a table need not be like that: there a later state is watched for each time their number has doubled.
        if self.saved_at and self._as_saved(pit):
            self.cycle = self.laps - self.saved_at
            return ENDLESS
        if not self.saved_at or (self.family == TABLE and self.laps >= 2 * self.saved_at):
            self._save_state(pit)
            self.saved_at = self.laps
        return ENDED

    def _save_state(self, pit: cython.int) -> cython.void:
        for i in range(self.size):
            self.old[i] = self.pits[i]
        self.old_pit = pit
        self.old_direction = self.direction

    def _as_saved(self, pit: cython.int) -> cython.bint:
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
        state: cython.ulonglong = pit * 2 + (self.direction > 0)
        if self.suspect >= 0:
            if self.laps == self.suspect:
                self._save_state(pit)
            elif self.laps == self.suspect_again:
                self.cycle = self.laps - self.suspect
                return ENDLESS if self._as_saved(pit) else UNSURE
            return ENDED
        for k in range(0, self.size - 2, 4):
            word: cython.ulonglong = self.pits[k] | self.pits[k + 1] << 16
            word = word << 32 | (self.pits[k + 2] | self.pits[k + 3] << 16)
            state = state * self.mix + word + 1 & MASK
        if self.size % 4:  # a row of an odd number of pits; what lies past the last pit is no part of the state
            word = self.pits[self.size - 2] | self.pits[self.size - 1] << 16
            state = state * self.mix + word + 1 & MASK
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
        log, log_lap, log_turn, size = self.log, self.log_lap, self.log_turn, self.log_size
        self.log = array("Q", bytes(8 * places))
        self.log_lap = array("q", bytes(8 * places))
        self.log_turn = array("q", bytes(8 * places))
        self.log_size = places
        for old in range(size):
            if log_turn[old] == self.turn:
                k: cython.int = self._place(log[old])
                self.log[k], self.log_lap[k], self.log_turn[k] = log[old], log_lap[old], self.turn

    def _place(self, state: cython.ulonglong) -> cython.int:
        """The place of a state's hash in the log, or the place for it."""
        k: cython.int = state >> 40 & (self.log_size - 1)
        while self.log_turn[k] == self.turn and self.log[k] != state:  # an earlier turn's places are free
            k = (k + 1) & (self.log_size - 1)
        return k

    # What a turn may begin with: the pit, and each series of choices of direction

    def _starts(self) -> cython.uint:
        """The pits that a turn may start from, as bits."""
        starts: cython.uint = 0
        must_reach: cython.bint = False
        first: cython.int = self.row if self.mover else 0
        right: cython.int = first + self.row - 1
        if self.special_start:
            if self.right_end_first and self.ply == 0 and self.pits[right] > 0 and not self._marked(right):
                return 1 << right
            if self.win_at and (self.stores[0] >= self.win_at or self.stores[1] >= self.win_at):
                return 0
            if self.looks_opposite and self._nothing_opposite():
                if self.ends_with_row:
                    return 0
                if self.feeds_turn:
                    return self._feeding_starts()
                must_reach = True
        for i in range(first, first + self.row):
            starts |= cython.cast(cython.uint, self.pits[i] >= self.least) << i
        starts &= ~self.marked
        if must_reach:
            starts &= self._reaching_starts()
        return starts

    def _reaching_starts(self) -> cython.uint:
        """The own pits whose first lap reaches the opponent's row."""
        starts: cython.uint = 0
        first: cython.int = self.row if self.mover else 0
        for i in range(first, first + self.row):
            on: cython.int = first + self.row - 1 - i
            if self._starts_either_way(i):
                on = min(on, i - first)
            elif self._first_direction(i) < 0:
                on = i - first
            starts |= cython.cast(cython.uint, self.pits[i] - self.first_stays > on) << i
        return starts

    def _feeding_starts(self) -> cython.uint:
        """The own pits from which a whole turn leaves the opponent seeds."""
        starts: cython.uint = 0
        recording: cython.int = self.recording
        first: cython.int = self.row if self.mover else 0
        self.recording = 0
        self._push()
        for i in range(first, first + self.row):
            if self.pits[i] >= self.least and not self._marked(i):
                if self._play(i) == ENDED and not self._nothing_opposite():
                    starts |= cython.cast(cython.uint, 1) << i
                self._back()
        self.level -= 1
        self.recording = recording
        return starts

    def _nothing_opposite(self) -> cython.bint:
        """Whether the opponent's row is empty."""
        theirs: cython.int = 0 if self.mover else self.row
        for i in range(theirs, theirs + self.row):
            if self.pits[i] > 0:
                return False
        return True

    # Series of choices, as bits: the k-th is 1 where the k-th choice is counter-clockwise.

    def _series(self, bits: cython.ulonglong, count: cython.int) -> str:
        return "".join([">" if (bits >> k) & 1 else "<" for k in range(count)])

    def _first_choices(self) -> cython.void:
        self.given = 0
        self.given_count = 0
        self.flipped = 0
        self.exact = False

    def _next_choices(self, status: cython.int) -> cython.bint:
        """Make `given` the series to try after the one just played, which came out as `status`; False if there are no
        more.

        The first turn keeps its direction at every point. Each further one first differs from an earlier one at its
        last choice, so that no two are alike and none ends in a choice that only keeps the direction.
        """
        one: cython.ulonglong = 1
        k: cython.int = min(self.points, MAX_CHOICES) - 1
        if self.points > 0 and not self.exact:
            # The turn without choices was sown without remembering its states. If it ended, it repeated none: from a
            # state that comes again, a turn without choices would go round for ever. Else it may have offered choices
            # after it first repeated one: sow it again, remembering them.
            self.exact = True
            if status != ENDED:
                return True
        while k >= self.given_count:
            self.flipped &= ~(one << k)
            k -= 1
        k = min(self.points, MAX_CHOICES) - 1
        while k >= 0 and (self.flipped >> k) & 1:
            k -= 1
        if k < 0:
            return False
        self.flipped = (self.flipped & ((one << k) - 1)) | (one << k)
        self.given = (self.taken & ((one << k) - 1)) | (~self.taken & (one << k))
        self.given_count = k + 1
        return True

    # Counting

    def _perft(self, depth: cython.int) -> cython.longlong:
        total: cython.longlong = 0
        moved: cython.bint = False
        if depth == 0:
            return 1
        starts: cython.uint = self._starts()
        self._push()
        while starts:
            i: cython.int = first_bit(starts)
            starts &= starts - 1
            status: cython.int = self._sow(i)
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
