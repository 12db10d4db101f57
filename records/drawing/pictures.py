"""The pictures that drawn boards refer to: seeds, hollows, wood and the marks of a pit.

Light falls from above on everything. What has a lit and a shaded side is drawn by gradients of four directions,
because a board may be seen from either side and may stand upright; the style sheet chooses the direction.
"""

from __future__ import annotations

from functools import cache
from math import cos, hypot, sin, sqrt

from .markup import Markup, escape

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
    """A seed with its shadow; tone, tilt and size follow from its kind."""
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
    """A seed at its place."""
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
    """A closed pit: a plug of wood with a cross."""
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
