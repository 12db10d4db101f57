"""Throw inputs at what reads them: ``python -m tests.records.fuzz --inputs 10000000``.

The reader of records (from text and from bytes), of positions and of moves. Of every input must hold:

* nothing but the documented errors comes out, and in a time that its length allows;
* reading it again gives the same;
* what is read without error is written, read back as it was, and written the same again; a record as JSON too.

A failing input is reported with its seed and number, and saved in the folder of ``--save`` as small as it still fails.
The run goes on; its exit status is then 1.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from ctypes import Array, c_longlong
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from inkeek.records import Game, Move, MoveSyntaxError, Position, PositionError, read_games, write_game

from .fuzzing.inputs import TARGETS, make

SECONDS = 2.0  # of processor time for one input, and
SECONDS_A_CHARACTER = 0.0002  # more for each of its characters
STUCK = 120.0  # seconds on the clock without any progress: not even the watchdog gets a word in
STUCK_THERE = "stuck there, and ended"
MAX_SMALLER = 3000  # attempts at making a failing input smaller
MAX_REPORTED = 20  # failing inputs of a target that are made smaller and saved

# Of a hundred inputs: moves and positions are read in microseconds, records in up to a millisecond.
SHARES = {"text": 25, "bytes": 25, "position": 25, "move": 25}


class TooSlow(Exception):
    """An input took longer than its length allows."""


def check(target: str, given: str | bytes) -> None:
    """Read an input and hold what comes out against what must be.

    :raises Exception: anything at all, if it is not as it must be.
    """
    if target == "move":
        check_move(str(given))
    elif target == "position":
        check_position(str(given))
    else:
        check_records(given)


def check_move(text: str) -> None:
    refused = ""
    try:
        move = Move.parse(text)
    except MoveSyntaxError as error:
        refused = str(error)
    if refused:
        assert repr(text) in refused or repr(text[:40]) in refused, "the error does not quote the text"
        return
    again = Move.parse(str(move))
    assert again == move, f"{str(move)!r} is another move"
    assert str(again) == str(move), f"{str(move)!r} is written as {str(again)!r}"
    assert (again.captured or (0, 0), again.special) == (move.captured or (0, 0), move.special), "claims are lost"


def check_position(text: str) -> None:
    refused = ""
    try:
        position = Position.parse(text)
    except PositionError as error:
        refused = str(error)
    if refused:
        assert repr(text) in refused or repr(text[:60] + "…") in refused, "the error does not quote the text"
        return
    assert Position.parse(str(position)) == position, f"{position} is another position"
    assert position.seeds >= 0


def check_records(given: str | bytes) -> None:
    games = list(read_games(opened(given)))
    assert list(read_games(opened(given))) == games, "the second reading is not the first"
    for number, game in enumerate(games):
        assert game.index == number
        for error in game.errors:
            assert error.message, "an error says nothing"
            assert error.line >= 0 <= error.column, "an error stands nowhere"
        if not game.faults:
            check_written(game)


def check_written(game: Game) -> None:
    replay = game.replay()
    text = write_game(game)
    (again,) = read_games(io.StringIO(text, newline=""))
    assert again.faults == (), f"what was written cannot be read: {again.faults[0]}"
    assert again.plies == replay.plies + game.plies[len(replay.plies) :], "plies were written as others"
    assert again.comments == game.comments, "comments were written as others"
    assert write_game(again) == text, "the canonical form is not one"
    plain = game.to_json()
    assert Game.from_json(plain) == game, "JSON loses something"
    assert Game.from_json(plain).to_json() == plain, "JSON of JSON is another"


def opened(given: str | bytes) -> Any:
    """The input as a file."""
    return io.BytesIO(given) if isinstance(given, bytes) else io.StringIO(given, newline="")


def watched(target: str, given: str | bytes) -> float:
    """`check` with a watchdog; the processor time it took.

    :raises TooSlow: it took longer than its length allows.
    """
    signal.signal(signal.SIGVTALRM, _bark)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS + SECONDS_A_CHARACTER * len(given))
    began = time.process_time()
    try:
        check(target, given)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - began


def _bark(*_: object) -> None:
    raise TooSlow("it took longer than its length allows")


def smaller(given: str | bytes, fails: Callable[[str | bytes], bool]) -> str | bytes:
    """An input that still fails, with as much as possible cut out of it."""
    size, tries = max(1, len(given) // 2), MAX_SMALLER
    while size:
        at = 0
        while at < len(given) and tries:
            tries -= 1
            shorter = given[:at] + given[at + size :]
            if fails(shorter):
                given = shorter
            else:
                at += size
        size //= 2
    return given


def failure(target: str, given: str | bytes) -> str:
    """What is wrong with how the input is read; empty if nothing is."""
    try:
        watched(target, given)
    except Exception as error:  # noqa: BLE001 - any error is what is looked for
        return f"{type(error).__name__}: {error}"
    return ""


@dataclass
class Tally:
    """What was done for one target: inputs, processor time of those that are well, the one that took longest of them,
    and the numbers of those that failed, with why."""

    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_number: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.inputs += other.inputs
        self.seconds += other.seconds
        if other.slowest > self.slowest:
            self.slowest, self.slowest_number = other.slowest, other.slowest_number
        self.failures += other.failures


def run(target: str, seed: int, numbers: range, at: Callable[[int], None] = lambda number: None) -> Tally:
    """Check the inputs with these numbers; `at` is called with each before it is tried."""
    tally = Tally()
    for number in numbers:
        at(number)
        given = make(target, seed, number)
        tally.inputs += 1
        try:
            took = watched(target, given)
        except Exception as error:  # noqa: BLE001 - any error is what is looked for
            tally.failures.append((number, f"{type(error).__name__}: {error}"))
            continue
        tally.seconds += took
        if took > tally.slowest:
            tally.slowest, tally.slowest_number = took, number
    return tally


def _work(results: Connection, progress: Array[c_longlong], seed: int, jobs: list[tuple[str, range]]) -> None:
    """A worker: its jobs one after the other."""

    def at(number: int) -> None:
        progress[1] = number

    for job, (target, numbers) in enumerate(jobs):
        progress[0] = job
        results.send(run(target, seed, numbers, at))
    results.send(None)


@dataclass
class Worker:
    """A process with its jobs: a target and numbers each."""

    jobs: list[tuple[str, range]]
    results: Connection
    progress: Array[c_longlong]
    process: multiprocessing.Process
    done: int = 0
    seen: tuple[int, int] = (-1, -1)
    moved: float = 0.0

    def stuck(self, clock: float) -> bool:
        """Whether it has been at the same input for `STUCK` seconds."""
        now = (self.progress[0], self.progress[1])
        if now != self.seen:
            self.seen, self.moved = now, clock
        return clock - self.moved > STUCK


def fuzz(inputs: dict[str, int], seed: int, workers: int, every: int = 20_000) -> Iterator[tuple[str, Tally]]:
    """Run so many inputs of each target in so many processes: a target and a tally for every share of the work. A
    process that is stuck, so that not even its watchdog is heard, is ended, with what was left to it."""
    shares = [
        (target, range(start, min(start + every, count)))
        for target, count in inputs.items()
        for start in range(0, count, every)
    ]
    started = [_started(shares[first::workers], seed) for first in range(min(workers, len(shares)))]
    running = list(started)
    try:
        while running:
            ready = wait([worker.results for worker in running], timeout=1)
            for worker in list(running):
                if worker.results in ready:
                    tally = worker.results.recv()
                    if tally is None:
                        running.remove(worker)
                    else:
                        yield worker.jobs[worker.done][0], tally
                        worker.done += 1
                elif worker.stuck(time.monotonic()):
                    running.remove(worker)
                    yield worker.jobs[worker.seen[0]][0], Tally(failures=[(worker.seen[1], STUCK_THERE)])
    finally:
        for worker in started:
            worker.process.kill()
            worker.process.join()


def _started(jobs: list[tuple[str, range]], seed: int) -> Worker:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    progress = multiprocessing.RawArray(c_longlong, 2)
    process = multiprocessing.Process(target=_work, args=(theirs, progress, seed, jobs), daemon=True)
    process.start()
    return Worker(jobs, ours, progress, process, moved=time.monotonic())


def save(folder: Path, target: str, number: int, given: str | bytes) -> Path:
    """Write an input to a file of its own; text as UTF-8, lone surrogates too."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{target}-{number}.bin"
    path.write_bytes(given if isinstance(given, bytes) else given.encode("utf-8", "surrogatepass"))
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description="Throw inputs at the readers of records, positions and moves.")
    parser.add_argument("--inputs", type=int, default=100_000, help="in all, shared out among the targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", choices=TARGETS, action="append", help="only this one; may be repeated")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--number", type=int, help="only the one input with this number; give its --target")
    parser.add_argument("--save", type=Path, default=Path("fuzz-failures"), help="folder for inputs that fail")
    options = parser.parse_args()
    targets = tuple(options.target or TARGETS)
    if options.number is not None:
        return report(targets[0], options.seed, options.number, options.save)
    whole = sum(SHARES[target] for target in targets)
    inputs = {target: options.inputs * SHARES[target] // whole for target in targets}
    tallies = {target: Tally() for target in targets}
    for target, tally in fuzz(inputs, options.seed, options.jobs):
        tallies[target].add(tally)
        for number, what in tally.failures:
            print(f"{target}: input {number} of seed {options.seed} failed: {what}", file=sys.stderr)
        if sys.stderr.isatty():
            print(f"\r{sum(tally.inputs for tally in tallies.values()):,} inputs", end="", file=sys.stderr)
    for target, tally in tallies.items():
        print(
            f"\r{target}: {tally.inputs:,} inputs, {len(tally.failures):,} failed, the others took "
            f"{1e6 * tally.seconds / max(tally.inputs, 1):.0f} µs each, "
            f"the slowest {1e3 * tally.slowest:.0f} ms (number {tally.slowest_number})"
        )
        for number, what in tally.failures[:MAX_REPORTED]:
            if what == STUCK_THERE:
                save(options.save, target, number, make(target, options.seed, number))  # trying it again would be stuck
            else:
                report(target, options.seed, number, options.save)
    return int(any(tally.failures for tally in tallies.values()))


def report(target: str, seed: int, number: int, folder: Path) -> int:
    """Say what is wrong with one input and save it, made small; 1, or 0 if nothing is."""
    given = make(target, seed, number)
    what = failure(target, given)
    if not what:
        print(f"{target}: input {number} of seed {seed} is read as it should be")
        return 0
    given = smaller(given, lambda shorter: failure(target, shorter).split(":")[0] == what.split(":")[0])
    path = save(folder, target, number, given)
    print(f"{target}: {failure(target, given)}\n{given!r}\nsaved in {path}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
