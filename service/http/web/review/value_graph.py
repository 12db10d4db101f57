"""The graph of a game's values by turn, as SVG: for South above the middle, for North below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inkeek.records.drawing.svg import Markup, element, escape

WIDTH, HEIGHT = 600, 110  # units of the viewBox
LEAST = 4.0  # seeds from the middle to the edge, at least


def value_graph(values: Sequence[float | None], mistakes: Iterable[int], shown: int, title: str) -> Markup:
    """The values after each turn for South, in seeds, from the start on; None where nobody knows.

    `mistakes` are numbers of turns, and `shown` is the one that the marker stands at. The script moves it, by
    `data-by` a turn.
    """
    step = WIDTH / max(len(values) - 1, 1)
    most = max([LEAST, *(abs(value) for value in values if value is not None)])

    def place(value: float) -> float:
        return round(HEIGHT / 2 - value / most * (HEIGHT / 2 - 6), 1)

    marked = set(mistakes)
    place_of_marker = f"translate({shown * step:.1f} 0)"
    lines = [
        element(
            "polyline", class_="value-line", points=" ".join(f"{at * step:.1f},{place(value)}" for at, value in run)
        )
        for run in _runs(values)
    ]
    dots = [
        element("path", class_="value-mistake", d=f"M{at * step:.1f} {place(value)}h0", data_ply=at)
        for at, value in enumerate(values)
        if value is not None and at in marked
    ]
    return element(
        "svg",
        element("title", escape(title)),
        element("path", class_="value-middle", d=f"M0 {HEIGHT / 2:g}H{WIDTH}"),
        *lines,
        *dots,
        element(
            "path",
            class_="value-marker",
            d=f"M0 0V{HEIGHT}",
            data_marker="",
            transform=place_of_marker,
        ),
        class_="value-graph",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        data_by=f"{step:.4f}",
    )


def _runs(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """The stretches of values that are known, each with its turns."""
    runs: list[list[tuple[int, float]]] = [[]]
    for at, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((at, value))
    return [run for run in runs if run]
