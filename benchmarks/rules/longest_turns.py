"""Search for the longest turns: ``python -m benchmarks.rules.longest_turns --seconds 60 --seed 1``.

For every rule set it searches random positions for the longest turn that ends, the longest cycle, and turns that the
kernel cannot settle. Half of the positions come from random games, half have the game's seeds in random pits.
`docs/benchmarks.md` has the results.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from records import Move, Position, Rules, ruleset
from records.kernel.loader import kernel_module, mode_of
from records.rules.play import ENDED, ENDLESS
from tests.records import positions

GAMES: tuple[tuple[str, dict[str, int]], ...] = (
    ("enkeshui", {"pits": 8}),
    ("enkeshui", {"pits": 12}),
    ("enkeshui-wikipedia", {"pits": 8}),
    ("enkeshui-wikipedia", {"pits": 12}),
    ("anywoli", {"pits": 7}),
    ("anywoli", {"pits": 12}),
    ("anywoli", {"pits": 13, "seeds": 2}),
    ("layli-goobalay", {"pits": 6}),
    ("layli-goobalay", {"pits": 8}),
    ("layli-goobalay", {"pits": 12}),
    ("bof", {}),
)
MOST = 2000  # turns with choices looked at in one position
TRIES = 4000  # and series of choices tried for them


@dataclass
class Found:
    """Results of the search: lengths in laps, each with the position and move that showed it first."""

    positions: int = 0
    turns: int = 0
    endless: int = 0
    unsettled: int = 0
    ending: tuple[int, str] = (0, "")
    cycle: tuple[int, str] = (0, "")
    unsettled_at: list[str] = field(default_factory=list)


def search(rules: Rules, rng: Random, seconds: float) -> Found:
    """Look at random positions for so long, by the clock."""
    found = Found()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for position in _some(rules, rng):
            _look_at(rules, position, found)
    return found


def _some(rules: Rules, rng: Random) -> Iterator[Position]:
    game = list(positions.random_game(rng, rules))
    yield from game
    for _ in game:
        yield positions.constructed(rng, rules)


def _look_at(rules: Rules, position: Position, found: Found) -> None:
    found.positions += 1
    # The kernel itself: one turn after the other, with no move made and no claim written for it.
    kernel = rules._load(position)
    for pit, choices, _, _, _, laps, *_ in kernel.turns(MOST, TRIES):
        found.turns += 1
        if laps > found.ending[0]:
            found.ending = (laps, f"{Move.from_pit(pit, rules.row, choices)} in {position}")
    for pit in position.pits_of(position.to_move):
        kernel.load(*position)  # a sowing leaves the board as it ended
        if not kernel.may_start(pit):
            continue
        status = kernel.sow(position.to_move, pit % rules.row, 0, 0)
        if status == ENDED:
            continue
        text = f"{position.letter(pit)} in {position}"
        if status == ENDLESS:
            found.endless += 1
            cycle = kernel.failure()[1]
            if cycle > found.cycle[0]:
                found.cycle = (cycle, text)
        else:
            found.unsettled += 1
            found.unsettled_at.append(text)


def main() -> None:
    parser = argparse.ArgumentParser(description="Search for the longest turns and cycles.")
    parser.add_argument("--seconds", type=float, default=10, help="for each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=3, help="unsettled turns shown of each game")
    options = parser.parse_args()
    print(f"kernel: {mode_of(kernel_module())}; {options.seconds:g} s a game, seed {options.seed}\n")
    print("| game | positions | turns that end | longest, laps | endless | longest cycle, laps | unsettled |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    shown: list[str] = []
    for id, given in GAMES:
        rules = ruleset(id, **given)
        name = " ".join([id, *(f"{key}={value}" for key, value in given.items())])
        found = search(rules, Random(f"{name} {options.seed}"), options.seconds)
        print(
            f"| {name} | {found.positions:,} | {found.turns:,} | {found.ending[0]:,} | {found.endless:,} "
            f"| {found.cycle[0]:,} | {found.unsettled:,} |",
            flush=True,
        )
        shown.append(f"{name}: longest turn {found.ending[1]}")
        if found.cycle[0]:
            shown.append(f"{name}: longest cycle {found.cycle[1]}")
        shown += [f"{name}: unsettled {text}" for text in found.unsettled_at[: options.show]]
    print("\n" + "\n".join(shown))


if __name__ == "__main__":
    main()
