"""Arguments of commands: how they are split, and how each type of argument is read, checked and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from inkeek.records.counted import CountedPosition
from inkeek.records.errors import RecordsError
from inkeek.records.instant import read_instant
from inkeek.records.moves import Move
from inkeek.records.position import NORTH, SOUTH, Position, Side

from .tags import parse_score

# A key has two letters at least: ``d=f`` is a move.
_ARGUMENT = re.compile(
    r'\s*+(?:(?P<key>[a-z]{2,})=)?(?:"(?P<text>(?:[^"\\]|\\.)*+)"|(?P<word>[^\s"]++))(?=\s|$)\s*+', re.DOTALL
)
_ESCAPED = re.compile(r'\\(["\\])')
_SIDES = {"south": SOUTH, "north": NORTH}
_TIME = re.compile(r"([0-9]{1,4}):([0-5][0-9]):([0-5][0-9])(\.[0-9]{1,9})?")
_SECONDS = re.compile(r"[0-9]{1,8}(?:\.[0-9]{1,9})?")
_MAX_SECONDS = 10_000 * 3600  # four digits of hours
_CERTAIN_INSTANT = (  # no month is shorter than 28 days
    r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}"
    r"(?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_SEEDS = re.compile(r"[+-]?[0-9]{1,4}(?:\.[0-9]{1,3})?")
_COUNT = re.compile(r"[0-9]{1,20}")


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """What an argument looks like, and how it is read, written, and checked as a value. `certain` is a pattern of texts
    that are right for certain, so that checking a record need not read them."""

    usage: str
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    check: Callable[[Any], object] = lambda value: None
    certain: str = ""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a command: the field that it fills, and its type. A `keyed` one is written ``name=value``. The
    value of an `optional` one is empty or None where it is missing."""

    name: str
    type: ArgumentType
    keyed: bool
    optional: bool

    @property
    def usage(self) -> str:
        """What it looks like."""
        return f"{self.name}=" * self.keyed + self.type.usage


def split_arguments(arguments: str) -> tuple[list[str], list[tuple[str, str]]] | None:
    """The plain arguments and the (key, value) pairs, in order; None if they cannot be separated.

    In quotes ``\\"`` is a quote and ``\\\\`` a backslash, as in a tag.
    """
    plain: list[str] = []
    keyed: list[tuple[str, str]] = []
    at, end = 0, len(arguments.rstrip())
    while at < end:
        match = _ARGUMENT.match(arguments, at)
        if match is None:
            return None
        text = match["text"]
        value = match["word"] if text is None else " ".join(_ESCAPED.sub(r"\1", text).split())
        if match["key"]:
            keyed.append((match["key"], value))
        else:
            plain.append(value)
        at = match.end()
    return plain, keyed


def certain_arguments(arguments: Iterable[Argument]) -> str:
    """A pattern of arguments that are right for certain; empty if only reading can decide."""
    pattern = ""
    for argument in arguments:
        if not argument.type.certain:
            return ""
        key = f"{argument.name}=" if argument.keyed else ""
        pattern += rf"(?:\s+{key}(?:{argument.type.certain})){'?' * argument.optional}"
    return rf"{pattern}\s*"


def one_of(*words: str) -> ArgumentType:
    """One of some words."""
    return ArgumentType("|".join(words), str, str, partial(check_word, words=words), "|".join(map(re.escape, words)))


def check_word(word: str, words: Iterable[str]) -> None:
    """:raises RecordsError: the word is not one of them."""
    if word not in words:
        raise RecordsError(f"{word!r} is not one of {', '.join(words)}")


def check_seeds(seeds: int | Decimal) -> None:
    """:raises RecordsError: they cannot be written with four digits and three decimals."""
    if not _SEEDS.fullmatch(format_number(seeds)):
        raise RecordsError(f"{seeds!r} is not a number of seeds: expected -9999 to 9999, with at most three decimals")


def read_seeds(text: str) -> int | Decimal:
    """:raises RecordsError: it is not a number of seeds."""
    if not _SEEDS.fullmatch(text):
        raise RecordsError(f"{text!r} is not a number of seeds")
    return Decimal(text) if "." in text else int(text)


def read_count(text: str) -> int:
    """:raises RecordsError: it is not a number from 0."""
    if not _COUNT.fullmatch(text):
        raise RecordsError(f"{text!r} is not a number")
    return int(text)


def format_number(number: int | Decimal) -> str:
    return f"{number:f}" if isinstance(number, Decimal) else str(number)


def quote(text: str) -> str:
    """A text as an argument in quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _check_text(text: str) -> None:
    if text != " ".join(text.split()):
        raise RecordsError(f"{text[:80]!r} cannot stand in a comment: expected one line, with single spaces")
    if not text:
        raise RecordsError("a text is empty")


def _check_seconds(seconds: int | Decimal) -> None:
    if not _SECONDS.fullmatch(format_number(seconds)) or seconds >= _MAX_SECONDS:
        raise RecordsError(f"{seconds!r} is not a clock time: expected seconds from 0, less than {_MAX_SECONDS}")


def _check_instant(instant: datetime) -> None:
    offset = instant.utcoffset()
    if offset is None or offset.total_seconds() % 60:
        raise RecordsError(f"{instant!r} has no offset from UTC in whole minutes: expected one")


def _check_position(text: str) -> None:
    if not Position.parse(text).is_known:
        raise RecordsError(f"{text!r} has ?: expected the number of seeds everywhere")


def _check_count(count: int) -> None:
    if not 0 <= count < 10**20:
        raise RecordsError(f"{count!r} is not a number of at most 20 digits")


def _read_time(text: str) -> int | Decimal:
    match = _TIME.fullmatch(text)
    if match is None:
        raise RecordsError(f"{text!r} is not a time")
    seconds = int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])
    return seconds + Decimal(match[4]) if match[4] else seconds


def _write_time(seconds: int | Decimal) -> str:
    whole = int(seconds)
    fraction = format_number(seconds).partition(".")[2]
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}" + (f".{fraction}" if fraction else "")


def _read_instant(text: str) -> datetime:
    try:
        return read_instant(text)
    except (ValueError, OverflowError) as error:  # no such day or hour
        raise RecordsError(f"{text!r} is not a time of RFC 3339") from error


def _write_instant(instant: datetime) -> str:
    text = instant.isoformat()
    return text.removesuffix("+00:00") + "Z" if instant.utcoffset() == UTC.utcoffset(None) else text


def _read_side(text: str) -> Side:
    check_word(text, _SIDES)
    return _SIDES[text]


def _write_side(side: Side) -> str:
    return str(side).lower()


TEXT = ArgumentType('"text"', str, quote, _check_text, r'"[^"\\\s\0][^"\\\0]*"')
NAME, SERIAL = replace(TEXT, usage='"name"'), replace(TEXT, usage='"serial"')
TIME = ArgumentType("h:mm:ss", _read_time, _write_time, _check_seconds, _TIME.pattern)
INSTANT = ArgumentType("<RFC 3339 time>", _read_instant, _write_instant, _check_instant, _CERTAIN_INSTANT)
COUNT = ArgumentType("<number>", read_count, str, _check_count, _COUNT.pattern)
SIDE = ArgumentType("|".join(_SIDES), _read_side, _write_side, certain="|".join(_SIDES))
MOVE = ArgumentType("<move>", Move.parse, str)
MOVE_TEXT = ArgumentType("<move>", str, str, Move.parse)
POSITION = ArgumentType('"<position>"', str, quote, _check_position)
COUNTED_POSITION = ArgumentType('"<position>"', str, quote, CountedPosition.parse)
SCORE = ArgumentType("26-22", str, str, parse_score, r"[0-9]{1,4}-[0-9]{1,4}")
SEEDS_PATTERN = _SEEDS.pattern
