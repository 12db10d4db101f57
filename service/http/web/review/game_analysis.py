"""The page of a game's analysis, which the review shows too; asks for one, cancels it, writes it into the record."""

from __future__ import annotations

from contextlib import suppress

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from inkeek.service.errors import Conflict, NotFound
from inkeek.service.http.access import allows, needs
from inkeek.service.http.context import current_caller, current_limit, current_services, current_write
from inkeek.service.http.job_requests import LIMITS, cancel_analysis, may_cancel, start_analysis
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import blueprint, render_page, see_other
from inkeek.service.storage.tables.jobs import ACTIVE

from .game_analysis_view import game_analysis_view
from .view import options_text

EFFORTS = {"quick": 100_000, "deep": 1_000_000}  # nodes for each position


@blueprint.get("/games/<game_id>/analysis")
@needs("read")
def game_analysis(game_id: str) -> ResponseReturnValue:
    """What each turn of the game gained or lost. ``?job=`` names the job that was started last."""
    return _page(game_id)


@blueprint.post("/games/<game_id>/analysis")
@needs("read", open_locally=False)
def analyze_game(game_id: str) -> ResponseReturnValue:
    """Ask for the analysis of the game."""
    effort = request.form.get("effort", "quick")
    if effort not in EFFORTS:
        raise BadRequest(f"effort is {effort[:40]!r}. Expected one of {', '.join(EFFORTS)}.")
    job = start_analysis([game_id], {**dict.fromkeys(LIMITS), "nodes": EFFORTS[effort]})
    return see_other("web.game_analysis", game_id=game_id, job=job.id)


@blueprint.post("/games/<game_id>/analysis/cancel")
@needs("read", open_locally=False)
def cancel_game_analysis(game_id: str) -> ResponseReturnValue:
    """Cancel a job that analyzes the game."""
    with suppress(Conflict):  # it is over: the page shows what it found
        cancel_analysis(request.form.get("job", ""))
    return see_other("web.game_analysis", game_id=game_id)


@blueprint.post("/games/<game_id>/analysis/annotations")
@needs("record")
def annotate_from_analysis(game_id: str) -> ResponseReturnValue:
    """Write the analysis into the game as annotations, or remove them: the field `action` says which."""
    action, jobs = request.form.get("action", ""), current_services().jobs
    if action not in ("write", "remove"):
        raise BadRequest(f"action is {action[:40]!r}. Expected write or remove.")
    is_arbiter = allows(current_caller().scopes, "arbiter")
    if action == "write":
        jobs.annotate(game_id, current_write(), is_arbiter=is_arbiter)
    else:
        jobs.remove_annotations(game_id, current_write(), is_arbiter=is_arbiter)
    return see_other("web.game_analysis", game_id=game_id)


def _page(game_id: str) -> Response:
    services, limit = current_services(), current_limit()
    snapshot, stored = services.games.load(game_id), services.jobs.game_analysis(game_id, limit)
    snapshot.rules.verify_known()
    job_id = request.args.get("job") or (stored.job if stored.job_state in ACTIVE else None)
    job = services.jobs.get(job_id, limit) if job_id else None
    if job is not None and game_id not in job.games:
        raise NotFound("Job %(id)s is not about game %(game_id)s.", id=job.id, game_id=game_id)
    view = game_analysis_view(snapshot, stored, job, snapshot.row.ply)
    return render_page(
        "review/game_analysis.html",
        game_id=game_id,
        names=labels.player_names(snapshot.row.tags),
        analysis=view,
        efforts=tuple(EFFORTS),
        may_ask=bool(current_caller().id),
        may_cancel=view.job is not None and may_cancel(view.job),
        game=snapshot.rules.id,
        options=options_text(snapshot),
    )
