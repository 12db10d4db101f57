"""The search for the best turn: principal variation search over the turns that `records.kernel.sowing` sows.

`records.analysis` deepens it step by step, in threads: the search needs no Python objects and runs without the GIL.
The parts are in `records.kernel.search`, each built on the one before: table, positions, children, bounds, tree. Like
the sowing, they are plain Python that setup.py joins to one class and Cython compiles.

A *value* is the final difference of seeds for the side to move, less the difference of the stores now, in units of
1/16 seed: so it holds whatever the stores are. *Flags* say what a value rests on besides the rules: an estimate at the
horizon, a repetition, or turns that were left out because there are too many. A value without flags is exact, and the
depth to which it was searched no longer matters.
"""

from __future__ import annotations

from collections.abc import Iterable

from ._cython import cython

if not cython.compiled:
    from .search.codes import *
    from .search.table import TranspositionTable
    from .search.tree import SearchTree

__all__ = ["Searcher", "TranspositionTable"]
COMPILED = cython.compiled


class Searcher(SearchTree):
    """One thread's search under one set of rules: `set_root`, then `search` again and again.

    `row_owner`: whether the seeds in ordinary pits count for the owner of their row at the end. `repetition`: how often
    a position must occur to end the game. `weights` of the estimate, in 1/16 seed: for a seed in the own row, for a pit
    to start from, for a special pit, for the turn. `tables`: the endgame tables of these rules.
    """

    def set_root(self, position: Iterable, earlier: list) -> list:
        """Take the position to search, and those before it, as the fields of `Position`.

        Returns its legal turns as (start, choices as bits, their number), with the start `START_PASS` for a pass; none
        if the game is over.
        """
        c: cython.int
        at: cython.int
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
            and not any(mark == 3 for mark in marks)
        )
        self.one_side = unsown != 0 or any(mark == 3 for mark in marks)
        for old in earlier[-MAX_EARLIER:]:
            k.load(*old)
            self._identify(k.mover)
            at = self.earlier
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
        i: cython.int
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
