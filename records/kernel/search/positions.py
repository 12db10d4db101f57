"""The positions of a search on its stack: their keys, and what they are worth at rest.

A node's positions are *children* on one stack of arrays; a child is known by its index there.
"""

from __future__ import annotations

from records.kernel._cython import cython
from records.kernel.search.memory import Memory
from records.rules.families import FAMILIES

if not cython.compiled:
    from records.kernel.endgame import TableSet
    from records.kernel.sowing import Kernel
    from records.kernel.turn.codes import *

    from .codes import *
    from .table import TranspositionTable


class Positions:
    """The kernel's position, and the arrays of a search."""

    def __init__(
        self,
        family: str,
        options: dict,
        seeds: cython.int,
        row_owner: cython.bint,
        weights: tuple,
        table: TranspositionTable,
        tables: TableSet | None = None,
    ) -> None:
        self.kernel = Kernel(family, options, seeds)
        self.table = table
        self.endgame = tables
        self.has_endgame = tables is not None
        self.endgame_below = 0
        self.row_owner = row_owner
        self.cycles = FAMILIES[family].repeats
        self.first_turns = self.kernel.right_end_first or self.kernel.no_first_specials
        self.repetition = options.get("repetition", 3)
        self.weight_row, self.weight_mobility, self.weight_special, self.weight_tempo = weights
        memory = Memory()
        self.boards = memory.numbers("h", 32 * CHILDREN)
        self.marks = memory.numbers("I", 2 * CHILDREN)
        self.stores = memory.numbers("i", 2 * CHILDREN)
        self.movers, self.starts, self.again, self.counts = (memory.numbers("b", CHILDREN) for _ in range(4))
        self.keys, self.checks, self.bits = (memory.numbers("Q", CHILDREN) for _ in range(3))
        self.rests, self.sures, self.rows, self.mobilities, self.gains = (
            memory.numbers("h", CHILDREN) for _ in range(5)
        )
        self.ranks = memory.numbers("i", CHILDREN)
        self.path_keys, self.path_checks = (memory.numbers("Q", MAX_EARLIER + MAX_PLY + 2) for _ in range(2))
        self.path_rests = memory.numbers("i", MAX_EARLIER + MAX_PLY + 2)
        self.killers = memory.numbers("b", 2 * (MAX_PLY + 2))
        self.history = memory.numbers("i", 64)
        self.order = memory.numbers("i", MAX_TURNS + 2)
        self.line_starts, self.line_counts = (memory.numbers("b", (MAX_PLY + 2) * (MAX_PLY + 2)) for _ in range(2))
        self.line_bits = memory.numbers("Q", (MAX_PLY + 2) * (MAX_PLY + 2))
        self.line_lengths = memory.numbers("i", MAX_PLY + 2)
        self.nodes = self.node_limit = self.prover = self.flags = self.top = self.earlier = 0
        self.root_count = self.root_best = self.root_flags = self.root_ply = self.probes = 0
        self.age = self.age_depth = 0
        self.packs = self.one_side = False
        self.halted = self.stopped = self.strict = False

    def _identify(self, mover: cython.int) -> cython.void:
        """Make key and check of the kernel's position with `mover` to move, the same for both sides of the board, and
        count what the values need."""
        k: cython.int
        i: cython.int
        side: cython.int
        base: cython.int
        row: cython.int = self.kernel.row
        one: cython.ulonglong = 1
        word: cython.ulonglong = 1
        h: cython.ulonglong = SEED_A
        g: cython.ulonglong = SEED_B
        owners: cython.ulonglong = 0
        marked: cython.uint = self.kernel.marked
        count: cython.int
        seeds: cython.int
        pits: cython.int
        rest: cython.int = 0
        sure: cython.int = 0
        rows: cython.int = 0
        mobility: cython.int = 0
        sign: cython.int = 1
        for side in range(2):
            base = row if (side == 0) == (mover == 1) else 0
            seeds = pits = 0
            for i in range(base, base + row):
                seeds += self.kernel.pits[i]
                pits += self.kernel.pits[i] > 0
            if self.packs:
                for i in range(base, base + row):
                    word = (word << (self.kernel.pits[i] + 1)) | one
            else:
                word = 0
                for i in range(row):
                    word = (word << 16) | self.kernel.pits[base + i]
                    if i & 3 == 3 or i == row - 1:
                        h = (h ^ word) * MIX_A
                        g = (g + word) * MIX_B
                        if not cython.compiled:
                            h &= MASK
                            g &= MASK
                        h ^= h >> 31
                        g ^= g >> 29
                        word = 0
            if marked:
                for i in range(row):
                    if not (marked >> (base + i)) & 1:
                        continue
                    count = self.kernel.pits[base + i]
                    seeds -= count
                    pits -= count > 0
                    if not (self.kernel.closed >> (base + i)) & 1:
                        if ((self.kernel.norths >> (base + i)) & 1) == (mover == 1):
                            owners |= one << (2 * (side * row + i))
                            sure += count
                        else:
                            owners |= one << (2 * (side * row + i) + 1)
                            sure -= count
            rest += seeds
            rows += sign * seeds
            mobility += sign * pits
            sign = -1
        if self.packs:
            if self.kernel.has_specials:
                word = (word << (4 * row)) | owners
            h = g = word
        else:
            word = 0
            if self.first_turns:
                word = min(self.kernel.ply, 4) + 1
            if self.one_side:
                word |= (mover + 1) << 4
            if self.kernel.win_at:
                word |= self.kernel.stores[mover] << 8
            h = (h ^ owners) * MIX_A
            g = (g + owners) * MIX_B
            if not cython.compiled:
                h &= MASK
                g &= MASK
            h ^= h >> 30
            g ^= g >> 33
            h = (h ^ word) * MIX_A
            g = (g + word) * MIX_B
            if not cython.compiled:
                h &= MASK
                g &= MASK
            g ^= g >> 28
        # Each of these steps can be undone: different words stay different.
        h ^= h >> 33
        h *= MIX_C
        if not cython.compiled:
            h &= MASK
        h ^= h >> 33
        h *= MIX_D
        if not cython.compiled:
            h &= MASK
        h ^= h >> 33
        self.made_key = h
        self.made_check = g
        self.made_rest = rest
        self.made_sure = sure
        self.made_rows = rows
        self.made_mobility = mobility

    def _enter(self, c: cython.int) -> cython.void:
        """Make a position on the stack the kernel's."""
        i: cython.int
        for i in range(16):
            self.kernel.pits[i] = self.boards[32 * c + i]
        if self.kernel.size > 16:
            for i in range(16, 32):
                self.kernel.pits[i] = self.boards[32 * c + i]
        self.kernel.marked = self.marks[2 * c]
        self.kernel.norths = self.marks[2 * c + 1]
        self.kernel.stores[0] = self.stores[2 * c]
        self.kernel.stores[1] = self.stores[2 * c + 1]
        self.kernel.mover = self.movers[c]

    def _ended(self, c: cython.int) -> cython.int:
        """The value if the game ends in position `c`."""
        return UNIT * (self.sures[c] + (self.rows[c] if self.row_owner else 0))

    def _estimate(self, c: cython.int) -> cython.int:
        """An estimate of the value of position `c`."""
        i: cython.int
        specials: cython.int = 0
        value: cython.int
        marks: cython.uint = self.marks[2 * c] & ~self.kernel.closed
        norths: cython.uint = self.marks[2 * c + 1]
        while marks:
            specials += 1 if norths & marks & (~marks + 1) else -1
            marks &= marks - 1
        if self.movers[c] == 0:
            specials = -specials
        value = (
            self.weight_row * self.rows[c]
            + self.weight_mobility * self.mobilities[c]
            + self.weight_special * specials
            + self.weight_tempo
        )
        i = UNIT * self.rests[c]
        value = -i if value < -i else i if value > i else value
        return UNIT * self.sures[c] + value
