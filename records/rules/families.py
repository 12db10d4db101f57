"""Families of games, and what is true of one: the kernel, the search, findings and tables follow from it.

What a lap's last seed does in a family is `_end_<family>` in `inkeek.records.kernel.sowing`.
"""

from __future__ import annotations

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


OWN_CODE = {
    "enkeshui": codes.ENKESHUI,
    "anywoli": codes.ANYWOLI,
    "layli-goobalay": codes.LAYLI,
    "bof": codes.BOF,
    "oware": codes.OWARE,
    "kalah": codes.KALAH,
}
"""The families: games for which the kernel has its own code, and their numbers there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """What follows from a table under fixed options (`inkeek.records.rules.table.family_of`).

    `number`: whose code the kernel runs. `captures`: what the end of a lap captures: the pit ``opposite``, the last pit
    (``four``), what lies ``beyond`` an empty pit, or the last pit and those before it (``backward``). `takes_last`: a
    capture takes the last seed too. `goes_on`: a capture goes on to the next pits. `banks`: laps sow the mover's own
    store. `specials`: how pits become special: two that lie ``opposite`` each other, or where a lap makes ``fours``; ""
    if none do. `feeds`: whose opponent has no seeds must play a turn that reaches that row in its first lap or, where
    the table says so, that leaves it seeds at its end. `ends_with_row`: the game is over as soon as either row is
    empty. `least_special`: seeds that a special pit has at least. `repeats`: whether a position can come up again: not
    where seeds that go round pass the own store. `table`: what the kernel runs, where it has no code for the family.
    """

    number: int
    captures: Literal["opposite", "four", "beyond", "backward"]
    takes_last: bool
    goes_on: bool
    banks: bool
    specials: Literal["", "fours", "opposite"]
    feeds: bool
    ends_with_row: bool
    least_special: int
    repeats: bool
    table: CompiledTable | None
