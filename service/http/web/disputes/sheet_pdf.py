"""The sheet of a dispute as PDF."""

from __future__ import annotations

from dataclasses import asdict

from records.drawing.svg import board_svg, picture
from service.http.web.findings.view import BoardPicture
from service.http.web.typesetting import qr_picture, typeset, typeset_pictures

from .sheet_view import Sheet, sheet_words

TEMPLATE = "disputes/sheet.typ"
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


def sheet_pdf(view: Sheet, paper: str) -> bytes:
    """The sheet on ``a4`` or ``letter`` paper."""
    return typeset(TEMPLATE, _data(view, paper))


def sheet_pictures(view: Sheet, paper: str) -> list[bytes]:
    """The pages of the PDF as PNG."""
    return typeset_pictures(TEMPLATE, _data(view, paper))


def _data(view: Sheet, paper: str) -> dict[str, object]:
    return {
        **asdict(view),
        "paper": {"a4": "a4", "letter": "us-letter"}[paper],
        "boards": [
            {"title": board.title, "svg": _picture(board, view), "row": board.position.row} for board in view.boards
        ],
        "qr": qr_picture(view.hash),
        "words": sheet_words(),
    }


def _picture(board: BoardPicture, view: Sheet) -> str:
    """A board as a picture of its own."""
    drawn = board_svg(
        board.position,
        title=board.title,
        highlights=board.highlights,
        still=True,
        sides=view.sides,
        sign=view.sign,
    )
    return picture(drawn, BOARD_STYLE)
