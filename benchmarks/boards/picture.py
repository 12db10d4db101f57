"""The picture of `detection.py`: two panels as SVG, drawn with nothing but text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

WIDTH, HEIGHT = 460, 380  # of a panel, in pixels
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 50, 60  # of its margins
COLOURS = ("#1b6ca8", "#d1782c", "#4d8f3a", "#8a4fa3")
FLOOR = 0.001  # percent: drawn for none
STYLE = "text{font:13px sans-serif;fill:#222}.title{font-size:15px;font-weight:bold}.grid{stroke:#ddd}"


def draw(cells: Sequence[dict[str, Any]], bins: Sequence[float]) -> str:
    """Both panels: turns asked about by the spread of stones, and how often the stated confidence was right."""
    parts = [*_asked(cells), *_calibration(cells, bins)]
    size = f'width="{2 * WIDTH}" height="{HEIGHT}" viewBox="0 0 {2 * WIDTH} {HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>'
    return "\n".join([head, f'<rect width="{2 * WIDTH}" height="{HEIGHT}" fill="white"/>', *parts, "</svg>"]) + "\n"


def _asked(cells: Sequence[dict[str, Any]]) -> list[str]:
    """Percent of turns asked about or wrong, on a logarithmic scale, a line for each sensor and board."""
    stones = sorted({cell["stone"] for cell in cells})
    low, high = math.log10(FLOOR), 2.0
    widest = max(stones) * 100

    def x(stone: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * 100 * stone / widest

    def y(percent: float) -> float:
        share = (math.log10(max(percent, FLOOR)) - low) / (high - low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    parts = [_text(LEFT, 25, "Turns that are asked about", "title")]
    for power in range(round(low), round(high) + 1):
        at = y(10.0**power)
        parts += [_line(LEFT, at, WIDTH - RIGHT, at, "grid"), _text(LEFT - 8, at + 4, f"{10.0**power:g} %", end=True)]
    for stone in stones:
        parts.append(_text(x(stone), HEIGHT - BOTTOM + 20, f"{100 * stone:g}", middle=True))
    parts.append(_text((LEFT + WIDTH) / 2, HEIGHT - 18, "standard deviation of a stone's weight, %", middle=True))
    legend = TOP + 10
    for colour, sensor in zip(COLOURS, sorted({cell["sensor"] for cell in cells}), strict=False):
        for row, dash in ((8, ""), (12, "6 4")):
            points = []
            for stone in stones:
                results: Counter[str] = Counter()
                for cell in cells:
                    if (cell["stone"], cell["sensor"], cell["row"]) == (stone, sensor, row):
                        results.update(cell["results"])
                turns = results["right"] + results["asked"] + results["wrong"]
                if turns:
                    points.append((x(stone), y(100 * (results["asked"] + results["wrong"]) / turns)))
            path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
            style = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
            parts.append(f'<polyline points="{path}" {style}/>')
            parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points]
            parts.append(f'<polyline points="{LEFT + 10},{legend} {LEFT + 40},{legend}" {style}/>')
            parts.append(_text(LEFT + 48, legend + 4, f"2×{row}, sensor {sensor:g}"))
            legend += 18
    return parts


def _calibration(cells: Sequence[dict[str, Any]], bins: Sequence[float]) -> list[str]:
    """How often the detector was right by how sure it was; both as odds, so that 99 and 99.9 % are apart."""
    edge = 0.9999995

    def along(share: float) -> float:
        odds = math.log10(max(min(share, edge), 0.1)) - math.log10(1 - max(min(share, edge), 0.1))
        low, high = math.log10(0.1 / 0.9), math.log10(edge / (1 - edge))
        return (odds - low) / (high - low)

    def x(share: float) -> float:
        return WIDTH + LEFT + (WIDTH - LEFT - RIGHT) * along(share)

    def y(share: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * along(share)

    parts = [_text(WIDTH + LEFT, 25, "Confidence: stated and right", "title")]
    for share in (0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999):
        label = f"{100 * share:g} %"
        parts += [_line(WIDTH + LEFT, y(share), 2 * WIDTH - RIGHT, y(share), "grid")]
        parts += [_text(WIDTH + LEFT - 6, y(share) + 4, label, end=True)]
        parts += [_text(x(share), HEIGHT - BOTTOM + 20, label.removesuffix(" %"), middle=True)]
    parts.append(_text(WIDTH + (LEFT + WIDTH) / 2, HEIGHT - 18, "stated, % (bars: 95 % intervals)", middle=True))
    parts.append(_line(x(0.1), y(0.1), x(edge), y(edge), "grid"))
    for bin in range(len(bins)):
        number, stated, right = (
            sum(cell[name].get(bin, 0) for cell in cells) for name in ("number", "stated", "right")
        )
        if number < 20:
            continue
        least, most = _interval(right, number)
        at = x(stated / number)
        parts.append(f'<path d="M{at:.1f} {y(least):.1f}V{y(most):.1f}" stroke="{COLOURS[0]}" stroke-width="2"/>')
        parts.append(f'<circle cx="{at:.1f}" cy="{y(right / number):.1f}" r="4" fill="{COLOURS[0]}"/>')
    return parts


def _interval(hits: int, of: int) -> tuple[float, float]:
    """Wilson's interval of 95 % for a share."""
    z2 = 1.96**2
    middle = (hits + z2 / 2) / (of + z2)
    half = math.sqrt(z2 * (hits * (of - hits) / of + z2 / 4)) / (of + z2)
    return middle - half, middle + half


def _text(x: float, y: float, text: str, kind: str = "", *, middle: bool = False, end: bool = False) -> str:
    anchor = "middle" if middle else "end" if end else "start"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{text}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    return f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" class="{kind}"/>'
