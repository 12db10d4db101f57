"""A board that is set up on a page: a field for each pit and store, and the drawing that follows the fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inkeek.records import Position, RecordsError, Rules
from inkeek.records.drawing.svg import Highlights
from inkeek.records.findings.evidence import read_board
from inkeek.records.position import MAX_SEEDS
from inkeek.service.http.language import gettext
from inkeek.service.http.web.findings.view import BoardPicture

STORES = ("south", "north")
_NUMBER = re.compile("[0-9]{1,9}")


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
