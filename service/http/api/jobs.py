"""``/jobs`` and ``/games/{id}/analysis``: the analysis of games in the background."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response

from service.errors import Invalid, NotFound
from service.http.access import allows
from service.http.context import current_caller, current_limit, current_services
from service.http.job_requests import cancel_analysis, start_analysis
from service.http.serializers import job_json, stored_analysis_json
from service.storage import GameFilter

from .blueprint import ApiBlueprint
from .job_schemas import GameAnalysisSchema, JobSchema, JobsSchema, NewJobSchema, PositionLimitsSchema
from .responses import location, respond

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
    creates={"job_id": "id"},
)
def analyze_game(body: dict[str, Any], game_id: str) -> Response:
    """Start to analyze all turns of a game. If a job does just that, or has done it, the response is that job."""
    return _start([game_id], body)


@blueprint.operation("GET", "/games/<game_id>/analysis", scope="read", returns=GameAnalysisSchema)
def get_game_analysis(game_id: str) -> dict[str, Any]:
    """Get what each turn of a game gained or lost, as far as it was analyzed."""
    return stored_analysis_json(current_services().jobs.analysis(game_id, current_limit()))


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


@blueprint.operation("GET", "/jobs", scope="read", open_locally=False, limited=True, returns=JobsSchema)
def list_jobs() -> dict[str, Any]:
    """List the newest jobs of this key, or with the scope `admin` of all."""
    caller = current_caller()
    jobs = current_services().jobs.list(None if allows(caller.scopes, "admin") else caller.id, current_limit())
    return {"items": list(map(job_json, jobs))}


@blueprint.operation("GET", "/jobs/<job_id>", scope="read", returns=JobSchema, limited=True)
def get_job(job_id: str) -> dict[str, Any]:
    """Get a job, with its progress."""
    return job_json(current_services().jobs.get(job_id, current_limit()))


@blueprint.operation(
    "DELETE", "/jobs/<job_id>", scope="read", open_locally=False, limited=True, returns=JobSchema, problems=(409,)
)
def cancel_job(job_id: str) -> dict[str, Any]:
    """Cancel a job of this key, or with the scope `admin` any. Games that it has analyzed stay so."""
    return job_json(cancel_analysis(job_id))


def _start(game_ids: Sequence[str], body: dict[str, Any]) -> Response:
    job = start_analysis(game_ids, body)
    return respond(job_json(job), 202, Location=location("jobs", job.id))
