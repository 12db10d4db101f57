"""The tree: principal variation search, and the order in which it tries turns."""

from __future__ import annotations

from records.kernel._cython import cython

if not cython.compiled:
    from records.kernel.tables.codes import *
    from records.kernel.turn.codes import *

    from .bounds import StoredBounds
    from .codes import *


class SearchTree(StoredBounds):
    """Searches positions, the root's turns first."""

    def _search(
        self, alpha: cython.int, beta: cython.int, depth: cython.int, ply: cython.int, c: cython.int
    ) -> cython.int:
        """The value of position `c`, which the kernel holds: exact within the window, else a bound. Sets `flags`."""
        n: cython.int
        i: cython.int
        best: cython.int = -INFINITE
        best_child: cython.int = -1
        flags: cython.int
        value: cython.int
        bound: cython.int
        count: cython.int
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
                value = UNIT * ((n >> BOUND_BITS) - OFFSET)
                bound = UNIT * ((n & ((1 << BOUND_BITS) - 1)) - OFFSET)
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
            if (self.kernel.ends_with_row and rest == self.rows[c]) or (
                self.kernel.win_at
                and (self.kernel.stores[0] >= self.kernel.win_at or self.kernel.stores[1] >= self.kernel.win_at)
            ):
                return self._ended(c)
            self.flags = HORIZON
            if self.prover:
                return UNIT * (sure - rest if self.prover - 1 == self.movers[c] else sure + rest)
            return self._estimate(c)
        count = self._generate()
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
        n: cython.int
        i: cython.int
        j: cython.int
        best: cython.int = -INFINITE
        flags: cython.int = self.root_flags
        value: cython.int
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
            i = self.order[n]
            if self.again[i] & 2:
                whole = False
                continue
            if first:
                value = self._child(alpha, beta, depth, 0, i)
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
        value: cython.int
        self._enter(c)
        self.kernel.ply += 1
        if self.again[c] & 1:
            value = gain + self._search(alpha - gain, beta - gain, depth, ply + 1, c)
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
        i: cython.int
        rank: cython.int
        for i in range(base, base + count):
            if self.ranks[i] == SETTLED:
                continue
            rank = 100 * 4096 if self.again[i] else 4096 * self.gains[i] - 2048 * self.sures[i]
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
        i: cython.int
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
        i: cython.int
        start: cython.int = self.starts[c]
        if self.killers[2 * ply] != start:
            self.killers[2 * ply + 1] = self.killers[2 * ply]
            self.killers[2 * ply] = start
        self.history[start & 31] += depth
        if self.history[start & 31] > 2000:
            for i in range(32):
                self.history[i] //= 2
