"""Arguments of commands: told apart, read, checked and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from records.errors import RecordsError
from records.moves import Move
from records.position import NORTH, SOUTH, Side

# A key has two letters at least: ``d=f`` is a move.
_ARGUMENT = re.compile(
    r'(?:(?P<key>[a-z]{2,})=)?(?:"(?P<text>(?:[^"\\]|\\.)*+)"|(?P<word>[^\s"]++))(?=\s|$)', re.DOTALL
)
_SPACE = re.compile(r"\s*+")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SIDES = {"south": SOUTH, "north": NORTH}
_TIME = re.compile(r"([0-9]{1,4}):([0-5][0-9]):([0-5][0-9])(\.[0-9]{1,9})?")
_SECONDS = re.compile(r"[0-9]{1,8}(?:\.[0-9]{1,9})?")
_MAX_SECONDS = 10_000 * 3600  # four digits of hours
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_SEEDS = re.compile(r"[+-]?[0-9]{1,4}(?:\.[0-9]{1,3})?")
_COUNT = re.compile(r"[0-9]{1,20}")


@dataclass(frozen=True, slots=True)
class Slot:
    """An argument of a command: its key, empty for one that stands plain; how it is read into fields of the value,
    and written from the value (None: left out); whether it must be there; and a pattern of what is surely right, where
    there is one: most that is written need not be read to know that."""

    key: str
    read: Callable[[str], dict[str, Any]]
    write: Callable[[Any], str | None]
    needed: bool = True
    sure: str = ""


def split_arguments(arguments: str) -> tuple[list[str], list[tuple[str, str]]] | None:
    """The plain arguments and the (key, value) pairs, in order; None where they cannot be told apart.

    In quotes ``\\"`` is a quote and ``\\\\`` a backslash, as in a tag.
    """
    plain: list[str] = []
    named: list[tuple[str, str]] = []
    at = 0
    while at < len(arguments):
        match = _ARGUMENT.match(arguments, at)
        if match is None:
            return None
        text = match["text"]
        value = match["word"] if text is None else " ".join(_ESCAPED.sub(r"\1", text).split())
        if match["key"]:
            named.append((match["key"], value))
        else:
            plain.append(value)
        space = _SPACE.match(arguments, match.end())
        at = space.end() if space else len(arguments)
    return plain, named


def sure_arguments(slots: Iterable[Slot]) -> re.Pattern[str] | None:
    """A pattern of arguments, in their order, that are surely right; None where only reading them tells."""
    parts = []
    for slot in slots:
        if not slot.sure:
            return None
        part = rf"\s+{slot.key}{'=' * bool(slot.key)}(?:{slot.sure})"
        parts.append(part if slot.needed else f"(?:{part})?")
    return re.compile("".join(parts) + r"\s*")


def time_slot(field: str) -> Slot:
    """``h:mm:ss``, with decimals or without: seconds, a `Decimal` where there are decimals."""
    return Slot(
        "", lambda text: {field: _read_time(text)}, lambda value: _write_time(getattr(value, field)), sure=_TIME.pattern
    )


def instant_slot(field: str) -> Slot:
    """A time of RFC 3339."""
    return Slot("", lambda text: {field: _read_instant(text)}, lambda value: _write_instant(getattr(value, field)))


def worth_slot() -> Slot:
    """``<seeds>`` or ``#<result>``, and ``,<depth>`` where it is known: the fields `seeds`, `result` and `depth`."""
    return Slot("", _read_worth, _write_worth, sure=rf"{_SEEDS.pattern}(?:,[0-9]{{1,4}})?")


def side_slot(key: str = "") -> Slot:
    """``south`` or ``north``: the field `side`."""
    return Slot(
        key, lambda text: {"side": _read_side(text)}, lambda value: str(value.side).lower(), sure="|".join(_SIDES)
    )


def move_slot() -> Slot:
    """A move: the field `move`."""
    return Slot("", lambda text: {"move": Move.parse(text)}, lambda value: str(value.move))


def word_slot(key: str) -> Slot:
    """One of some words, which the value itself checks: the field named as the key."""
    return Slot(key, lambda text: {key: text}, lambda value: str(getattr(value, key)))


def count_slot(key: str) -> Slot:
    """A number from 0: the field named as the key."""
    return Slot(key, lambda text: {key: _read_count(text)}, lambda value: str(getattr(value, key)), sure=_COUNT.pattern)


def text_slot(field: str, key: str = "", *, needed: bool = True) -> Slot:
    """A text in quotes; one that is empty and not needed is left out."""

    def write(value: Any) -> str | None:
        text = getattr(value, field)
        return quote(text) if text or needed else None

    return Slot(key, lambda text: {field: text}, write, needed, sure=r'"[^"\\\s][^"\\]*"')


def check_text(text: str, *, needed: bool = True) -> None:
    """:raises RecordsError: a comment would not keep its white space as it is; or it is needed and empty."""
    if text != " ".join(text.split()):
        raise RecordsError(f"{text[:80]!r} cannot stand in a comment: expected one line, with single spaces")
    if needed and not text:
        raise RecordsError("a text is empty")


def check_word(word: str, words: Iterable[str]) -> None:
    """:raises RecordsError: it is none of the words."""
    if word not in words:
        raise RecordsError(f"{word!r} is not one of {', '.join(words)}")


def check_seconds(seconds: int | Decimal) -> None:
    """:raises RecordsError: they cannot be written as ``h:mm:ss`` with at most nine decimals."""
    if not _SECONDS.fullmatch(_plain(seconds)) or seconds >= _MAX_SECONDS:
        raise RecordsError(f"{seconds!r} is no time on a clock: expected seconds from 0, less than {_MAX_SECONDS}")


def check_seeds(seeds: int | Decimal) -> None:
    """:raises RecordsError: they cannot be written with four digits and three decimals."""
    if not _SEEDS.fullmatch(_plain(seeds)):
        raise RecordsError(f"{seeds!r} are no seeds: expected -9999 to 9999, with at most three decimals")


def quote(text: str) -> str:
    """A text as an argument in quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _plain(number: int | Decimal) -> str:
    return f"{number:f}" if isinstance(number, Decimal) else str(number)


def _read_time(text: str) -> int | Decimal:
    match = _TIME.fullmatch(text)
    if match is None:
        raise RecordsError(f"{text!r} is no time")
    seconds = int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])
    return seconds + Decimal(match[4]) if match[4] else seconds


def _write_time(seconds: int | Decimal) -> str:
    whole = int(seconds)
    fraction = _plain(seconds).partition(".")[2]
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}" + (f".{fraction}" if fraction else "")


def _read_instant(text: str) -> datetime:
    """Of a fraction of a second six digits are taken."""
    try:
        if _INSTANT.fullmatch(text):
            return datetime.fromisoformat(text)
    except ValueError:  # no such day or hour
        pass
    raise RecordsError(f"{text!r} is no time of RFC 3339")


def _write_instant(instant: datetime) -> str:
    text = instant.isoformat()
    return text.removesuffix("+00:00") + "Z" if instant.utcoffset() == UTC.utcoffset(None) else text


def _read_worth(text: str) -> dict[str, Any]:
    worth, comma, depth = text.partition(",")
    told: dict[str, Any] = {}
    if worth.startswith("#"):
        told["result"] = worth[1:]
    elif _SEEDS.fullmatch(worth):
        told["seeds"] = Decimal(worth) if "." in worth else int(worth)
    else:
        raise RecordsError(f"{worth!r} are no seeds")
    if comma:
        told["depth"] = _read_count(depth)
    return told


def _write_worth(value: Any) -> str:
    worth = f"#{value.result}" if value.seeds is None else _plain(value.seeds)
    return worth if value.depth is None else f"{worth},{value.depth}"


def _read_side(text: str) -> Side:
    check_word(text, _SIDES)
    return _SIDES[text]


def _read_count(text: str) -> int:
    if not _COUNT.fullmatch(text):
        raise RecordsError(f"{text!r} is no number")
    return int(text)
