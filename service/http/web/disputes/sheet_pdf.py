"""The sheet of a dispute as PDF."""

from __future__ import annotations

from dataclasses import asdict

from service.http.web.typesetting import board_picture, qr_picture, typeset

from .sheet_view import Sheet, sheet_words


def sheet_pdf(view: Sheet, paper: str) -> bytes:
    """The sheet on ``a4`` or ``letter`` paper."""
    data = {
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
    return typeset("disputes/sheet.typ", data)
