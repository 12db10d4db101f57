"""Small boards, for pages with many: what never changes is drawn once a page, and a script adds the seeds.

`blank_boards` has the empty board for each length of row. The board of a game refers to it, and has only its counts and
marks: a tenth of what `svg.board_svg` needs. `small_board.js` lays the seeds into the pits, and updates it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from inkeek.records import SOUTH, Position, Side
from inkeek.records.drawing.svg import (
    HEIGHT,
    PALE,
    PIT,
    ROW_Y,
    STORE_TOP,
    STORE_WIDTH,
    TO_COUNT,
    TO_LETTER,
    Highlights,
    Markup,
    board_width,
    element,
    escape,
    mark_id,
    pit_hollow,
    pit_place,
    store_hollow,
    store_left,
    text_element,
    wood,
)
from inkeek.records.position import pit_letter, seeds_word

MAX_BOARDS = 500  # that are remembered
TITLE = "\0"  # stands for the title of a board, and in no other text
NOTHING: Mapping[int, int] = MappingProxyType({})


def blank_boards(rows: Iterable[int]) -> Markup:
    """The empty boards that the small boards of a page refer to. Goes into the page once, after `svg.board_defs`."""
    defs = element("defs", *(_blank(row) for row in sorted(set(rows))))
    return element("svg", defs, class_="defs", width=0, height=0, aria_hidden="true", focusable="false")


def small_board(position: Position, *, title: str, sign: str = "", mend: Mapping[int, int] = NOTHING) -> Markup:
    """A small board as seen from South. `sign` is what the game calls its special pits. `mend`: seeds to add to pits
    (negative: to remove)."""
    drawn = _small_board(position, sign, tuple(mend.items()))
    return Markup(drawn.replace(TITLE, escape(title)))


@lru_cache(MAX_BOARDS)
def _small_board(position: Position, sign: str, mend: tuple[tuple[int, int], ...]) -> str:
    """A small board with `TITLE` for its title: lists show the same boards again and again."""
    row, width = position.row, board_width(position.row)
    places = [pit_place(pit, row, SOUTH) for pit in range(2 * row)]
    highlights = Highlights(mend=dict(mend))
    marks = (
        element("use", href=f"#{mark_id(mark, sign)}", x=x, y=y)
        for (x, y, _), mark in zip(places, position.marks, strict=True)
        if mark
    )
    counts = (
        element("text", Markup("" if mark == 3 else seeds_word(seeds)), x=x, y=_count_y(is_near))
        for (x, _, is_near), mark, seeds in zip(places, position.marks, position.pits, strict=True)
    )
    stores = (
        element(
            "text",
            Markup(seeds_word(position.stores[side])),
            x=_store_left(side, width) + STORE_WIDTH / 2,
            y=_count_y(side is SOUTH),
        )
        for side in Side
    )
    return element(
        "svg",
        element("title", Markup(TITLE)),
        element("use", href=f"#blank-{row}"),
        element("g", class_="seeds", data_pits=_seed_rows(), data_stores=_store_places(width)),
        element("g", *marks, class_="marks"),
        element("g", *counts, *stores, class_="counts", font_size=32, font_weight=600, fill=PALE),
        *(_to_mend(places[pit], highlights.badge(pit)) for pit, _ in mend),
        class_="board small",
        viewBox=f"0 0 {width} {HEIGHT}",
        role="img",
        text_anchor="middle",
        data_row=row,
        data_sign=sign,
        data_position=position,
    )


@cache
def _blank(row: int) -> Markup:
    width = board_width(row)
    pits = []
    for pit in range(2 * row):
        x, y, is_near = pit_place(pit, row, SOUTH)
        pits.append(element("g", *pit_hollow(), transform=f"translate({x:g},{y:g})"))
        pits.append(
            text_element(
                "letter", x, y + (1 if is_near else -1) * TO_LETTER + 7, 22, pit_letter(pit, row), fill="#6f6152"
            )
        )
    stores = (
        element(
            "g", *store_hollow(), class_="store", transform=f"translate({_store_left(side, width):g},{STORE_TOP:g})"
        )
        for side in Side
    )
    return element("g", *wood(width), *stores, *pits, id=f"blank-{row}")


def _to_mend(place: tuple[float, float, bool], badge: str) -> Markup:
    x, y, _ = place
    return element(
        "g",
        element("circle", class_="halo", r=PIT + 3, fill="none"),
        text_element("badge", 0, 14, 40, badge, font_weight=700, fill="#fff"),
        class_="pit mend",
        transform=f"translate({x:g},{y:g})",
    )


def _count_y(is_near: bool) -> float:
    return ROW_Y[is_near] + (1 if is_near else -1) * TO_COUNT + 11


def _store_left(side: Side, width: int) -> float:
    return store_left(side is SOUTH, width)


def _seed_rows() -> str:
    """The height of the middle of South's pits and of North's."""
    return f"{ROW_Y[True]:g} {ROW_Y[False]:g}"


def _store_places(width: int) -> str:
    """The left edges of South's store and North's, and the top of both."""
    return f"{_store_left(Side(0), width):g} {_store_left(Side(1), width):g} {STORE_TOP:g}"
