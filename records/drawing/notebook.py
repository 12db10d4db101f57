"""What notebooks show: positions, turns, games and boards have the method ``_repr_svg_``, which is answered here."""

from __future__ import annotations

from inkeek.records.board import Board
from inkeek.records.errors import RecordsError
from inkeek.records.game import Game
from inkeek.records.moves import Turn
from inkeek.records.position import Position

from .svg import board_svg, board_width, highlights_of, picture

WIDTH = 0.6  # of the drawing in pixels, for each unit
_STYLE = """
.board{font-family:system-ui,sans-serif}
.board .changed .halo{stroke:#ffdf9a;stroke-width:3}
.board .start .halo{stroke:#fff7e6;stroke-width:4;stroke-dasharray:7 6}
"""


def draw(shown: Position | Turn | Game | Board) -> str | None:
    """The picture as SVG; of a game its last position, nothing if its rules are not known."""
    match shown:
        case Position():
            return _draw(shown)
        case Turn():
            return _draw(shown.position, shown)
        case Game():
            try:
                board = Board(shown.rules())
            except RecordsError:
                return None
            board.turns = tuple(shown)
            return draw(board)
        case Board():
            last = shown.turns[-1] if shown.turns else None
            return _draw(shown.position, last, shown.rules.info.terms.get("special", ""))


def _draw(position: Position, turn: Turn | None = None, sign: str = "") -> str:
    """The position, with the turn that led to it."""
    title, highlights = str(turn.move if turn else position), highlights_of(turn, position.row)
    drawn = board_svg(position, title=title, highlights=highlights, still=True, sign=sign)
    width = f'<svg width="{board_width(position.row) * WIDTH:g}" style="max-width:100%" '
    return picture(drawn, _STYLE).replace("<svg ", width, 1)
