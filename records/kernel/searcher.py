"""The search for the best turn: principal variation search over the turns that `inkeek.records.kernel.sowing` sows.

`records.analysis` deepens it step by step, in threads: the search needs no Python objects and runs without the GIL.

A *value* is the final difference of seeds for the side to move, less the difference of the stores now, in units of
1/16 seed: so it holds whatever the stores are. *Flags* say what a value rests on besides the rules: an estimate at the
horizon, a repetition, or turns that were left out because there are too many. A value without flags is exact, and the
depth to which it was searched no longer matters.
"""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Iterable

from inkeek.records.rules.table import Family

try:
    import cython
except ImportError:
    from . import _no_cython as cython

if not cython.compiled:
    from .codes import *
    from .endgame import TableSet
    from .sowing import Kernel, first_bit


def mapped(size: int) -> mmap.mmap:
    """So many bytes, all 0, which the system makes as they are used."""
    if hasattr(mmap, "MAP_PRIVATE"):  # shared memory never has huge pages, and takes long to make and to free
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return mmap.mmap(-1, size)


class Memory:
    """The memory of a searcher in one piece, all 0. The system makes it as it is used: a short search uses little."""

    def __init__(self) -> None:
        self._bytes = memoryview(mapped(SEARCHER_BYTES))
        self._used = 0

    def numbers(self, code: str, count: int) -> memoryview:
        """So many numbers of this type of `array`."""
        begin = self._used
        end = begin + array(code).itemsize * count
        if end > SEARCHER_BYTES:
            raise MemoryError(f"a searcher needs more than {SEARCHER_BYTES} bytes")
        self._used = -(-end // 64) * 64
        return self._bytes[begin:end].cast(code)  # type: ignore[call-overload, no-any-return]


class TranspositionTable:
    """Values of positions that several searches share: `mebibytes` of memory at most, but one line at least.

    An entry is two numbers: its data, and the position's check XOR the data, so that what two threads write at once
    matches no position. Four entries stand together in one line of the cache; the one that took the least work makes
    room.

    The data: a lower and an upper bound, each with its flags; the depth, for bounds with the flag `HORIZON`; for whom
    was proven, for bounds with the flag `HORIZON` or `REPETITION`; the work it took; the age, for bounds with the flag
    `HORIZON`: a proof uses only those of the same age; and a part of the key of the best child.
    """

    def __init__(self, mebibytes: cython.double) -> None:
        lines: cython.longlong = 1
        while lines * 2 * 64 <= mebibytes * (1 << 20):
            lines *= 2
        memory = mapped(lines * 64)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            memory.madvise(mmap.MADV_HUGEPAGE)
        self.memory = memory
        self.cells = memoryview(memory).cast("Q")
        self.mask = lines - 1

    def clear(self) -> None:
        """Forget everything. Afterwards the system has made all of the memory: no search waits for it."""
        i: cython.longlong
        for i in range(2 * self.entries()):
            self.cells[i] = 0

    def entries(self) -> int:
        """How many entries there is room for."""
        return (self.mask + 1) * SLOTS

    def used(self, sample: cython.int = 1000) -> float:
        """The part of the table that is filled, by its first lines."""
        filled: cython.int = 0
        lines: cython.int = min(sample, self.entries() // SLOTS)
        for line in range(lines):
            for slot in range(SLOTS):
                filled += self.cells[line * 2 * SLOTS + 2 * slot + 1] != 0
        return cython.cast(cython.double, filled) / (lines * SLOTS)

    def fetch(self, key: cython.ulonglong) -> None:
        """Let the processor fetch a line that will be looked up soon."""
        if cython.compiled:
            prefetch(cython.address(self.cells[(key & self.mask) * (2 * SLOTS)]))  # type: ignore[name-defined]

    def look_up(self, key: cython.ulonglong, check: cython.ulonglong) -> cython.ulonglong:
        """The entry's data; 0 if there is none."""
        at = (key & self.mask) * (2 * SLOTS)
        for slot in range(SLOTS):
            data = self.cells[at + 2 * slot + 1]
            if self.cells[at + 2 * slot] ^ data == check and data != 0:
                return data
        return 0

    def store(self, key: cython.ulonglong, check: cython.ulonglong, data: cython.ulonglong) -> None:
        """Store an entry."""
        least: cython.int = 64
        at = (key & self.mask) * (2 * SLOTS)
        place = at
        for slot in range(SLOTS):
            old = self.cells[at + 2 * slot + 1]
            if old == 0 or self.cells[at + 2 * slot] ^ old == check:
                place = at + 2 * slot
                break
            worth: cython.int = (old >> WORK_AT) & MOST_WORK
            if worth < least:
                least = worth
                place = at + 2 * slot
        self.cells[place] = check ^ data
        self.cells[place + 1] = data


class Searcher:
    """One thread's search under one set of rules: `set_root`, then `search` again and again.

    `rest`: to whom the seeds in ordinary pits go at the end, as `RuleSet.remaining_seeds` says. `repetition`: how often
    a position must occur to end the game. `weights` of the estimate, in 1/16 seed: for a seed in the own row, for a pit
    to start from, for a special pit, for the turn. `tables`: the endgame tables of these rules.
    """

    def __init__(
        self,
        family: Family,
        options: dict,
        seeds: cython.int,
        rest: str,
        weights: tuple,
        table: TranspositionTable,
        tables: TableSet | None = None,
    ) -> None:
        self.kernel = Kernel(family, options, seeds)
        self.table = table
        self.endgame = tables
        self.has_endgame = tables is not None
        self.endgame_below = 0
        self.row_owner = rest == "row-owner"
        self.to_opponent = rest == "opponent"
        self.cycles = family.repeats
        self.first_turns = self.kernel.right_end_first or self.kernel.no_first_specials or self.kernel.skip_second
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
        row: cython.int = self.kernel.row
        one: cython.ulonglong = 1
        word: cython.ulonglong = 1
        h: cython.ulonglong = SEED_A
        g: cython.ulonglong = SEED_B
        owners: cython.ulonglong = 0
        marked: cython.uint = self.kernel.marked
        seeds: cython.int
        pits: cython.int
        rest = sure = rows = mobility = 0
        sign: cython.int = 1
        for side in range(2):
            base: cython.int = row if (side == 0) == (mover == 1) else 0
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
                        h = (h ^ word) * MIX_A & MASK
                        g = (g + word) * MIX_B & MASK
                        h ^= h >> 31
                        g ^= g >> 29
                        word = 0
            if marked:
                for i in range(row):
                    if not (marked >> (base + i)) & 1:
                        continue
                    count: cython.int = self.kernel.pits[base + i]
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
            h = (h ^ owners) * MIX_A & MASK
            g = (g + owners) * MIX_B & MASK
            h ^= h >> 30
            g ^= g >> 33
            h = (h ^ word) * MIX_A & MASK
            g = (g + word) * MIX_B & MASK
            g ^= g >> 28
        # Each of these steps can be undone: different words stay different.
        h ^= h >> 33
        h = h * MIX_C & MASK
        h ^= h >> 33
        h = h * MIX_D & MASK
        h ^= h >> 33
        self.made_key = h
        self.made_check = g
        self.made_rest = rest
        self.made_sure = sure
        self.made_rows = rows
        self.made_mobility = mobility

    def _enter(self, c: cython.int) -> cython.void:
        """Make a position on the stack the kernel's."""
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
        if self.to_opponent:
            return UNIT * (self.sures[c] - self.rests[c])
        return UNIT * (self.sures[c] + (self.rows[c] if self.row_owner else 0))

    def _estimate(self, c: cython.int) -> cython.int:
        """An estimate of the value of position `c`."""
        specials: cython.int = 0
        marks: cython.uint = self.marks[2 * c] & ~self.kernel.closed
        norths: cython.uint = self.marks[2 * c + 1]
        while marks:
            specials += 1 if norths & marks & (~marks + 1) else -1
            marks &= marks - 1
        if self.movers[c] == 0:
            specials = -specials
        value: cython.int = (
            self.weight_row * self.rows[c]
            + self.weight_mobility * self.mobilities[c]
            + self.weight_special * specials
            + self.weight_tempo
        )
        i: cython.int = UNIT * self.rests[c]
        value = -i if value < -i else i if value > i else value
        return UNIT * self.sures[c] + value

    # Searches, for callers

    def set_root(self, position: Iterable, earlier: list) -> list:
        """Take the position to search, and those before it, as the fields of `Position`.

        Returns its legal turns as (start, choices as bits, their number), with the start `START_PASS` for a pass; none
        if the game is over.
        """
        k = self.kernel
        self.earlier = 0
        self.packs = False
        pits, marks, _, _, ply, unsown = position
        # With every bit of a position in one number, no two are taken for each other.
        specials = 4 * k.row if k.has_specials else 0
        self.packs = (
            sum(pits) + 2 * k.row + 1 + specials <= 64
            and not (self.first_turns and (ply < 2 or unsown))
            and not k.win_at
            and not any(mark == CLOSED for mark in marks)
        )
        self.one_side = unsown != 0 or any(mark == CLOSED for mark in marks)
        for old in earlier[-MAX_EARLIER:]:
            k.load(*old)
            self._identify(k.mover)
            at: cython.int = self.earlier
            self.path_keys[at], self.path_checks[at] = self.made_key, self.made_check
            self.path_rests[at] = 2 * self.made_rest + k.mover
            self.earlier += 1
        k.load(*position)
        for c in range(64):
            self.history[c] = 0
        for c in range(2 * MAX_PLY):
            self.killers[c] = -1
        self.halted = self.stopped = False
        self.nodes = self.probes = 0
        self.top = 0
        k.again = False
        k.taken = k.recording = 0
        k.points = k.given_count = 0
        # `_keep` takes the position after a turn of the side before.
        self.root_ply = k.ply
        k.mover = 1 - k.mover
        k.ply -= 1
        k._push()
        self._keep(PASSED, 0)
        k.level = 0
        self._enter(0)
        k.ply = self.root_ply
        self.flags = 0
        self.root_count = 0
        if self.rests[0] > 0:
            self.root_count = self._generate()
            if self.root_count == 0 and k.may_pass:
                self.root_count = self._generate_pass()
        self.root_flags = self.flags
        # Tables know no game before: where a position of this stretch came up in it, a repetition can come sooner.
        self.endgame_below = self.rests[0] + 1
        for c in range(self.earlier):
            if self.path_rests[c] >> 1 == self.rests[0]:
                self.endgame_below = self.rests[0]
        for c in range(self.root_count):
            self.order[c] = c + 1
        return [(self.starts[c], self.bits[c], self.counts[c]) for c in range(1, 1 + self.root_count)]

    def limit(self, nodes: cython.longlong) -> None:
        """Stop after so many positions, counted from `set_root`; 0: never."""
        self.node_limit = nodes

    def prove_for(self, prover: cython.int) -> None:
        """Count repetitions and what lies beyond the horizon as a loss of all that is left for side `prover` (0, 1):
        what it still reaches is proven. -1: repetitions end the game, and the search estimates what lies beyond."""
        self.prover = prover + 1

    def distrust(self, strict: cython.bint) -> None:
        """Whether to search again what depends on the positions before, even if the table has it."""
        self.strict = strict

    def halt(self) -> None:
        """Make a search in another thread stop, in the middle of a turn if need be."""
        self.halted = True
        self.kernel.work_limit = 0

    def search(self, depth: cython.int, alpha: cython.int, beta: cython.int) -> tuple:
        """Search the root to `depth` turns, the children that `exclude` named left out.

        Returns its value within the window, what it rests on (flags), and the number of the best turn in the order of
        `set_root`. If `was_stopped`, none of it means anything.
        """
        # Where lines go round, one of them is always long enough to meet an estimate of the search before: a proof to
        # another depth makes its own.
        if self.prover and depth != self.age_depth:
            self.age = (self.age + 1) % AGES
        self.age_depth = depth
        with cython.nogil:
            value: cython.int = self._root(alpha, beta, depth)
        return value, self.flags, self.root_best - 1

    def exclude(self, numbers: list) -> None:
        """Leave these turns of the root out of the next searches."""
        c: cython.int
        for c in range(1, 1 + self.root_count):
            self.again[c] &= 1
        for c in numbers:
            self.again[c + 1] |= 2

    def line(self) -> list:
        """The best line of the last search, as (start, choices as bits, their number)."""
        return [(self.line_starts[i], self.line_bits[i], self.line_counts[i]) for i in range(self.line_lengths[0])]

    def was_stopped(self) -> bool:
        """Whether the last search stopped before its end."""
        return self.stopped

    def searched(self) -> int:
        """Positions searched since `set_root`."""
        return self.nodes

    def looks(self) -> int:
        """Entries of the table that were compared since `set_root`."""
        return self.probes * SLOTS

    def is_packed(self) -> bool:
        """Whether the table holds whole positions, so that none is taken for another one (by one thread)."""
        return self.packs

    def bounds(self) -> tuple:
        """The least and the most that the root can be worth to the side to move, in seeds relative to the stores."""
        return self.sures[0] - self.rests[0], self.sures[0] + self.rests[0]

    def standing(self) -> tuple:
        """Of the root: the difference of the stores for the side to move, in seeds; the static estimate and the value
        if the game ended here, relative to it, in units."""
        mover: cython.int = self.movers[0]
        self._enter(0)
        return self.stores[mover] - self.stores[1 - mover], self._estimate(0), self._ended(0)

    # The tree

    def _search(
        self, alpha: cython.int, beta: cython.int, depth: cython.int, ply: cython.int, c: cython.int
    ) -> cython.int:
        """The value of position `c`, which the kernel holds: exact within the window, else a bound. Sets `flags`."""
        n: cython.int
        i: cython.int
        best: cython.int = -INFINITE
        best_child: cython.int = -1
        flags: cython.int
        lowest: cython.int = alpha
        base: cython.int = self.top
        at: cython.int = self.earlier + ply
        rest: cython.int = self.rests[c]
        sure: cython.int = self.sures[c]
        began: cython.longlong = self.nodes
        move: cython.ulonglong = 0
        self.line_lengths[ply] = 0
        self.flags = 0
        if self.halted or (self.node_limit > 0 and self.nodes >= self.node_limit):
            self.stopped = True
            return 0
        self.nodes += 1
        # Whoever gets all that is left.
        if UNIT * (sure - rest) >= beta:
            return UNIT * (sure - rest)
        if UNIT * (sure + rest) <= alpha:
            return UNIT * (sure + rest)
        if rest + self.rows[c] == 0 and not (self.kernel.may_pass and rest > 0):
            return self._ended(c)
        if self.has_endgame and rest < self.endgame_below:
            n = self.endgame.probe_bounds(self.kernel)  # type: ignore[union-attr]
            if n != NOT_IN_TABLE:
                value: cython.int = UNIT * ((n >> BOUND_BITS) - OFFSET)
                bound: cython.int = UNIT * ((n & BOUND_MASK) - OFFSET)
                if value == bound or value >= beta:
                    return value
                if bound <= alpha:
                    return bound
        self.path_keys[at] = self.keys[c]
        self.path_checks[at] = self.checks[c]
        self.path_rests[at] = 2 * rest + self.movers[c]
        if self.cycles and self._repeats(c, at):
            self.flags = REPETITION
            if self.prover:
                return UNIT * (sure - rest if self.prover - 1 == self.movers[c] else sure + rest)
            return self._ended(c)
        self.probes += 1
        data: cython.ulonglong = self.table.look_up(self.keys[c], self.checks[c])
        if data:
            move = data >> MOVE_AT
            value = cython.cast(cython.int, data & 0xFFFF) - 32768
            bound = cython.cast(cython.int, (data >> UPPER_AT) & 0xFFFF) - 32768
            n = (data >> DEPTH_AT) & 255
            deep: cython.bint = n >= depth and beta - alpha == 1
            i = self._usable(c, data, (data >> LOWER_FLAGS_AT) & 7, deep)
            flags = self._usable(c, data, (data >> UPPER_FLAGS_AT) & 7, deep)
            if i >= 0 and (value >= beta or (value == bound and flags >= 0)):
                self.flags = i if value >= beta else flags if bound <= alpha else i | flags
                return value
            if flags >= 0 and bound <= alpha:
                self.flags = flags
                return bound
        if depth <= 0 or ply >= MAX_PLY:
            if (self.kernel.ends_with_row and rest == self.rows[c] and self.kernel._nothing_opposite()) or (
                self.kernel.win_at
                and (self.kernel.stores[0] >= self.kernel.win_at or self.kernel.stores[1] >= self.kernel.win_at)
            ):
                return self._ended(c)
            self.flags = HORIZON
            if self.prover:
                return UNIT * (sure - rest if self.prover - 1 == self.movers[c] else sure + rest)
            return self._estimate(c)
        count: cython.int = self._generate()
        if count == 0 and self.kernel.may_pass:
            count = self._generate_pass()
        flags = self.flags
        if self.halted:
            self.stopped = True
            self.top = base
            return 0
        if count == 0:
            return self._ended(c)
        if depth > 1 and beta - alpha == 1:
            best = self._settle(alpha, beta, depth, base, count)
            if best >= beta:
                self.top = base
                n = self.flags
                self._remember(c, best, LOWER, n, depth, -1, count)
                self.flags = n
                return best
            flags |= self.flags
        else:
            for i in range(base, base + count):
                self.ranks[i] = 0
        self._rank(ply, base, count, move)
        for n in range(count):
            i = base
            value = SETTLED
            for k in range(base, base + count):
                if self.ranks[k] > value:
                    value = self.ranks[k]
                    i = k
            if value == SETTLED:
                break
            self.ranks[i] = SETTLED
            if n == 0:
                value = self._child(alpha, beta, depth, ply, i)
            else:
                value = self._child(alpha, alpha + 1, depth, ply, i)
                if alpha < value < beta and not self.stopped and beta - alpha > 1:
                    flags |= self.flags
                    value = self._child(alpha, beta, depth, ply, i)
            if self.stopped:
                self.top = base
                return 0
            if value >= beta:
                best = value
                best_child = i
                flags = self.flags
                self._praise(ply, depth, i)
                break
            flags |= self.flags
            if value > best:
                best = value
                best_child = i
                if value > alpha:
                    alpha = value
                    self._extend_line(ply, i)
        self.top = base
        bound = LOWER if best >= beta else UPPER if best <= lowest else EXACT
        self._remember(c, best, bound, flags, depth, best_child, self.nodes - began)
        self.flags = flags
        return best

    def _root(self, alpha: cython.int, beta: cython.int, depth: cython.int) -> cython.int:
        """Search the root's turns, the best one of the last search first."""
        best: cython.int = -INFINITE
        flags: cython.int = self.root_flags
        low: cython.int = alpha
        first: cython.bint = True
        whole: cython.bint = True
        began: cython.longlong = self.nodes
        self.top = 1 + self.root_count
        self.root_best = 0
        self.line_lengths[0] = 0
        self.path_keys[self.earlier] = self.keys[0]
        self.path_checks[self.earlier] = self.checks[0]
        self.path_rests[self.earlier] = 2 * self.rests[0] + self.movers[0]
        self.kernel.ply = self.root_ply
        self.nodes += 1
        for n in range(self.root_count):
            i: cython.int = self.order[n]
            if self.again[i] & 2:
                whole = False
                continue
            if first:
                value: cython.int = self._child(alpha, beta, depth, 0, i)
            else:
                value = self._child(alpha, alpha + 1, depth, 0, i)
                if alpha < value < beta and not self.stopped and beta - alpha > 1:
                    flags |= self.flags
                    value = self._child(alpha, beta, depth, 0, i)
            if self.stopped:
                break
            first = False
            if value >= beta:
                flags = self.flags
            else:
                flags |= self.flags
            if value > best:
                best = value
                self.root_best = i
                if value > alpha:
                    alpha = value
                    self._extend_line(0, i)
                    for j in range(n, 0, -1):
                        self.order[j] = self.order[j - 1]
                    self.order[0] = i
            if value >= beta:
                break
        if not self.stopped and whole and best > -INFINITE:
            i = LOWER if best >= beta else UPPER if best <= low else EXACT
            self._remember(0, best, i, flags, depth, self.root_best, self.nodes - began)
        self.flags = flags
        return best

    def _child(
        self, alpha: cython.int, beta: cython.int, depth: cython.int, ply: cython.int, c: cython.int
    ) -> cython.int:
        """The value of the turn that leads to position `c`, for the side that plays it."""
        gain: cython.int = UNIT * self.gains[c]
        self._enter(c)
        self.kernel.ply += 1
        if self.again[c] & 1:
            value: cython.int = gain + self._search(alpha - gain, beta - gain, depth, ply + 1, c)
        else:
            value = gain - self._search(gain - beta, gain - alpha, depth - 1, ply + 1, c)
        self.kernel.ply -= 1
        return value

    # Order

    def _rank(self, ply: cython.int, base: cython.int, count: cython.int, move: cython.ulonglong) -> cython.void:
        """Give each turn its place in the order: the one of the table, moves again, those that win most, killers.

        Proofs for a side add the estimate of the position after the turn. Where laps sow the own store, proofs
        are for neither, moves again come from the right, and killers, history and the estimate only make the tree
        larger (measured).
        """
        for i in range(base, base + count):
            if self.ranks[i] == SETTLED:
                continue
            rank: cython.int = 100 * 4096 if self.again[i] else 4096 * self.gains[i] - 2048 * self.sures[i]
            if self.prover and not self.again[i]:
                rank -= 4096 // UNIT * self._estimate(i)
            rank += 64 * (self.starts[i] % self.kernel.row)
            if not self.kernel.banks:
                if self.starts[i] == self.killers[2 * ply]:
                    rank += 3000
                elif self.starts[i] == self.killers[2 * ply + 1]:
                    rank += 2500
                rank += self.history[self.starts[i] & 31]
            if move and (self.keys[i] & 255) == move:
                rank += 1 << 26
            self.ranks[i] = rank

    def _extend_line(self, ply: cython.int, c: cython.int) -> cython.void:
        """Make the turn to `c`, and the best line after it, the best line of this ply."""
        here: cython.int = ply * (MAX_PLY + 2)
        there: cython.int = here + MAX_PLY + 2
        length: cython.int = self.line_lengths[ply + 1]
        self.line_starts[here] = self.starts[c]
        self.line_counts[here] = self.counts[c]
        self.line_bits[here] = self.bits[c]
        for i in range(length):
            self.line_starts[here + i + 1] = self.line_starts[there + i]
            self.line_counts[here + i + 1] = self.line_counts[there + i]
            self.line_bits[here + i + 1] = self.line_bits[there + i]
        self.line_lengths[ply] = length + 1

    def _praise(self, ply: cython.int, depth: cython.int, c: cython.int) -> cython.void:
        """Try the turn that refuted a position early in others."""
        start: cython.int = self.starts[c]
        if self.killers[2 * ply] != start:
            self.killers[2 * ply + 1] = self.killers[2 * ply]
            self.killers[2 * ply] = start
        self.history[start & 31] += depth
        if self.history[start & 31] > 2000:
            for i in range(32):
                self.history[i] //= 2

    # The positions that turns lead to

    def _keep(self, start: cython.int, base: cython.int) -> cython.bint:
        """Put the position that a turn from `start` led to on the stack; False if there is no room for more."""
        c: cython.int = self.top
        i: cython.int
        mover: cython.int = self.kernel.mover
        next_mover: cython.int = mover if self.kernel.again else 1 - mover
        if c >= CHILDREN or c - base >= MAX_TURNS:
            self.flags |= LEFT_OUT
            return False
        self.kernel.ply += 1
        self._identify(next_mover)
        self.kernel.ply -= 1
        if self.kernel.choosing:
            for i in range(base, c):
                if self.checks[i] == self.made_check and self.keys[i] == self.made_key:
                    return True  # other choices, the same position
        self.table.fetch(self.made_key)
        for i in range(16):
            self.boards[32 * c + i] = self.kernel.pits[i]
        if self.kernel.size > 16:
            for i in range(16, 32):
                self.boards[32 * c + i] = self.kernel.pits[i]
        self.marks[2 * c] = self.kernel.marked
        self.marks[2 * c + 1] = self.kernel.norths
        self.stores[2 * c] = self.kernel.stores[0]
        self.stores[2 * c + 1] = self.kernel.stores[1]
        i = self.kernel.stores[mover] - self.kernel.stores[1 - mover]
        self.gains[c] = i - self.kernel.stack[32 + mover] + self.kernel.stack[33 - mover]
        self.movers[c] = next_mover
        self.again[c] = self.kernel.again
        self.keys[c] = self.made_key
        self.checks[c] = self.made_check
        self.rests[c] = self.made_rest
        self.sures[c] = self.made_sure
        self.rows[c] = self.made_rows
        self.mobilities[c] = self.made_mobility
        self.starts[c] = start
        self.counts[c] = min(self.kernel.points, self.kernel.given_count)
        self.bits[c] = self.kernel.taken
        self.top = c + 1
        return True

    def _generate(self) -> cython.int:
        """Put all positions that turns from the kernel's position lead to on the stack; how many."""
        base: cython.int = self.top
        starts: cython.uint = self.kernel._starts()
        self.kernel._push()
        while starts:
            i: cython.int = first_bit(starts)
            starts &= starts - 1
            if self.kernel.choosing:
                self._generate_choices(i, base)
            else:
                if self.kernel._sow(i) == ENDED:
                    self._keep(i, base)
                self.kernel._back()
        self.kernel.level = 0
        return self.top - base

    def _generate_choices(self, start: cython.int, base: cython.int) -> cython.void:
        """The same of the turns from one pit with all choices of direction."""
        left: cython.int = MAX_NODE_LAPS
        kept: cython.bint = True
        self.kernel._first_choices()
        while True:
            status: cython.int = self.kernel._play(start)
            if status == ENDED:
                kept = self._keep(start, base)
            left -= self.kernel.laps
            self.kernel._back()
            if not kept or self.halted or not self.kernel._next_choices(status):
                return
            if left <= 0:
                self.flags |= LEFT_OUT
                return

    def _generate_pass(self) -> cython.int:
        """Put the position after a pass on the stack, if the mover, who cannot move, must pass; how many."""
        base: cython.int = self.top
        self.kernel.mover = 1 - self.kernel.mover
        moves: cython.int = self._generate()
        self.top = base
        self.kernel.mover = 1 - self.kernel.mover
        if moves == 0:
            return 0
        self.kernel.again = False
        self.kernel.points = 0
        self.kernel.taken = 0
        self.kernel._push()
        self._keep(PASSED, base)
        self.kernel.level = 0
        return self.top - base

    # What the table and the path know of a position: stored bounds, and repetitions

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
        flags: cython.int
        seen: cython.int = 0
        best: cython.int = -INFINITE
        self.probes += count
        for i in range(base, base + count):
            self.ranks[i] = 0
            bound: cython.int = UNIT * (self.gains[i] + (self.sures[i] if self.again[i] else -self.sures[i]))
            value: cython.int = bound - UNIT * self.rests[i]
            if value >= beta:
                self.flags = 0
                return value
            value = bound + UNIT * self.rests[i]
            if value <= alpha:
                self.ranks[i] = SETTLED
                best = max(best, value)
                continue
            data: cython.ulonglong = self.table.look_up(self.keys[i], self.checks[i])
            if data == 0:
                continue
            known: cython.int = (data >> DEPTH_AT) & 255
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
        spent = lower_flags = upper_flags = 0
        lower: cython.int = -INFINITE
        upper: cython.int = INFINITE
        same: cython.bint
        relation: cython.int = self._relation(c)
        while work > 1:
            work >>= 1
            spent += 1
        depth = 255 if depth > 255 else depth
        value = INFINITE if value > INFINITE else -INFINITE if value < -INFINITE else value
        # A bound that is known stays if it is exact, or found to the same depth.
        data: cython.ulonglong = self.table.look_up(self.keys[c], self.checks[c])
        if data:
            i: cython.int = (data >> DEPTH_AT) & 255
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
