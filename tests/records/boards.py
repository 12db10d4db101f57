"""Small boards for tests: only the pits that matter are given, as in ``lay("enkeshui", "a2 c4s", pits=8)``."""

from __future__ import annotations

import re

import pytest

from inkeek.records import IllegalMove, Move, Position, Rules, Side, Turn, ruleset
from inkeek.records.position import MARK_LETTERS, format_pit
from inkeek.records.rules.ruleset import Value

Laid = tuple[Rules, Position]


def lay(id: str, seeds: str, side: str = "s", ply: int = 4, stores: tuple[int, int] = (0, 0), **options: Value) -> Laid:
    """Return rules and a position with these seeds: ``c4`` four in c, ``c4s`` South's special pit, ``cx`` closed."""
    rules = ruleset(id, **options)
    pits, marks = [0] * (2 * rules.row), [0] * (2 * rules.row)
    for letter, count, mark in re.findall(r"([A-Za-z])([0-9]*)([snx]?)(?:\s|$)", seeds):
        pit = Move(letter).pit_index(rules.row)
        pits[pit], marks[pit] = int(count or 0), MARK_LETTERS.index(mark)
    position = Position(tuple(pits), tuple(marks), stores, Side("sn".index(side)), ply)
    return rules.starting_from(position), position


def play(laid: Laid, move: str) -> Turn:
    rules, position = laid
    return rules.play(position, Move.parse(move))


def held(position: Position) -> str:
    """What lies on the board, as `lay` takes it: empty ordinary pits are left out."""
    return " ".join(
        position.letter(pit) + format_pit(count, mark)
        for pit, (count, mark) in enumerate(zip(position.pits, position.marks, strict=True))
        if count or mark
    )


def result(laid: Laid, move: str) -> tuple[str, str]:
    """The move as it is written, and what lies on the board after it."""
    turn = play(laid, move)
    return str(turn.move), held(turn.position)


def enkeshui(seeds: str, **options: object) -> Laid:
    """A board of Enkeshui with eight pits a row."""
    return lay("enkeshui", seeds, **{"pits": 8, **options})  # type: ignore[arg-type]


def refusal(laid: Laid, move: str) -> IllegalMove:
    """The error of a move that is refused; it must carry the position and the legal moves."""
    rules, position = laid
    with pytest.raises(IllegalMove) as caught:
        rules.play(position, Move.parse(move))
    assert caught.value.position == position
    assert list(caught.value.legal) == rules.legal_moves(position)
    return caught.value
