"""The pages ``/help``: the manual and a search in it."""

from __future__ import annotations

import functools

from flask import redirect, request, send_file, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from inkeek.service.errors import NotFound
from inkeek.service.http.access import needs
from inkeek.service.http.problems import problem_types
from inkeek.service.http.web.base import blueprint, render_page

from .manual import CONTENTS, MAX_QUERY, SWAHILI, ManualPage, image_path, load_page, search


@blueprint.get("/help")
@needs("open")
def manual() -> ResponseReturnValue:
    """The contents of the manual, or with ``q`` what was found in it."""
    query = request.args.get("q", "").strip()[:MAX_QUERY]
    if query:
        return render_page("library/manual_results.html", query=query, found=search(query))
    return _render(CONTENTS)


@blueprint.get("/help/<name>")
@needs("open")
def manual_page(name: str) -> ResponseReturnValue:
    """A page of the manual."""
    return _render(name)


@blueprint.get("/help/img/<name>")
@needs("open")
def manual_image(name: str) -> ResponseReturnValue:
    """An image of the manual."""
    path = image_path(name)
    if path is None:
        raise NotFound("The manual has no image %(name)r.", name=name[:80])
    return send_file(path, max_age=3600)


@blueprint.get("/problems/<name>")
@needs("open")
def problem_type(name: str) -> ResponseReturnValue:
    """Where the manual says what a type of problem means."""
    if name not in problem_types():
        raise NotFound("There is no type of problem %(name)r.", name=name[:80])
    return redirect(url_for("web.manual_page", name="api", _anchor="errors"))


def _render(name: str) -> ResponseReturnValue:
    page = _page(name)
    if page is None:
        raise NotFound("The manual has no page %(name)r. Search it, or look at its contents.", name=name[:80])
    return render_page("library/manual_page.html", page=page, html=Markup(page.html), swahili=SWAHILI)


@functools.lru_cache(maxsize=64)  # no more pages than there are files; a name without a file is quick
def _page(name: str) -> ManualPage | None:
    return load_page(
        name,
        lambda other: url_for("web.manual_page", name=other),
        lambda image: url_for("web.manual_image", name=image),
    )
