"""The search: speed, proofs of Kalah and of other starts, time to depth, stopping, memory.

    python -m benchmarks.analysis.search [--only memory,board,speed,proofs,depths,stop] [--largest 20000000]

*board*: turns a second that a script plays and takes back (`push` and `pop` of a legal move; the list of legal moves
of each position is made once), and with a new list for each position (perft in Python); *speed*: positions a second on
one and on two threads, beside bare perft; *proofs*: positions and time to prove known values; *depths*: time to a depth
on fixed positions of each game; *stop*: from the request to the answer; *memory*: what a search takes, table included.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import threading
import time
from random import Random

from inkeek.records import Position, Rules, ruleset, ruleset_ids
from inkeek.records.analysis import Limits, analyse, solve
from inkeek.records.kernel.board import MutableBoard
from inkeek.records.rules.ruleset import format_value

# Game, options, value (of Kalah with empty captures: Irving, Donkers and Uiterwijk 2000), about how many positions
# the proof takes.
PROOFS = (
    ("kalah", {"seeds": 1, "empty_capture": True}, 2, 400),
    ("kalah", {"seeds": 2, "empty_capture": True}, 10, 10_000),
    ("bof", {}, 6, 80_000),
    ("kalah", {"seeds": 3, "empty_capture": True}, 2, 3_000_000),
    ("kalah", {"seeds": 3}, 2, 5_000_000),
    ("enkeshui", {"pits": 8, "direction_choice": "none"}, 16, 10_000_000),
)
LONG = tuple(id for id in ruleset_ids() if id != "bof")  # games whose start no search is done with at once
PLIES = 12  # random turns before each


def positions(rules: Rules, count: int) -> list[Position]:
    """Positions after random turns, always the same."""
    rng, found = Random(f"{rules.id} {PLIES}"), []
    while len(found) < count:
        board = rules.board(rules.start())
        for _ in range(rng.randint(2, PLIES)):
            legal = board.legal()
            if not legal:
                break
            board.push(rng.choice(legal))
        if board.legal():
            found.append(board.position())
    return found


def boards(seconds: float) -> None:
    print("turns a second from Python: push and pop; with legal()")
    for id in ruleset_ids():
        rules = ruleset(id)
        lists = [(rules.board(one), rules.legal_moves(one)) for one in positions(rules, 20)]
        turns, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            for board, legal in lists:
                push, pop = board.push, board.pop
                for move in legal:
                    push(move)
                    pop()
                turns += len(legal)
        bare = turns / (time.perf_counter() - began)
        turns, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            for board, _ in lists:
                turns += counted(board, 2)
        print(f"  {id:20} {bare:12,.0f} {turns / (time.perf_counter() - began):12,.0f}", flush=True)


def counted(board: MutableBoard, depth: int) -> int:
    """Turns that a script plays to try all sequences of so many."""
    turns = 0
    for move in board.legal():
        board.push(move)
        turns += 1 + (counted(board, depth - 1) if depth > 1 else 0)
        board.pop()
    return turns


def speed(seconds: float) -> None:
    print("positions a second: search on one thread, on two; perft")
    for id in ruleset_ids():
        rules = ruleset(id)
        rates = []
        for threads in (1, 2):
            found = analyse(rules, rules.start(), Limits(seconds=seconds), threads=threads)
            rates.append(found.nodes / found.seconds)
        depth, taken, counted = 3, 0.0, 0
        while taken < seconds / 4:  # a turn more takes several times as long
            began = time.perf_counter()
            counted = rules.perft(rules.start(), depth)
            taken = time.perf_counter() - began
            depth += 1
        bare = counted / taken
        print(f"  {id:20} {rates[0]:12,.0f} {rates[1]:12,.0f} {bare:12,.0f}", flush=True)


def proofs(largest: int, memory: int) -> None:
    print("proofs: value, positions, seconds")
    for id, options, value, size in PROOFS:
        if size > largest:
            continue
        rules = ruleset(id, **options)
        found = solve(rules, rules.start(), memory=memory)
        assert found.value == value, f"{rules}: {found}"
        given = " ".join(f"{name}={format_value(choice)}" for name, choice in options.items())
        print(f"  {id} {given}: {found.value:+d} {found.nodes:12,} {found.seconds:8.2f} s", flush=True)


def depths(depth: int, count: int) -> None:
    print(f"time to depth {depth} on {count} positions: median, longest")
    for id in ruleset_ids():
        rules = ruleset(id)
        taken = [analyse(rules, one, Limits(depth=depth), memory=64).seconds for one in positions(rules, count)]
        print(f"  {id:20} {statistics.median(taken):8.4f} s {max(taken):8.3f} s", flush=True)


def stopping(rounds: int, memory: int) -> None:
    rng, taken, worked = Random(1), [], []
    for number in range(rounds):
        rules = ruleset(LONG[number % len(LONG)])
        stop, rung = threading.Event(), [0.0, 0.0]

        def ring(stop: threading.Event = stop, rung: list[float] = rung) -> None:
            rung[:] = time.perf_counter(), time.process_time()
            stop.set()

        timer = threading.Timer(0.02 + 0.1 * rng.random(), ring)
        timer.start()
        analyse(rules, rules.start(), Limits(seconds=30), memory=memory, stop=stop)
        answered, at = time.perf_counter(), time.process_time()
        timer.join()
        if rung[0] < answered:  # else it was solved before
            taken.append(answered - rung[0])
            worked.append(at - rung[1])
    for kind, found in (("by the clock", taken), ("processor time", worked)):
        print(
            f"stopping with {memory} MiB, {rounds} times, {kind}: median {1000 * statistics.median(found):.1f} ms, "
            f"longest {1000 * max(found):.1f} ms"
        )


def memory_held(nodes: int, memory: int = 128) -> None:
    rules = ruleset("kalah")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    analyse(rules, rules.start(), Limits(nodes=nodes), memory=memory)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory: {(after - before) / 1024:.0f} MiB more than before with a table of {memory} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="memory,board,speed,proofs,depths,stop")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement of speed")
    parser.add_argument("--largest", type=int, default=20_000_000, help="positions that a proof may take")
    parser.add_argument("--table", type=int, default=1024, help="MiB for proofs and for stopping")
    parser.add_argument("--depth", type=int, default=9)
    parser.add_argument("--nodes", type=int, default=20_000_000, help="to fill a table of 128 MiB with")
    parser.add_argument("--positions", type=int, default=50, help="of each game")
    parser.add_argument("--rounds", type=int, default=70, help="of stopping")
    options = parser.parse_args()
    chosen = options.only.split(",")
    if "memory" in chosen:  # first, before anything else takes memory
        memory_held(options.nodes)
    if "board" in chosen:
        boards(options.seconds)
    if "speed" in chosen:
        speed(options.seconds)
    if "proofs" in chosen:
        proofs(options.largest, options.table)
    if "depths" in chosen:
        depths(options.depth, options.positions)
    if "stop" in chosen:
        for memory in (16, options.table):
            stopping(options.rounds, memory)


if __name__ == "__main__":
    main()
