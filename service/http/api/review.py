"""Annotations of games, which are changed after the fact, and the jobs that analyze games in the background."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flask import Response
from flask.typing import ResponseReturnValue
from marshmallow import Schema, ValidationError, fields, validate

from inkeek.records.notation.tags import MAX_VALUE
from inkeek.records.record import MAX_NAG
from inkeek.service.errors import Forbidden, Invalid, InvalidFields, NotFound
from inkeek.service.games.plies import KINDS, Annotation
from inkeek.service.games.record_check import MAX_COMMENT
from inkeek.service.games.review.annotations import MAX_CHANGES, Edit, annotate
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.access import allows
from inkeek.service.http.answers.analysis import GameAnalysisJson, JobJson, JobsJson
from inkeek.service.http.answers.games import ID, AnnotationsJson
from inkeek.service.http.context import current_caller, current_limit, current_services
from inkeek.service.storage import GameFilter, GameRow
from inkeek.service.storage.tables.jobs import JobRow

from .blueprint import ApiBlueprint
from .constraints import (
    OPTIONAL,
    JsonInteger,
    Pattern,
    bounded_by,
    by_field,
    describe,
    exactly_one,
    id_field,
    optional_integer,
)
from .games.schemas import filter_field
from .games.views import write
from .responses import location, respond
from .study import depth_field, nodes_field, seconds_field

annotations_blueprint = ApiBlueprint("annotations", "Comments, NAGs and variations.")


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
    scope="record",
    body=AnnotationChangesSchema,
    example={"add": [{"ply": 0, "comment": "after the rain"}], "by": "Nasieku"},
    returns=AnnotationsJson,
    answer=lambda changed: _respond(*changed),
    status=200,
    changes_game=True,
)
def change_annotations(body: dict[str, Any], game_id: str) -> tuple[GameRow, Sequence[Annotation]]:
    """Add, change and remove annotations, all or none. Returns those that were added, then those that were changed."""
    games, edits = current_services().games, list(_edits(body))
    return annotate(games, game_id, edits, write(body), is_arbiter=_is_arbiter())


@annotations_blueprint.operation(
    "POST",
    "/games/<game_id>/analysis/annotations",
    scope="record",
    body=AnalysisNotesSchema,
    example={"by": "Nasieku"},
    returns=AnnotationsJson,
    answer=lambda changed: _respond(*changed),
    status=200,
    changes_game=True,
)
def annotate_from_analysis(body: dict[str, Any], game_id: str) -> tuple[GameRow, Sequence[Annotation]]:
    """Write the analysis of the game into it as annotations: values, glyphs, best lines. They replace those that an
    analysis wrote before. Returns those that were added or changed."""
    return current_services().jobs.annotate(game_id, write(body), is_arbiter=_is_arbiter())


@annotations_blueprint.operation(
    "DELETE",
    "/games/<game_id>/analysis/annotations",
    scope="record",
    query=AnalysisNotesSchema,
    returns=AnnotationsJson,
    answer=list_annotations,
    status=200,
    changes_game=True,
)
def remove_analysis_annotations(query: dict[str, Any], game_id: str) -> str:
    """Remove the annotations that an analysis wrote into the game. Returns those that are left."""
    current_services().jobs.remove_annotations(game_id, write(query), is_arbiter=_is_arbiter())
    return game_id


def _is_arbiter() -> bool:
    return allows(current_caller().scopes, "arbiter")


def _respond(game: GameRow | GameSnapshot, annotations: Sequence[Annotation]) -> Response:
    """Annotations with the ETag of their game."""
    return respond(AnnotationsJson.of(seq=game.seq, items=annotations), ETag=f'"{game.seq}.annotations"')


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
        raise Invalid(f"{where} gives {names}: expected one of {', '.join(KINDS)}", field=where)
    return given[0]


DEFAULT_NODES = 100_000  # for each position, if no limit is given
LIMITS = ("seconds", "depth", "nodes")


def start_analysis(game_ids: Sequence[str], given: Mapping[str, Any]) -> JobRow:
    """Start to analyze games for the caller. `given` has the limits of the search of each position, by `LIMITS`.

    :raises NotFound: there is no such game within the limit of their key.
    :raises InvalidFields: the limits of the search are too high.
    """
    services = current_services()
    limits = {name: given[name] for name in LIMITS}
    if limits["seconds"] is None and limits["nodes"] is None:
        limits["nodes"] = DEFAULT_NODES  # also with a depth: some positions have more turns than others
    most = services.settings.analysis_time
    if limits["seconds"] is not None and limits["seconds"] > most:
        raise InvalidFields(
            f"seconds is {limits['seconds']:g}. Expected at most {most:g}, the setting `analysis_time`.",
            field="seconds",
        )
    if limits["seconds"] is None:
        limits["seconds"] = most
    return services.jobs.start(current_caller().id, game_ids, limits, current_limit())


def may_cancel(job: JobRow) -> bool:
    """Whether the caller may cancel a job: they started it, or they are an administrator."""
    caller = current_caller()
    return bool(caller.id) and (job.owner == caller.id or allows(caller.scopes, "admin"))


def cancel_analysis(job_id: str) -> JobRow:
    """Cancel a job for the caller. Games that it has analyzed stay so.

    :raises NotFound: there is no such job within the limit of their key.
    :raises Forbidden: the job was started with another key.
    """
    jobs = current_services().jobs
    if not may_cancel(jobs.get(job_id, current_limit())):
        raise Forbidden(f"Job {job_id} was started with another key. Only that one, or an admin's, can cancel it.")
    return jobs.cancel(job_id)


jobs_blueprint = ApiBlueprint("jobs", "Analyses of games, in the background.")


MAX_GAMES = 100_000


class PositionLimitsSchema(Schema):
    """How long to search each position. Without any: 100,000 nodes."""

    seconds = seconds_field("stop after so many seconds, at most `analysis_time`")
    depth = depth_field()
    nodes = nodes_field()


class NewJobSchema(PositionLimitsSchema):
    """The games to analyze: either these, or all of an event."""

    FORM = exactly_one("games", "event")
    games = fields.List(
        id_field(), **OPTIONAL, validate=validate.Length(1, MAX_GAMES), metadata=bounded_by("max_job_games", "ids")
    )
    event = filter_field("the Event tag, in any case", validate.Length(1, MAX_VALUE))


@jobs_blueprint.operation(
    "POST",
    "/games/<game_id>/analysis",
    scope="read",
    open_locally=False,
    body=PositionLimitsSchema,
    example={"nodes": 50000},
    returns=JobJson,
    status=202,
    headers=("Location",),
    idempotent=False,
    creates={"job_id": "id"},
)
def analyze_game(body: dict[str, Any], game_id: str) -> Response:
    """Start to analyze all turns of a game. If a job of this key does just that, or any job has done it, the response
    is that job."""
    return _start([game_id], body)


@jobs_blueprint.operation("GET", "/games/<game_id>/analysis", scope="read")
def get_game_analysis(game_id: str) -> GameAnalysisJson:
    """Get what each turn of a game gained or lost, as far as it was analyzed."""
    found = current_services().jobs.game_analysis(game_id, current_limit())
    return GameAnalysisJson.of(found.found, state=found.job_state, job=found.job, current=found.is_current)


@jobs_blueprint.operation(
    "POST",
    "/jobs",
    scope="read",
    open_locally=False,
    limited=True,
    body=NewJobSchema,
    example={"games": ["k3f9wm2abc"], "depth": 12},
    returns=JobJson,
    status=202,
    problems=(404,),
    headers=("Location",),
    idempotent=False,
    creates={"job_id": "id"},
)
def create_job(body: dict[str, Any]) -> Response:
    """Start to analyze several games, or all games of an event."""
    services = current_services()
    if (body["games"] is None) == (body["event"] is None):
        raise Invalid("Expected games or event, one of them.")
    most = services.settings.max_job_games
    if body["games"] is not None:
        game_ids = list(body["games"])
    else:
        where, cursor = GameFilter(event=body["event"], within=current_limit()), None
        game_ids = []
        while len(game_ids) <= most:
            found, cursor = services.games.listed(where, most + 1, cursor)
            game_ids += [game_id for _, game_id, _ in found]
            if cursor is None:
                break
        if not game_ids:
            raise NotFound(f"There is no game of an event {body['event']!r}.")
    if len(game_ids) > most:
        raise Invalid(f"{len(game_ids)} games are too many for an analysis. Expected at most {most}, `max_job_games`.")
    return _start(game_ids, body)


@jobs_blueprint.operation("GET", "/jobs", scope="read", open_locally=False, limited=True)
def list_jobs() -> JobsJson:
    """List the newest jobs of this key, or with the scope `admin` of all."""
    caller = current_caller()
    jobs = current_services().jobs.list(None if allows(caller.scopes, "admin") else caller.id, current_limit())
    return JobsJson.of(items=jobs)


@jobs_blueprint.operation("GET", "/jobs/<job_id>", scope="read", limited=True)
def get_job(job_id: str) -> JobJson:
    """Get a job, with its progress."""
    return JobJson.of(current_services().jobs.get(job_id, current_limit()))


@jobs_blueprint.operation("DELETE", "/jobs/<job_id>", scope="read", open_locally=False, limited=True, problems=(409,))
def cancel_job(job_id: str) -> JobJson:
    """Cancel a job of this key, or with the scope `admin` any. Games that it has analyzed stay so."""
    return JobJson.of(cancel_analysis(job_id))


def _start(game_ids: Sequence[str], body: dict[str, Any]) -> Response:
    job = start_analysis(game_ids, body)
    return respond(JobJson.of(job), 202, Location=location("jobs", job.id))
