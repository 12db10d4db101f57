"""Boards as SVG: any position of any two-row game, with its seeds and counts.

A page contains `board_defs` once. Pits and stores of `board_svg` refer to its pictures: one `use` a seed. The script
`board.js` adds and removes these and changes numbers; it does no layout. The style sheet may turn a whole
board (upright on a phone, or seen from the other side): what is in a `face`, and each text, then turns back.

Colors are attributes, so a board also works in a file of its own; the style sheet of the page overrides them by class.
There are no inline styles, which the content security policy forbids.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape as escape_text
from math import cos, hypot, sin, sqrt

from inkeek.records.board import Board
from inkeek.records.errors import RecordsError
from inkeek.records.game import Game
from inkeek.records.moves import Kind, Turn
from inkeek.records.position import SOUTH, UNKNOWN, Position, Side, seeds_word
from inkeek.records.rules.trace import SownSeed

# Text that is markup already, and the escaping of text that is not; templates know both by `__html__`.

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Markup(str):
    """Markup: never escaped again."""

    def __html__(self) -> str:
        return self


def escape(value: object) -> Markup:
    """A value as markup: markup stays, everything else is escaped."""
    if type(value) is int:
        return Markup(value)
    if hasattr(value, "__html__"):
        return Markup(value.__html__())
    return Markup(escape_text(_NOT_XML.sub("\ufffd", str(value))))


# The pictures that drawn boards refer to: seeds, hollows, wood and the marks of a pit.
#
# Light falls from above on everything. What has a lit and a shaded side is drawn by gradients of four directions,
# because a board may be seen from either side and may stand upright; the style sheet chooses the direction.

SIGNS = ("bull", "uur")  # words for special pits that have a sign of their own
SLOTS = 30  # seeds drawn one by one in a pit; the number beside it counts all
LAYER = 19  # of these lie side by side, the others on top of them
VARIANTS = 4  # arrangements of seeds, so that neighboring pits differ
KINDS = 12  # looks of a seed: tone, tilt and size
MAX_STORED = 60  # seeds drawn one by one in a store

PIT = 44  # radius of a pit; all lengths are in the units of the drawing
SEED = 7.0  # radius of a seed
STORE_WIDTH, STORE_HEIGHT = 74, 194

SOUTHS, NORTHS = "#f2b63c", "#7cc8e6"
_TONES = (  # light, middle and dark of a seed: cream, tan, gray-green, clay
    ("#fffdf4", "#ece2cb", "#a59474"),
    ("#fbe9cb", "#d9b88c", "#86603a"),
    ("#f3f3ec", "#c9cabd", "#7e8074"),
    ("#fbe2cc", "#cf9a77", "#7d4a32"),
)
_HORNS = "M-8-39C-21-38-29-45-27-58-20-50-10-50-4-45L4-45C10-50 20-50 27-58 29-45 21-38 8-39Z"
PLATES = (  # behind the numbers of a turn's path, for one lap after the other
    "M-7-13H7A13 13 0 0 1 7 13H-7A13 13 0 0 1-7-13Z",
    "M-20-13H20V13H-20Z",
    "M-20 0-13-13H13L20 0 13 13H-13Z",
    "M-20-13H13L20-6V13H-13L-20 6Z",
)
_GOLDEN = 2.399963  # radians: the angle between a seed and the next one
_DIRECTIONS = ((0, 0, 0, 1), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0))  # x1 y1 x2 y2, by quarter turns of the board


def element(name: str, *children: Markup, **attributes: object) -> Markup:
    """An SVG element; ``_`` in an attribute's name stands for ``-``, one at its end is dropped."""
    words = [name]
    for key, value in attributes.items():
        text = f"{value:g}" if isinstance(value, float) else escape(value)
        words.append(f'{key.rstrip("_").replace("_", "-")}="{text}"')
    if not children and name not in ("g", "text"):
        return Markup(f"<{' '.join(words)}/>")
    return Markup(f"<{' '.join(words)}>{''.join(children)}</{name}>")


def text_element(class_: str, x: float, y: float, size: int | None, text: object, **attributes: object) -> Markup:
    """A text around `x`; without `size`, as large as the letters of its drawing."""
    place = {"x": x, "y": y} if x else {"y": y}
    given = {"font_size": size} if size else {}
    return element("text", escape(text), class_=class_, **place, **given, **attributes)


def seed_places(variant: int) -> list[tuple[float, float]]:
    """The places of the first, second … seed of a pit, from its center. A seed keeps its place when others come."""
    turn = variant * 1.7
    first = [_on_spiral(k, 8.1, 0.8, turn) for k in range(LAYER)]
    return first + [_on_spiral(k, 8.6, 0.5, turn + 1.1) for k in range(SLOTS - LAYER)]


@cache
def store_places() -> tuple[tuple[float, float], ...]:
    """The places of the first, second … seed of a store, from its top left corner, filling up from the middle."""
    step, line = 2 * SEED - 1.2, 2 * SEED - 3.2
    middle_x, middle_y = STORE_WIDTH / 2, STORE_HEIGHT / 2
    places = [
        (middle_x + (column + 0.5 * (row % 2) - 0.25) * step + _shift(row, column), middle_y + row * line)
        for row in range(-8, 9)
        for column in range(-2, 3)
        if abs(column + 0.5 * (row % 2) - 0.25) * step < middle_x - SEED - 2 - 7 * max(0, abs(row) - 6)
    ]
    # An oval from the middle with an uneven edge, as seeds lie that were dropped one by one.
    places.sort(key=lambda at: (hypot(1.7 * (at[0] - middle_x), at[1] - middle_y) + 9 * sin(3 * at[0] + at[1]), at))
    return tuple(places[:MAX_STORED])


@cache
def board_defs(sign: str | None = None) -> Markup:
    """The pictures that the boards of a page refer to. Goes into the page once, before its boards.

    `sign`: what the one game of the page calls its special pits; None: there may be boards of any game.
    """
    pictures = [
        *(_tone(number, *colors) for number, colors in enumerate(_TONES)),
        _radial("pit-shade", (0.5, 0.66, 0.62), ("pit-floor", 0, "#5b3b26"), ("pit-deep", 0.95, "#24150d")),
        _radial("overhang", (0.5, 0.78, 0.8), ("unlit", 0.6, "#000", 0), ("unlit", 1, "#000", 0.7)),
        _radial("glow", (0.5, 0.5, 0.5), ("glow-in", 0.74, "#ffdf9a", 0.8), ("glow-out", 1, "#ffdf9a", 0)),
        *_lights("light", ("lit", 0, "#ffd9a0", 0.2), ("lit", 0.35, "#ffd9a0", 0.05), ("unlit", 1, "#000", 0.36)),
        *_lights("rim", ("rim-lit", 0, "#d9a36a"), ("rim-dark", 0.5, "#4a2c18"), ("rim-dark", 1, "#2a170c")),
        *_lights("lip", ("lip-dark", 0.1, "#170b05"), ("lip-lit", 1, "#c8925c")),
        *_lights("well", ("unlit", 0, "#000", 0.62), ("unlit", 0.3, "#000", 0.1), ("unlit", 1, "#000", 0)),
        _grain(),
        element(
            "g",
            element("circle", class_="overhang", r=PIT, fill="url(#overhang)"),
            element("circle", class_="lip", r=PIT, fill="none", stroke="url(#lip-0)", stroke_width=3),
            id="depth",
        ),
        element("circle", r=PIT + 15, fill="url(#glow)", id="halo-of-light"),
    ]
    pictures += map(_seed, range(KINDS))
    for variant in range(VARIANTS):
        for number, (x, y) in enumerate(seed_places(variant)):
            pictures.append(_slot(f"s{variant}-{number}", x, y, 5 * variant + number))
    pictures += [_slot(f"t-{number}", x, y, number) for number, (x, y) in enumerate(store_places())]
    pictures += [element("path", d=shape, id=f"plate-{number}") for number, shape in enumerate(PLATES)]
    pictures += [element("g", id="mark-0"), _lid()]
    drawn = ("", *SIGNS) if sign is None else (sign if sign in SIGNS else "",)
    for one in drawn:
        for mark, (owner, color) in enumerate((("south", SOUTHS), ("north", NORTHS)), 1):
            pictures.append(_special_mark(mark_id(mark, one), owner, color, one))
    defs = element("defs", *pictures)
    return element("svg", defs, class_="defs", width=0, height=0, aria_hidden="true", focusable="false")


def mark_id(mark: int, sign: str) -> str:
    """The picture of a mark in a game that calls its special pits `sign`."""
    return f"mark-{mark}-{sign}" if mark in (1, 2) and sign in SIGNS else f"mark-{mark}"


def _on_spiral(number: int, width: float, start: float, turn: float) -> tuple[float, float]:
    radius, angle = width * sqrt(number + start), number * _GOLDEN + turn
    return radius * cos(angle), radius * sin(angle)


def _shift(row: int, column: int) -> float:
    return ((row * 7 + column * 13) % 5 - 2) * 0.5


def _seed(kind: int) -> Markup:
    size = SEED * (1, 1.05, 0.94)[kind % 3]
    body = {"rx": round(size * 1.1, 1), "ry": round(size * 0.92, 1)}
    tilt = f"rotate({kind * 23 % 70 - 35})"
    return element(
        "g",
        element("ellipse", class_="seed-shadow", cy=2.4, **body, fill="#000", fill_opacity=0.42),
        element("ellipse", class_="seed-body", **body, transform=tilt, fill=f"url(#tone-{kind % len(_TONES)})"),
        id=f"seed-{kind}",
    )


def _slot(id: str, x: float, y: float, number: int) -> Markup:
    return element("use", id=id, href=f"#seed-{(number * 7 + number // 3) % KINDS}", x=round(x, 1), y=round(y, 1))


def _tone(number: int, light: str, middle: str, dark: str) -> Markup:
    stops = (("seed-light", 0, light), ("seed-mid", 0.5, middle), ("seed-dark", 1, dark))
    return _radial(f"tone-{number}", (0.36, 0.28, 0.8), *stops)


def _stops(stops: tuple[tuple[object, ...], ...]) -> list[Markup]:
    return [
        element("stop", class_=name, offset=offset, stop_color=color, **({"stop_opacity": rest[0]} if rest else {}))
        for name, offset, color, *rest in stops
    ]


def _radial(id: str, light: tuple[float, float, float], *stops: tuple[object, ...]) -> Markup:
    return element("radialGradient", *_stops(stops), id=id, cx=light[0], cy=light[1], r=light[2])


def _lights(id: str, *stops: tuple[object, ...]) -> list[Markup]:
    """A gradient from the lit side to the shaded side, for each of the four ways a board lies."""
    lines = [dict(zip(("x1", "y1", "x2", "y2"), line, strict=True)) for line in _DIRECTIONS]
    first = element("linearGradient", *_stops(stops), id=f"{id}-0", **lines[0])
    return [first, *(element("linearGradient", id=f"{id}-{k}", href=f"#{id}-0", **lines[k]) for k in (1, 2, 3))]


def _grain() -> Markup:
    """Lines along the wood, the same on every load; the pattern repeats without a seam."""
    lines = []
    for number in range(24):
        y = 6 + number * 12.6 + 5 * sin(number * 2.3)
        sway = [round(5 * sin(number * 1.3 + k), 1) for k in (1, 2, 3)]
        path = f"M0 {y:.1f}C120 {y + sway[0]:.1f} 200 {y + sway[1]:.1f} 320 {y + sway[2]:.1f}S520 {y:.1f} 640 {y:.1f}"
        width = (0.8, 1.6, 1, 2.4)[number % 4]
        lines.append(element("path", d=path, stroke_width=width, stroke_opacity=(0.4, 0.26, 0.5, 0.18)[number % 4]))
    for x, y in ((150, 64), (470, 214)):
        lines.append(element("ellipse", cx=x, cy=y, rx=26, ry=4, stroke_width=1, stroke_opacity=0.28))
        lines.append(element("ellipse", cx=x, cy=y, rx=12, ry=1.6, stroke_width=1, stroke_opacity=0.34))
    group = element("g", *lines, class_="grain-lines", fill="none", stroke="#2a1408")
    return element("pattern", group, id="grain", width=640, height=312, patternUnits="userSpaceOnUse")


def _lid() -> Markup:
    lid = element("circle", class_="lid", r=PIT - 1, fill="#8a6242", stroke="url(#rim-0)", stroke_width=3)
    grain = element(
        "path", class_="cross-grain", d="M-34-14C-10-20 12-8 36-12M-38 4C-12-2 10 10 38 4M-32 20C-8 14 14 26 32 20",
        stroke="#2a1408", stroke_opacity=0.35, fill="none",
    )  # fmt: skip
    cross = element(
        "path", class_="cross", d="M-20-20 20 20M-20 20 20-20", stroke="#3a261d", stroke_width=7,
        stroke_linecap="round", fill="none",
    )  # fmt: skip
    return element("g", lid, grain, cross, id="mark-3")


def _special_mark(id: str, owner: str, color: str, sign: str) -> Markup:
    """The mark of an owned pit: two rings, the game's sign, and the owner's letter, round for South, square for North.

    A bull has horns. An uur, which is Somali for a pregnant belly, has a round belly with a seed in it.
    """
    wide = element("circle", class_="ring", r=PIT, stroke_width=5)
    thin = element("circle", class_="ring", r=PIT - 7, stroke_width=1.8)
    parts = [element("g", wide, thin, fill="none", stroke=color)]
    if sign == "bull":
        parts.append(element("path", class_="horns", d=_HORNS, fill=color, stroke="#2a1a12", stroke_width=1.2))
    elif sign == "uur":
        parts.append(element("circle", class_="belly", cy=-PIT - 1, r=13, fill="#2a1a12", stroke=color, stroke_width=4))
        parts.append(element("circle", class_="unborn", cy=-PIT - 1, r=5.6, fill=color))
    if owner == "south":
        parts.append(element("circle", class_="plate", cx=31, cy=31, r=14, fill=color))
    else:
        parts.append(element("rect", class_="plate", x=18, y=18, width=26, height=26, rx=3, fill=color))
    parts.append(text_element("owner", 31, 37.5, 20, owner[0], font_weight=700, fill="#2a1a12"))
    return element("g", *parts, id=id, class_=f"special {owner}")


# The path of a turn on a drawn board: each seed's number at the place where it fell, in order of sowing.
#
# `sowing_path.js` makes the same elements from the same list of seeds. The style sheet `board.css` says where the
# numbers of a place stand. The shape behind a number tells the laps apart.

MOST = 6  # numbers at one place
KEPT = 3  # of more numbers, the first ones that remain; then "…" and the last ones


def numbers_by_place(path: Iterable[SownSeed]) -> dict[int, list[tuple[str, int]]]:
    """The numbers that are shown at each place, each with its lap; `MOST` at a place."""
    found: dict[int, list[tuple[str, int]]] = {}
    for number, seed in enumerate(path, 1):
        found.setdefault(seed.place, []).append((str(number), seed.lap))
    return {place: _shortened(numbers) for place, numbers in found.items()}


def _shortened(numbers: list[tuple[str, int]]) -> list[tuple[str, int]]:
    if len(numbers) <= MOST:
        return numbers
    last = MOST - KEPT - 1
    return [*numbers[:KEPT], ("…", numbers[-last - 1][1]), *numbers[-last:]]


def path_element(place: int, numbers: Mapping[int, list[tuple[str, int]]], *, still: bool) -> list[Markup]:
    """The numbers of a place, the last part of its drawing. A script fills the element later, unless it is `still`."""
    shown = numbers.get(place, [])
    if still and not shown:
        return []
    count = {"data_numbers": len(shown)} if shown else {}
    return [element("g", *(_number(text, lap) for text, lap in shown), class_="path", **count)]


def _number(text: str, lap: int) -> Markup:
    plate = (lap - 1) % len(PLATES)
    parts = element("use", href=f"#plate-{plate}"), element("text", escape(text), y=7)
    return element("g", *parts, class_=f"sown plate-{plate}")


CELL = 100  # width of a pit's place; all lengths are in the units of the viewBox
STORE = 84  # width of a store's place
EDGE = 12
LONGEST_NAME = 6  # letters of a side's name that are not squeezed into the width of its store
STRIP = 36  # height of the letters above and below the board
RIM = 54  # height of the counts inside the board's edge
ROW = 96
MIDDLE = 12
LONG = 10  # pits in a row from which the texts of a small board are larger

_BOARD_HEIGHT = 2 * RIM + 2 * ROW + MIDDLE
HEIGHT = _BOARD_HEIGHT + 2 * STRIP
ROW_Y = (STRIP + RIM + ROW / 2, STRIP + RIM + ROW + MIDDLE + ROW / 2)  # far row, near row
TO_COUNT = ROW / 2 + RIM / 2 - 3  # from a pit's middle out to the middle of its count
TO_LETTER = ROW / 2 + RIM + STRIP / 2
STORE_TOP = (ROW_Y[0] + ROW_Y[1] - STORE_HEIGHT) / 2

PALE = "#fbf3e2"


@dataclass(frozen=True, slots=True)
class Highlights:
    """Highlights of a board, by pit index.

    `start`: where the last turn began; `changed`: pits that it changed; `legal`: pits where a turn may start; `mend`:
    seeds to add (negative: to remove) where the physical board is wrong, 0 where only the mark is; `unknown`: where
    nobody counted. In `mend` and `unknown`, the two indices after those of the pits are South's and North's store.
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
        """How many seeds to add or to remove, with a sign; empty where none is."""
        return f"{self.mend[place]:+d}".replace("-", "−") if self.mend.get(place) else ""

    def count(self, place: int, seeds: int) -> str:
        """The number at a pit or a store."""
        return "?" if place in self.unknown else seeds_word(seeds)


NONE = Highlights()


def changed_pits(before: Position, after: Position) -> frozenset[int]:
    """The pits whose seeds or marks a turn changed."""
    pits = zip(before.pits, before.marks, after.pits, after.marks, strict=True)
    return frozenset(pit for pit, (had, was, has, now) in enumerate(pits) if (had, was) != (has, now))


def highlights_of(turn: Turn | None, row: int, legal: Collection[int] = ()) -> Highlights:
    """Where a turn began and what it changed; nothing before the first."""
    if turn is None:
        return Highlights(legal=legal)
    start = turn.move.pit_index(row) if turn.move.kind is Kind.SOW else None
    return Highlights(start, changed_pits(turn.before, turn.position), legal)


def board_width(row: int) -> int:
    """The width of a board with `row` pits a row."""
    return 2 * (EDGE + STORE) + CELL * row


def board_svg(
    position: Position,
    *,
    title: str,
    highlights: Highlights = NONE,
    near: Side = SOUTH,
    still: bool = False,
    sides: tuple[str, str] = ("South", "North"),
    sign: str = "",
    path: Collection[SownSeed] = (),
) -> Markup:
    """A board as seen from `near`'s side: their row is below, each row runs from its owner's left.

    Needs `board_defs` in the same document. A `still` board omits what only a script shows. `sides` are the names of
    the sides in the language of the page. `sign` is what the game calls its special pits: ``bull`` and ``uur`` have a
    sign of their own. `path`: the seeds of the last turn, which are numbered; the style sheet hides the numbers until
    they are wanted.
    """
    seeds = enumerate((*position.pits, *position.stores))
    unseen = {place for place, count in seeds if count == UNKNOWN}
    highlights, shown = replace(highlights, unknown={*highlights.unknown, *unseen}), position.with_unknown(0)
    width = board_width(position.row)
    numbers = numbers_by_place(path)
    paths = [path_element(place, numbers, still=still) for place in range(2 * position.row + 2)]
    return element(
        "svg",
        element("title", escape(title)),
        *wood(width),
        *(
            _store(shown, side, sides[side], side is near, width, highlights, paths[2 * position.row + side])
            for side in Side
        ),
        *(_pit(shown, pit, near, highlights, sign, still, paths[pit]) for pit in range(2 * position.row)),
        *([] if still else [_hand()]),
        class_="board long" if position.row >= LONG else "board",
        viewBox=f"0 0 {width} {HEIGHT}",
        role="img",
        text_anchor="middle",
        font_size=22,
        data_row=position.row,
        data_sign=sign,
        data_to_move=int(position.to_move),
        data_position=position,
    )


def picture(board: Markup, style: str) -> str:
    """A board of `board_svg` as a picture that needs no page; `style` are rules of CSS."""
    head, tail = board.split(">", 1)
    return f'{head} xmlns="http://www.w3.org/2000/svg"><style>{style}</style>{board_defs()}{tail}'


def pit_place(pit: int, row: int, near: Side) -> tuple[float, float, bool]:
    """The center of a pit (x, y), and whether it is in the near row."""
    in_near_row = (pit < row) is (near is SOUTH)
    column = pit % row if in_near_row else row - 1 - pit % row
    return EDGE + STORE + CELL * (column + 0.5), ROW_Y[in_near_row], in_near_row


def wood(width: int) -> list[Markup]:
    """The board itself: its shadow, wood with grain, light over it, and the bevel of its edge."""

    def plank(class_: str, inset: int, fill: str, **attributes: object) -> Markup:
        return element(
            "rect", class_=class_, x=2 + inset, y=STRIP + inset, width=width - 4 - 2 * inset,
            height=_BOARD_HEIGHT - 2 * inset, rx=40 - inset, fill=fill, **attributes,
        )  # fmt: skip

    return [
        plank("board-shadow", 0, "#000", fill_opacity=0.28),
        plank("wood", 0, "#7d5030"),
        plank("grain", 0, "url(#grain)"),
        plank("light", 0, "url(#light-0)"),
        plank("rim", 2, "none", stroke="url(#rim-0)", stroke_width=4),
        plank("wood-line", 9, "none", stroke="#000", stroke_opacity=0.16, stroke_width=1.5),
    ]


def _seeds(slots: str, count: int, most: int) -> Markup:
    """The seeds of a pit, a store or a hand, each of them a picture by its number."""
    uses = (element("use", href=f"#{slots}{number}") for number in range(min(count, most)))
    return element("g", *uses, class_="seeds", data_slots=slots, data_most=most)


def _pit(
    position: Position,
    pit: int,
    near: Side,
    highlights: Highlights,
    sign: str,
    still: bool,
    path: list[Markup],
) -> Markup:
    x, y, is_near = pit_place(pit, position.row, near)
    count, mark = position.pits[pit], position.marks[pit]
    shown = "" if mark == 3 else highlights.count(pit, count)
    badge = highlights.badge(pit)
    outward = 1 if is_near else -1
    face = [
        *([] if still else [element("use", class_="glow", href="#halo-of-light")]),
        *pit_hollow(),
        element("circle", class_="halo", r=PIT + 3, fill="none"),
        _seeds(f"s{pit % VARIANTS}-", count, SLOTS),
        element("use", class_="mark", href=f"#{mark_id(mark, sign)}"),
    ]
    if badge:
        face.append(text_element("badge", 0, 10, 30, badge, font_weight=700, fill="#fff"))
    face += path
    return element(
        "g",
        element("g", *face, class_="face"),
        text_element("count", 0, outward * TO_COUNT + 11, 32, shown, font_weight=600, fill=PALE),
        text_element("letter", 0, outward * TO_LETTER + 7, None, position.letter(pit), fill="#6f6152"),
        class_=highlights.classes(pit),
        data_pit=pit,
        data_count=count,
        data_mark=mark,
        data_letter=position.letter(pit),
        transform=f"translate({x:g},{y:g})",
    )


def pit_hollow() -> list[Markup]:
    """An empty pit."""
    return [
        element("circle", class_="hollow", r=PIT, fill="url(#pit-shade)"),
        element("use", class_="depth", href="#depth"),
    ]


def store_hollow() -> list[Markup]:
    """An empty store."""
    hollow = {"width": STORE_WIDTH, "height": STORE_HEIGHT, "rx": 34}
    return [
        element("rect", class_="hollow", **hollow, fill="#3a2417"),
        element("rect", class_="well", **hollow, fill="url(#well-0)", stroke="url(#lip-0)", stroke_width=3),
    ]


def store_left(is_near: bool, width: int) -> float:
    """The left edge of a store: each lies at its owner's right hand."""
    margin = EDGE + (STORE - STORE_WIDTH) / 2
    return width - margin - STORE_WIDTH if is_near else margin


def _store(
    position: Position,
    side: Side,
    name: str,
    is_near: bool,
    width: int,
    highlights: Highlights,
    path: list[Markup],
) -> Markup:
    x = store_left(is_near, width)
    count = position.stores[side]
    outward = 1 if is_near else -1
    middle, pit_y = STORE_WIDTH / 2, ROW_Y[is_near] - STORE_TOP
    place = 2 * position.row + side
    shown, badge = highlights.count(place, count), highlights.badge(place)
    wide = len(name) > LONGEST_NAME
    squeezed = {"textLength": STORE + EDGE, "lengthAdjust": "spacingAndGlyphs"} if wide else {}
    return element(
        "g",
        *store_hollow(),
        _seeds("t-", count, MAX_STORED),
        text_element("count", middle, pit_y + outward * TO_COUNT + 11, 34, shown, font_weight=700, fill=PALE),
        *([text_element("badge", middle, STORE_HEIGHT / 2, 30, badge, font_weight=700, fill="#fff")] if badge else []),
        *(
            [element("g", *path, class_="middle", transform=f"translate({middle:g},{STORE_HEIGHT / 2:g})")]
            if path
            else []
        ),
        text_element(
            "side wide" if wide else "side",
            middle,
            pit_y + outward * TO_LETTER + 7,
            None,
            name,
            fill="#6f6152",
            **squeezed,
        ),
        class_=highlights.classes(place, "store"),
        data_store=int(side),
        data_count=count,
        transform=f"translate({x:g},{STORE_TOP:g})",
    )


def _hand() -> Markup:
    face = element(
        "g",
        element("circle", class_="palm", r=36, fill="#f6efe0", fill_opacity=0.25, stroke="#fff8e6", stroke_width=2),
        _seeds("s0-", 0, SLOTS),
        element("circle", class_="plate", cx=28, cy=-28, r=17, fill="#fff8e6"),
        text_element("held", 28, -20, 22, 0, font_weight=700, fill="#2a1a12"),
        class_="face",
    )
    return element("g", face, class_="hand", display="none")


WIDTH = 0.6  # of the drawing in pixels, for each unit
_STYLE = """
.board{font-family:system-ui,sans-serif}
.board .changed .halo{stroke:#ffdf9a;stroke-width:3}
.board .start .halo{stroke:#fff7e6;stroke-width:4;stroke-dasharray:7 6}
"""


def notebook_svg(shown: Position | Turn | Game | Board) -> str | None:
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
            return notebook_svg(board)
        case Board():
            last = shown.turns[-1] if shown.turns else None
            return _draw(shown.position, last, shown.rules.info.terms.get("special", ""))


def _draw(position: Position, turn: Turn | None = None, sign: str = "") -> str:
    title, highlights = str(turn.move if turn else position), highlights_of(turn, position.row)
    drawn = board_svg(position, title=title, highlights=highlights, still=True, sign=sign)
    width = f'<svg width="{board_width(position.row) * WIDTH:g}" style="max-width:100%" '
    return picture(drawn, _STYLE).replace("<svg ", width, 1)
