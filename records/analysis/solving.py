"""Proofs of a position's value: bounds that null windows narrow."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inkeek.records.kernel.codes import DEEPEST, HORIZON, LEFT_OUT, UNIT
from inkeek.records.position import Position, Side
from inkeek.records.rules.play import Rules

from .search import (
    Limits,
    RawMove,
    Solution,
    aspirate,
    count_nodes,
    left_out,
    name_moves,
    new_searcher,
    transposition_table,
    watch,
)
from .tables import Tables

DEFAULT_MEMORY = 512  # MiB
DEPTH_STEP = 4  # turns that each round searches deeper
FIRST_DEPTH = 9  # turns of a search that shows what to ask a whole one first
NOBODY = -1  # a search that proves nothing
NODES_FACTOR = 4  # times the positions searched so far, to find proofs that avoid repetitions


def solve(
    rules: Rules,
    position: Position,
    *,
    limits: Limits | None = None,
    threads: int = 1,
    memory: int = DEFAULT_MEMORY,
    tables: Tables | None = None,
    stop: threading.Event | None = None,
    on_progress: Callable[[Solution], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Solution:
    """Prove the value of a position, or the best bounds of it within the limits.

    A repetition counts as a loss of all that is left for the side that a proof is for: bounds hold under any rule of
    repetition. Where they do not meet although no limit was reached, the value depends on that rule (or the search did
    not find the proof that avoids the repetition). `memory`: MiB for the transposition table. `tables`: endgame tables;
    the proof uses them where their values hold under any rule of repetition. `on_progress`: called after each depth and
    whenever a bound moves.
    :raises PositionError: the position is not of this game.
    :raises ValueError: `threads` or `memory` is below 1, or the system does not give as much memory.
    """
    if min(threads, memory) < 1:
        raise ValueError(f"threads={threads}, memory={memory}: expected 1 or more of each")
    began = clock()
    rules.verify_position(position)
    table = transposition_table(memory)
    endgame = tables.set_for(rules, any_repetition=True) if tables else None
    searchers = [new_searcher(rules, table, None, endgame) for _ in range(threads)]
    for searcher in searchers:
        turns = searcher.set_root(position, [])
    ahead, _, ended = searchers[0].standing()

    def solution(found: Proof) -> Solution:
        nodes = count_nodes(searchers)
        moves = name_moves(rules, position, [found.turn] if found.turn else [])
        # A look into the table compares the 64-bit checks of a few entries.
        looks = sum(searcher.looks() for searcher in searchers)
        collisions = 0.0 if searchers[0].is_packed() and threads == 1 else looks / 2**64
        return Solution(
            found.lower + ahead,
            found.upper + ahead,
            moves[0] if moves else None,
            found.depth,
            nodes,
            clock() - began,
            table.entries(),
            collisions,
            left_out(rules, position),
        )

    if not turns:
        return solution(Proof(ended // UNIT, ended // UNIT, None, 0))
    low, high = searchers[0].bounds()
    most = limits.nodes if limits is not None and limits.nodes is not None and threads == 1 else 0
    searchers[0].limit(most)
    deepest = min(limits.depth, DEEPEST) if limits is not None and limits.depth else DEEPEST
    step = 1 if rules.info.remaining_seeds == "nobody" else 2
    proof = Proof(low, high, turns[0], 0)
    whole = not rules.family.repeats
    prover = Prover(searchers[0], position.to_move, proof, turns, step, whole)
    depths = [1, min(FIRST_DEPTH, deepest), deepest] if whole else range(1, deepest + 1, DEPTH_STEP)
    helpers = [_helping(searcher, number) for number, searcher in enumerate(searchers[1:], 1)]
    jobs = [lambda report: prover.run(depths, most, report), *helpers]
    for proof in watch(searchers, jobs, limits, stop, clock, began):
        if on_progress is not None:
            on_progress(solution(proof))
    return solution(proof)


class Proof(NamedTuple):
    """What is proven so far, in seeds relative to the stores, and the best turn known."""

    lower: int
    upper: int
    turn: RawMove | None
    depth: int


class Prover:
    """Narrows the bounds of a value by tests. Each test asks whether the mover gets at least a given number of seeds.

    What lies beyond the horizon is lost for the side that a proof is for, and so is all that is left at a repetition.
    So a deeper search proves more, and the bounds come in from outside. Where positions cannot repeat, one search
    without a horizon is better: tests around its value, which shallow searches estimate (`whole`).
    """

    def __init__(
        self, searcher: Any, mover: Side, proof: Proof, turns: Sequence[RawMove], step: int, whole: bool
    ) -> None:
        self._searcher = searcher
        self._provers = (mover, mover.other)
        self._proof = proof
        self._turns = turns
        self._step = step
        self._whole = whole
        self._guess = searcher.standing()[1] // UNIT

    def run(self, depths: Sequence[int], most: int, report: Callable[[Proof], None]) -> None:
        """Search deeper and deeper, until the bounds meet or nothing lies beyond the horizon; `most`: positions to
        search, 0 for any number.

        What the table has of positions that repeat depends on how they were reached. Where that keeps the bounds apart,
        search these again.
        """
        self._deepen(depths, report)
        if self._proof.lower < self._proof.upper and not self._searcher.was_stopped():
            enough = NODES_FACTOR * self._searcher.searched() + 10_000
            self._searcher.limit(min(most, enough) if most else enough)
            self._searcher.distrust(True)
            self._deepen(depths, report)

    def _deepen(self, depths: Sequence[int], report: Callable[[Proof], None]) -> None:
        roles = [0] if self._whole else [0, 1]
        for depth in depths:
            for role in tuple(roles):
                narrow = self._surround if self._whole else self._advance
                seen = narrow(depth, role, report)
                if self._searcher.was_stopped():
                    return
                if not seen & HORIZON:
                    roles.remove(role)
            self._proof = self._proof._replace(depth=depth)
            report(self._proof)
            if not roles or self._proof.lower == self._proof.upper:
                return

    def _advance(self, depth: int, role: int, report: Callable[[Proof], None]) -> int:
        """Move the bound that this side proves as far as searches to this depth do; the flags of what it cannot."""
        self._searcher.prove_for(self._provers[role])
        jump, seen = self._step, 0
        while self._proof.lower < self._proof.upper:
            before = self._proof
            if role == 0:
                wanted = min(before.lower + jump, before.upper)
            else:
                wanted = max(before.upper - jump, before.lower) + self._step
            _, seen = self._test(depth, role, wanted, report)
            if self._searcher.was_stopped():
                return seen
            if (before.lower, before.upper) != (self._proof.lower, self._proof.upper):
                jump *= 2
            elif jump > self._step:
                jump = max(self._step, jump // 4 // self._step * self._step)
            else:
                return seen
        return 0

    def _surround(self, depth: int, role: int, report: Callable[[Proof], None]) -> int:
        """Find the value to this depth, from the one that is expected; returns the flags of all tests."""
        self._searcher.prove_for(NOBODY)
        low, high = self._proof.lower, self._proof.upper
        wanted = low + (self._guess - low) // self._step * self._step
        seen = 0
        while low < high:
            wanted = min(max(wanted, low + self._step), high)
            reached, flags = self._test(depth, role, wanted, report)
            if self._searcher.was_stopped():
                return seen
            seen |= flags
            if reached:
                low = max(wanted, self._proof.lower)
                wanted = low
            else:
                wanted -= self._step
                high = min(wanted, self._proof.upper)
        self._guess = low
        return seen

    def _test(self, depth: int, role: int, wanted: int, report: Callable[[Proof], None]) -> tuple[bool, int]:
        """Whether the mover gets as much, and what that rests on besides the rules (flags)."""
        value, flags, best = self._searcher.search(depth, UNIT * wanted - 1, UNIT * wanted)
        reached = value >= UNIT * wanted
        if self._searcher.was_stopped():
            return reached, flags
        before = self._proof
        # What needs no repetition is proven; so is what holds although repetitions count against it.
        proven = flags & (HORIZON | LEFT_OUT) == 0 and (flags == 0 or reached == (role == 0))
        if reached:
            turn = self._turns[best]
            if proven:
                self._proof = before._replace(lower=max(wanted, value // UNIT), turn=turn)
            elif self._whole:
                self._proof = before._replace(turn=turn)
        elif proven:
            self._proof = before._replace(upper=min(wanted - self._step, -(-value // UNIT)))
        if (before.lower, before.upper) != (self._proof.lower, self._proof.upper):
            report(self._proof)
        return reached, flags


def _helping(searcher: Any, number: int) -> Callable[[Callable[[Proof], None]], None]:
    """A job for `watch` that fills the table with what the prover may need next."""

    def run(report: Callable[[Proof], None]) -> None:
        guess = searcher.standing()[1]
        for depth in range(number, DEEPEST, DEPTH_STEP):
            guess, flags, _ = aspirate(searcher, depth, guess)
            if searcher.was_stopped() or not flags & HORIZON:
                return

    return run
