"""A position as a plain diagram for print: circles with counts and letters in black, without headings."""

from __future__ import annotations

from inkeek.records.errors import ErrorText, RecordsError
from inkeek.records.position import CLOSED, MARK_LETTERS, SOUTH, Position, Side, seeds_word

from .svg import Markup, element, escape, text_element

CELL, RADIUS, STORE, STRIP = 100, 42, 84, 44  # a pit's place, a pit, a store's width, the height of letters
HEIGHT = 2 * CELL + 2 * STRIP


def diagram_svg(position: Position, *, letters: str | None = None, near: Side = SOUTH) -> str:
    """The position as one SVG file, from `near`'s side. A special pit has two rings and its owner's letter.

    `letters` are those of the pits of South's row, then of North's, each from its owner's left; by default those of
    the notation, and none if it is empty.

    :raises RecordsError: there is not one letter a pit.
    """
    row = position.row
    if letters is None:
        letters = "".join(map(position.letter, range(2 * row)))
    if letters and len(letters) != 2 * row:
        raise RecordsError(
            ErrorText(
                "letters are %(letters)r, %(count)s of them: expected %(pits)s, South's row from its left, then "
                "North's",
                letters=letters[:80],
                count=len(letters),
                pits=2 * row,
            )
        )
    width = 2 * STORE + row * CELL
    drawing = element(
        "svg",
        element("title", escape(position)),
        element("rect", width=width, height=HEIGHT, fill="#fff"),
        *(_pit(position, pit, letters[pit : pit + 1], near) for pit in range(2 * row)),
        *(_store(position.stores[side], width if side is near else STORE) for side in Side),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {HEIGHT}",
        width=width,
        height=HEIGHT,
        font_family="system-ui, 'Liberation Sans', sans-serif",
        text_anchor="middle",
        fill="#000",
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawing}\n'


def _pit(position: Position, pit: int, letter: str, near: Side) -> Markup:
    row, mark = position.row, position.marks[pit]
    is_near = position.side_of(pit) is near
    column = pit % row if is_near else row - 1 - pit % row
    x, y = STORE + CELL * (column + 0.5), STRIP + CELL * (0.5 + is_near)
    is_special = mark and mark != CLOSED
    return element(
        "g",
        _ring(RADIUS),
        *([_ring(RADIUS - 6), text_element("owner", 0, -18, 18, MARK_LETTERS[mark].upper())] if is_special else []),
        text_element("count", 0, 13, 38, "×" if mark == CLOSED else seeds_word(position.pits[pit])),
        text_element("letter", 0, CELL / 2 + 26 if is_near else -CELL / 2 - 8, 26, letter),
        transform=f"translate({x:g},{y:g})",
    )


def _ring(radius: int) -> Markup:
    return element("circle", r=radius, fill="none", stroke="#000", stroke_width=2.5)


def _store(seeds: int, right: int) -> Markup:
    x = right - STORE + 8
    box = {"x": x, "y": STRIP + 8, "width": STORE - 16, "height": 2 * CELL - 16, "rx": 30}
    return element(
        "g",
        element("rect", **box, fill="none", stroke="#000", stroke_width=2.5),
        text_element("count", x + (STORE - 16) / 2, STRIP + CELL + 13, 38, seeds_word(seeds)),
    )
