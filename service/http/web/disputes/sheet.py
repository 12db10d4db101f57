"""The sheet of a dispute: a page to print."""

from __future__ import annotations

from flask.typing import ResponseReturnValue

from inkeek.records.language import load_language
from inkeek.service.boards.identity import FAR
from inkeek.service.boards.turn_recording import recorded_touches, recording_span, reported_touches
from inkeek.service.games.disputes.disputes import load_dispute
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_sender, current_services
from inkeek.service.http.disputes.finding import find_disputed
from inkeek.service.http.language import page_language
from inkeek.service.http.services import SHEET_PATIENCE
from inkeek.service.http.web.base import blueprint, render_page
from inkeek.service.http.web.events.hall import qr_svg
from inkeek.service.storage import dispute_id
from inkeek.service.storage.clock import stamp, utc_now

from .sheet_view import sheet_view, sheet_words

LOG_KEPT = 1000  # entries of a board


@blueprint.get("/games/<game_id>/disputes/<int:seq>/sheet")
@needs("read", waits=True)
def sheet(game_id: str, seq: int) -> ResponseReturnValue:
    """The sheet of a dispute."""
    services, language = current_services(), page_language()
    with services.sheets.taken(current_sender(), SHEET_PATIENCE):
        snapshot, course = load_dispute(services.games, dispute_id(game_id, seq))
        bound = services.boards.bound_to(game_id)
        boards = [(board.id, bool(board.status.get("turned"))) for board in bound]
        then = snapshot.at(course.row.seq)
        recording = recorded_touches(services.settings, boards, *recording_span(then, course.row))
        for board in (one for one in bound if one.driver == FAR):
            recording = reported_touches(services.boards.log(board.id, limit=LOG_KEPT), course.row.id) or recording
        found = find_disputed(snapshot, course.row, language)
        view = sheet_view(snapshot, course, found, recording, load_language(language), stamp(utc_now()))
    return render_page("disputes/sheet.html", view=view, words=sheet_words(), qr=qr_svg(view.hash))
