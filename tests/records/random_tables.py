"""Random games that are tables, most of them senseless and many hostile: ``python -m tests.records.random_tables``.

Each is played and compared with `table_model`. Every turn must end, or be refused as endless, in bounded time.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from random import Random
from typing import Any

from inkeek.records import ruleset
from inkeek.records.rules.ruleset import ruleset_of
from inkeek.records.rules.table import CHOICES, PLACES, THEN, WHY

from . import positions
from .prove_tables import compare
from .table_model import TableModel

KINDS = ("own", "theirs", "ordinary")
SPECIAL = ("special", "mine", "foes")
COUNTED = ("even", "odd", "0", "1", "2", "3", "2+", "1+", "4+")


def random_test(rng: Random, special: bool) -> str:
    """A test that some place can pass: of a table with special pits, or of one without."""
    kinds = (*KINDS, *SPECIAL) if special else KINDS
    shapes = ((kinds,), (COUNTED,), (kinds, COUNTED))
    return ",".join(" ".join(map(rng.choice, rng.choice(shapes))) for _ in range(rng.choice((1, 1, 2))))


def random_row(rng: Random, catch_all: bool, special: bool) -> dict[str, Any]:
    then = rng.choice(THEN)
    row: dict[str, Any] = {"then": then, "why": rng.choice([why for why in WHY if why != "in-store"])}
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
        rows.insert(0, {"last": "4", "then": "stop", "why": "made-special", "mark": ["last"]})
    if store == "own":
        rows.insert(0, {"last": "store", "then": rng.choice(THEN), "why": "in-store"})
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


def main() -> int:
    parser = argparse.ArgumentParser(description="Play random tables, and hold them against a model.")
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    count: Counter[str] = Counter()
    longest, laps = 0.0, 0
    for seed in range(arguments.seed, arguments.seed + arguments.tables):
        rng = Random(seed)
        info = ruleset_of(random_file(rng))
        rules = ruleset(info)
        model, position = TableModel(info.data, rules.options), rules.start()
        for _ in range(4):
            for board in (position, positions.constructed(rng, rules)):
                began = time.thread_time()
                turns = rules.turns(board)
                longest = max(longest, time.thread_time() - began)
                laps = max([laps, *(turn.laps for turn in turns)])
                count["lists that stopped at a limit"] += not turns.complete
                count += compare([rules], model, board)
            if not (turns := rules.turns(position, 20)):
                break
            position = rng.choice(turns).position
    print(
        f"{arguments.tables:,} tables: {dict(count)}; the longest list of turns took {longest:.2f} s, the longest turn "
        f"that ended had {laps:,} laps"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
