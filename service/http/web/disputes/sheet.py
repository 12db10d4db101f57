"""The sheet of a dispute: a page to print, and the same as PDF."""

from __future__ import annotations

import segno
from flask import request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from werkzeug.exceptions import BadRequest

from records.language import language_ids, load_language
from service.boards.turn_recording import recorded_touches
from service.games.disputes.disputes import load_dispute
from service.http.access import needs
from service.http.context import current_sender, current_services
from service.http.disputes.finding import find_disputed
from service.http.language import page_language
from service.http.web.base import blueprint, render_page
from service.http.web.typesetting import PATIENCE, check_installed, pdf_response
from service.storage import dispute_id
from service.storage.clock import stamp, utc_now

from .sheet_pdf import sheet_pdf
from .sheet_view import Sheet, recording_span, sheet_view, sheet_words

PAPERS = {"a4": "A4", "letter": "Letter"}


@blueprint.get("/games/<game_id>/disputes/<int:seq>/sheet")
@needs("read")
def sheet(game_id: str, seq: int) -> ResponseReturnValue:
    """The sheet of a dispute as a page; ``?lang=`` and ``?paper=`` choose."""
    paper, language = _paper(), page_language()
    with current_services().sheets.taken(current_sender(), PATIENCE):
        view = _view(game_id, seq, language)
    languages = [load_language(id) for id in language_ids()]
    shown = {"view": view, "words": sheet_words(), "qr": _qr(view)}
    return render_page("disputes/sheet.html", paper=paper, papers=PAPERS, languages=languages, **shown)


@blueprint.get("/games/<game_id>/disputes/<int:seq>/sheet.pdf")
@needs("read")
def sheet_as_pdf(game_id: str, seq: int) -> ResponseReturnValue:
    """The sheet of a dispute as PDF."""
    paper, language = _paper(), page_language()
    check_installed(url_for("web.sheet", game_id=game_id, seq=seq, lang=language, paper=paper))
    with current_services().sheets.taken(current_sender(), PATIENCE):
        view = _view(game_id, seq, language)
        body = sheet_pdf(view, paper)
    return pdf_response(body, f"{view.game_id}-{view.seq}")


def _paper() -> str:
    """:raises BadRequest: ``paper`` is none of `PAPERS`."""
    paper = request.args.get("paper", "a4")
    if paper not in PAPERS:
        raise BadRequest(f"paper is {paper[:80]!r}. Expected one of {', '.join(PAPERS)}.")
    return paper


def _view(game_id: str, seq: int, language: str) -> Sheet:
    """:raises NotFound: there is no such game or dispute."""
    services = current_services()
    snapshot, course = load_dispute(services.games, dispute_id(game_id, seq))
    boards = [(board.id, bool(board.status.get("turned"))) for board in services.boards.bound_to(game_id)]
    then = snapshot.at(course.row.seq)
    recording = recorded_touches(services.settings, boards, *recording_span(then, course.row))
    found = find_disputed(snapshot, course.row, language)
    return sheet_view(snapshot, course, found, recording, load_language(language), stamp(utc_now()))


def _qr(view: Sheet) -> Markup:
    """The hash as a QR code."""
    return Markup(
        segno.make(view.hash, error="m", micro=False).svg_inline(svgclass="qr", lineclass=None, omitsize=True)
    )
