"""Which positions a table holds: under which rules, with which special and closed pits, and with how many seeds.

A pattern's key has a bit for each special or closed pit, the side to move first, then a bit for each of these that is
the opponent's (`records.kernel.endgame`). A table is closed: each turn from a position in it leads to another one. A
turn that makes a pit special takes its seeds out of play, so that with each further special pit fewer seeds are left:

* Enkeshui: a bull takes 4 seeds, a pair of bulls 7. Two bulls of a pair stand side by side, or with `skip_origin` also
  one pit apart.
* Layli Goobalay: two uur, opposite each other, take 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from inkeek.records.kernel.codes import MOST_PITS, NORTHS_AT, STORE_AT
from inkeek.records.kernel.endgame import positions_of
from inkeek.records.position import NORTHS, SOUTHS, Position
from inkeek.records.rules.families import FAMILIES
from inkeek.records.rules.play import Rules

from .errors import TableError

MAX_SEEDS = 100  # in ordinary pits
MAX_PATTERNS = 50_000
MAX_POSITIONS = 1 << 40

# Options that change no value: what happens before the first turns, in a match, or when positions repeat.
_NO_MATTER = frozenset(
    [
        "setup",
        "seeds",
        "first_move",
        "bulls_on_first_move",
        "rearrangement",
        "rearrange_into_bulls",
        "race",
        "race_keeps_position",
        "race_won",
        "repetition",
        "match",
        "starter",
        "round_starter",
        "closing",
    ]
)


@dataclass(frozen=True)
class TableRules:
    """The rules that the values of a table depend on; games that agree in these share their tables.

    `rest_counts`: whether seeds in ordinary pits count at the end. `repeats_at_zero`: whether a repetition ends the
    game and nobody gets these; then no value depends on the game before. `win_at`: the store that ends the game, 0 if
    none does; `total`: all seeds of the game if the values depend on them, else 0.
    """

    family: str
    options: dict[str, bool | int | str]
    rest_counts: bool
    repeats_at_zero: bool = False
    win_at: int = 0
    total: int = 0

    @property
    def row(self) -> int:
        return int(self.options["pits"])

    @classmethod
    def of(cls, rules: Rules) -> TableRules:
        """The rules of a game, as its tables need them.

        :raises TableError: no table can hold the values of this game.
        """
        if rules.options.get("rearrangement") == "any-turn":
            raise TableError(
                f"{rules.id} with rearrangement=any-turn: tables hold sowing turns only. Build with "
                "rearrangement=initial or rearrangement=none"
            )
        if not rules.info.family:
            raise TableError(f"{rules.id} is only a table of rules: endgame tables hold {', '.join(FAMILIES)}")
        if 2 * rules.row > MOST_PITS:
            raise TableError(f"{rules.row} pits in a row: tables hold boards of up to {MOST_PITS // 2}")
        options = {name: value for name, value in sorted(rules.options.items()) if name not in _NO_MATTER}
        rest_counts = rules.info.remaining_seeds != "nobody"
        majority = bool(rules.options.get("majority_end"))
        return cls(
            rules.info.family,
            options,
            rest_counts,
            not rest_counts and rules.options["repetition"] != 0,
            rules.info.seeds_on_board(rules.options) // 2 + 1 if majority else 0,
            rules.seeds if majority else 0,
        )

    def kernel_options(self) -> dict[str, Any]:
        """The options of a kernel that solves or looks up."""
        return {**self.options, "bulls_on_first_move": True}


def pattern_of(position: Position) -> int:
    """The key of a position's special and closed pits."""
    row = position.row
    key = 0
    for pit, mark in enumerate(position.marks):
        at = (pit - row * position.to_move) % (2 * row)
        if mark:
            key |= 1 << at
        if mark == (NORTHS, SOUTHS)[position.to_move]:
            key |= 1 << NORTHS_AT + at
    return key


def closing_patterns(row: int) -> list[int]:
    """The keys of all ways to close pits that leave each side one."""
    whole = (1 << row) - 1
    return [mine | theirs << row for mine in range(whole) for theirs in range(whole)]


def special_patterns(row: int, most: int) -> list[int]:
    """The keys of all ways to have up to `most` special pits.

    :raises TableError: there are too many.
    """
    found = layer = {0}
    for _ in range(most):
        layer = {
            key | 1 << pit | owner << NORTHS_AT + pit
            for key in layer
            for pit in range(2 * row)
            if not key >> pit & 1
            for owner in (0, 1)
        }
        found = found | layer
        _verify_patterns(len(found))
    return sorted(found)


def verify_roots(rules: TableRules, roots: Iterable[int]) -> None:
    """:raises TableError: a pattern is not possible in this game."""
    whole = (1 << 2 * rules.row) - 1
    half = (1 << rules.row) - 1
    for key in roots:
        marked, theirs = key & (1 << NORTHS_AT) - 1, key >> NORTHS_AT
        fits = key >= 0 and marked <= whole and not theirs & ~marked
        if FAMILIES[rules.family].closes_pits:
            fits = fits and not theirs and marked & half != half and marked >> rules.row != half
        elif not FAMILIES[rules.family].specials:
            fits = key == 0
        if not fits:
            raise TableError(f"pattern {key:#x}: no position of {rules.family} has such special or closed pits")


def layers_of(rules: TableRules, seeds: int, roots: Iterable[int]) -> list[list[int]]:
    """The keys of the patterns of each layer, for all numbers of seeds up to `seeds`.

    `roots` are the patterns that may have all of them; more follow from these.
    :raises TableError: there are too many patterns or positions, or a root is not possible.
    """
    roots = list(roots)
    if not 0 <= seeds <= MAX_SEEDS:
        raise TableError(f"{seeds} seeds: expected 0 to {MAX_SEEDS}")
    if rules.total and seeds > rules.total:
        raise TableError(f"{seeds} seeds: the game has {rules.total}")
    verify_roots(rules, roots)
    most: dict[int, int] = {}
    waiting = [(key, seeds) for key in roots]
    while waiting:
        key, left = waiting.pop()
        if left <= most.get(key, -1):
            continue
        most[key] = left
        _verify_patterns(len(most))
        waiting.append((_swap_sides(rules, key), left))
        waiting += [(after, left - taken) for after, taken in _next_patterns(rules, key) if taken <= left]
    layers: list[list[int]] = []
    total = 0
    for count in range(seeds + 1):
        keys = sorted(key for key, left in most.items() if left >= count)
        if rules.win_at:
            first = max(0, rules.total - count - rules.win_at + 1)
            stores = range(first, min(rules.win_at - 1, rules.total - count) + 1)
            keys = sorted(key | store << STORE_AT for key in keys for store in stores)
        layers.append(keys)
        total += sum(positions_of(2 * rules.row - (key & (1 << NORTHS_AT) - 1).bit_count(), count) for key in keys)
        if total > MAX_POSITIONS:
            raise TableError(f"more than {MAX_POSITIONS:,} positions of up to {seeds} seeds: ask for fewer seeds")
    return layers


def _swap_sides(rules: TableRules, key: int) -> int:
    """The key of the same pattern with the other side to move."""
    row = rules.row
    marked, theirs = key & (1 << NORTHS_AT) - 1, key >> NORTHS_AT
    if FAMILIES[rules.family].specials:
        theirs = marked & ~theirs
    return _rotate_bits(marked, row) | _rotate_bits(theirs, row) << NORTHS_AT


def _rotate_bits(bits: int, row: int) -> int:
    return (bits >> row | bits << row) & (1 << 2 * row) - 1


def _next_patterns(rules: TableRules, key: int) -> Iterator[tuple[int, int]]:
    """The patterns that a turn can make of this one, and the seeds that it takes out of play at least."""
    size = 2 * rules.row
    free = [pit for pit in range(size) if not key >> pit & 1]
    specials = FAMILIES[rules.family].specials
    if specials == "opposite":
        for pit in free:
            if pit < rules.row and not key >> (size - 1 - pit) & 1:
                yield key | 1 << pit | 1 << size - 1 - pit, 4
    elif specials == "fours":
        for pit in free:
            yield key | 1 << pit, 4
            for apart in (1, 2) if rules.options["skip_origin"] else (1,):
                other = (pit + apart) % size
                if not key >> other & 1:
                    yield key | 1 << pit | 1 << other, 7


def _verify_patterns(count: int) -> None:
    if count > MAX_PATTERNS:
        raise TableError(
            f"more than {MAX_PATTERNS:,} patterns of special pits: ask for fewer seeds or special pits, or give a "
            "position whose special pits the table starts from"
        )
