# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The sowing itself: every game's turn, from the choice of a pit to its end, in one place.

Read it beside `docs/rules.md`: a turn is `_sow`; what a lap's last seed does is `_end_<game>`. The file is plain Python
that Cython compiles to C (pure Python mode); `records.kernels` says which twin runs. Nothing here checks its input
beyond what a turn needs: `records.play` does, and gives this file's numbers their names.

Directions are +1 (counter-clockwise) and -1. A *state* is the pits, the pit a lap ended in and the direction; a turn
that comes back to one is endless.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython  # type: ignore[no-redef]

# Families: what the last seed of a lap does.
ENKESHUI = 1
ANYWOLI = 2
LAYLI = 3
BOF = 4

# How a turn came out.
ENDED = 0
ENDLESS = 1

# When a direction may be chosen.
NEVER = 0
AFTER_OPPONENT_ROW = 1
AFTER_ONE_LAP = 2

# Kinds of events; the numbers are indices into `KINDS`.
LIFT = 0
DROP = 1
CHOOSE = 2
TAKE = 3
SHIFT = 4
SPECIAL = 5
END = 6

# Why a turn ended; the numbers are indices into `REASONS`. GO_ON is no end: the next lap follows.
GO_ON = 0
IN_SPECIAL = 1
MADE_SPECIAL = 2
EMPTY_THEIRS = 3
EMPTY_NOTHING = 4
CAPTURED = 5
NO_CAPTURE_AFTER_RELAY = 6
FOUR = 7
LAST_FOUR = 8
EMPTY_PIT = 9
TOOK_BEYOND = 10
NOTHING_BEYOND = 11

MAX_PITS = 32
MAX_DEPTH = 64
LEVEL = 68  # numbers a level of the stack: pits, marks, stores, mover, ply
WATCH = 32  # laps before looking for a cycle: most turns are over long before
ALL = 0x7FFFFFFF

# The codes that Python callers need: C globals are invisible to them.
FAMILIES = {"enkeshui": ENKESHUI, "anywoli": ANYWOLI, "layli-goobalay": LAYLI, "bof": BOF}
DIRECTION_CHOICES = {"none": NEVER, "after-opponent-row": AFTER_OPPONENT_ROW, "after-one-lap": AFTER_ONE_LAP}
KINDS = ("lift", "drop", "choose", "take", "shift", "special", "end")
REASONS = (
    "",
    "in-special",
    "made-special",
    "empty-theirs",
    "empty-nothing",
    "captured",
    "no-capture-after-relay",
    "four",
    "last-four",
    "empty",
    "took-beyond",
    "nothing-beyond",
)


class Kernel:
    """One board under one set of rules; `load` a position, then `sow`, `turns` or `perft`.

    `config` is what `records.play` makes of a rule set: the names of the attributes below, as whole numbers.
    """

    def __init__(self, config: dict) -> None:
        if not cython.compiled:
            self.pits = [0] * MAX_PITS
            self.marks = [0] * MAX_PITS
            self.stores = [0, 0]
            self.old = [0] * MAX_PITS
            self.stack = [0] * (MAX_DEPTH * LEVEL)
        self.family = config["family"]
        self.row = config["row"]
        self.size = 2 * self.row
        self.step = config["step"]
        self.skip_origin = config["skip_origin"]
        self.direction_choice = config["direction_choice"]
        self.specials_from_ply = config["specials_from_ply"]
        self.capture_after_relay = config["capture_after_relay"]
        self.last_four = config["last_four"]
        self.right_end_first = config["right_end_first"]
        self.may_pass = config["may_pass"]
        self.given = []
        self.taken = []
        self.seen = {}
        self.events = []
        self.exact = False
        self.recording = 0
        self.level = 0
        if not cython.compiled:
            self.load((0,) * self.size, (0,) * self.size, (0, 0), 0, 0)

    def load(self, pits: tuple, marks: tuple, stores: tuple, mover: cython.int, ply: cython.int) -> None:
        """Take a position: `size` counts, `size` marks, two stores, the side to move and the turns played."""
        i: cython.int
        self.closed = False
        for i in range(self.size):
            self.pits[i] = pits[i]
            self.marks[i] = marks[i]
            if self.marks[i] == 3:
                self.closed = True
        self.stores[0] = stores[0]
        self.stores[1] = stores[1]
        self.mover = mover
        self.ply = ply
        self.level = 0

    def board(self) -> tuple:
        """The position as (pits, marks, stores)."""
        pits: list = [self.pits[i] for i in range(self.size)]
        marks: list = [self.marks[i] for i in range(self.size)]
        return tuple(pits), tuple(marks), (self.stores[0], self.stores[1])

    def sow(self, pit: cython.int, choices: list, events: cython.int = 0) -> int:
        """Play the turn from `pit` with the given directions; `ENDED` or `ENDLESS`. At most `events` are recorded.

        `told` and `board` tell what it did. The mover does not change: `records.play` makes the position after it.
        """
        self.given = choices
        self.taken = []
        self.events = []
        self.recording = events
        self.seen = {}
        self.exact = len(choices) > 0
        return self._sow(pit)

    def told(self) -> tuple:
        """Of the turn just sown: (laps, laps in the cycle it ran into, how often a direction could be chosen, the
        directions taken as far as choices were given, index into `REASONS`, events)."""
        return self.laps, self.cycle, self.points, self.taken, self.reason, self.events

    def may_start(self, pit: cython.int) -> bool:
        """Whether the rules let the mover start from `pit`, endless sowing apart."""
        return self._may_start(pit)

    def turns(self, most: cython.int, tries: cython.int) -> list:
        """The legal turns as (pit, choices, (seeds to South, to North), pits that became special, laps).

        In the order of the pits, then of the choices; none where the mover has no turn. It stops after `most` turns,
        or `tries` attempts (a pit can have very many series of choices, and all may be endless): `all_found` tells.
        """
        found: list = []
        i: cython.int
        self.recording = 0
        self.complete = True
        self.tries = tries
        for i in range(self.size):
            if self._may_start(i):
                self._turns_from(i, found, most)
        return found

    def all_found(self) -> bool:
        """Whether the last `turns` came to its end before `tries` did."""
        return self.complete

    def can_move(self, side: cython.int) -> bool:
        """Whether `side` would have a legal turn if it were to move."""
        mover: cython.int = self.mover
        self.mover = side
        found: list = self.turns(1, ALL)
        self.mover = mover
        return len(found) > 0

    def perft(self, depth: cython.int) -> int:
        """How many sequences of exactly `depth` turns, at most 60, there are from here."""
        self.recording = 0
        with cython.nogil:
            count: cython.longlong = self._perft(depth)
        return count

    # One turn

    def _sow(self, start: cython.int) -> cython.int:
        pit: cython.int = start
        i: cython.int
        hand: cython.int
        reason: cython.int
        sown: cython.uint = 0
        theirs: cython.uint = ((1 << self.row) - 1) << (self.row if self.mover == 0 else 0)
        saved_at: cython.int = 0
        save_at: cython.int = WATCH
        self.direction = self.step
        self.laps = 0
        self.points = 0
        self.cycle = 0
        self.left = 0
        if self.last_four:
            for i in range(self.size):
                self.left += self.pits[i]
        while True:
            hand = self.pits[pit]
            self.handful = hand
            self.pits[pit] = 0
            self.laps += 1
            if self.recording:
                self._note(LIFT, pit, hand, 0)
            if self.direction_choice == AFTER_ONE_LAP:
                sown = 0
            i = pit
            while hand > 0:
                self.previous = i
                i += self.direction
                if i == self.size:
                    i = 0
                elif i < 0:
                    i = self.size - 1
                if self.closed and self.marks[i] == 3:
                    continue
                if self.skip_origin and i == pit:
                    continue
                hand -= 1
                self.pits[i] += 1
                sown |= 1 << i
                if self.recording:
                    self._note(DROP, i, self.pits[i], 0)
                if self.family == ANYWOLI and hand > 0 and self.pits[i] == 4:
                    if self._take_four(i, 0 if i < self.row else 1):
                        return self._finish(i, LAST_FOUR)
            self.last = i
            if self.family == ENKESHUI:
                reason = self._end_enkeshui(i)
            elif self.family == ANYWOLI:
                reason = self._end_anywoli(i)
            elif self.family == LAYLI:
                reason = self._end_layli(i)
            else:
                reason = self._end_bof(i)
            if reason != GO_ON:
                return self._finish(i, reason)
            if self.exact:
                if self._met(self.last):
                    return ENDLESS
            elif self.laps >= WATCH:
                if saved_at and self._as_saved(self.last):
                    self.cycle = self.laps - saved_at
                    return ENDLESS
                if self.laps == save_at:
                    self._save_state(self.last)
                    saved_at = self.laps
                    save_at = 2 * save_at
            pit = self.last
            if self.direction_choice != NEVER and (sown & theirs) == theirs:
                if self.direction_choice == AFTER_OPPONENT_ROW or self.points == 0:
                    sown = 0
                    if self.exact:
                        self._choose()
                    self.points += 1
                    if self.recording:
                        self._note(CHOOSE, pit, 0, self.direction)

    def _finish(self, last: cython.int, reason: cython.int) -> cython.int:
        self.reason = reason
        if self.recording:
            self._note(END, last, 0, reason)
        return ENDED

    def _end_enkeshui(self, i: cython.int) -> cython.int:
        before: cython.int = self.previous
        opposite: cython.int
        count: cython.int = self.pits[i]
        if self.marks[i] != 0:
            return IN_SPECIAL
        if count > 1:
            if self.ply >= self.specials_from_ply:
                if count == 4:
                    if self.handful > 1 and self.pits[before] == 3 and self.marks[before] == 0:
                        self._make_special(before)
                    self._make_special(i)
                    return MADE_SPECIAL
                if count == 3 and self.handful > 1 and self.pits[before] == 4 and self.marks[before] == 0:
                    self._make_special(before)
                    self._make_special(i)
                    return MADE_SPECIAL
            return GO_ON
        if not self._own(i):
            return EMPTY_THEIRS
        opposite = self.size - 1 - i
        if self.pits[opposite] == 0 or self.marks[opposite] != 0:
            return EMPTY_NOTHING
        if self.laps > 1 and not self.capture_after_relay:
            return NO_CAPTURE_AFTER_RELAY
        self._take(i, self.mover)
        while True:
            self._take(opposite, self.mover)
            i += self.direction
            if i < 0 or i >= self.size or not self._own(i) or self.pits[i] != 0:
                return CAPTURED
            opposite = self.size - 1 - i
            if self.pits[opposite] == 0 or self.marks[opposite] != 0:
                return CAPTURED

    def _end_anywoli(self, i: cython.int) -> cython.int:
        if self.pits[i] == 4:
            if self._take_four(i, self.mover):
                return LAST_FOUR
            return FOUR
        if self.pits[i] > 1:
            return GO_ON
        return EMPTY_PIT

    def _end_layli(self, i: cython.int) -> cython.int:
        opposite: cython.int
        if self.marks[i] != 0:
            return IN_SPECIAL
        if self.pits[i] > 1:
            return GO_ON
        if not self._own(i):
            return EMPTY_THEIRS
        opposite = self.size - 1 - i
        if self.pits[opposite] == 0 or self.marks[opposite] != 0:
            return EMPTY_NOTHING
        if self.pits[opposite] == 3:
            self.pits[opposite] = 2
            self.pits[i] = 2
            if self.recording:
                self._note(SHIFT, opposite, 1, i)
            self._make_special(opposite)
            self._make_special(i)
            return MADE_SPECIAL
        self._take(i, self.mover)
        self._take(opposite, self.mover)
        return CAPTURED

    def _end_bof(self, i: cython.int) -> cython.int:
        self.last = self._following(i)
        if self.pits[self.last] > 0:
            return GO_ON
        i = self._following(self.last)
        if self.pits[i] == 0:
            return NOTHING_BEYOND
        self._take(i, self.mover)
        return TOOK_BEYOND

    def _own(self, i: cython.int) -> cython.bint:
        return (i < self.row) == (self.mover == 0)

    def _following(self, i: cython.int) -> cython.int:
        """The next pit in the direction of sowing that is not closed."""
        while True:
            i += self.direction
            if i == self.size:
                i = 0
            elif i < 0:
                i = self.size - 1
            if self.marks[i] != 3:
                return i

    def _take(self, i: cython.int, side: cython.int) -> cython.void:
        if self.recording:
            self._note(TAKE, i, self.pits[i], side)
        self.stores[side] += self.pits[i]
        self.pits[i] = 0

    def _take_four(self, i: cython.int, side: cython.int) -> cython.bint:
        """Take the four in pit `i`; if that leaves just four on the board and in the hand, these too: then True."""
        k: cython.int
        self._take(i, side)
        self.left -= 4
        if not self.last_four or self.left != 4:
            return False
        # What the hand still holds never reaches a pit: it goes to the store with what lies on the board.
        k = 4
        for j in range(self.size):
            if self.pits[j] > 0:
                k -= self.pits[j]
                self._take(j, side)
        if k > 0:
            if self.recording:
                self._note(TAKE, -1, k, side)
            self.stores[side] += k
        return True

    def _make_special(self, i: cython.int) -> cython.void:
        self.marks[i] = 1 + self.mover
        if self.recording:
            self._note(SPECIAL, i, self.pits[i], self.mover)

    def _note(self, kind: cython.int, pit: cython.int, count: cython.int, other: cython.int) -> cython.void:
        if len(self.events) < self.recording:
            self.events.append((kind, pit, count, other))

    # Endless sowing

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

    def _met(self, pit: cython.int) -> cython.bint:
        """Whether this turn has been in this state before. Where directions are chosen every state must be kept:
        a choice leads out of a cycle, and the turn is endless all the same."""
        state: tuple = (self.board()[0], pit, self.direction)
        if state in self.seen:
            self.cycle = self.laps - self.seen[state]
            return True
        self.seen[state] = self.laps
        return False

    def _choose(self) -> cython.void:
        if self.points < len(self.given):
            self.direction = self.given[self.points]
        self.taken.append(self.direction)

    # All turns

    def _may_start(self, i: cython.int) -> cython.bint:
        if not self._own(i) or self.pits[i] == 0 or self.marks[i] != 0:
            return False
        return not (self.right_end_first and self.ply == 0) or i == self.row - 1 or i == self.size - 1

    def _push(self) -> cython.void:
        i: cython.int
        base: cython.int = self.level * LEVEL
        for i in range(self.size):
            self.stack[base + i] = self.pits[i]
            self.stack[base + MAX_PITS + i] = self.marks[i]
        self.stack[base + 64] = self.stores[0]
        self.stack[base + 65] = self.stores[1]
        self.stack[base + 66] = self.mover
        self.stack[base + 67] = self.ply
        self.level += 1

    def _back(self) -> cython.void:
        """To the position that was pushed last."""
        i: cython.int
        base: cython.int = (self.level - 1) * LEVEL
        for i in range(self.size):
            self.pits[i] = self.stack[base + i]
            self.marks[i] = self.stack[base + MAX_PITS + i]
        self.stores[0] = self.stack[base + 64]
        self.stores[1] = self.stack[base + 65]
        self.mover = self.stack[base + 66]
        self.ply = self.stack[base + 67]

    def _turns_from(self, start: cython.int, found: list, most: cython.int) -> cython.void:
        """Try a turn, then every other choice it came by, and so on: each series of choices just once."""
        first: cython.int = len(found)
        k: cython.int
        todo: list = [[]]
        self._push()
        self.exact = False
        if self._sow(start) == ENDED and self.points == 0 and len(found) < most:
            self._add(start, [], found)
        if self.points > 0:
            self.exact = True
            while todo and len(found) < most and self.tries > 0:
                self._back()
                self.tries -= 1
                self.given = todo.pop()
                self.taken = []
                self.seen = {}
                if self._sow(start) == ENDED:
                    self._add(start, self.given, found)
                for k in range(len(self.given), len(self.taken)):
                    todo.append([*self.taken[:k], -self.taken[k]])
            if todo:
                self.complete = False
        self._back()
        self.level -= 1
        found[first:] = sorted(found[first:], key=_by_choices)

    def _add(self, start: cython.int, choices: list, found: list) -> cython.void:
        i: cython.int
        base: cython.int = (self.level - 1) * LEVEL
        special: list = [i for i in range(self.size) if self.marks[i] != self.stack[base + MAX_PITS + i]]
        taken: tuple = (self.stores[0] - self.stack[base + 64], self.stores[1] - self.stack[base + 65])
        found.append((start, choices, taken, special, self.laps))

    # Counting

    def _perft(self, depth: cython.int) -> cython.longlong:
        i: cython.int
        total: cython.longlong = 0
        moved: cython.bint = False
        if depth == 0:
            return 1
        self._push()
        for i in range(self.size):
            if self._may_start(i):
                self.exact = False
                if self._sow(i) == ENDED and self.points == 0:
                    moved = True
                    total += self._perft_after(depth)
                if self.points > 0:
                    self._back()
                    total += self._perft_choices(i, depth)
                self._back()
        if self.may_pass and not moved:
            total += self._perft_pass(depth)
        self._back()
        self.level -= 1
        return total

    def _perft_after(self, depth: cython.int) -> cython.longlong:
        self.mover = 1 - self.mover
        self.ply += 1
        return self._perft(depth - 1)

    def _perft_choices(self, pit: cython.int, depth: cython.int) -> cython.longlong:
        total: cython.longlong = 0
        found: list = []
        self.tries = ALL
        self._turns_from(pit, found, ALL)
        for turn in found:
            self.given = turn[1]
            self.seen = {}
            self.exact = True
            self._sow(pit)
            total += self._perft_after(depth)
            self._back()
        return total

    def _perft_pass(self, depth: cython.int) -> cython.longlong:
        total: cython.longlong = 0
        if self.can_move(1 - self.mover):
            total = self._perft_after(depth)
        return total


def _by_choices(turn: tuple) -> str:
    return "".join("<" if direction < 0 else ">" for direction in turn[1])
