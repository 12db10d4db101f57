"""What is true of every game of a family, whatever its options: the one place that says so.

The kernel, the search, findings and tables follow from it; `tests/records/reference.py` says it again.
What a lap's last seed does is `_end_<family>` in `inkeek.records.kernel.sowing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from inkeek.records.kernel import codes


class CompiledTable(NamedTuple):
    """A table under fixed options, as the kernel reads it (`inkeek.records.rules.table`).

    `rows` has `ROW` numbers for each row, `tests` has `SITUATIONS` for each test; where a number names a test, -1 is
    none. `settings` are what the table says in the words of the kernel's options.
    """

    rows: tuple[int, ...]
    tests: tuple[int, ...]
    settings: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The facts of a family. `number` stands for it in the kernel.

    `captures`: what the end of a lap captures: the pit ``opposite``, four seeds (``four``), what lies ``beyond`` an
    empty pit, or the last pit and those before it (``backward``). `takes_last`: an opposite capture takes the last seed
    too. `goes_on`: a capture goes on to the next pits. `in_passing`: seeds are also captured in the middle of a lap.
    `relays`: an occupied last pit is sown on. `banks`: laps sow the mover's own store. `specials`: how pits become
    special: two that lie ``opposite`` each other, or where a lap makes ``fours``; "" if none do. `feeds`: whose
    opponent has no seeds must play a turn that reaches that row in its first lap or, where it relays, that leaves it
    seeds at its end. `ends_with_row`: the game is over as soon as either row is empty. `closes_pits`: whether a set-up
    may have closed pits. `least_special`: seeds that a special pit has at least. `repeats`: whether a position can come
    up again: not where seeds that go round pass the own store. `table`: what the kernel runs, where it has no code for
    the family.
    """

    number: int
    captures: Literal["opposite", "four", "beyond", "backward"]
    takes_last: bool = True
    goes_on: bool = False
    in_passing: bool = False
    relays: bool = True
    banks: bool = False
    specials: Literal["", "fours", "opposite"] = ""
    feeds: bool = False
    ends_with_row: bool = False
    closes_pits: bool = False
    least_special: int = 2
    repeats: bool = True
    table: CompiledTable | None = None


FAMILIES = {
    "enkeshui": Family(number=codes.ENKESHUI, captures="opposite", goes_on=True, specials="fours"),
    "anywoli": Family(number=codes.ANYWOLI, captures="four", in_passing=True),
    "layli-goobalay": Family(number=codes.LAYLI, captures="opposite", specials="opposite"),
    "bof": Family(number=codes.BOF, captures="beyond", relays=False, closes_pits=True),
    "oware": Family(number=codes.OWARE, captures="backward", goes_on=True, relays=False, feeds=True),
    "kalah": Family(
        number=codes.KALAH, captures="opposite", relays=False, banks=True, ends_with_row=True, repeats=False
    ),
}


def game_end(family: Family, options: Mapping[str, object]) -> Literal["row", "majority", "neither", "mover"]:
    """What ends a game: an empty row, or that neither side or the one to move can play; a majority of the seeds in one
    store, or again that the side to move cannot play."""
    if family.ends_with_row:
        return "row"
    if options.get("majority_end"):
        return "majority"
    return "neither" if options.get("no_move") == "pass" else "mover"
