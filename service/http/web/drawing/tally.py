"""Tally sticks, as they are cut: four sticks, and the fifth across them."""

from __future__ import annotations

from inkeek.records.drawing.svg import Markup, element

MOST = 50  # sticks that are drawn; the number beside them says the rest
_STEP, _BETWEEN, _HEIGHT = 7, 9, 24


def tally_svg(count: int) -> Markup:
    """The sticks of `count` games, at most `MOST`. The picture is hidden from screen readers: the number stands beside
    it."""
    strokes, left = [], 3
    for first in range(0, min(count, MOST), 5):
        sticks = min(count, MOST) - first
        strokes += [f"M{left + _STEP * number} 3v18" for number in range(min(sticks, 4))]
        if sticks >= 5:
            strokes.append(f"M{left - 3} 19 {left + 3 * _STEP + 3} 6")
        left += 3 * _STEP + _BETWEEN
    width = max(left - _BETWEEN + 3, 1)
    path = element("path", d="".join(strokes))
    return element(
        "svg", path, class_="sticks", viewBox=f"0 0 {width} {_HEIGHT}", width=width, height=_HEIGHT,
        aria_hidden="true", focusable="false",
    )  # fmt: skip
