"""Searches: the best lines of a position, deeper and deeper until a limit, and proofs of its value."""

from __future__ import annotations

import queue
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from inkeek.records.errors import MAX_SECONDS, MAX_WHOLE, RecordsError, expect, is_number, is_whole
from inkeek.records.kernel.codes import DEEPEST, HORIZON, LEFT_OUT, PASSED, REPETITION, UNIT
from inkeek.records.kernel.searcher import Searcher, TranspositionTable
from inkeek.records.moves import PASS, Move
from inkeek.records.position import CLOSED, ORDINARY, SUCH_AS, Position, Side
from inkeek.records.rules.play import Rules

from .tables import Tables

# What limits an analysis, and what it finds.

MAX_DEPTH = 160  # turns


@dataclass(frozen=True, slots=True)
class Limits:
    """When an analysis stops: at this many seconds, turns of depth or positions, whichever limit comes first.

    :raises ValueError: none is given, one is not positive or needs more than 64 bits, or depth or nodes are no integer.
    """

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        given = [limit for limit in (self.seconds, self.depth, self.nodes) if limit is not None]
        if not given:
            raise ValueError("no limit is given: expected seconds, depth or nodes")
        if self.seconds is not None and not (is_number(self.seconds, 0, MAX_SECONDS) and self.seconds):
            raise ValueError(
                f"the limit of seconds is {self.seconds!r:.80}: expected more than 0, at most {MAX_SECONDS:g}"
            )
        for name, limit in (("depth", self.depth), ("nodes", self.nodes)):
            if limit is not None and not is_whole(limit, 1):
                raise ValueError(f"{name} is {limit!r:.80}: expected a whole number from 1 to {MAX_WHOLE}")


@dataclass(frozen=True, slots=True)
class Line:
    """A turn, what is best after it, and its value.

    `value`: the final difference of seeds for the side to move; an integer if it is `exact`, else an estimate. `moves`:
    the turns in order, empty if the game is over. `depends_on`: why the value is not exact: ``horizon`` (it estimates
    positions that were not searched further), ``repetition`` (it depends on the positions before, and on how
    repetitions are ruled), ``left-out`` (positions had too many turns to try them all).
    """

    value: float
    moves: tuple[Move, ...]
    depends_on: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        return not self.depends_on


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search has found: the best lines, best first. `depth`: how many turns deep it searched.

    `nodes`: positions searched, without those for the rest of exact lines. `left_out`: legal moves that no search
    tries: ``rearrangement``, where the rules would allow one now. Then values are those of a game without them.
    """

    lines: tuple[Line, ...]
    depth: int
    nodes: int
    seconds: float
    left_out: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the value of the best line is exact."""
        return self.lines[0].exact


@dataclass(frozen=True, slots=True)
class Solution:
    """What is proven about a position: its value for the side to move lies between `lower` and `upper`.

    The bounds hold under any rule of repetition: a side that a proof is for never needs one. `move`: the best turn
    known, None if the game is over. `depth`: turns that were searched, `entries`: positions the table has room for;
    `collisions`: an upper bound of the probability that the proof took a position for another one, 0 if that cannot be.
    """

    lower: int
    upper: int
    move: Move | None
    depth: int
    nodes: int
    seconds: float
    entries: int
    collisions: float
    left_out: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the value is proven."""
        return self.lower == self.upper

    @property
    def value(self) -> int | None:
        """The value for the side to move, if it is proven."""
        return self.lower if self.exact else None


# The weights of the estimate that a search makes where it goes no deeper.

NONE = {"row": 0.0, "mobility": 0.0, "special": 0.0, "turn": 0.0}


@dataclass(frozen=True, slots=True)
class Weights:
    """What things are worth in seeds, for the side that has more of them.

    `row`: a seed in an ordinary pit of the own row, `mobility`: an own pit with seeds, `special`: a special pit,
    besides the seeds in it, `turn`: being to move.
    """

    row: float
    mobility: float
    special: float
    turn: float


@cache
def load_weights(id: str, family: str = "") -> Weights:
    """The weights for a rule set: its own, else those of its family, else none: then counted seeds alone say what a
    position is worth."""
    fitted = tomllib.loads(Path(__file__).with_name("weights.toml").read_text("utf-8"))
    return Weights(**(fitted.get(id) or fitted.get(family) or NONE))


# A transposition table that one search of a game leaves to the next.

MAX_MEBIBYTES = 1 << 32


def transposition_table(memory: float) -> TranspositionTable:
    """A table of so many MiB.

    :raises RecordsError: the system does not give as much memory.
    """
    try:
        if not is_number(memory, 0, MAX_MEBIBYTES):
            raise MemoryError(f"no machine has more than {MAX_MEBIBYTES}")
        return TranspositionTable(memory)
    except (OSError, MemoryError, OverflowError) as error:
        raise RecordsError(f"memory is {memory} MiB: the system does not give as much: {error}") from error


class SearchTable:
    """A transposition table of `memory` MiB for searches one after the other. Making it takes all of its memory.

    An entry knows its position, its depth and what its value rests on. It holds for every search with the same rules
    and weights; the key has no closed pits, nor who has not sown yet, nor the positions before.

    :raises RecordsError: the system does not give as much memory.
    """

    def __init__(self, memory: int) -> None:
        self.entries = transposition_table(memory)
        self.entries.clear()
        self._is_empty = True
        self._holds_for: object = None

    def clear(self) -> None:
        """Forget everything, for a new game."""
        if not self._is_empty:
            self.entries.clear()
            self._is_empty = True

    def prepare(
        self,
        rules: Rules,
        position: Position,
        history: Sequence[Position],
        weights: Weights | None = None,
        tables: Tables | None = None,
    ) -> None:
        """Clear the table if what it has does not hold for a search of this position.

        `history`: the positions before it. `tables`: the endgame tables of the search.
        """
        has_tables = tables is not None and tables.set_for(rules) is not None
        closed = tuple(mark == CLOSED for mark in position.marks)
        repeated = _repeated(position, history, rules.options.get("repetition", 3), has_tables)
        holds_for = (rules.info, rules.options, rules.seeds, weights, closed, position.unsown, has_tables, repeated)
        if holds_for != self._holds_for:
            self.clear()
            self._holds_for = holds_for

    def open(self) -> TranspositionTable:
        """The entries, to be written."""
        self._is_empty = False
        return self.entries


def _repeated(position: Position, history: Sequence[Position], times: object, has_tables: bool) -> object:
    """The earlier positions on which values depend that have no flag for it.

    Where one of them came up so often that the next time ends the game, a value from before that is wrong. So is one
    from an endgame table after a position with as many seeds in ordinary pits.
    """
    rest = _ordinary(position)
    earlier = Counter(
        (each.pits, each.marks, each.to_move) for each in takewhile(lambda each: _ordinary(each) == rest, history[::-1])
    )
    if has_tables:
        return earlier
    return {key for key, count in earlier.items() if times and count >= times - 1}  # type: ignore[operator]


def _ordinary(position: Position) -> int:
    return sum(count for count, mark in zip(position.pits, position.marks, strict=True) if mark == ORDINARY)


# Searches in threads, and how they are watched: limits, stopping, progress.

Report = TypeVar("Report")
RawMove = tuple[int, int, int]  # pit or `PASSED`, choices as bits, their number

POSITIONS_PER_MEBIBYTE = 4096  # a sixteenth of the entries that fit: so hardly one makes room for another
CHECK_EVERY = 0.003  # seconds between two looks at limits and at the request to stop


def new_searcher(rules: Rules, table: Any, weights: Weights | None = None, endgame: Any = None) -> Any:
    """A searcher for a thread of its own; those that search together share the table.

    `endgame`: what `Tables.set_for` returns.
    """
    numbers = tuple(round(weight * UNIT) for weight in astuple(weights or load_weights(rules.id, rules.info.family)))
    info = rules.info
    seeds = info.seeds_on_board(rules.options)
    return Searcher(rules.family, rules.options, seeds, info.remaining_seeds, numbers, table, endgame)


def table_memory(memory: int, threads: int, nodes: int | None) -> float:
    """The MiB of a transposition table: no more than a search of `nodes` positions fills, since making it takes longer
    than a short search."""
    if nodes is None or threads > 1:
        return memory
    return min(memory, nodes / POSITIONS_PER_MEBIBYTE)


def watch(
    searchers: Sequence[Any],
    jobs: Sequence[Callable[[Callable[[Report], None]], None]],
    limits: Limits | None,
    stop: threading.Event | None,
    clock: Callable[[], float],
    began: float,
) -> Iterator[Report]:
    """Run each job in a thread, and yield what the first one reports; halt all searchers when it is over, at a limit,
    or when `stop` is set. The time of the limits runs from `began`.

    A job is called with the function that reports. The other jobs only help: what they report is ignored.
    """
    reports: queue.SimpleQueue[Any] = queue.SimpleQueue()
    over = object()

    def run(number: int) -> None:
        problem: BaseException | None = None
        try:
            jobs[number](reports.put if number == 0 else lambda report: None)
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            problem = error
        reports.put((over, number, problem))

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(len(jobs))]
    deadline = None if limits is None or limits.seconds is None else began + limits.seconds
    most = None if limits is None else limits.nodes
    for thread in threads:
        thread.start()
    try:
        while True:
            left = CHECK_EVERY if deadline is None else deadline - clock()
            try:
                report = reports.get(timeout=min(CHECK_EVERY, left) if left > 0 else CHECK_EVERY)
            except queue.Empty:
                report = None
            if isinstance(report, tuple) and report[0] is over:
                if report[2] is not None:
                    raise report[2]
                if report[1] == 0:
                    return
            elif report is not None:
                yield report
            if (
                (stop is not None and stop.is_set())
                or (deadline is not None and clock() >= deadline)
                or (most is not None and len(searchers) > 1 and count_nodes(searchers) >= most)
            ):
                halt(searchers)
    finally:
        halt(searchers)
        for thread in threads:
            thread.join()


def halt(searchers: Iterable[Any]) -> None:
    for searcher in searchers:
        searcher.halt()


def count_nodes(searchers: Iterable[Any]) -> int:
    """Positions that all have searched."""
    return sum(searcher.searched() for searcher in searchers)


def aspirate(searcher: Any, depth: int, guess: int, width: int = UNIT // 2) -> tuple[int, int, int]:
    """Search the root within a window around a guess, and a wider one where its value lies outside.

    Returns the value in units, flags and the number of the best turn; none means anything if the search was stopped.
    """
    low, high = guess - width, guess + width
    while True:
        value, flags, best = searcher.search(depth, low, high)
        if searcher.was_stopped() or low < value < high:
            return value, flags, best
        width *= 4
        if value <= low:
            low = value - width
        else:
            high = value + width


def name_moves(rules: Rules, position: Position, line: Iterable[RawMove]) -> tuple[Move, ...]:
    """The moves of a line in canonical form: each is played."""
    moves = []
    for raw in line:
        turn = rules.play(position, to_move(rules, raw))
        moves.append(turn.move)
        position = turn.position
    return tuple(moves)


def to_move(rules: Rules, raw: RawMove) -> Move:
    start, bits, count = raw
    if start == PASSED:
        return PASS
    return Move.from_pit(start, rules.row, "".join("<>"[bits >> k & 1] for k in range(count)))


def named_flags(flags: int) -> tuple[str, ...]:
    """What a value rests on besides the rules, in words."""
    names = ((HORIZON, "horizon"), (REPETITION, "repetition"), (LEFT_OUT, "left-out"))
    return tuple(name for flag, name in names if flags & flag)


def left_out(rules: Rules, position: Position) -> tuple[str, ...]:
    """The legal moves that searches do not try."""
    allowed = rules.options.get("rearrangement", "none")
    if allowed == "any-turn" or (allowed == "initial" and position.ply <= 1):
        return ("rearrangement",)
    return ()


DEFAULT_MEMORY = 64  # MiB
LEAST_NODES = 10_000  # that may go into the rest of exact lines


class RawLine(NamedTuple):
    """A line as the searcher has it: its value in units, relative to the stores."""

    value: int
    flags: int
    moves: list[RawMove]


class Deepened(NamedTuple):
    """All lines of one depth."""

    depth: int
    lines: list[RawLine]


def analyse(
    rules: Rules,
    position: Position,
    limits: Limits,
    *,
    lines: int = 1,
    threads: int = 1,
    memory: int = DEFAULT_MEMORY,
    history: Sequence[Position] = (),
    weights: Weights | None = None,
    tables: Tables | None = None,
    table: SearchTable | None = None,
    stop: threading.Event | None = None,
    on_progress: Callable[[Analysis], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Analysis:
    """Search the best lines of a position, each with another first turn.

    `memory`: MiB for the transposition table at most. `history`: the positions before this one, for repetitions.
    `weights`: of the estimate, those of the rule set by default. `tables`: endgame tables, whose values are exact.
    `table`: a transposition table that earlier searches have filled, instead of a new one. `stop`: ends the search
    early, within milliseconds. `on_progress`: called after each depth. The search runs in threads of its own; with one,
    a limit of depth or nodes, and the same searches before in `table`, it always finds the same.

    Exact lines of the result go to the end of the game, unless a limit comes before, or this takes more positions than
    the search itself.
    :raises PositionError: the position is not of this game.
    :raises ValueError: `lines`, `threads` or `memory` is below 1, or the system does not give as much memory.
    """
    if min(lines, threads, memory) < 1:
        raise ValueError(f"lines={lines}, threads={threads}, memory={memory}: expected 1 or more of each")
    expect(rules, Rules, "board.rules or ruleset('bof')")
    expect(limits, Limits, "Limits(seconds=1)")
    began = clock()
    rules.verify_known()
    rules.verify_position(position)
    for before in history:
        expect(before, Position, SUCH_AS)
    endgame = tables.set_for(rules) if tables else None
    if table is None:
        entries = transposition_table(table_memory(memory, threads, limits.nodes))
    else:
        table.prepare(rules, position, history, weights, tables)
        entries = table.open()
    searchers = [new_searcher(rules, entries, weights, endgame) for _ in range(threads)]
    for searcher in searchers:
        turns = searcher.set_root(position, list(history))
    ahead, estimate, ended = searchers[0].standing()

    def analysis(found: Deepened) -> Analysis:
        return Analysis(
            tuple(_line(rules, position, line, ahead) for line in sorted(found.lines, key=lambda line: -line.value)),
            found.depth,
            count_nodes(searchers),
            clock() - began,
            left_out(rules, position),
        )

    def deepen(searcher: Any) -> Iterator[Deepened]:
        """Search the searcher's root alone, within what is left of the limits."""
        job = _deepening(searcher, range(1, DEEPEST + 1), 1, searcher.standing()[1])
        return watch([searcher], [job], limits, stop, clock, began)

    if not turns:
        return analysis(Deepened(0, [RawLine(ended, 0, [])]))
    best = Deepened(0, [RawLine(estimate, HORIZON, [turn]) for turn in turns[:lines]])
    deepest = min(limits.depth or DEEPEST, DEEPEST)
    if threads == 1 and limits.nodes is not None:
        searchers[0].limit(limits.nodes)
    jobs = [
        _deepening(searcher, range(1 + number % 2, deepest + 1), min(lines, len(turns)), estimate)
        for number, searcher in enumerate(searchers)
    ]
    for best in watch(searchers, jobs, limits, stop, clock, began):
        if on_progress is not None:
            on_progress(analysis(best))
    found = analysis(best)
    most = max(found.nodes, LEAST_NODES)
    if limits.nodes is not None:
        most = min(most, limits.nodes - found.nodes)
    finisher = _Finisher(rules, [*history, position], searchers[0], most, deepen)
    lines_to_end = tuple(finisher.finish(line) for line in found.lines)
    return replace(found, lines=lines_to_end, seconds=clock() - began)


class _Finisher:
    """Continues exact lines to the end of the game, by searches from where they stop: there the best turn was in the
    transposition table, which has values but no lines. `most`: the positions to search for that."""

    def __init__(
        self,
        rules: Rules,
        path: Sequence[Position],
        searcher: Any,
        most: int,
        deepen: Callable[[Any], Iterator[Deepened]],
    ) -> None:
        self._rules = rules
        self._path = path
        self._searcher = searcher
        self._most = most
        self._deepen = deepen
        self._searched = 0

    def finish(self, line: Line) -> Line:
        """The line with as many more turns as can be found."""
        path, moves = list(self._path), list(line.moves)
        for move in moves:
            path.append(self._rules.play(path[-1], move).position)
        while line.exact and self._searched < self._most and self._rules.outcome(path[-1]) is None:
            more = self._search(path)
            if not more:
                break
            for move in more:
                moves.append(move)
                path.append(self._rules.play(path[-1], move).position)
        return replace(line, moves=tuple(moves))

    def _search(self, path: Sequence[Position]) -> tuple[Move, ...]:
        """The turns of an exact line from the last position; none if it was not found."""
        self._searcher.set_root(path[-1], path[:-1])
        self._searcher.limit(self._most - self._searched)
        best: list[RawLine] = []
        for found in self._deepen(self._searcher):
            best = found.lines
        self._searched += self._searcher.searched()
        if not best or best[0].flags:
            return ()
        return name_moves(self._rules, path[-1], best[0].moves)


def _deepening(searcher: Any, depths: range, lines: int, guess: int) -> Callable[[Callable[[Deepened], None]], None]:
    """A job for `watch`: search the root to each of these depths, until nothing lies beyond the horizon."""

    def run(report: Callable[[Deepened], None]) -> None:
        guesses = [guess] * lines
        for depth in depths:
            found: list[RawLine] = []
            chosen: list[int] = []
            for number in range(lines):
                searcher.exclude(chosen)
                value, flags, best = aspirate(searcher, depth, guesses[number])
                if searcher.was_stopped():
                    return
                found.append(RawLine(value, flags, searcher.line()))
                guesses[number] = value
                chosen.append(best)
            report(Deepened(depth, found))
            if not any(line.flags & HORIZON for line in found):
                return

    return run


def _line(rules: Rules, position: Position, line: RawLine, ahead: int) -> Line:
    depends_on = named_flags(line.flags)
    value = line.value / UNIT + ahead
    return Line(value if depends_on else round(value), name_moves(rules, position, line.moves), depends_on)


# Proofs of a position's value: bounds that null windows narrow.

SOLVE_MEMORY = 512  # MiB
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
    memory: int = SOLVE_MEMORY,
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
