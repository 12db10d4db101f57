"""``/jobs`` and ``/games/{id}/analysis``: the analysis of games in the background."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response

from service.errors import Forbidden, Invalid, NotFound, OutsideLimit
from service.http.access import allows
from service.http.context import current_caller, current_limit, current_services
from service.http.serializers import job_json, stored_analysis_json
from service.storage import GameFilter, JobRow, Limit, covers

from .blueprint import ApiBlueprint
from .job_schemas import GameAnalysisSchema, JobSchema, JobsSchema, NewJobSchema, PositionLimitsSchema
from .responses import location, respond

NODES = 100_000  # for each position, if no limit is given

blueprint = ApiBlueprint("jobs", "Analyses of games, in the background.")


@blueprint.operation(
    "POST",
    "/games/<game_id>/analysis",
    scope="read",
    open_locally=False,
    body=PositionLimitsSchema,
    returns=JobSchema,
    status=202,
    headers=("Location",),
    idempotent=False,
)
def analyze_game(body: dict[str, Any], game_id: str) -> Response:
    """Start to analyze all turns of a game. If a job does just that, or has done it, the response is that job."""
    return _start([game_id], body)


@blueprint.operation("GET", "/games/<game_id>/analysis", scope="read", returns=GameAnalysisSchema)
def get_game_analysis(game_id: str) -> dict[str, Any]:
    """Get what each turn of a game gained or lost, as far as it was analyzed."""
    return stored_analysis_json(current_services().jobs.analysis(game_id))


@blueprint.operation(
    "POST",
    "/jobs",
    scope="read",
    open_locally=False,
    limited=True,
    body=NewJobSchema,
    returns=JobSchema,
    status=202,
    problems=(404,),
    headers=("Location",),
    idempotent=False,
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
        where, cursor = GameFilter(event=body["event"], within=current_caller().limit), None
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


@blueprint.operation("GET", "/jobs", scope="read", open_locally=False, limited=True, returns=JobsSchema)
def list_jobs() -> dict[str, Any]:
    """List the newest jobs of this key, or with the scope `admin` of all."""
    caller = current_caller()
    jobs = current_services().jobs.list(None if allows(caller.scopes, "admin") else caller.id)
    return {"items": list(map(job_json, jobs))}


@blueprint.operation("GET", "/jobs/<job_id>", scope="read", returns=JobSchema, limited=True)
def get_job(job_id: str) -> dict[str, Any]:
    """Get a job, with its progress."""
    job = current_services().jobs.get(job_id)
    _check_limit(current_limit(), job.games)
    return job_json(job)


@blueprint.operation(
    "DELETE", "/jobs/<job_id>", scope="read", open_locally=False, limited=True, returns=JobSchema, problems=(409,)
)
def cancel_job(job_id: str) -> dict[str, Any]:
    """Cancel a job of this key, or with the scope `admin` any. Games that it has analyzed stay so."""
    services, caller = current_services(), current_caller()
    job: JobRow = services.jobs.get(job_id)
    if job.owner != caller.id and not allows(caller.scopes, "admin"):
        raise Forbidden(f"Job {job_id} was started with another key. Only that one, or an admin's, can cancel it.")
    return job_json(services.jobs.cancel(job_id))


def _start(game_ids: Sequence[str], body: dict[str, Any]) -> Response:
    """Start a job.

    :raises OutsideLimit: the key is limited to other games. :raises Invalid: the limits of the search are too high.
    """
    _check_limit(current_caller().limit, game_ids)
    services = current_services()
    limits = {name: body[name] for name in ("seconds", "depth", "nodes")}
    if limits["seconds"] is None and limits["nodes"] is None:
        limits["nodes"] = NODES  # also with a depth: some positions have more turns than others
    most = services.settings.analysis_time
    if limits["seconds"] is not None and limits["seconds"] > most:
        raise Invalid(f"seconds is {limits['seconds']:g}. Expected at most {most:g}, the setting `analysis_time`.")
    if limits["seconds"] is None:
        limits["seconds"] = most
    job = services.jobs.start(current_caller().id, game_ids, limits)
    return respond(job_json(job), 202, Location=location("jobs", job.id))


def _check_limit(limit: Limit | None, game_ids: Sequence[str]) -> None:
    if limit is not None:
        for game_id in game_ids:
            if not covers(limit, current_services().games.row(game_id)):
                raise OutsideLimit(f"The key is limited to {limit}. Game {game_id} is not in it.")
