"""Pictures of positions for lists: each pit is one `use` of the pit with so many seeds, which a list draws once."""

from __future__ import annotations

from functools import cache, lru_cache

from inkeek.records import NORTH, SOUTH, Position, Side
from inkeek.records.drawing.svg import NORTHS, PALE, SOUTHS, Markup, element, seed_places
from inkeek.records.position import seeds_word

CELL = 20  # width of a pit's place; all lengths are in the units of the viewBox
STORE = 26  # width of a store's place
MIDDLE = {SOUTH: 32, NORTH: 12}  # height of the middle of a row
HEIGHT = 44
MOST = 12  # seeds that are drawn in a pit
MAX_PICTURES = 500  # that are remembered
_SCALE = 0.2  # of the seeds on a large board


@cache
def thumbnail_defs() -> Markup:
    """The pits that the pictures of a list refer to. Goes into the list once, before them."""
    hollow = element("circle", r=8.6, fill="#2b1a10")
    seeds = [element("circle", cx=x * _SCALE, cy=y * _SCALE, r=1.7) for x, y in seed_places(0)[:MOST]]
    pits = [element("g", hollow, *seeds[:count], id=f"seeds-{count}") for count in range(MOST + 1)]
    rings = [
        element("circle", r=8.6, fill="none", stroke=color, stroke_width=1.8, id=f"ring-{mark}")
        for mark, color in ((1, SOUTHS), (2, NORTHS), (3, "#8a6242"))
    ]
    return element("svg", element("defs", *pits, *rings), class_="defs", width=0, height=0, aria_hidden="true")


@lru_cache(MAX_PICTURES)
def thumbnail(position: Position) -> Markup:
    """A position as seen from South. It says no more than the list beside it, so that it has no name."""
    row = position.row
    width = CELL * row + 2 * STORE
    parts = []
    for pit, (seeds, mark) in enumerate(zip(position.pits, position.marks, strict=True)):
        side = SOUTH if pit < row else NORTH
        column = pit if side is SOUTH else 2 * row - 1 - pit
        place = {"x": STORE + CELL * column + CELL // 2, "y": MIDDLE[side]}
        parts.append(element("use", href=f"#seeds-{min(max(seeds, 0), MOST)}", **place))
        if mark:
            parts.append(element("use", href=f"#ring-{mark}", **place))
    for side in Side:
        x = width - STORE // 2 if side is SOUTH else STORE // 2
        parts.append(element("text", Markup(seeds_word(position.stores[side])), x=x, y=27, fill=PALE))
    return element(
        "svg",
        element("rect", width=width, height=HEIGHT, rx=10, fill="#7d5234"),
        element("g", *parts, fill="#ece2cb", font_size=15, text_anchor="middle"),
        class_="thumbnail",
        viewBox=f"0 0 {width} {HEIGHT}",
        aria_hidden="true",
    )
