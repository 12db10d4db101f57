"""Boards as SVG: any position of any two-row game, with its seeds and counts.

A page contains `board_defs` once. Pits and stores of `board_svg` refer to its pictures: one `use` a seed. The script
`board.js` adds and removes these and changes numbers; it does no layout. The style sheet may turn a whole
board (upright on a phone, or seen from the other side): what is in a `face`, and each text, then turns back.

Colors are attributes, so a board also works in a file of its own; the style sheet of the page overrides them by class.
There are no inline styles, which the content security policy forbids.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from inkeek.records.moves import Kind, Turn
from inkeek.records.position import SOUTH, UNKNOWN, Position, Side, seeds_word
from inkeek.records.rules.trace import SownSeed

from .markup import Markup, escape
from .pictures import (
    MAX_STORED,
    PIT,
    SLOTS,
    STORE_HEIGHT,
    STORE_WIDTH,
    VARIANTS,
    board_defs,
    element,
    mark_id,
    text_element,
)
from .sowing_path import numbers_by_place, path_element

__all__ = ["NONE", "Highlights", "board_defs", "board_svg", "changed_pits", "highlights_of", "picture", "pit_place"]

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
    """A player's store, at their right hand."""
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
    """The sowing hand, which only scripts show."""
    face = element(
        "g",
        element("circle", class_="palm", r=36, fill="#f6efe0", fill_opacity=0.25, stroke="#fff8e6", stroke_width=2),
        _seeds("s0-", 0, SLOTS),
        element("circle", class_="plate", cx=28, cy=-28, r=17, fill="#fff8e6"),
        text_element("held", 28, -20, 22, 0, font_weight=700, fill="#2a1a12"),
        class_="face",
    )
    return element("g", face, class_="hand", display="none")
