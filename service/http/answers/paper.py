"""What was read of a sheet of paper, as JSON."""

from __future__ import annotations

from typing import Annotated

from records.notation.writer import write_game
from records.paper.reading import MEANINGS, PaperSheet

from .shape import Shape, one_of


class SheetTokenJson(Shape):
    """A word of the sheet."""

    text: str
    line: int
    column: int
    meaning: Annotated[str, one_of(MEANINGS)]
    move: Annotated[str, "in canonical form; empty if the word is none that was played"]
    ply: Annotated[int, "the number of the turn; 0: none"]
    note: Annotated[str, "why it cannot be"]
    legal: Annotated[list[str], "what would be legal instead, at most 200 moves"]


class SheetJson(Shape):
    tokens: list[SheetTokenJson]
    positions: Annotated[list[str], "before the first turn that was read, and after each"]
    legal: Annotated[list[str], "the legal moves after the last turn, unless a word cannot be"]
    record: Annotated[str, "the record as far as it was read, in the notation"]
    errors: Annotated[list[str], "why it cannot be stored yet; empty: it can"]


def sheet_json(sheet: PaperSheet) -> SheetJson:
    wrong = sheet.wrong
    errors = [str(error) for error in sheet.game.errors]
    if wrong is not None:
        errors = [f"line {wrong.line}, column {wrong.column}: {wrong.note}"]
    return SheetJson.of(sheet, record=write_game(sheet.game), errors=errors)
