"""Hold games that are tables against a second runner: ``python -m tests.records.prove_tables --turns 100000``.

For each of our games, three runners must agree in random positions under random options, in starts, turns, traces and
ends: the kernel's own code, the kernel on the game's table, and `table_model` on its file. ``--random 1000`` does the
same with so many random games, of which most are senseless and many hostile; these have no code of their own.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from inkeek.records import Kind, Move, Position, Rules, ruleset, ruleset_ids
from inkeek.records.rules.ruleset import ruleset_of
from inkeek.records.rules.table import CHOICES, PLACES, THEN
from inkeek.records.rules.trace import TraceEvent

from . import positions
from .prove import refusal
from .table_model import TableModel, TooLong

MAX_TURNS = 200  # of one position
TRACES = 40  # of one position
KINDS = ("own", "theirs", "ordinary")
SPECIAL = ("special", "mine", "foes")
COUNTED = ("even", "odd", "0", "1", "2", "3", "2+", "1+", "4+")


def event_of(event: tuple[Any, ...], traced: TraceEvent) -> TraceEvent:
    """An event of the model as one of a trace; of the reasons that are true, the one that the trace gives."""
    if event[0] in ("take", "end"):
        reason = traced.reason if traced.reason in event[-1] else f"one of {event[-1]}"
        return TraceEvent(event[0], event[1], event[2], event[3] if event[0] == "take" else 0, reason)
    return TraceEvent(*event)


def without_rows(events: Sequence[TraceEvent]) -> list[TraceEvent]:
    """The events of a trace without the rows that decided, which the kernel's own code does not know."""
    bare = {"lift": {"other": 0}, "end": {"count": 0}}
    return [replace(event, **bare.get(event.kind, {})) for event in events]


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
            events = [event_of(*both) for both in zip(result.events, trace.events, strict=True)]
            events = without_rows(events) if each.family.table is None else events
            assert list(trace.events) == events, f"{where}: {move}\n{trace.events}\n{events}"
            own = without_rows(rules[0].trace(position, move).events)
            assert without_rows(trace.events) == own, f"{where}: {move} by the kernel's own code"
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


# Random games


def random_test(rng: Random, special: bool) -> str:
    """A test that some place can pass: of a table with special pits, or of one without."""
    kinds = (*KINDS, *SPECIAL) if special else KINDS
    shapes = ((kinds,), (COUNTED,), (kinds, COUNTED))
    return ",".join(" ".join(map(rng.choice, rng.choice(shapes))) for _ in range(rng.choice((1, 1, 2))))


def random_row(rng: Random, catch_all: bool, special: bool) -> dict[str, Any]:
    then = rng.choice(THEN)
    row: dict[str, Any] = {"then": then}
    if not catch_all:
        row |= {place: random_test(rng, special) for place in rng.sample(PLACES, rng.choice((1, 1, 2)))}
        row["lap"] = rng.choice(("any", "any", "first", "later"))
        row["turn"] = rng.choice(("any", "any", "later"))
    if rng.random() < 0.5:
        row["take"] = [rng.choice((*PLACES, random_test(rng, special))) for _ in range(rng.choice((1, 2)))]
        if rng.random() < 0.5:
            row["chain"] = {"way": rng.choice(("on", "back", "pairs")), "pit": random_test(rng, special)}
            row["chain"]["take"] = rng.choice(("pit", "opposite"))
            if rng.random() < 0.5:
                row["chain"]["opposite"] = random_test(rng, special)
        row["slam"] = rng.choice(("takes", "nothing"))
    row["shift"] = rng.random() < 0.1
    if special and then in ("stop", "again") and rng.random() < 0.6:
        row["mark"] = rng.sample(("last", "opposite", "before"), rng.choice((1, 2)))
        if not catch_all:
            row |= {"max": rng.choice((1, 2)), "not_pit": rng.choice((1, 3)), "not_mirror": rng.random() < 0.5}
    return row


def random_file(rng: Random) -> dict[str, Any]:
    """The tables of a file that plays, however senselessly."""
    choices = rng.choice((*("none",) * 4, *CHOICES))
    store = rng.choice(("none", "own"))
    special = rng.random() < 0.5
    rows = [random_row(rng, catch_all=False, special=special) for _ in range(rng.randint(0, 6))]
    if special:
        rows.insert(0, {"last": "4", "then": "stop", "mark": ["last"]})
    if store == "own":
        rows.insert(0, {"last": "store", "then": rng.choice(THEN)})
    rows.append(random_row(rng, catch_all=True, special=special))
    data: dict[str, Any] = {
        "id": "my:tiny",
        "name": "Tiny",
        "sources": ["none"],
        "pits": rng.choice((1, 2, 3, 6, 12)),
        "each": rng.choice((1, 2, 4)),
        "terms": {"special": "house"},
        "start": {
            "least": rng.choice((1, 1, 2)),
            "first": rng.choice(("any", "right-end")),
            "feed": rng.choice(("no", "first-lap") if choices != "none" else ("no", "first-lap", "turn")),
        },
        "sow": {
            "direction": rng.choice(("ccw", "cw") if choices not in ("none", "start") else ("ccw", "cw", "split")),
            "store": store,
            "origin": rng.choice(("sown", "skipped", "first-stays")),
            "choices": choices,
            "skip_from": rng.choice(("first", "later", "second-turn")),
            "special": rng.choice(("stays", "store")),
        },
        "last": rows,
        "end": {
            "over": rng.choice(("mover", "both", "row")),
            "majority": rng.random() < 0.3,
            "last_seeds": 0 if any("mark" in row for row in rows) else rng.choice((0, 0, 2, 4)),
            "rest": rng.choice(("row-owner", "nobody", "opponent")),
        },
    }
    if rng.random() < 0.4:
        data["sow"]["skip"] = random_test(rng, special)
    if rng.random() < 0.4:
        data["passing"] = {"count": random_test(rng, special), "to": rng.choice(("owner", "mover"))}
    return data


def prove_random(seed: int) -> Counter[str]:
    """Play a random game, most of them senseless and many hostile: every turn must end, or be refused as endless.

    :raises AssertionError: as `compare`.
    """
    rng = Random(seed)
    info = ruleset_of(random_file(rng))
    rules = ruleset(info)
    model, position, count = TableModel(info.data, rules.options), rules.start(), Counter[str]()
    for _ in range(6):
        count += compare([rules], model, position)
        count += compare([rules], model, positions.constructed(rng, rules))
        if not (turns := rules.turns(position, 20)):
            break
        position = rng.choice(turns).position
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description="Hold tables against the kernel's own code and against a model.")
    parser.add_argument("--turns", type=int, default=100_000, help="turns to compare of each game")
    parser.add_argument("--random", type=int, metavar="N", help="N random games instead of ours")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", action="append", choices=ruleset_ids(), help="only this game")
    arguments = parser.parse_args()
    began = time.monotonic()
    if arguments.random:
        seeds = range(arguments.seed, arguments.seed + arguments.random)
        print(f"{dict(sum(map(prove_random, seeds), Counter()))} agree ({time.monotonic() - began:.0f} s)")
        return 0
    for id in arguments.game or ruleset_ids():
        count = prove(id, arguments.turns, arguments.seed)
        print(f"{id}: {dict(count)} agree ({time.monotonic() - began:.0f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
