"""Hold games that are tables against a second runner: ``python -m tests.records.prove_tables --turns 100000``.

For each of our games, three runners must agree in random positions under random options, in starts, turns, traces and
ends: the kernel's own code, the kernel on the game's table, and `table_model` on its file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from inkeek.records import Kind, Move, Position, Rules, ruleset_ids
from inkeek.records.rules.trace import TraceEvent

from . import positions
from .prove import refusal
from .table_model import TableModel, TooLong

MAX_TURNS = 200  # of one position
TRACES = 40  # of one position


def event_of(event: tuple[Any, ...], traced: TraceEvent) -> TraceEvent:
    """An event of the model as one of a trace; of the reasons that are true, the one that the trace gives."""
    if event[0] in ("take", "end"):
        reason = traced.reason if traced.reason in event[-1] else f"one of {event[-1]}"
        return TraceEvent(event[0], event[1], event[2], event[3] if event[0] == "take" else 0, reason)
    return TraceEvent(*event)  # type: ignore[arg-type]


def compare(rules: Sequence[Rules], model: TableModel, position: Position) -> Counter[str]:
    """Compare all turns of a position.

    :raises AssertionError: the runners differ; quotes rules, position and turn.
    """
    where = f"{rules[0]!r} in {position}"
    count = Counter(positions=1)
    found = [[turn for turn in each.turns(position, MAX_TURNS) if turn.move.kind is Kind.SOW] for each in rules]
    for other, each in zip(found[1:], rules[1:], strict=True):
        assert other == found[0], f"{where}: {set(map(str, other)) ^ set(map(str, found[0]))}"
        assert each.outcome(position) == rules[0].outcome(position), f"{where}: the end"
    starts = model.starts(position)
    listed = {turn.move.choice: turn for turn in found[0]}
    assert {move.pit_index(rules[0].row) for move in listed} <= set(starts), f"{where}: starts {starts}"
    tried = [*listed, *(Move.from_pit(pit, rules[0].row, "") for pit in starts)]
    for move in dict.fromkeys(tried[:TRACES]):
        try:
            result = model.turn(position, move.pit_index(rules[0].row), move.choices)
        except TooLong:
            count["long"] += 1
            continue
        for each in rules:
            turn = listed.get(move)
            if result.status == "endless":
                assert turn is None, f"{where}: {move} is endless"
                refused = refusal(each, position, move)
                assert f"every {result.cycle} lap" in refused, f"{where}: {move}, cycle {result.cycle}: {refused}"
                continue
            trace = each.trace(position, move)
            assert trace.turn is not None
            after = trace.turn.position
            done = after.pits, after.marks, after.stores, trace.turn.laps, after.to_move == position.to_move
            expected = result.pits, result.marks, result.stores, result.laps, result.again
            assert done == expected, f"{where}: {move} {done}, the model {expected}"
            events = list(map(event_of, result.events, trace.events))
            assert list(trace.events) == events, f"{where}: {move}\n{trace.events}\n{events}"
            assert trace.events == rules[0].trace(position, move).events, f"{where}: {move} by the kernel's own code"
            assert turn is None or turn.position == after, f"{where}: {move} with a trace"
        count["endless" if result.status == "endless" else "turns"] += 1
    return count


def prove(id: str, turns: int, seed: int) -> Counter[str]:
    """Compare random positions of one of our games until `turns` turns were.

    :raises AssertionError: as `compare`.
    """
    rng = Random(f"{id} {seed}")
    count: Counter[str] = Counter()
    while count["turns"] < turns:
        rules = positions.random_rules(rng, id)
        both = rules, Rules(rules.info, rules.options, by_table=True)
        model = TableModel(rules.info.data, rules.options)
        game = list(positions.random_game(rng, rules))
        for position in rng.sample(game, min(len(game), 8)) + [positions.constructed(rng, rules) for _ in range(8)]:
            count += compare(both, model, position)
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description="Hold tables against the kernel's own code and against a model.")
    parser.add_argument("--turns", type=int, default=100_000, help="turns to compare of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", action="append", choices=ruleset_ids(), help="only this game")
    arguments = parser.parse_args()
    for id in arguments.game or ruleset_ids():
        began = time.monotonic()
        count = prove(id, arguments.turns, arguments.seed)
        print(
            f"{id}: {count['turns']:,} turns and {count['endless']:,} endless ones in {count['positions']:,} positions "
            f"agree, {count['long']} took too long ({time.monotonic() - began:.0f} s)",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
