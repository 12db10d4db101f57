"""The path of a turn on a drawn board: each seed's number at the place where it fell, in order of sowing.

`sowing_path.js` makes the same elements from the same list of seeds. The style sheet `board.css` says where the
numbers of a place stand. The shape behind a number tells the laps apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inkeek.records.rules.trace import SownSeed

from .markup import Markup, escape
from .pictures import PLATES, element

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
