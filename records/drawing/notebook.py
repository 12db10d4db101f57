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

WIDTH = 0.6  # of the drawing in pixels, for each unit
_STYLE = """
.board{font-family:system-ui,sans-serif}
.board .changed .halo{stroke:#ffdf9a;stroke-width:3}
.board .start .halo{stroke:#fff7e6;stroke-width:4;stroke-dasharray:7 6}
"""


def _draw(position: Position, turn: Turn | None = None, sign: str = "") -> str:
    """The position, with the turn that led to it."""
    from .svg import board_svg, board_width, highlights_of, picture  # here, as most programs draw nothing

    title, highlights = str(turn.move if turn else position), highlights_of(turn, position.row)
    drawn = board_svg(position, title=title, highlights=highlights, still=True, sign=sign)
    width = f'<svg width="{board_width(position.row) * WIDTH:g}" '
    return picture(drawn, _STYLE).replace("<svg ", width, 1)


def _draw_turn(turn: Turn) -> str:
    return _draw(turn.position, turn)


def _draw_board(board: Board) -> str:
    return _draw(board.position, board.turns[-1] if board.turns else None, board.rules.info.terms.get("special", ""))


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
