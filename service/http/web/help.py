"""Pages that explain: famous quarrels with their findings."""

from __future__ import annotations

from flask import make_response, render_template
from flask.typing import ResponseReturnValue

from records.language import language_ids, load_language
from service.http.access import needs
from service.http.language import page_language, varies_by_language

from .pages import blueprint
from .quarrel_view import quarrel_views


@blueprint.get("/help/quarrels")
@needs("read", limited=True)
def quarrels() -> ResponseReturnValue:
    """Famous kinds of quarrel: the board, what the finding says, and what an arbiter may do."""
    language = load_language(page_language())
    languages = [load_language(id) for id in language_ids()]
    page = render_template("quarrels.html", quarrels=quarrel_views(language), language=language, languages=languages)
    return varies_by_language(make_response(page))
