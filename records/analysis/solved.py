"""Starts whose values are proven, or bounds of them: the data behind `docs/solved.md`.

`benchmarks/analysis/solved.py` proves them and writes the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from inkeek.records.json_codec import decode, encode
from inkeek.records.position import Position
from inkeek.records.rules.play import Rules
from inkeek.records.rules.ruleset import Value, load_ruleset

FILE = "solved.json"

# How a value was found a second time, besides by the search without tables.
CHECKS = {
    "slow-rules": "the slow model of the rules, looking at every position",
    "table": "an endgame table that has the start",
    "search-to-table": "a search that ends where an endgame table knows the value",
    "each-turn": "every first turn proven alone, in a table of another size",
    "second-pass": "a second pass over all positions of the endgame table that is the proof",
    "published": "others have published this value",
}


@dataclass(frozen=True, slots=True)
class SolvedStart:
    """What is proven about a start, for South, who begins.

    `start`: the seeds in the pits, as ``2.2.2/2.2.2``. `options`: those that differ from the rule set's defaults.
    `lower`, `upper`: bounds that hold under any rule of repetition; `in_force`: where they differ, the value under the
    game's own rule of repetition, if a table knows it. `stopped`: whether the search reached a limit before the bounds
    met. `move`: the best turn that the search knows. `turns`: bounds for South of each first turn; turns that lead to
    the same position stand once, and of more than 24 those with the fewest choices; empty if they were not searched.
    `nodes`, `seconds`, `memory` (MiB), `collisions`: what the proof took, and its probability to have taken a position
    for another one (`Solution`). `tables`: up to how many seeds the proof used an endgame table, 0 if it used none.
    `checks`: keys of `CHECKS`.
    """

    game: str
    start: str
    options: dict[str, Value]
    lower: int
    upper: int
    in_force: int | None
    stopped: bool
    move: str
    turns: dict[str, tuple[int, int]]
    nodes: int
    seconds: float
    memory: int
    collisions: float
    tables: int
    checks: list[str]

    @property
    def exact(self) -> bool:
        """Whether the value is proven."""
        return self.lower == self.upper

    @property
    def pits(self) -> int:
        """Pits in a row."""
        return self.start.split("/")[0].count(".") + 1

    @property
    def best(self) -> list[str]:
        """The first turns that are proven to be worth as much as the start; `move` if there are none."""
        best = [
            turn
            for turn, (lower, upper) in self.turns.items()
            if lower == self.lower and (self.exact or upper == self.upper)
        ]
        return best or [self.move]

    def rules(self) -> Rules:
        """The rules that it begins under."""
        return rules_on(self.game, self.start, **self.options)


def rules_on(game: str, start: str, **options: Value) -> Rules:
    """The rules of a game that begins with these seeds in the pits, as ``2.2.2/2.2.2``: South's row, then North's. The
    board may be smaller than any the game is played on.

    :raises OptionError: there is no such game or option.
    :raises PositionError: `start` is not two rows of seeds.
    """
    info = load_ruleset(game)
    position = Position.parse(f"{start} 0-0 s 0")
    return Rules(info, {**info.resolve(options, laid_out=False), "pits": position.row}, position)


@dataclass(frozen=True, slots=True)
class SolvedFile:
    """What the file holds."""

    starts: tuple[SolvedStart, ...]


@cache
def solved_starts(path: Path | None = None) -> tuple[SolvedStart, ...]:
    """All starts that are known, or those of another file, in order of game, options and size."""
    return decode((path or Path(__file__).with_name(FILE)).read_bytes(), SolvedFile).starts


def write_solved(path: Path, starts: list[SolvedStart]) -> None:
    """Write a file of starts in order, one to a line."""
    lines = ",\n".join(encode(one).decode() for one in sorted(starts, key=_order))
    path.write_text(f'{{"starts": [\n{lines}\n]}}\n', "utf-8")


def _order(start: SolvedStart) -> tuple[str, str, int, int, str]:
    seeds = start.rules().seeds
    return start.game, repr(sorted(start.options.items())), start.pits, seeds, start.start
