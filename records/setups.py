"""Set-ups of the games of a match, the rows that each side lays out of its seeds, and the pits that a race starts from.

Rows are from their owner's left to right, so the right-hand pit is the last.
"""

from __future__ import annotations

from collections.abc import Sequence

from .position import CLOSED, ORDINARY, Position, Side, format_pit
from .rules.play import Rules

MATCH_KINDS = ("games", "surplus", "rounds")  # values of the option `match` besides "none"


def match_kind(rules: Rules) -> str:
    """The kind of match by the options: one of `MATCH_KINDS`, or ``none``."""
    return str(rules.options["match"])


def standard_start(rules: Rules) -> Position:
    """The set-up by the options, whatever this game was set up as."""
    return Rules(rules.info, rules.options).start()


def seeds_and_marks(position: Position) -> tuple[object, ...]:
    """All of a position but whose turn it is and the ply."""
    return position.pits, position.marks, position.stores


def row_of(position: Position, side: Side) -> tuple[int, ...]:
    """The seeds in a side's pits, from its left."""
    return tuple(position.pits[pit] for pit in position.pits_of(side))


def seeds_of(position: Position, side: Side) -> int:
    """A side's seeds before the first turn: those in its row and in its store."""
    return sum(row_of(position, side)) + position.stores[side]


def fill_from_right(standard: Sequence[int], seeds: int) -> tuple[int, ...]:
    """A row filled with the standard numbers from its right-hand pit on; the last pits are short or empty.

    Seeds beyond the whole row are left out.
    """
    row = []
    for number in reversed(standard):
        laid = min(number, seeds)
        seeds -= laid
        row.append(laid)
    return tuple(reversed(row))


def least_to_play(standard: Sequence[int]) -> int:
    """The fewest seeds with which a side can go on: those of the rightmost pit that its `standard` row fills."""
    return next(number for number in reversed(standard) if number)


def open_pits(rules: Rules, seeds: int) -> int:
    """How many pits a side with `seeds` fills in the next round."""
    return min(rules.row, seeds // rules.info.seeds_in_pit(rules.options))


def setup_faults(rules: Rules, position: Position, first_game: bool) -> list[str]:
    """Why no game of this match can begin from `position`, whatever the games before it; empty if one can.

    `first_game`: no game was played before it.
    """
    kind = match_kind(rules)
    if kind not in ("surplus", "rounds"):
        return []
    standard = standard_start(rules)
    if first_game and seeds_and_marks(position) != seeds_and_marks(standard):
        return [f"the first game of a match begins from the standard set-up, {standard}"]
    faults = [f"a game begins with ply 0, not {position.ply}"] if position.ply else []
    if any(mark not in (ORDINARY, CLOSED) for mark in position.marks):
        faults.append("a pit is marked special, but no turn was played")
    for side in Side:
        seeds, row = seeds_of(position, side), row_of(standard, side)
        least = least_to_play(row)
        if seeds < least:
            faults.append(f"{side} has {seeds} seeds, and needs {least} to fill a pit: the match is over")
        elif kind == "surplus":
            faults += _surplus_faults(position, side, row)
        else:
            faults += _round_faults(rules, position, side)
    return faults


def _surplus_faults(position: Position, side: Side, standard: tuple[int, ...]) -> list[str]:
    if position.stores[side]:
        return [f"{side} has {position.stores[side]} seeds in the store: expected all of them in the row"]
    row = row_of(position, side)
    if sum(row) > sum(standard):
        return [f"{side} has {sum(row)} seeds: expected at most {sum(standard)}"]
    filled = fill_from_right(standard, sum(row))
    if row != filled:
        laid, right = ".".join(map(str, row)), ".".join(map(str, filled))
        return [f"{side} has {sum(row)} seeds and laid {laid}: expected {right}, filled from the right"]
    return []


def _round_faults(rules: Rules, position: Position, side: Side) -> list[str]:
    each = rules.info.seeds_in_pit(rules.options)
    pits = position.pits_of(side)
    filled = open_pits(rules, seeds_of(position, side))
    wanted = sorted([(each, ORDINARY)] * filled + [(0, CLOSED)] * (rules.row - filled))
    if sorted((position.pits[pit], position.marks[pit]) for pit in pits) != wanted:
        laid = ".".join(format_pit(position.pits[pit], position.marks[pit]) for pit in pits)
        return [
            f"{side} has {seeds_of(position, side)} seeds and laid {laid}: expected {filled} pits with {each} and the "
            "others closed"
        ]
    closed = [pit for pit in pits if position.marks[pit] == CLOSED]
    if rules.options["closing"] == "leftmost" and closed != list(pits[: len(closed)]):
        letters = " ".join(position.letter(pit) for pit in closed)
        return [f"{side} closed {letters}: expected the leftmost pits with closing=leftmost"]
    return []


def racing_pits(rules: Rules, start: Position, side: Side) -> list[int]:
    """The pits from which a side may start: its own with seeds; with ``race=right-hand`` the rightmost of these."""
    pits = [pit for pit in start.pits_of(side) if start.pits[pit] and start.marks[pit] == ORDINARY]
    return pits[-1:] if rules.options["race"] == "right-hand" else pits
