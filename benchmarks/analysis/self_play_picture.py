"""The pictures of docs/selfplay.md: a small panel for each rule set, as SVG, drawn with nothing but text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from .self_play_figures import SelfPlayFigures

WIDTH, HEIGHT = 300, 190  # of a panel, in pixels
LEFT, RIGHT, TOP, BOTTOM = 38, 12, 34, 40  # of its margins
COLUMNS = 3
BARS = 50  # in a histogram, at most
BLUE, ORANGE, GRAY = "#1b6ca8", "#c2611f", "#8a8a8a"
STYLE = (
    "text{font:12px sans-serif;fill:#222}.title{font-size:14px;font-weight:bold}"
    ".axis{stroke:#444;fill:none}.grid{stroke:#ddd;fill:none}"
)

Panel = Callable[[str, SelfPlayFigures], list[str]]


def differences(figures: Mapping[str, SelfPlayFigures]) -> str:
    """How many games ended with which difference of seeds: South's wins blue, North's orange, draws gray."""
    return _page(figures, lambda name, found: _histogram(name, found.differences, "South's seeds less North's", True))


def lengths(figures: Mapping[str, SelfPlayFigures]) -> str:
    """How many games had how many turns."""
    return _page(figures, lambda name, found: _histogram(name, found.lengths, "turns", False))


def captures(figures: Mapping[str, SelfPlayFigures]) -> str:
    """Seeds captured on average in the first turn, the second and so on."""
    return _page(figures, lambda name, found: _curve(name, found.by_turn))


def _page(figures: Mapping[str, SelfPlayFigures], panel: Panel) -> str:
    rows = math.ceil(len(figures) / COLUMNS)
    width, height = COLUMNS * WIDTH, rows * HEIGHT
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    parts = [head, f"<style>{STYLE}</style>", f'<rect width="{width}" height="{height}" fill="white"/>']
    for number, (name, found) in enumerate(figures.items()):
        down, right = divmod(number, COLUMNS)
        parts += [f'<g transform="translate({right * WIDTH} {down * HEIGHT})">', *panel(name, found), "</g>"]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _histogram(name: str, counts: Counter[int], unit: str, signed: bool) -> list[str]:
    """Bars of as many numbers each; with `signed` 0 has one of its own, and colors tell below from above."""
    step = math.gcd(*counts) if signed else 1  # differences of an even number of seeds are all even
    span = 2 * max(map(abs, counts)) // step if signed else max(counts) - min(counts)
    width = step * math.ceil((span + 1) / BARS)
    bars: Counter[int] = Counter()
    for number, count in counts.items():
        bars[int(math.copysign(math.ceil(abs(number) / width), number)) if signed else number // width] += count
    first, last = min(bars), max(bars)
    if signed:
        last = max(-first, last)
        first = -last
    most = max(bars.values())
    wide = (WIDTH - LEFT - RIGHT) / (last - first + 1)
    total = sum(counts.values())
    parts = _frame(name, unit, most / total, "%")
    for bar, count in sorted(bars.items()):
        tall = (HEIGHT - TOP - BOTTOM) * count / most
        color = BLUE if not signed or bar > 0 else GRAY if bar == 0 else ORANGE
        x = LEFT + (bar - first) * wide
        parts.append(
            f'<rect x="{x:.1f}" y="{HEIGHT - BOTTOM - tall:.1f}" width="{max(wide - 1, 0.5):.1f}" height="{tall:.1f}" '
            f'fill="{color}"/>'
        )
    for bar in sorted({first, 0, last} if signed else {first, (first + last) // 2, last}):
        at = LEFT + (bar - first + (0.5 if signed else 0)) * wide
        parts.append(_text(at, HEIGHT - BOTTOM + 15, f"{bar * width}".replace("-", "−"), "middle"))
    return parts


def _curve(name: str, values: Sequence[float]) -> list[str]:
    most = max(values)
    parts = _frame(name, "turn", most, "")
    step = (WIDTH - LEFT - RIGHT) / max(len(values) - 1, 1)
    points = [
        f"{LEFT + at * step:.1f},{HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / most:.1f}"
        for at, value in enumerate(values)
    ]
    parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{BLUE}" stroke-width="2"/>')
    for turn in sorted({1, (1 + len(values)) // 2, len(values)}):
        parts.append(_text(LEFT + (turn - 1) * step, HEIGHT - BOTTOM + 15, str(turn), "middle"))
    return parts


def _frame(name: str, unit: str, most: float, suffix: str) -> list[str]:
    """Title, axes and the scale of the vertical one, which ends at `most`."""
    label = f"{100 * most:.0f} %" if suffix == "%" else f"{most:.1f}"
    return [
        _text(LEFT, 20, name, "start", "title"),
        f'<path d="M{LEFT} {TOP}H{WIDTH - RIGHT}" class="grid"/>',
        _text(LEFT - 4, TOP + 4, label, "end"),
        _text(LEFT - 4, HEIGHT - BOTTOM + 4, "0", "end"),
        f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" class="axis"/>',
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, unit, "middle"),
    ]


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{text}</text>'
