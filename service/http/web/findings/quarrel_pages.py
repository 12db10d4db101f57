"""Pages that explain: famous quarrels with their findings."""

from __future__ import annotations

import functools

from flask import make_response, render_template
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from records.language import language_ids, load_language
from service.http.access import needs
from service.http.language import gettext, page_language, varies_by_language
from service.http.web.base import blueprint

from .quarrel_view import quarrel_views
from .quarrels import QUARRELS


@blueprint.get("/help/quarrels")
@needs("read", limited=True)
def quarrels() -> ResponseReturnValue:
    """Famous kinds of quarrel: the board, what the finding says, and what an arbiter may do."""
    language = load_language(page_language())
    languages = [load_language(id) for id in language_ids()]
    titles = [(quarrel.id, gettext(quarrel.title)) for quarrel in QUARRELS]
    values = {"titles": titles, "articles": _articles(language.id), "language": language, "languages": languages}
    return varies_by_language(make_response(render_template("findings/quarrels.html", **values)))


@functools.cache
def _articles(language_id: str) -> Markup:
    """The quarrels, drawn once in each language, which is that of the page."""
    shown = quarrel_views(load_language(language_id))
    return Markup(render_template("findings/_quarrels.html", quarrels=shown))
