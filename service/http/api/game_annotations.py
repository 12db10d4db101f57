"""``/games/{id}/annotations``: comments, NAGs and variations, added, changed and removed after the fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flask import Response
from flask.typing import ResponseReturnValue

from service.errors import Invalid
from service.games.annotations import Edit, annotate
from service.games.plies import KINDS, Annotation
from service.http.access import allows
from service.http.context import current_caller, current_services
from service.http.serializers import annotation_json

from .annotation_schemas import AnalysisNotesSchema, AnnotationChangesSchema, AnnotationsSchema
from .blueprint import ApiBlueprint
from .games import write
from .responses import respond

blueprint = ApiBlueprint("annotations", "Comments, NAGs and variations.")


@blueprint.operation("GET", "/games/<game_id>/annotations", scope="read", returns=AnnotationsSchema)
def list_annotations(game_id: str) -> ResponseReturnValue:
    """List the annotations of a game by turn; at each turn in the order they were added."""
    snapshot = current_services().games.load(game_id)
    return _respond(snapshot.seq, snapshot.state.annotations)


@blueprint.operation(
    "POST",
    "/games/<game_id>/annotations",
    scope="record",
    body=AnnotationChangesSchema,
    returns=AnnotationsSchema,
    status=200,
    changes_game=True,
)
def change_annotations(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Add, change and remove annotations, all or none. Returns those that were added, then those that were changed."""
    row, annotations = annotate(
        current_services().games,
        game_id,
        list(_edits(body)),
        write(body),
        is_arbiter=_is_arbiter(),
    )
    return _respond(row.seq, annotations)


@blueprint.operation(
    "POST",
    "/games/<game_id>/analysis/annotations",
    scope="record",
    body=AnalysisNotesSchema,
    returns=AnnotationsSchema,
    status=200,
    changes_game=True,
)
def annotate_from_analysis(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Write the analysis of the game into it as annotations: values, glyphs, best lines. They replace those that an
    analysis wrote before. Returns those that were added or changed."""
    row, annotations = current_services().jobs.annotate(game_id, write(body), is_arbiter=_is_arbiter())
    return _respond(row.seq, annotations)


@blueprint.operation(
    "DELETE",
    "/games/<game_id>/analysis/annotations",
    scope="record",
    query=AnalysisNotesSchema,
    returns=AnnotationsSchema,
    status=200,
    changes_game=True,
)
def remove_analysis_annotations(query: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Remove the annotations that an analysis wrote into the game. Returns those that are left."""
    row = current_services().jobs.remove_annotations(game_id, write(query), is_arbiter=_is_arbiter())
    return _respond(row.seq, current_services().games.load(game_id).state.annotations)


def _is_arbiter() -> bool:
    return allows(current_caller().scopes, "arbiter")


def _respond(seq: int, annotations: Sequence[Annotation]) -> Response:
    """Annotations with the ETag of their game."""
    value = {"seq": seq, "items": [annotation_json(annotation) for annotation in annotations]}
    return respond(value, ETag=f'"{seq}.annotations"')


def _edits(body: dict[str, Any]) -> Iterator[Edit]:
    """The changes in a request.

    :raises Invalid: one gives no value or several.
    """
    for number, new in enumerate(body["add"]):
        where = f"add[{number}]"
        yield Edit(where, *_value(where, new), ply=new["ply"])
    for number, changed in enumerate(body["change"]):
        where = f"change[{number}]"
        yield Edit(where, *_value(where, changed), id=changed["id"], seq=changed["seq"])
    for number, removed in enumerate(body["remove"]):
        yield Edit(f"remove[{number}]", id=removed["id"], seq=removed["seq"])


def _value(where: str, item: dict[str, Any]) -> tuple[str, Any]:
    """The kind and the value of an annotation."""
    given = [(kind, item[kind]) for kind in KINDS if item[kind] is not None]
    if len(given) != 1:
        names = " and ".join(kind for kind, _ in given) or "no value"
        raise Invalid(f"{where} gives {names}: expected one of {', '.join(KINDS)}")
    return given[0]
