"""The rules and the board of a kernel: options, pits, stores, marks, and the stack of positions."""

from __future__ import annotations

from array import array

from records.kernel._cython import cython
from records.rules.families import FAMILIES

if not cython.compiled:
    from .codes import *


class TurnState:
    """A board under one set of rules. `__init__` is the table of the options that the sowing depends on."""

    def __init__(self, family: str, options: dict, seeds: cython.int) -> None:
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
        option = options.get
        facts = FAMILIES[family]
        self.family: cython.int = facts.number
        self.row: cython.int = options["pits"]
        self.step: cython.int = -1 if option("direction", "ccw") == "cw" else 1
        self.skip_origin: cython.bint = option("skip_origin", False)
        self.choosing: cython.bint = option("direction_choice", "none") != "none"
        self.single_lap: cython.bint = option("direction_choice") in ("after-one-lap", "after-first-lap", "each-relay")
        self.first_lap: cython.bint = option("direction_choice") == "after-first-lap"
        self.each_relay: cython.bint = option("direction_choice") == "each-relay"
        self.no_first_specials: cython.bint = not option("bulls_on_first_move", True)
        self.first_turns_vary: cython.bint = self.no_first_specials and option("rearrangement") == "any-turn"
        self.capture_after_relay: cython.bint = option("capture_after_relay", True)
        self.last_four: cython.bint = option("last_four") == "taker-of-previous"
        self.right_end_first: cython.bint = option("first_move") == "right-end"
        self.may_pass: cython.bint = option("no_move") == "pass"
        self.empty_capture: cython.bint = option("empty_capture", False)
        self.win_at: cython.int = seeds // 2 + 1 if option("majority_end", False) else 0
        # What follows from these.
        self.size: cython.int = 2 * self.row
        self.has_specials: cython.bint = facts.specials != ""
        self.special_start: cython.bint = self.right_end_first or self.win_at > 0 or facts.feeds or facts.ends_with_row
        self.plain: cython.bint = not (self.skip_origin or facts.banks)
        # What is true of the family stands last: the fields that every turn reads lie together.
        self.banks: cython.bint = facts.banks
        self.in_passing: cython.bint = facts.in_passing
        self.feeds: cython.bint = facts.feeds
        self.ends_with_row: cython.bint = facts.ends_with_row
        self.backward: cython.bint = facts.captures == "backward"
        self.takes_last: cython.bint = facts.takes_last
        self.goes_on: cython.bint = facts.goes_on
        self.opposite_specials: cython.bint = facts.specials == "opposite"
        self.asks_empty_capture: cython.bint = "empty_capture" in options
        self.looks_opposite: cython.bint = facts.feeds or facts.ends_with_row
        if cython.compiled:
            self._fill_tables()
        self.events = []
        self.laps = self.points = self.banked = self.left = self.sown = self.emptied = self.recording = self.logged = 0
        self.given = self.given_count = self.handful = self.previous = 0
        self.direction = self.step
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
        i: cython.int
        seeds: cython.int
        fits: cython.bint = unsown == 0 or (self.first_turns_vary and ply > 0)
        if len(pits) != self.size or len(marks) != self.size:
            return -1
        mark: cython.int
        bit: cython.uint = 1
        self.marked = self.norths = self.closed = 0
        self.stores[0] = stores[0]
        self.stores[1] = stores[1]
        seeds = self.stores[0] + self.stores[1]
        for i in range(self.size):
            self.pits[i] = pits[i]
            mark = marks[i]
            seeds += self.pits[i]
            if mark != 0:
                self.marked |= bit << i
                if mark == CLOSED:
                    self.closed |= bit << i
                elif mark == NORTHS:
                    self.norths |= bit << i
                fits = fits and self.has_specials and mark != CLOSED and self.pits[i] >= 2
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
        k: cython.Py_ssize_t
        hand: cython.Py_ssize_t
        away: cython.Py_ssize_t
        for k in range(2 * MAX_PITS):
            self.kept[k] = 0 if k == self.size else -1
            away = k % self.size
            for hand in range(MAX_PITS):
                self.dropped[hand * 2 * MAX_PITS + k] = 0 < away <= hand
                self.dropped[(hand + MAX_PITS) * 2 * MAX_PITS + k] = away >= self.size - hand

    def _seeds(self) -> cython.int:
        """All seeds, in pits and in stores."""
        k: cython.int
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
        """The pit after which a hand comes to the mover's own store."""
        if self.direction > 0:
            return (self.row if self.mover == 0 else self.size) - 1
        return self.row if self.mover == 0 else 0

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
        while True:
            i += self.direction
            if i == self.size:
                i = 0
            elif i < 0:
                i = self.size - 1
            if not (self.closed >> i) & 1:
                return i

    # Copy a fixed number of pits, whatever the size of the board: the C compiler makes a few wide moves of it.

    def _push(self) -> cython.void:
        i: cython.Py_ssize_t
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
        i: cython.Py_ssize_t
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
