"""``/paper``: what a sheet of paper says. Nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from marshmallow import Schema, fields, validate

from inkeek.records import write_game
from inkeek.records.notation.tags import described, format_options
from inkeek.records.paper.reading import MAX_SHEET, MEANINGS, PaperSheet, read_sheet
from inkeek.records.paper.words import PITS
from inkeek.records.rules.ruleset import Value
from inkeek.service.findings.request import MAX_QUESTION
from inkeek.service.games.record_check import tags_from
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import (
    OPTIONAL,
    describe,
    options_field,
    position_field,
    ruleset_field,
    tags_field,
)
from inkeek.service.http.context import find_ruleset
from inkeek.service.http.shape import Shape, one_of

blueprint = ApiBlueprint("paper", "Sheets of paper.")


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
    readings: Annotated[list[SheetReadingJson], "the answers to a mark, or to a date with several days"]


class SheetJson(Shape):
    tokens: list[SheetTokenJson]
    positions: Annotated[list[str], "before the first turn that was read, and after each"]
    legal: Annotated[list[str], "the legal moves after the last turn, unless a word cannot be"]
    record: Annotated[str, "the record as far as it was read, in the notation"]
    pits: Annotated[str, one_of(PITS), "how the pits are named"]
    namings: Annotated[list[SheetReadingJson], "how else they may be named"]
    left_out: Annotated[list[LeftOutJson], "what of the sheet is not in the record: marks, and turns after them"]
    errors: Annotated[list[str], "why it cannot be stored yet; empty: it can"]
    warnings: Annotated[list[str], "what does not fit, or is not understood, though it can be stored"]


def sheet_json(sheet: PaperSheet) -> SheetJson:
    errors = [f"line {mark.line}, column {mark.column}: {mark.note}" for mark in sheet.marks]
    errors = errors or [str(error) for error in sheet.game.errors]
    warnings = [*map(str, sheet.overruled.values()), *sheet.game.warnings()]
    return SheetJson.of(sheet, record=write_game(sheet.game), errors=errors, warnings=warnings)


class PaperSchema(Schema):
    game = ruleset_field()
    options = options_field()
    tags = tags_field("what the sheet may not say: where it says something else, that is taken, with a warning")
    setup = position_field("position to start from", **OPTIONAL)
    text = fields.String(
        required=True, validate=validate.Length(0, MAX_SHEET), metadata=describe("the sheet, line by line")
    )


def read_paper(
    text: str, game: str, options: Mapping[str, Value], tags: Mapping[str, str], setup: str | None
) -> PaperSheet:
    """Read a sheet of a game with these options, from its set-up or from a position.

    :raises RecordsError: they do not fit together, or the text is too long.
    """
    rules = {**described(find_ruleset(game)), "Options": format_options(options), "Setup": setup}
    with tags_from(Game="game", Options="options", Setup="setup"):
        return read_sheet(text, {**tags, **{name: value for name, value in rules.items() if value}})


@blueprint.operation(
    "POST",
    "/paper",
    scope="read",
    body=PaperSchema,
    example={"game": "kalah", "text": "Amina - Babu\n1. a D\n2. b c F\nBabu resigned"},
    status=200,
    idempotent=False,
    limited=True,
    max_body=MAX_QUESTION,
)
def read_sheet_of_paper(body: dict[str, Any]) -> SheetJson:
    """Read a sheet of paper: what each word means, and the game as far as it is legal. Nothing is stored."""
    return sheet_json(read_paper(body["text"], body["game"], body["options"], body["tags"], body["setup"]))
