"""Pages set by typst, which is an optional part of the installation."""

from __future__ import annotations

import importlib.util
import io
import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import segno
from flask import Response

from records import Position
from records.drawing.svg import Highlights, board_svg, picture
from service.errors import NotInstalled
from service.http.context import current_sender, current_services
from service.http.language import varies_by_language
from service.processes.workers.typesetter import set_pages

PATIENCE = 10.0  # seconds that a PDF waits for those before it
# What the style sheet does on the page (`static/disputes/sheet.css`): light wood saves ink, and copies well.
BOARD_STYLE = """
svg { font-family: "Libertinus Serif" }
.wood, .hollow { fill: #fff } .wood { stroke: #444; stroke-width: 3 } .wood-line { stroke: none }
.grain, .light, .rim, .board-shadow, .depth, .well, .seed-shadow, .cross-grain { display: none }
.hollow { stroke: #777; stroke-width: 2.5 } .seed-body { fill: #c9c2b4; stroke: #555; stroke-width: 1 }
.count, .letter, .side { fill: #000 }
.letter, .side { font-size: 26px } .side.wide { font-size: 22px } .pit .count { font-size: 36px }
.lid { fill: #ddd; stroke: #777 }
.start .halo { stroke: #000; stroke-width: 4; stroke-dasharray: 7 6 }
.mend .hollow { stroke: #000; stroke-width: 7 } .mend .seeds { display: none }
.badge { fill: none } .mend .badge { fill: #000; font-size: 40px }
.ring { stroke: #000 } .horns, .plate, .unborn { fill: #000 } .belly { fill: #fff; stroke: #000 } .owner { fill: #fff }
"""


def check_installed(page: str) -> None:
    """:raises NotInstalled: there is no typst; names the `page` to print instead."""
    if importlib.util.find_spec("typst") is None:
        raise NotInstalled(
            "This service makes no PDF: typst is missing. Install it with `pip install 'inkeek[pdf]'`, or "
            "print the page %(page)s from the browser.",
            page=page,
        )


def typeset(template: str, data: dict[str, Any]) -> bytes:
    """The PDF that a template makes of `data`, which it finds in ``sheet``."""
    return set_pages(_source(template), _json(data))


def long_pdf(template: str, make: Callable[[], dict[str, Any]], name: str) -> Response:
    """As `pdf_response` of a document that may have many pages. Errors: see `Typesetter.pdf`."""
    typesetter, source = current_services().typesetter, _source(template)
    return pdf_response(typesetter.pdf(source, lambda: _json(make()), current_sender()), name)


def _source(template: str) -> bytes:
    return resources.files(__package__).joinpath("templates", *template.split("/")).read_bytes()


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)


def pdf_response(body: bytes, name: str) -> Response:
    """A PDF that the browser shows, and saves under this name. It changes with its game or event."""
    response = Response(body, content_type="application/pdf")
    response.headers["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    response.headers["Cache-Control"] = "no-store"
    return varies_by_language(response)


def qr_picture(text: str) -> str:
    """A text as a QR code, as SVG."""
    file = io.BytesIO()
    segno.make(text, error="m", micro=False).save(file, kind="svg", border=4, xmldecl=False)
    return file.getvalue().decode()


def board_picture(position: Position, title: str, highlights: Highlights, sides: tuple[str, str], sign: str) -> str:
    """A board as SVG for paper."""
    drawn = board_svg(position, title=title, highlights=highlights, still=True, sides=sides, sign=sign)
    return picture(drawn, BOARD_STYLE)
