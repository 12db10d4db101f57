"""The page of a game's analysis, which the review shows too; asks for one, cancels it, writes it into the record."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from inkeek.records import SOUTH
from inkeek.records.analysis.annotation import GameAnnotation, JudgedTurn, turns_before_gap
from inkeek.records.drawing.svg import Markup
from inkeek.records.notation.movetext import GLYPHS
from inkeek.service.errors import Conflict, NotFound
from inkeek.service.games.annotations import is_written
from inkeek.service.games.move_list import list_turns
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.access import needs
from inkeek.service.http.api.bodies import read_form
from inkeek.service.http.context import current_caller, current_limit, current_services
from inkeek.service.http.language import gettext
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import blueprint, render_page, see_other
from inkeek.service.http.web.forms import Commands
from inkeek.service.jobs.queue import GameAnalysis
from inkeek.service.review import api
from inkeek.service.review.pages import options_text, value_graph
from inkeek.service.storage.tables.jobs import ACTIVE, FAILED, JobRow

from .jobs import LIMITS, cancel_analysis, may_cancel, start_analysis

MAX_LINE = 10  # turns of a best line that are shown


def _view(snapshot: GameSnapshot, stored: GameAnalysis, job: JobRow | None) -> dict[str, Any]:
    """What the page shows of a game's analysis. `job`: the last one about it, if it is known; the answer has one that
    is at work.

    `rows` are the turns that still stand in the game as they were analyzed; `is_current`: all of them.
    `may_be_written`: the record lacks something of it; `is_written`: the record has something that an analysis wrote.
    `gap` is the first place where nobody saw what was played, at which an analysis stops. `depth` is None if all is
    exact.
    """
    found = stored.found
    rows = [] if found is None else _rows(snapshot, found)
    return {
        "job": job if job is not None and job.is_active else None,
        "failed": (job.error or "") if job is not None and job.state == FAILED else "",
        "is_current": stored.is_current,
        "rows": rows,
        "mistakes": [row for row in rows if row["glyph"]],
        "graph": None if found is None or not rows else _graph(found, rows, snapshot.row.ply),
        "accuracy": ("", "") if found is None else tuple(map(_percent, found.accuracy)),
        "depth": None if found is None else found.depth,
        "turning_point": next((row for row in rows if found and row["judged"].ply == found.turning_point), None),
        "may_be_written": found is not None and stored.is_current and not is_written(snapshot.state, found),
        "is_written": any(one.from_analysis for one in snapshot.state.annotations),
        "gap": _first_gap(snapshot),
    }


def _first_gap(snapshot: GameSnapshot) -> str:
    judged = turns_before_gap(snapshot.record)
    return snapshot.cited_from(judged + 1)[0] if judged < len(snapshot.record.plies) else ""


def seeds_text(value: float) -> str:
    """A value as it is written: ``+3``, ``−1.5``, ``0``."""
    text = f"{abs(value):.1f}".removesuffix(".0")
    return text if text == "0" else f"{'+' if value > 0 else '−'}{text}"


def _rows(snapshot: GameSnapshot, found: GameAnnotation) -> list[dict[str, Any]]:
    """The turns and what they were worth: values for South, as text. `loss` is empty for a turn that is not judged;
    `best` is the line that was better, which begins before the turn; empty where the turn itself was the best one."""
    listed = [
        turn for row in list_turns(snapshot.record.plies, snapshot.record.replay().turns) for turn in row.turns if turn
    ]
    listed.sort(key=lambda turn: turn.ply)
    stand = takewhile(lambda pair: str(pair[0].turn.move) == pair[1].move, zip(listed, found.turns, strict=False))
    return [
        {
            "turn": turn,
            "judged": judged,
            "value": seeds_text(_for_south(judged)),
            "loss": "" if judged.loss is None else seeds_text(-judged.loss),
            "glyph": labels.glyph(GLYPHS[judged.glyph]) if judged.glyph else None,
            "best": tuple(map(str, judged.best.moves[:MAX_LINE])) if judged.loss else (),
        }
        for turn, judged in stand
    ]


def _for_south(judged: JudgedTurn) -> float:
    return judged.after if judged.side is SOUTH else -judged.after


def _graph(found: GameAnnotation, rows: Sequence[dict[str, Any]], shown: int) -> Markup:
    values = [found.start, *(_for_south(judged) for judged in found.turns[: len(rows)])]
    return value_graph(
        values,
        [row["turn"].ply for row in rows if row["glyph"]],
        shown,
        gettext("Value by turn, in seeds: South above the line, North below it"),
    )


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:g} %"


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


commands = Commands()


@commands("write")
def _write(game_id: str) -> None:
    api.annotate_from_analysis(read_form(api.AnalysisNotesSchema, request.form), game_id)


@commands("remove")
def _remove(game_id: str) -> None:
    api.remove_analysis_annotations(read_form(api.AnalysisNotesSchema, request.form), game_id)


@blueprint.post("/games/<game_id>/analysis/annotations")
@needs("record")
def annotate_from_analysis(game_id: str) -> ResponseReturnValue:
    """Write the analysis into the game as annotations, or remove them: one of `commands`."""
    commands.run(game_id)
    return see_other("web.game_analysis", game_id=game_id)


def _page(game_id: str) -> Response:
    services, limit = current_services(), current_limit()
    snapshot, stored = services.games.load(game_id), services.jobs.game_analysis(game_id, limit)
    snapshot.rules.verify_known()
    job_id = request.args.get("job") or (stored.job if stored.job_state in ACTIVE else None)
    job = services.jobs.get(job_id, limit) if job_id else None
    if job is not None and game_id not in job.games:
        raise NotFound("Job %(id)s is not about game %(game_id)s.", id=job.id, game_id=game_id)
    view = _view(snapshot, stored, job)
    return render_page(
        "study/game_analysis.html",
        game_id=game_id,
        names=labels.player_names(snapshot.row.tags),
        analysis=view,
        efforts=tuple(EFFORTS),
        may_ask=bool(current_caller().id),
        may_cancel=view["job"] is not None and may_cancel(view["job"]),
        game=snapshot.rules.id,
        options=options_text(snapshot),
    )
