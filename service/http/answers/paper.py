"""What was read of a sheet of paper, as JSON."""

from __future__ import annotations

from typing import Annotated

from inkeek.records.notation.writer import write_game
from inkeek.records.paper.reading import MEANINGS, PaperSheet
from inkeek.records.paper.words import PITS

from .shape import Shape, one_of


class SheetReadingJson(Shape):
    """A way to read a part of the sheet."""

    says: str
    start: int
    end: int
    text: Annotated[str, "what then stands in the sheet from `start` to `end`"]


class LeftOutJson(Shape):
    line: int
    column: int
    text: str


class SheetTokenJson(Shape):
    """A part of the sheet. All together they are its whole text."""

    text: str
    start: Annotated[int, "where it stands in the text, in characters from 0"]
    end: int
    line: int
    column: int
    meaning: Annotated[str, one_of(MEANINGS)]
    move: Annotated[str, "in canonical form; empty if the word is none that was played"]
    ply: Annotated[int, "the number of the turn; 0: none"]
    note: Annotated[str, "why it is marked (`wrong`), or what it was read as"]
    legal: Annotated[list[str], "what would be legal instead, at most 200 moves"]
    readings: Annotated[list[SheetReadingJson], "the answers to a mark"]


class SheetJson(Shape):
    tokens: list[SheetTokenJson]
    positions: Annotated[list[str], "before the first turn that was read, and after each"]
    legal: Annotated[list[str], "the legal moves after the last turn, unless a word cannot be"]
    record: Annotated[str, "the record as far as it was read, in the notation"]
    pits: Annotated[str, one_of(PITS), "how the pits are named"]
    namings: Annotated[list[SheetReadingJson], "how else they may be named"]
    left_out: Annotated[list[LeftOutJson], "what of the sheet is not in the record: marks, and turns after them"]
    errors: Annotated[list[str], "why it cannot be stored yet; empty: it can"]


def sheet_json(sheet: PaperSheet) -> SheetJson:
    errors = [f"line {mark.line}, column {mark.column}: {mark.note}" for mark in sheet.marks]
    errors = errors or [str(error) for error in sheet.game.errors]
    return SheetJson.of(sheet, record=write_game(sheet.game), errors=errors)
