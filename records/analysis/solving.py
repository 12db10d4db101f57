"""Proofs of a position's value: bounds that null windows narrow."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from records.kernel.searcher import DEEPEST, FLAG_HORIZON, FLAG_LEFT_OUT, UNITS, TranspositionTable
from records.play import Rules
from records.position import Position, Side

from .results import Limits, Solution
from .tables import Tables
from .workers import RawMove, aspirate, count_nodes, left_out, new_searcher, played, watch

DEFAULT_MEMORY = 512  # MiB
STEP = 8  # turns that each round searches deeper
ACYCLIC = ("kalah",)  # families in which no position comes up again: seeds that go round feed a store
MORE = 4  # times the positions searched so far, to find proofs that avoid repetitions


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
    :raises ValueError: `threads` or `memory` is below 1.
    """
    if min(threads, memory) < 1:
        raise ValueError(f"threads={threads}, memory={memory}: expected 1 or more of each")
    rules.verify_position(position)
    table = TranspositionTable(memory)
    endgame = tables.set_for(rules, any_repetition=True) if tables else None
    searchers = [new_searcher(rules, table, None, endgame) for _ in range(threads)]
    for searcher in searchers:
        turns = searcher.set_root(position, [])
    ahead, _, ended = searchers[0].standing()
    began = clock()

    def solution(found: Proof) -> Solution:
        nodes = count_nodes(searchers)
        moves = played(rules, position, [found.turn] if found.turn else [])
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
        return solution(Proof(ended // UNITS, ended // UNITS, None, 0))
    low, high = searchers[0].bounds()
    most = limits.nodes if limits is not None and limits.nodes is not None and threads == 1 else 0
    searchers[0].limit(most)
    deepest = min(limits.depth, DEEPEST) if limits is not None and limits.depth else DEEPEST
    step = 2 if rules.info.remaining_seeds == "row-owner" else 1
    proof = Proof(low, high, turns[0], 0)
    prover = Prover(searchers[0], position.to_move, proof, turns, step)
    # Where positions cannot repeat, a proof needs no shallower search than one that shows what to ask first.
    whole = [1, min(1 + STEP, deepest), deepest] if rules.info.family in ACYCLIC else []
    depths = whole or range(1, deepest + 1, STEP)
    helpers = [_helping(searcher, number) for number, searcher in enumerate(searchers[1:], 1)]
    for proof in watch(searchers, [lambda report: prover.run(depths, most, report), *helpers], limits, stop, clock):
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
    """Narrows the bounds of a value. Each test asks whether the mover gets at least so many seeds.

    First repetitions count against the mover; once nothing lies beyond the horizon then, they count against the other
    side, as far as that still matters.
    """

    def __init__(self, searcher: Any, mover: Side, proof: Proof, turns: Sequence[RawMove], step: int) -> None:
        self._searcher = searcher
        self._provers = (mover, mover.other)
        self._proof = proof
        self._turns = turns
        self._step = step
        self._guess = searcher.standing()[1] // UNITS

    def run(self, depths: Sequence[int], most: int, report: Callable[[Proof], None]) -> None:
        """Search deeper and deeper, until the bounds meet or nothing lies beyond the horizon; `most`: positions to
        search, 0 for any number.

        What the table has of positions that repeat depends on how they were reached. Where that keeps the bounds apart,
        search these again.
        """
        self._deepen(depths, report)
        if self._proof.lower < self._proof.upper and not self._searcher.was_stopped():
            enough = MORE * self._searcher.searched() + 10_000
            self._searcher.limit(min(most, enough) if most else enough)
            self._searcher.distrust(True)
            self._deepen(depths, report)

    def _deepen(self, depths: Sequence[int], report: Callable[[Proof], None]) -> None:
        role = 0
        for depth in depths:
            while role < len(self._provers):
                seen = self._narrow(depth, role, report)
                if self._searcher.was_stopped():
                    return
                if self._proof.lower == self._proof.upper:
                    role = len(self._provers)
                elif seen & FLAG_HORIZON:
                    break
                else:
                    role += 1
            self._proof = self._proof._replace(depth=depth)
            report(self._proof)
            if role == len(self._provers):
                return

    def _narrow(self, depth: int, role: int, report: Callable[[Proof], None]) -> int:
        """Find the value to this depth by tests; returns the flags of all."""
        self._searcher.prove_for(self._provers[role])
        low, high = self._proof.lower, self._proof.upper
        guess = low + (self._guess - low) // self._step * self._step
        seen = 0
        while low < high:
            wanted = min(max(guess, low + self._step), high)
            value, flags, best = self._searcher.search(depth, UNITS * wanted - 1, UNITS * wanted)
            if self._searcher.was_stopped():
                return seen
            seen |= flags
            before = self._proof
            # What needs no repetition is proven; so is what holds although repetitions count against it.
            unproven = flags & (FLAG_HORIZON | FLAG_LEFT_OUT)
            if value >= UNITS * wanted:
                low = guess = wanted
                turn = self._turns[best]
                if unproven == 0 and (role == 0 or flags == 0):
                    low = max(low, value // UNITS)
                    self._proof = before._replace(lower=low, turn=turn)
                elif before.lower < low:
                    self._proof = before._replace(turn=turn)
            else:
                high = guess = wanted - self._step
                if unproven == 0 and (role == 1 or flags == 0):
                    high = min(high, -(-value // UNITS))
                    self._proof = before._replace(upper=high)
            if (before.lower, before.upper) != (self._proof.lower, self._proof.upper):
                report(self._proof)
        self._guess = low
        return seen


def _helping(searcher: Any, number: int) -> Callable[[Callable[[Proof], None]], None]:
    """A job for `watch` that fills the table with what the prover may need next."""

    def run(report: Callable[[Proof], None]) -> None:
        guess = searcher.standing()[1]
        for depth in range(number, DEEPEST, STEP):
            guess, flags, _ = aspirate(searcher, depth, guess)
            if searcher.was_stopped() or not flags & FLAG_HORIZON:
                return

    return run
