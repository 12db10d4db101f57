"""The boards of pages: one that is set up, with a field for each pit and store; small boards, thumbnails, tally sticks.

What never changes of small boards is drawn once a page: `blank_boards` has the empty board for each length of row. The
board of a game refers to it, and has only its counts and marks: a tenth of what `svg.board_svg` needs. `small_board.js`
lays the seeds into the pits, and updates it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from inkeek.records import NORTH, SOUTH, Position, RecordsError, Rules, Side
from inkeek.records.drawing.svg import (
    HEIGHT,
    NONE,
    NORTHS,
    PALE,
    PIT,
    ROW_Y,
    SOUTHS,
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
    seed_places,
    store_hollow,
    store_left,
    text_element,
    wood,
)
from inkeek.records.findings.evidence import read_board
from inkeek.records.position import MAX_SEEDS, pit_letter, seeds_word
from inkeek.records.rules.trace import SownSeed
from inkeek.service.http.language import gettext

STORES = ("south", "north")
_NUMBER = re.compile("[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """A board to draw; `path`: the seeds that were sown to come to it."""

    position: Position
    title: str
    highlights: Highlights = NONE
    path: tuple[SownSeed, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A field: a pit or a store, its name in the query, its label, and what stands in it."""

    name: str
    label: str
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class EditedBoard:
    """A board that is set up: `prefix` of its fields, by row as seen from South (North's first), and the drawing."""

    prefix: str
    picture: BoardPicture
    north: tuple[Place, ...]
    south: tuple[Place, ...]
    total: str


def board_of(words: Mapping[int, str], row: int) -> str:
    """The text of a board from its fields; an empty one is unknown."""
    texts = [words.get(place, "").replace(" ", "") or "?" for place in range(2 * row + 2)]
    return f"{'.'.join(texts[:row])}/{'.'.join(texts[row : 2 * row])} {texts[-2]}-{texts[-1]}"


def place_names(row: int) -> Iterator[tuple[int, str]]:
    """The places by index, with their names in the query."""
    letters = "abcdefghijklmnopqrstuvwxyz"[:row]
    return enumerate((*letters, *letters.upper(), *STORES))


def given_fields(given: Mapping[str, str], prefix: str, before: Position) -> dict[int, str]:
    """What was given for the fields of a board, by place; empty if nothing was."""
    if not any(name.startswith(prefix) for name in given):
        return {}
    return {place: given.get(prefix + name, "") for place, name in place_names(before.row)}


def fields_of(position: Position) -> dict[int, str]:
    """The words of a position's pits and stores, by place."""
    return fields_of_text(str(position))


def fields_of_text(text: str) -> dict[int, str]:
    """The words of a board or of a position, by place."""
    rows, stores = text.split(" ")[:2]
    return dict(enumerate([*rows.replace("/", ".").split("."), *stores.split("-")]))


def edited_board(prefix: str, title: str, words: Mapping[int, str], before: Position, rules: Rules) -> EditedBoard:
    """The board with these words in its fields; what they leave open is as `before`."""
    row = before.row
    places = [
        Place(prefix + name, name if place < 2 * row else gettext(name.capitalize()), place, words.get(place, ""))
        for place, name in place_names(row)
    ]
    counts, marks = _drawn(words, before)
    known = [count for count in counts if count is not None]
    pits = [count or 0 for count in counts]
    drawn = before.replaced(pits=tuple(pits[:-2]), stores=(pits[-2], pits[-1]), marks=marks)
    unknown = frozenset(place for place, count in enumerate(counts) if count is None)
    south, north = places[:row], places[row : 2 * row]
    return EditedBoard(
        prefix,
        BoardPicture(drawn, title, Highlights(unknown=unknown)),
        (places[-1], *reversed(north)),
        (*south, places[-2]),
        total_words(sum(known), rules.seeds, len(unknown)),
    )


def total_words(seeds: int, wanted: int, unknown: int) -> str:
    """How many seeds a board has, and how many are missing; `board_editor.js` says the same while one types."""
    missing = wanted - seeds
    texts = total_texts()
    words = texts["all"].format(seeds=seeds, wanted=wanted)
    if unknown:
        return texts["unknown"].format(total=words, count=unknown)
    if missing:
        return texts["missing" if missing > 0 else "extra"].format(total=words, count=abs(missing))
    return words


def total_texts() -> dict[str, str]:
    """The texts of `total_words`, with names in braces."""
    return {
        "all": gettext("{seeds} of {wanted} seeds"),
        "unknown": gettext("{total}, places not counted: {count}"),
        "missing": gettext("{total}: {count} missing"),
        "extra": gettext("{total}: {count} too many"),
    }


def _drawn(words: Mapping[int, str], before: Position) -> tuple[list[int | None], tuple[int, ...]]:
    """What can be drawn of the fields: what is no number of seeds is unknown."""
    try:
        counts, marks = read_board(board_of(words, before.row), before)
    except RecordsError:
        texts = [words.get(place, "") for place in range(len(before.pits) + 2)]
        return [min(int(text), MAX_SEEDS) if _NUMBER.fullmatch(text) else None for text in texts], before.marks
    pairs = zip(marks or before.marks, before.marks, strict=True)
    return list(counts), tuple(was if mark is None else mark for mark, was in pairs)


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
    row_heights = f"{ROW_Y[True]:g} {ROW_Y[False]:g}"  # of South's pits and of North's
    store_places = f"{_store_left(SOUTH, width):g} {_store_left(NORTH, width):g} {STORE_TOP:g}"
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
        element("g", class_="seeds", data_pits=row_heights, data_stores=store_places),
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


CELL = 20  # width of a pit's place; all lengths are in the units of the viewBox
STORE = 26  # width of a store's place
MIDDLE = {SOUTH: 32, NORTH: 12}  # height of the middle of a row
THUMBNAIL_HEIGHT = 44
MOST_THUMBNAILS = 12  # seeds that are drawn in a pit
MAX_PICTURES = 500  # that are remembered
_SCALE = 0.2  # of the seeds on a large board


@cache
def thumbnail_defs() -> Markup:
    """The pits that the pictures of a list refer to. Goes into the list once, before them."""
    hollow = element("circle", r=8.6, fill="#2b1a10")
    seeds = [element("circle", cx=x * _SCALE, cy=y * _SCALE, r=1.7) for x, y in seed_places(0)[:MOST_THUMBNAILS]]
    pits = [element("g", hollow, *seeds[:count], id=f"seeds-{count}") for count in range(MOST_THUMBNAILS + 1)]
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
        parts.append(element("use", href=f"#seeds-{min(max(seeds, 0), MOST_THUMBNAILS)}", **place))
        if mark:
            parts.append(element("use", href=f"#ring-{mark}", **place))
    for side in Side:
        x = width - STORE // 2 if side is SOUTH else STORE // 2
        parts.append(element("text", Markup(seeds_word(position.stores[side])), x=x, y=27, fill=PALE))
    return element(
        "svg",
        element("rect", width=width, height=THUMBNAIL_HEIGHT, rx=10, fill="#7d5234"),
        element("g", *parts, fill="#ece2cb", font_size=15, text_anchor="middle"),
        class_="thumbnail",
        viewBox=f"0 0 {width} {THUMBNAIL_HEIGHT}",
        aria_hidden="true",
    )


MOST_STICKS = 50  # sticks that are drawn; the number beside them says the rest
_STEP, _BETWEEN, _HEIGHT = 7, 9, 24


def tally_svg(count: int) -> Markup:
    """The sticks of `count` games, cut as tally sticks are: four, and the fifth across them; at most `MOST_STICKS`. The
    picture is hidden from screen readers: the number stands beside it."""
    strokes, left = [], 3
    for first in range(0, min(count, MOST_STICKS), 5):
        sticks = min(count, MOST_STICKS) - first
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
