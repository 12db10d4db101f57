"""Prove the values of starts, check each in other ways, and keep them in `records/analysis/solved.json`.

    python -m benchmarks.analysis.solved [--only small,whole] [--game bof] [--pits 2-4] [--seeds 1-4] [--again]

*small*: boards of 2×3 to 2×6 with the same number of seeds in each pit; *whole*: boards that the games are played on.
Starts that the file has are left out, except with `--again`: a run that was stopped goes on where it was. The file is
written after each start. `make docs` writes the tables of `docs/solved.md` from it.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from inkeek.records import Position, Rules
from inkeek.records.analysis import Limits, solve
from inkeek.records.analysis.solved import FILE, SolvedStart, rules_on, solved_starts, write_solved
from inkeek.records.analysis.tables import (
    TableError,
    TableRules,
    Tables,
    build_table,
    check_table,
    layers_of,
    table_name,
)
from inkeek.records.kernel.endgame import TableSet
from inkeek.records.rules.ruleset import Value
from tests.records.analysis import plain_solver

DATA = Path(__file__).parents[2] / "records" / "analysis" / FILE
Options = dict[str, Value]
Bounds = tuple[int, int]

RULES: tuple[tuple[str, Options], ...] = (
    ("bof", {}),
    ("anywoli", {}),
    ("layli-goobalay", {}),
    ("enkeshui", {"rearrangement": "none", "direction_choice": "none"}),
    ("enkeshui", {"rearrangement": "none"}),
    ("enkeshui-wikipedia", {"rearrangement": "none"}),
)
FOURS_RIGHT = "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4"
FOURS_LEFT = "4.4.4.4.4.4.0.0/4.4.4.4.4.4.0.0"
SLOW_SEEDS = 8  # on the board, for the slow model of the rules
FIRST_TURNS = 2  # that have rules of their own in some games: no table has the positions before
MOST_TURNS = 24  # first turns that are searched alone
CHECK_MEMORY = 64  # MiB, for the searches that check; another size than any proof has


@dataclass(frozen=True)
class Task:
    """A start to prove. `nodes`: positions to search, for the proof and for a check. `turns`: the same for each first
    turn, 0 to leave them out. `memory`: MiB for the proof. `table`: seeds of the endgame table that it uses.
    `published`: a value that others found.
    """

    game: str
    start: str
    options: Options = field(default_factory=dict)
    nodes: int = 100_000_000
    turns: int = 20_000_000
    memory: int = 256
    table: int = 0
    published: int | None = None


def equal(pits: int, seeds: int) -> str:
    """A start with the same number of seeds in each pit."""
    row = ".".join([str(seeds)] * pits)
    return f"{row}/{row}"


SMALL = tuple(
    Task(game, equal(pits, seeds), options, 20_000_000, 1_000_000)
    for pits, seeds in sorted(product(range(3, 7), range(1, 5)), key=lambda board: board[0] * board[1])
    for game, options in RULES
)
NO_CHOICES: Options = {"rearrangement": "none", "direction_choice": "none"}
CHOICES: Options = {"rearrangement": "none"}
WHOLE = (
    Task("bof", equal(5, 4)),
    Task("kalah", equal(6, 1), {"empty_capture": True}, published=2),
    Task("kalah", equal(6, 2), {"empty_capture": True}, published=10),
    Task("kalah", equal(6, 3), {"empty_capture": True}, turns=0, published=2),
    Task("kalah", equal(6, 1)),
    Task("kalah", equal(6, 2)),
    Task("kalah", equal(6, 3), turns=0, published=2),
    Task("enkeshui", FOURS_RIGHT, NO_CHOICES, turns=0, memory=1024),
    Task("layli-goobalay", equal(6, 4), {}, 4_000_000, 0, 1024),
    Task("anywoli", equal(7, 4), {}, 30_000_000, 0, 1024),
    Task("enkeshui-wikipedia", FOURS_RIGHT, CHOICES, 20_000_000, 0, 1024),
    Task("enkeshui", FOURS_RIGHT, CHOICES, 3_000_000, 0, 1024),
    Task("enkeshui", FOURS_LEFT, NO_CHOICES, turns=0, memory=1024),
    Task("enkeshui-wikipedia", FOURS_LEFT, CHOICES, 20_000_000, 0, 1024),
    Task("enkeshui", FOURS_LEFT, CHOICES, 20_000_000, 0, 1024),
    Task("layli-goobalay", equal(8, 4), {}, 30_000_000, 0, 1024),
    Task("layli-goobalay", equal(12, 4), {}, 10_000_000, 0, 1024),
    Task("anywoli", equal(12, 4), {}, 10_000_000, 0, 1024),
    Task("kalah", equal(6, 4), {"empty_capture": True}, 400_000_000, 0, 1024, 14, published=10),
    Task("kalah", equal(6, 4), {}, 400_000_000, 0, 1024, 14, published=8),
)
SECONDS = 300  # of any search: with choices of direction a position can take long


class Builder:
    """Builds endgame tables in a folder, each of at most `most` positions unless more seeds are asked for."""

    def __init__(self, folder: Path, most: int) -> None:
        self.folder = folder
        self.most = most

    def largest(self, rules: Rules) -> Tables | None:
        """The table with as many seeds as fit, but no more than four in each pit; None if these rules have none.

        With choices of direction it is smaller: with many seeds in few pits they are without number.
        """
        try:
            needed = TableRules.of(rules)
        except TableError:
            return None
        choices = rules.options.get("direction_choice", "none") != "none"
        dense, most = (2, self.most // 10) if choices else (4, self.most)
        seeds = 0
        while seeds < 2 * dense * rules.row and self._size(needed, seeds + 1) <= most:
            seeds += 1
        return self.tables(rules, seeds)

    def tables(self, rules: Rules, seeds: int) -> Tables:
        """The table of all positions with up to so many seeds."""
        folder = self.folder / str(seeds)
        build_table(folder / table_name(rules), rules, seeds)
        return Tables(folder)

    def _size(self, rules: TableRules, seeds: int) -> int:
        try:
            keys = layers_of(rules, seeds, [0])
        except TableError:  # too many patterns of special pits
            return self.most + 1
        index = TableSet(rules.row, keys, rules.win_at, rules.total)
        return sum(index.positions(count) for count in range(seeds + 1))


def prove(task: Task, builder: Builder) -> SolvedStart:
    """Prove a start, and check it in every other way there is.

    :raises AssertionError: a check contradicts the proof.
    """
    rules = rules_on(task.game, task.start, **task.options)
    free = without_rule_of_repetition(rules, task)
    start, limits = rules.start(), Limits(SECONDS, nodes=task.nodes)
    tables = builder.tables(free, task.table) if task.table else None
    found = solve(free, start, limits=limits, memory=task.memory, tables=tables)
    stopped = not found.exact and (found.nodes >= task.nodes or found.seconds >= SECONDS)
    bounds, seeds = (found.lower, found.upper), task.table
    others: dict[str, Bounds | None] = {}
    largest = None if task.table else builder.largest(free)
    if largest is not None:
        others["table"] = bounds_after(free, start, lambda position: largest.bounds(free, position))
        again = None
        if not stopped or others["table"] is not None:
            again = solve(free, start, limits=limits, memory=CHECK_MEMORY, tables=largest)
            others["search-to-table"] = again.lower, again.upper
        if stopped and again is not None and others["table"] is not None:
            # The table is the proof, and a second pass over all of it the check.
            found, bounds, stopped, tables = again, others.pop("table"), False, largest
            table = largest.tables_for(free)[0]
            seeds = check_table(table.folder).covered
            others["second-pass"] = bounds
    if rules.seeds <= SLOW_SEEDS:
        others["slow-rules"] = slow_bounds(free)
    in_force = None
    if not stopped and not found.exact and rules is not free:
        own = builder.largest(rules)
        in_force = own.value(rules, start) if own is not None else None
    turns: dict[str, Bounds] = {}
    if task.turns and not stopped:
        turns, whole = first_turns(free, task.turns, tables)
        least = max(low for low, _ in turns.values())
        others["each-turn"] = least, max(high for _, high in turns.values()) if whole else rules.seeds
    if task.published is not None:
        others["published"] = task.published, task.published
    for name, other in others.items():
        assert other is None or (other[0] <= bounds[1] and bounds[0] <= other[1]), f"{task}: {bounds}, {name}: {other}"
    return SolvedStart(
        task.game,
        task.start,
        task.options,
        *bounds,
        in_force,
        stopped,
        found.move.choice_text if found.move is not None else "",
        turns,
        found.nodes,
        round(found.seconds, 2),
        task.memory,
        found.collisions,
        seeds,
        [name for name, other in others.items() if other == bounds],
    )


def without_rule_of_repetition(rules: Rules, task: Task) -> Rules:
    """The same game, with no rule of repetition where that would decide who gets the seeds in pits: tables of these
    rules have bounds that hold under any."""
    if rules.info.remaining_seeds != "nobody":
        return rules
    return rules_on(task.game, task.start, **{**task.options, "repetition": 0})


def first_turns(rules: Rules, nodes: int, tables: Tables | None) -> tuple[dict[str, Bounds], bool]:
    """Bounds of each first turn for South, each searched alone, and whether these are all. Of turns that lead to one
    position, the one with the fewest choices; of more than `MOST_TURNS`, those with the fewest."""
    start = rules.start()
    names: dict[Position, str] = {}
    turns = rules.turns(start)
    for turn in turns:
        name = turn.move.choice_text
        names[turn.position] = min(names.get(turn.position, name), name, key=len)
    chosen = sorted(names, key=lambda position: len(names[position]))[:MOST_TURNS]
    limits = Limits(SECONDS, nodes=nodes)
    found = {one: solve(rules, one, limits=limits, memory=CHECK_MEMORY, tables=tables) for one in chosen}
    return {
        names[position]: (one.lower, one.upper) if position.to_move is start.to_move else (-one.upper, -one.lower)
        for position, one in sorted(found.items(), key=lambda item: names[item[0]])
    }, turns.complete and len(chosen) == len(names)


def bounds_after(
    rules: Rules, position: Position, known: Callable[[Position], Bounds | None], turns: int = FIRST_TURNS
) -> Bounds | None:
    """Bounds of a position for its side to move, from what is known of it or of those at most `turns` turns later."""
    bounds = known(position)
    if bounds is not None or turns == 0:
        return bounds
    after = rules.turns(position)
    if not after:
        south, north = rules.final_score(position)
        value = south - north if position.to_move == 0 else north - south
        return value, value
    each = []
    for turn in after:
        found = bounds_after(rules, turn.position, known, turns - 1)
        if found is None:
            return None
        each.append(found if turn.position.to_move is position.to_move else (-found[1], -found[0]))
    return max(low for low, _ in each), max(high for _, high in each)


def slow_bounds(rules: Rules) -> Bounds | None:
    """Bounds of the start by the slow model of the rules; its first turns, which have rules of their own, apart."""
    leaves = [rules.start()]
    for _ in range(FIRST_TURNS):
        leaves = [turn.position for position in leaves for turn in rules.turns(position)]
    bounds = plain_solver.solve(rules, plain_solver.reachable(rules, leaves))
    return bounds_after(rules, rules.start(), lambda one: bounds.get(one) if one.ply == FIRST_TURNS else None)


def numbers(text: str) -> range:
    """A range as ``2-4``, or a single number."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="small,whole")
    parser.add_argument("--game", help="only this game")
    parser.add_argument("--pits", type=numbers, default=range(1, 14), help="pits in a row, as 2-4")
    parser.add_argument("--seeds", type=numbers, default=range(1, 49), help="seeds in the fullest pit, as 1-4")
    parser.add_argument("--again", action="store_true", help="prove the starts that the file has too")
    parser.add_argument("--most", type=int, default=1_000_000, help="positions of a table that checks")
    parser.add_argument("--tables", type=Path, help="a folder to keep endgame tables in, for the next run")
    parser.add_argument("--file", type=Path, default=DATA)
    options = parser.parse_args()
    chosen = options.only.split(",")
    kept = {key(one): one for one in (solved_starts(options.file) if options.file.exists() else ())}
    with tempfile.TemporaryDirectory() as folder:
        builder = Builder(options.tables or Path(folder), options.most)
        for task in (SMALL if "small" in chosen else ()) + (WHOLE if "whole" in chosen else ()):
            start = rules_on(task.game, task.start).start()
            if options.game not in (None, task.game) or start.row not in options.pits:
                continue
            if max(start.pits) not in options.seeds or (key(task) in kept and not options.again):
                continue
            found = kept[key(task)] = prove(task, builder)
            write_solved(options.file, list(kept.values()))
            given = " ".join(f"{name}={value}" for name, value in task.options.items())
            print(
                f"{task.game} {given} {task.start}: {found.lower:+d} to {found.upper:+d} {' '.join(found.best)}, "
                f"{found.nodes:,} positions, {found.seconds:.2f} s; {' '.join(found.checks)}",
                flush=True,
            )


def key(start: Task | SolvedStart) -> tuple[str, str, str]:
    """What tells starts apart."""
    return start.game, start.start, repr(sorted(start.options.items()))


if __name__ == "__main__":
    main()
