"""Searches in threads, and how they are watched: limits, stopping, progress."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Any, TypeVar

from inkeek.records.kernel.codes import HORIZON, LEFT_OUT, PASSED, REPETITION, UNIT
from inkeek.records.kernel.searcher import Searcher
from inkeek.records.moves import PASS, Move
from inkeek.records.position import Position
from inkeek.records.rules.play import Rules

from .results import Limits
from .weights import Weights, load_weights

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
            jobs[number](reports.put if number == 0 else _ignore)
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


def _ignore(report: object) -> None:
    pass


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
