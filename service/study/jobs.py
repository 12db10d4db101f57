"""Analyses of games in the background: jobs that are started, looked at and cancelled, and what they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response
from marshmallow import Schema, fields, validate

from inkeek.records.notation.tags import MAX_VALUE
from inkeek.service.errors import Forbidden, Invalid, InvalidFields, NotFound
from inkeek.service.games.schemas import filter_field
from inkeek.service.http.access import allows
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import OPTIONAL, bounded_by, exactly_one, id_field
from inkeek.service.http.api.responses import location, respond
from inkeek.service.http.context import current_caller, current_limit, current_services
from inkeek.service.storage import GameFilter
from inkeek.service.storage.tables.jobs import JobRow

from .answers import GameAnalysisJson, JobJson, JobsJson
from .api import depth_field, nodes_field, seconds_field

blueprint = ApiBlueprint("jobs", "Analyses of games, in the background.")

MAX_GAMES = 100_000
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


@blueprint.operation(
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


@blueprint.operation("GET", "/games/<game_id>/analysis", scope="read")
def get_game_analysis(game_id: str) -> GameAnalysisJson:
    """Get what each turn of a game gained or lost, as far as it was analyzed."""
    found = current_services().jobs.game_analysis(game_id, current_limit())
    return GameAnalysisJson.of(found.found, state=found.job_state, job=found.job, current=found.is_current)


@blueprint.operation(
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


@blueprint.operation("GET", "/jobs", scope="read", open_locally=False, limited=True)
def list_jobs() -> JobsJson:
    """List the newest jobs of this key, or with the scope `admin` of all."""
    caller = current_caller()
    jobs = current_services().jobs.list(None if allows(caller.scopes, "admin") else caller.id, current_limit())
    return JobsJson.of(items=jobs)


@blueprint.operation("GET", "/jobs/<job_id>", scope="read", limited=True)
def get_job(job_id: str) -> JobJson:
    """Get a job, with its progress."""
    return JobJson.of(current_services().jobs.get(job_id, current_limit()))


@blueprint.operation("DELETE", "/jobs/<job_id>", scope="read", open_locally=False, limited=True, problems=(409,))
def cancel_job(job_id: str) -> JobJson:
    """Cancel a job of this key, or with the scope `admin` any. Games that it has analyzed stay so."""
    return JobJson.of(cancel_analysis(job_id))


def _start(game_ids: Sequence[str], body: dict[str, Any]) -> Response:
    job = start_analysis(game_ids, body)
    return respond(JobJson.of(job), 202, Location=location("jobs", job.id))
