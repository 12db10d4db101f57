"""What notebooks show: they draw a value that has a method ``_repr_svg_``.

Positions, turns, games and boards get theirs here, because they know nothing of drawing.
"""

from __future__ import annotations

from collections.abc import Callable

from records.board import Board
from records.errors import RecordsError
from records.game import Game
from records.moves import Turn
from records.position import Position

from .svg import NONE, Highlights, board_svg, board_width, highlights_of, picture

WIDTH = 0.6  # of the drawing in pixels, for each unit
_STYLE = """
.board{font-family:system-ui,sans-serif}
.board .changed .halo{stroke:#ffdf9a;stroke-width:3}
.board .start .halo{stroke:#fff7e6;stroke-width:4;stroke-dasharray:7 6}
"""


def _draw(position: Position, title: str = "", highlights: Highlights = NONE, sign: str = "") -> str:
    drawn = board_svg(position, title=title or str(position), highlights=highlights, still=True, sign=sign)
    width = f'<svg width="{board_width(position.row) * WIDTH:g}" '
    return picture(drawn, _STYLE).replace("<svg ", width, 1)


def _draw_turn(turn: Turn, sign: str = "") -> str:
    return _draw(turn.position, str(turn.move), highlights_of(turn, turn.position.row), sign)


def _draw_board(board: Board) -> str:
    sign = board.rules.info.terms.get("special", "")
    return _draw_turn(board.turns[-1], sign) if board.turns else _draw(board.position, sign=sign)


def _draw_game(game: Game) -> str | None:
    """The last position of a game; nothing if its rules are not known."""
    try:
        board = Board(game.rules())
    except RecordsError:
        return None
    board.turns = tuple(game)
    return _draw_board(board)


_DRAWINGS: dict[type, Callable[..., str | None]] = {
    Position: _draw,
    Turn: _draw_turn,
    Board: _draw_board,
    Game: _draw_game,
}
for _shown, _drawing in _DRAWINGS.items():
    setattr(_shown, "_repr_svg_", _drawing)  # noqa: B010
