"""Annotations of games, which are changed after the fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flask import Response
from flask.typing import ResponseReturnValue
from marshmallow import Schema, ValidationError, fields, validate

from inkeek.records.record import MAX_NAG
from inkeek.service.errors import Invalid
from inkeek.service.games.annotations import MAX_CHANGES, Edit, annotate
from inkeek.service.games.answers import ID, AnnotationsJson
from inkeek.service.games.api import write
from inkeek.service.games.plies import KINDS, Annotation
from inkeek.service.games.record_check import MAX_COMMENT
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.access import allows
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import (
    OPTIONAL,
    JsonInteger,
    Pattern,
    by_field,
    describe,
    exactly_one,
    optional_integer,
)
from inkeek.service.http.api.responses import respond
from inkeek.service.http.context import current_caller, current_services
from inkeek.service.storage import GameRow

annotations_blueprint = ApiBlueprint("annotations", "Comments, NAGs and variations.")
CHANGES: dict[str, Any] = {"scope": "record", "returns": AnnotationsJson, "status": 200, "changes_game": True}


class RecordPlySchema(Schema):
    """A ply of a record: the move, and what the record says about it. `Game.to_json` writes it."""

    move = fields.String(required=True)
    nags = fields.List(JsonInteger(validate=validate.Range(0, MAX_NAG)))
    comments = fields.List(fields.String())
    variations = fields.List(fields.Nested(lambda: VariationSchema()))


class VariationSchema(Schema):
    """A line that replaces the ply it is attached to."""

    comments = fields.List(fields.String())
    plies = fields.List(fields.Nested(RecordPlySchema), required=True, metadata={"minItems": 1})


class _Variation(fields.Nested):
    """A variation, which `records` reads: marshmallow would recurse as deep as it is nested."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, partial: Any = None, **kwargs: Any
    ) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("Not a valid variation: expected an object.")
        return value


def _id() -> fields.String:
    return fields.String(required=True, validate=Pattern(ID))


def _expected_seq() -> fields.Integer:
    return optional_integer(1, 10**9, "its `seq` as you know it: another one is a conflict")


class ValueSchema(Schema):
    """What an annotation says: exactly one of these."""

    nag = JsonInteger(validate=validate.Range(0, MAX_NAG), **OPTIONAL)
    comment = fields.String(validate=validate.Length(1, MAX_COMMENT), **OPTIONAL)
    variation = _Variation(VariationSchema, **OPTIONAL)


class NewAnnotationSchema(ValueSchema):
    FORM = exactly_one("nag", "comment", "variation")
    ply = JsonInteger(
        required=True,
        validate=validate.Range(0, 10**9),
        metadata=describe("the turn it is about; 0, for a comment: before the first"),
    )


class ChangedAnnotationSchema(ValueSchema):
    id = _id()
    seq = _expected_seq()


class RemovedAnnotationSchema(Schema):
    id = _id()
    seq = _expected_seq()


def _list(schema: type[Schema]) -> fields.List[Any]:
    return fields.List(fields.Nested(schema), load_default=list, validate=validate.Length(max=MAX_CHANGES))


class AnnotationChangesSchema(Schema):
    add = _list(NewAnnotationSchema)
    change = _list(ChangedAnnotationSchema)
    remove = _list(RemovedAnnotationSchema)
    by = by_field("who writes the annotations")


class AnalysisNotesSchema(Schema):
    by = by_field("who has the analysis written into the game")


@annotations_blueprint.operation("GET", "/games/<game_id>/annotations", scope="read", returns=AnnotationsJson)
def list_annotations(game_id: str) -> ResponseReturnValue:
    """List the annotations of a game by turn; at each turn in the order they were added."""
    snapshot = current_services().games.load(game_id)
    return _respond(snapshot, snapshot.state.annotations)


@annotations_blueprint.operation(
    "POST",
    "/games/<game_id>/annotations",
    body=AnnotationChangesSchema,
    example={"add": [{"ply": 0, "comment": "after the rain"}], "by": "Nasieku"},
    answer=lambda changed: _respond(*changed),
    **CHANGES,
)
def change_annotations(body: dict[str, Any], game_id: str) -> tuple[GameRow, Sequence[Annotation]]:
    """Add, change and remove annotations, all or none. Returns those that were added, then those that were changed."""
    games, edits = current_services().games, list(_edits(body))
    return annotate(games, game_id, edits, write(body), is_arbiter=_is_arbiter())


@annotations_blueprint.operation(
    "POST",
    "/games/<game_id>/analysis/annotations",
    body=AnalysisNotesSchema,
    example={"by": "Nasieku"},
    answer=lambda changed: _respond(*changed),
    **CHANGES,
)
def annotate_from_analysis(body: dict[str, Any], game_id: str) -> tuple[GameRow, Sequence[Annotation]]:
    """Write the analysis of the game into it as annotations: values, glyphs, best lines. They replace those that an
    analysis wrote before. Returns those that were added or changed."""
    return current_services().jobs.annotate(game_id, write(body), is_arbiter=_is_arbiter())


@annotations_blueprint.operation(
    "DELETE",
    "/games/<game_id>/analysis/annotations",
    query=AnalysisNotesSchema,
    answer=list_annotations,
    **CHANGES,
)
def remove_analysis_annotations(query: dict[str, Any], game_id: str) -> str:
    """Remove the annotations that an analysis wrote into the game. Returns those that are left."""
    current_services().jobs.remove_annotations(game_id, write(query), is_arbiter=_is_arbiter())
    return game_id


def _is_arbiter() -> bool:
    return allows(current_caller().scopes, "arbiter")


def _respond(game: GameRow | GameSnapshot, annotations: Sequence[Annotation]) -> Response:
    return respond(AnnotationsJson.of(seq=game.seq, items=annotations), ETag=f'"{game.seq}.annotations"')


def _edits(body: dict[str, Any]) -> Iterator[Edit]:
    """:raises Invalid: a change gives no value or several."""
    for number, new in enumerate(body["add"]):
        where = f"add[{number}]"
        yield Edit(where, *_value(where, new), ply=new["ply"])
    for number, changed in enumerate(body["change"]):
        where = f"change[{number}]"
        yield Edit(where, *_value(where, changed), id=changed["id"], seq=changed["seq"])
    for number, removed in enumerate(body["remove"]):
        yield Edit(f"remove[{number}]", id=removed["id"], seq=removed["seq"])


def _value(where: str, item: dict[str, Any]) -> tuple[str, Any]:
    given = [(kind, item[kind]) for kind in KINDS if item[kind] is not None]
    if len(given) != 1:
        names = " and ".join(kind for kind, _ in given) or "no value"
        raise Invalid(f"{where} gives {names}: expected one of {', '.join(KINDS)}", field=where)
    return given[0]
