"""Boards as SVG: any position of any two-row game, with its seeds and counts.

A page contains `board_defs` once: pictures of 0, 1, 2 … seeds and of the marks of a pit. A pit in `board_svg` refers to
them, and `static/board.js` updates a board by switching the references and numbers; it does no layout.

Colors are attributes, so a board also works in a file of its own; the style sheet of the page overrides them by class.
There are no inline styles, which the content security policy forbids.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import cos, pi, sin

from markupsafe import Markup, escape

from records import SOUTH, Position, Side

MAX_DRAWN = 19  # seeds drawn one by one in a pit: rings of 12, 6 and 1; more become a pile
PILE = MAX_DRAWN + 1  # the number of the picture that means "more than MAX_DRAWN"
MAX_STORED = 66  # seeds drawn one by one in a store; the number beside it counts all

CELL = 100  # width of a pit's place; all lengths are in the units of the viewBox
PIT = 42  # radius of a pit
SEED = 7.8  # radius of a seed
STORE = 100  # width of a store's place
EDGE = 14
STRIP = 36  # height of the letters above and below the board
RIM = 54  # height of the counts inside the board's edge
ROW = 94
MIDDLE = 14

_BOARD_HEIGHT = 2 * RIM + 2 * ROW + MIDDLE
_HEIGHT = _BOARD_HEIGHT + 2 * STRIP
_ROW_Y = (STRIP + RIM + ROW / 2, STRIP + RIM + ROW + MIDDLE + ROW / 2)  # far row, near row
_TO_COUNT = ROW / 2 + RIM / 2  # from a pit's middle out to the middle of its count
_TO_LETTER = ROW / 2 + RIM + STRIP / 2
_STORE_TOP = _ROW_Y[0] - PIT
_STORE_HEIGHT = _ROW_Y[1] - _ROW_Y[0] + 2 * PIT
_STORE_WIDTH = STORE - 18

_PALE, _SOUTHS, _NORTHS = "#fbf3e2", "#f2b63c", "#7cc8e6"
_HORNS = "M-8-38C-21-37-29-44-27-57-20-49-10-49-4-44L4-44C10-49 20-49 27-57 29-44 21-37 8-38Z"
_OUTER, _INNER, _LONE, _SMALL = 31.5, 15.0, 18.5, 13.5  # radii of the rings of seeds


@dataclass(frozen=True, slots=True)
class Highlights:
    """Highlights of a board, by pit index.

    `start`: where the last turn began; `changed`: pits that it changed; `legal`: pits where a turn may start; `mend`:
    seeds to add (negative: to remove) where the physical board is wrong; `unknown`: where nobody counted. In `mend` and
    `unknown`, the two indices after those of the pits are South's and North's store.
    """

    start: int | None = None
    changed: Collection[int] = ()
    legal: Collection[int] = ()
    mend: Mapping[int, int] = field(default_factory=dict)
    unknown: Collection[int] = ()

    def classes(self, pit: int, name: str = "pit") -> str:
        names = {
            name: True,
            "start": pit == self.start,
            "changed": pit in self.changed,
            "legal": pit in self.legal,
            "mend": pit in self.mend,
            "unknown": pit in self.unknown,
        }
        return " ".join(name for name, holds in names.items() if holds)

    def badge(self, place: int) -> str:
        """How many seeds to add or to remove, with a sign; empty where nothing is to be mended."""
        return f"{self.mend[place]:+d}".replace("-", "−") if place in self.mend else ""

    def count(self, place: int, seeds: int) -> str:
        """The number at a pit or a store."""
        return "?" if place in self.unknown else str(seeds)


NONE = Highlights()


def changed_pits(before: Position, after: Position) -> frozenset[int]:
    """The pits whose seeds or marks a turn changed."""
    pits = zip(before.pits, before.marks, after.pits, after.marks, strict=True)
    return frozenset(pit for pit, (had, was, has, now) in enumerate(pits) if (had, was) != (has, now))


@cache
def board_defs() -> Markup:
    """The pictures that the boards of a page refer to. Goes into the page once, before its boards."""
    pictures = [
        _shade(
            "seed-shade", (0.36, 0.3, 0.8), [("light", 0, "#fdf9ee"), ("mid", 0.55, "#ddd3bd"), ("dark", 1, "#a08f70")]
        ),
        _shade("pit-shade", (0.5, 0.42, 0.62), [("deep", 0.7, "#36231b"), ("lip", 1, "#4d3427")]),
    ]
    for number in range(PILE + 1):
        pictures.append(element("g", *(_seed(x, y) for x, y in seed_places(number)), id=f"seeds-{number}"))
    lid = element("circle", class_="lid", r=PIT, fill="#7d5a40")
    cross = element(
        "path", class_="cross", d="M-22-22 22 22M-22 22 22-22", stroke="#3a261d", stroke_width=7,
        stroke_linecap="round", fill="none",
    )  # fmt: skip
    pictures.append(element("g", id="mark-0"))
    pictures.append(_special_mark("mark-1", "south", _SOUTHS))
    pictures.append(_special_mark("mark-2", "north", _NORTHS))
    pictures.append(element("g", lid, cross, id="mark-3"))
    defs = element("defs", *pictures)
    return element("svg", defs, class_="defs", width=0, height=0, aria_hidden="true", focusable="false")


def board_svg(
    position: Position,
    *,
    title: str,
    highlights: Highlights = NONE,
    near: Side = SOUTH,
    still: bool = False,
    sides: tuple[str, str] = ("South", "North"),
) -> Markup:
    """A board as seen from `near`'s side: their row is below, each row runs from its owner's left.

    Needs `board_defs` in the same document. A `still` board omits what only a script shows. `sides` are the names of
    the sides in the language of the page.
    """
    width = 2 * (EDGE + STORE) + CELL * position.row
    line_style = {"fill": "none", "stroke": "#8a6347", "stroke_width": 1.5}
    return element(
        "svg",
        element("title", escape(title)),
        element("rect", class_="wood", x=2, y=STRIP, width=width - 4, height=_BOARD_HEIGHT, rx=38, fill="#6d4a33"),
        element(
            "rect",
            class_="wood-line",
            x=9,
            y=STRIP + 7,
            width=width - 18,
            height=_BOARD_HEIGHT - 14,
            rx=31,
            **line_style,
        ),
        *(_store(position, side, sides[side], side is near, width, still, highlights) for side in Side),
        *(_pit(position, pit, near, highlights) for pit in range(2 * position.row)),
        *([] if still else [_hand()]),
        class_="board",
        viewBox=f"0 0 {width} {_HEIGHT}",
        role="img",
        data_row=position.row,
        data_pile=PILE,
        data_to_move=int(position.to_move),
        data_position=position,
    )


def pit_place(pit: int, row: int, near: Side) -> tuple[float, float, bool]:
    """The center of a pit (x, y), and whether it is in the near row."""
    in_near_row = (pit < row) is (near is SOUTH)
    column = pit % row if in_near_row else row - 1 - pit % row
    return EDGE + STORE + CELL * (column + 0.5), _ROW_Y[in_near_row], in_near_row


def seed_places(number: int) -> list[tuple[float, float]]:
    """The places of `number` seeds in a pit, from its center; `PILE` stands for any number above `MAX_DRAWN`."""
    if number == PILE:
        return seed_places(MAX_DRAWN) + _ring(7, 21.5, 0.4) + _ring(3, 8.5, 0.9)
    middle = int(number in (1, 6, 7, 17, 18, 19))
    inner = number - middle
    if number > 7:  # about a quarter of them inside the outer ring
        inner = (number - 4) // 4 if number < 10 else (number - 6) // 2 if number < 18 else 5 + (number == 19)
        inner = min(max(inner, 1), 6, number - middle)
    outer = number - middle - inner if number > 7 else 0
    turn = number * 0.37  # each number is turned a little, as real seeds would be
    radius = _INNER if outer else _LONE if inner > 4 else _SMALL
    return _ring(outer, _OUTER, turn) + _ring(inner, radius, turn + 0.5) + [(0.0, 0.0)] * middle


@cache
def store_places() -> tuple[tuple[float, float], ...]:
    """The places of the first, second … seed of a store, from its top left corner, filling up from the bottom."""
    step = 2 * SEED - 2.6
    columns = int((_STORE_WIDTH - 16) // step)
    places: list[tuple[float, float]] = []
    level = 0
    while len(places) < MAX_STORED:
        here = columns - level % 2
        left = (_STORE_WIDTH - (here - 1) * step) / 2
        from_middle = sorted(range(here), key=lambda k: (abs(k - (here - 1) / 2), k))
        places.extend((left + k * step, _STORE_HEIGHT - 16 - level * step * 0.92) for k in from_middle)
        level += 1
    return tuple(places[:MAX_STORED])


def element(name: str, *children: Markup, **attributes: object) -> Markup:
    """An SVG element; ``_`` in an attribute's name stands for ``-``, one at its end is dropped."""
    words = [name]
    for key, value in attributes.items():
        text = f"{value:g}" if isinstance(value, float) else escape(value)
        words.append(f'{key.rstrip("_").replace("_", "-")}="{text}"')
    if not children and name not in ("g", "text"):
        return Markup(f"<{' '.join(words)}/>")
    return Markup(f"<{' '.join(words)}>{''.join(children)}</{name}>")


def _text(class_: str, x: float, y: float, size: int, text: object, **attributes: object) -> Markup:
    place = {"x": x, "y": y} if x else {"y": y}
    return element("text", escape(text), class_=class_, **place, text_anchor="middle", font_size=size, **attributes)


def _shade(id: str, light: tuple[float, float, float], stops: list[tuple[str, float, str]]) -> Markup:
    kind = id.partition("-")[0]
    parts = [element("stop", class_=f"{kind}-{name}", offset=offset, stop_color=color) for name, offset, color in stops]
    return element("radialGradient", *parts, id=id, cx=light[0], cy=light[1], r=light[2])


def _ring(number: int, radius: float, turn: float) -> list[tuple[float, float]]:
    angles = (turn + 2 * pi * k / number for k in range(number))
    return [(radius * cos(angle), radius * sin(angle)) for angle in angles]


def _seed(x: float, y: float, *, shown: bool = True) -> Markup:
    hidden = {} if shown else {"display": "none"}
    return element("circle", class_="seed", cx=round(x, 1), cy=round(y, 1), r=SEED, fill="url(#seed-shade)", **hidden)


def _special_mark(id: str, owner: str, color: str) -> Markup:
    """The mark of an owned pit: two rings, horns, and the owner's letter, round for South and square for North."""
    wide = element("circle", class_="ring", r=PIT, stroke_width=5)
    thin = element("circle", class_="ring", r=PIT - 7, stroke_width=1.8)
    if owner == "south":
        plate = element("circle", class_="plate", cx=31, cy=31, r=14, fill=color)
    else:
        plate = element("rect", class_="plate", x=18, y=18, width=26, height=26, rx=3, fill=color)
    return element(
        "g",
        element("g", wide, thin, fill="none", stroke=color),
        element("path", class_="horns", d=_HORNS, fill=color),
        plate,
        _text("owner", 31, 37.5, 20, owner[0], font_weight=700, fill="#2a1a12"),
        id=id,
        class_=f"special {owner}",
    )


def _pit(position: Position, pit: int, near: Side, highlights: Highlights) -> Markup:
    x, y, is_near = pit_place(pit, position.row, near)
    count, mark = position.pits[pit], position.marks[pit]
    letter = position.letter(pit)
    shown = "" if mark == 3 else highlights.count(pit, count)
    outward = 1 if is_near else -1
    return element(
        "g",
        element("circle", class_="halo", r=PIT + 4, fill="none"),
        element("circle", class_="hollow", r=PIT, fill="url(#pit-shade)"),
        element("use", class_="seeds", href=f"#seeds-{min(count, PILE)}"),
        element("use", class_="mark", href=f"#mark-{mark}"),
        _text("count", 0, outward * _TO_COUNT + 11, 32, shown, font_weight=600, fill=_PALE),
        _text("letter", 0, outward * _TO_LETTER + 7, 22, letter, fill="#6f6152"),
        _text("badge", 0, 10, 30, highlights.badge(pit), font_weight=700, fill="#fff"),
        class_=highlights.classes(pit),
        data_pit=pit,
        data_count=count,
        data_mark=mark,
        data_letter=letter,
        transform=f"translate({x:g},{y:g})",
    )


def _store(
    position: Position, side: Side, name: str, is_near: bool, width: int, still: bool, highlights: Highlights
) -> Markup:
    """A player's store, at their right hand."""
    x = width - EDGE - STORE + 9 if is_near else EDGE + 9
    count = position.stores[side]
    outward = 1 if is_near else -1
    middle, pit_y = _STORE_WIDTH / 2, _ROW_Y[is_near] - _STORE_TOP
    places = store_places()[:count] if still else store_places()
    place = 2 * position.row + side
    shown = highlights.count(place, count)
    return element(
        "g",
        element("rect", class_="hollow", width=_STORE_WIDTH, height=_STORE_HEIGHT, rx=31, fill="#3a261d"),
        *(_seed(sx, sy, shown=number < count) for number, (sx, sy) in enumerate(places)),
        _text("count", middle, pit_y + outward * _TO_COUNT + 11, 36, shown, font_weight=700, fill=_PALE),
        _text("badge", middle, _STORE_HEIGHT / 2, 30, highlights.badge(place), font_weight=700, fill="#fff"),
        _text("side", middle, pit_y + outward * _TO_LETTER + 7, 22, name, fill="#6f6152"),
        class_=highlights.classes(place, "store"),
        data_store=int(side),
        data_count=count,
        transform=f"translate({x:g},{_STORE_TOP:g})",
    )


def _hand() -> Markup:
    """The sowing hand, which only scripts show."""
    return element(
        "g",
        element("circle", class_="palm", r=36, fill="#f6efe0", fill_opacity=0.25, stroke="#fff8e6", stroke_width=2),
        element("use", class_="seeds", href="#seeds-0"),
        element("circle", class_="plate", cx=28, cy=-28, r=17, fill="#fff8e6"),
        _text("held", 28, -20, 22, 0, font_weight=700, fill="#2a1a12"),
        class_="hand",
        display="none",
    )
