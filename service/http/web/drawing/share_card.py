"""The share card: a position with the players and the turn, as one SVG file that stands alone."""

from __future__ import annotations

from markupsafe import Markup, escape

from records import NORTH, SOUTH, Side
from service.http.web.games.view_models import GamePage

from .pictures import element
from .svg import board_defs, board_svg

WIDTH, HEIGHT = 1200, 630  # what sites that show links ask for
MARGIN = 50
MAX_NAME = 44  # characters
_WALL, _INK, _MUTED = "#f4efe4", "#2b211a", "#6a5c4e"
_SERIF, _SANS = "Palatino, Georgia, serif", "system-ui, 'Liberation Sans', sans-serif"


def share_card_svg(view: GamePage) -> str:
    """The card of a game after one of its turns, seen from South's side."""
    sign = view.terms.get("special", "")
    board = board_svg(view.position, title=view.board_title, highlights=view.highlights, still=True, sign=sign)
    placed = Markup(
        str(board).replace("<svg ", f'<svg x="{MARGIN}" y="150" width="{WIDTH - 2 * MARGIN}" height="320" ', 1)
    )
    event = " · ".join(part for part in (view.title, view.event, view.date) if part)
    parts = [
        element("rect", width=WIDTH, height=HEIGHT, fill=_WALL),
        board_defs(),
        _line(60, 28, _SANS, _MUTED, event),
        _name(view, NORTH, 120),
        placed,
        _name(view, SOUTH, 520),
        _line(580, 30, _SANS, _INK, view.result_words if view.ended and view.ply == view.plies else view.board_title),
    ]
    card = element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        font_family=_SANS,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{card}\n'


def _name(view: GamePage, side: Side, y: int) -> Markup:
    return _line(y, 44, _SERIF, _INK, view.names[side])


def _line(y: int, size: int, family: str, color: str, text: str) -> Markup:
    shown = text if len(text) <= MAX_NAME * 2 else text[: MAX_NAME * 2] + "…"
    return element("text", escape(shown), x=MARGIN, y=y, font_size=size, font_family=family, fill=color)
