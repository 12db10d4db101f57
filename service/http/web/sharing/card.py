"""The share card: a position with the players and the turn, as one SVG file that stands alone."""

from __future__ import annotations

import unicodedata
from bisect import bisect
from itertools import accumulate

from inkeek.records import NORTH, SOUTH
from inkeek.records.drawing.svg import Markup, board_defs, board_svg, element, escape
from inkeek.service.http.language import date_text
from inkeek.service.http.web.games.view_models import GamePage

WIDTH, HEIGHT = 1200, 630  # what sites that show links ask for
MARGIN = 50
_BOARD_PLACE = Markup(f'x="{MARGIN}" y="150" width="{WIDTH - 2 * MARGIN}" height="320"')  # it is drawn as large as fits
SMALLEST = 0.5  # of the size of a text: what is longer still is cut
_WALL, _INK, _MUTED = "#f4efe4", "#2b211a", "#6a5c4e"
_SERIF, _SANS = "Palatino, Georgia, serif", "system-ui, 'Liberation Sans', sans-serif"
_STYLE = """
.changed .halo{stroke:#ffdf9a;stroke-width:3}
.start .halo{stroke:#fff7e6;stroke-width:4;stroke-dasharray:7 6}
[data-count="0"]>.count{opacity:.55}
.letter,.side{font-size:26px}
"""


def card_svg(view: GamePage) -> str:
    """The card of a game after one of its turns, seen from South's side."""
    sign = view.terms.get("special", "")
    board = board_svg(view.position, title=view.board_title, highlights=view.highlights, still=True, sign=sign)
    event = " · ".join(part for part in (view.title, view.event, date_text(view.date)) if part)
    card = element(
        "svg",
        element("rect", width=WIDTH, height=HEIGHT, fill=_WALL),
        element("style", Markup(_STYLE)),
        board_defs(),
        _line(60, 28, _SANS, _MUTED, event),
        _line(120, 44, _SERIF, _INK, view.names[NORTH]),
        Markup(board.replace("<svg ", Markup(f"<svg {_BOARD_PLACE} "), 1)),
        _line(520, 44, _SERIF, _INK, view.names[SOUTH]),
        _line(580, 30, _SANS, _INK, caption_of(view)),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        font_family=_SANS,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{card}\n'


def caption_of(view: GamePage) -> str:
    """What a card says below the board: how the game ended, or the last turn and who is to move."""
    return view.result_words if view.ended and view.ply == view.plies else view.board_title


def _line(y: int, size: int, family: str, color: str, text: str) -> Markup:
    """A line that fits, whatever the font: smaller than `size` or, at last, cut."""
    room = (WIDTH - 2 * MARGIN) / size
    widths = list(accumulate(map(_widest, text), initial=0.0))
    scale = max(SMALLEST, min(1.0, room / widths[-1])) if text else 1.0
    if widths[-1] * scale > room:
        text = text[: bisect(widths, room / scale - 1) - 1] + "…"
    return element("text", escape(text), x=MARGIN, y=y, font_size=f"{size * scale:g}", font_family=family, fill=color)


def _widest(letter: str) -> float:
    """How wide a letter is in a wide font, in units of the font's size."""
    if letter in "mwMW@%" or unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    return 0.85 if letter.isupper() else 0.65
