"""``/paper``: what a sheet of paper says that was typed as it stands there. Nothing is stored."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from inkeek.records.paper.reading import MAX_SHEET
from inkeek.service.http.answers.paper import SheetJson, sheet_json
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import OPTIONAL, describe
from inkeek.service.http.api.text_fields import options_field, position_field, ruleset_field, tags_field
from inkeek.service.http.finding_request import MAX_QUESTION
from inkeek.service.http.paper_request import read_paper

blueprint = ApiBlueprint("paper", "Sheets of paper.")


class PaperSchema(Schema):
    game = ruleset_field()
    options = options_field()
    tags = tags_field("what is known already: it counts more than the sheet")
    setup = position_field("position to start from", **OPTIONAL)
    text = fields.String(
        required=True, validate=validate.Length(0, MAX_SHEET), metadata=describe("the sheet, line by line")
    )


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
