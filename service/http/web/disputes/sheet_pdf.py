"""The sheet of a dispute as PDF."""

from __future__ import annotations

from dataclasses import asdict

from service.http.web.typesetting import board_picture, qr_picture, typeset, typeset_pictures

from .sheet_view import Sheet, sheet_words

TEMPLATE = "disputes/sheet.typ"


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
            {
                "title": board.title,
                "svg": board_picture(board.position, board.title, board.highlights, view.sides, view.sign),
                "row": board.position.row,
            }
            for board in view.boards
        ],
        "qr": qr_picture(view.hash),
        "words": sheet_words(),
    }
