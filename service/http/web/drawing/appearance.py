"""How a reader wants pages to look: the contrast of boards and the pace of animations."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import timedelta

from flask import Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from inkeek.service.http.access import needs
from inkeek.service.http.context import current_caller, current_services
from inkeek.service.http.web.base import blueprint

COOKIE = "inkeek_look"
KEPT = timedelta(days=400)  # the longest that browsers keep a cookie
BOARDS = ("", "contrast")
PACES = ("full", "fast", "off")


@dataclass(frozen=True, slots=True)
class Appearance:
    """`board`: its contrast, empty for the device's own wish; `motion`: the pace of a turn that is shown."""

    board: str = ""
    motion: str = "full"


_ALLOWED = {"board": BOARDS, "motion": PACES}


def appearance() -> Appearance:
    """The appearance that the person chose on any device, or else in this browser; unknown words count as none."""
    chosen = current_caller().look or request.cookies.get(COOKIE, "")
    words = dict(zip(_ALLOWED, chosen.split("."), strict=False))
    return Appearance(**{name: word for name, word in words.items() if word in _ALLOWED[name]})


@blueprint.app_context_processor
def _appearance() -> dict[str, Appearance]:
    return {"look": appearance()}


@blueprint.get("/appearance")
@needs("open")
def show_appearance() -> ResponseReturnValue:
    """The form for boards and animations."""
    return render_template("drawing/appearance.html", back=_path(request.args.get("back", "/")))


@blueprint.post("/appearance")
@needs("open")
def set_appearance() -> ResponseReturnValue:
    """Keep the choice, and return to the page it came from.

    :raises BadRequest: a choice is not one of those that exist.
    """
    values = []
    for field in fields(Appearance):
        word = request.form.get(field.name, str(field.default))
        if word not in _ALLOWED[field.name]:
            allowed = ", ".join(repr(value) for value in _ALLOWED[field.name])
            raise BadRequest(f"{field.name} is {word[:40]!r}. Expected one of {allowed}.")
        values.append(word)
    look = ".".join(values)
    current_services().devices.keep(current_caller(), look=look)
    response = redirect(_path(request.form.get("back", "/")), 303)
    assert isinstance(response, Response)
    response.set_cookie(COOKIE, look, max_age=KEPT, samesite="Lax", secure=request.is_secure)
    return response


def _path(back: str) -> str:
    is_path = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
    return back[:500] if is_path else url_for("web.games")
