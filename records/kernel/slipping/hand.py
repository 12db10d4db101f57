"""A hand that sows a turn lap by lap: its board, saved and restored."""

from __future__ import annotations

from collections.abc import Iterable

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.sowing import Kernel
    from records.kernel.turn.codes import *

    from .codes import *


class Hand:
    """The kernel's board in the middle of a turn, and what the search has found so far."""

    def __init__(self, family: str, options: dict, seeds: cython.int, row_owner: cython.bint) -> None:
        if not cython.compiled:
            self.logs = [0.0] * (2 * PLACES * COUNT_LIMIT)
            self.held_logs = [0.0] * COUNT_LIMIT
            self.wanted = [-1] * 32
            self.bare = [False] * 2
            self.code, self.lap, self.stage, self.at, self.place = ([0] * 4 for _ in range(5))
            self.tally = [0] * 64
            self.boards = [0] * (128 * BOARD)
            self.numbers = [0] * (128 * NUMBERS)
        self.kernel = Kernel(family, options, seeds)
        self.right_way = TO_OWNERS if row_owner else TO_NOBODY
        self.level = self.depth = self.most = self.limit = self.need = self.taken = self.points = 0
        self.placed = False
        self.hits = []
        self.later = []
        self.work = 0
        self.emptied = 0
        self.swept = 0
        self.sweep = 0
        self.to_whom = 0

    def load(self, position: Iterable, emptied: cython.uint = 0) -> None:
        """Take a position: the fields of `Position`; `emptied` are the pits that were emptied before, as bits."""
        pits, marks, stores, mover, ply, unsown = position
        self.kernel.load(pits, marks, stores, mover, ply, unsown)
        self.emptied = emptied

    def _begin(self) -> cython.void:
        k = self.kernel
        i: cython.int
        k.laps = k.points = k.cycle = k.saved_at = k.banked = k.left = 0
        k.sown = 0
        k.emptied = self.emptied
        k.taken = 0
        k.again = False
        k.direction = k.step
        k.recording = 0
        k.given_count = 0
        k.slip_at = k.slip_take = k.next_at = k.held = 0
        k.void = k.doubled = False
        self.turn_back = False
        self.played = True
        k.last = k.end = -1
        k.previous = k.handful = 0
        if k.last_four:
            for i in range(k.size):
                k.left += k.pits[i]

    def _save(self) -> cython.int:
        k = self.kernel
        i: cython.Py_ssize_t
        base: cython.Py_ssize_t = self.level * BOARD
        for i in range(32):
            self.boards[base + i] = k.pits[i]
        self.boards[base + 32] = k.stores[0]
        self.boards[base + 33] = k.stores[1]
        base = self.level * NUMBERS
        self.numbers[base] = k.laps
        self.numbers[base + 1] = k.points
        self.numbers[base + 2] = k.sown
        self.numbers[base + 3] = k.emptied
        self.numbers[base + 4] = k.direction
        self.numbers[base + 5] = k.banked
        self.numbers[base + 6] = k.left
        self.numbers[base + 7] = k.again
        self.numbers[base + 8] = k.last
        self.numbers[base + 9] = k.previous
        self.numbers[base + 10] = k.handful
        self.numbers[base + 11] = k.taken
        self.numbers[base + 12] = self.floating
        self.numbers[base + 13] = k.marked
        self.numbers[base + 14] = k.norths
        self.numbers[base + 15] = self.turn_back
        self.level += 1
        return self.level

    def _restore(self) -> cython.void:
        """Go back to what was saved last, and keep it saved."""
        k = self.kernel
        i: cython.Py_ssize_t
        base: cython.Py_ssize_t = (self.level - 1) * BOARD
        for i in range(32):
            k.pits[i] = self.boards[base + i]
        k.stores[0] = self.boards[base + 32]
        k.stores[1] = self.boards[base + 33]
        base = (self.level - 1) * NUMBERS
        k.laps = self.numbers[base]
        k.points = self.numbers[base + 1]
        k.sown = self.numbers[base + 2]
        k.emptied = self.numbers[base + 3]
        k.direction = self.numbers[base + 4]
        k.banked = self.numbers[base + 5]
        k.left = self.numbers[base + 6]
        k.again = self.numbers[base + 7]
        k.last = self.numbers[base + 8]
        k.previous = self.numbers[base + 9]
        k.handful = self.numbers[base + 10]
        k.taken = self.numbers[base + 11]
        self.floating = self.numbers[base + 12]
        k.marked = self.numbers[base + 13]
        k.norths = self.numbers[base + 14]
        self.turn_back = self.numbers[base + 15]
        k.slip_at = k.slip_take = k.next_at = k.held = 0
        k.void = k.doubled = False

    def _sow_lap(self, pit: cython.int) -> cython.int:
        """Sow one lap; where the last seed fell, -1 if that ended the game."""
        k = self.kernel
        i: cython.int
        bit: cython.uint = 1
        hand: cython.int = k.pits[pit]
        self.work += 1
        if self.work > self.limit and not k.recording:
            self.cut = True
        k.handful = hand
        k.emptied |= bit << pit
        k.laps += 1
        if k.single_lap and (k.points == 0 or not k.each_relay):
            k.sown = 0
        if k.plain and not (k.closed or k.recording or k.slip_at or k.slip_take):
            i = k._spread(pit, hand, k.in_passing)
            if k.choosing:
                k.sown |= k._arc(pit, hand)
        else:
            i = k._lap(pit, hand, k.banks, k.in_passing, True)
        if i >= 0:
            k.last = i
        if self.turn_back:
            k.direction = -k.direction
            self.turn_back = False
        return i

    def _disarm(self) -> cython.void:
        k = self.kernel
        k.slip_at = k.next_at = k.slip_take = k.took = 0

    def _arm(self, code: cython.int, at: cython.int, place: cython.int) -> cython.void:
        """Make the kernel slip in the lap, or in the captures, that follow: after what it was armed with before."""
        k = self.kernel
        if TAKE_NONE <= code <= TAKE_PART:
            k.slip_take, k.slip_nth, k.slip_place, k.took = code, at, place, 0
            return
        if code in (DOUBLE, LEAVE_BEHIND):
            code = ALSO
        elif code == LOSE_ONE:
            code, place = ALSO, -1
        elif code == LOSE_DUE:
            code, place = INSTEAD, -1
        elif code in (ASTRAY, INSTEAD_NEAR):
            code = INSTEAD
        elif code == PICK_BESIDE:
            code = PICK_UP
        elif code == ADD_ONE:
            code, place = PICK_UP, -1
        if k.slip_at == 0:
            k.slip_at, k.slip_kind, k.slip_place = at, code, place
        else:
            k.next_at, k.next_kind, k.next_place = at, code, place
