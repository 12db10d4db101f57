"""Reads the tables of a file by a schema: every unknown key and wrong value is named, with what is expected instead.

A reader takes a value, where it stands, and the list of faults, to which it adds those that it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from inkeek.records.errors import ErrorText

Reader = Callable[[Any, str, list[str]], Any]
MAX_LISTED = 60  # characters of a wrong value in a message


class Missing:
    """The default of a key that a table must have."""


@dataclass(frozen=True, slots=True)
class Varies:
    """A value that depends on an option: `cases` by the option's value as text; without cases it is that value, which
    `reader` checks."""

    option: str
    cases: Mapping[str, Any]
    reader: Reader | None = field(compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:  # a file that is read is checked
        return Varies, (self.option, self.cases, None)


def nearest(word: object, words: Iterable[str]) -> str:
    """All words, those that `word` may be a slip of first."""
    words = [str(other) for other in words]
    near = get_close_matches(str(word)[:MAX_LISTED], words)
    return ", ".join([*near, *(other for other in words if other not in near)])


def below(where: str, key: object) -> str:
    """Where the value of a key stands."""
    return f"{where}.{key}" if ": " in where else f"{where}: {key}"


def wrong(value: object, where: str, expected: str, faults: list[str]) -> None:
    shown = repr(value)
    shown = shown if len(shown) <= MAX_LISTED else shown[:MAX_LISTED] + "…"
    faults.append(
        ErrorText("%(where)s = %(value)s: expected %(expected)s", where=where, value=shown, expected=expected)
    )


def one_of(value: object, words: Iterable[str]) -> ErrorText:
    """That one of these words is expected, those first that the value may be a slip of."""
    return ErrorText("one of %(words)s", words=nearest(value, words))


def word(*allowed: str) -> Reader:
    """One of these words."""

    def read(value: Any, where: str, faults: list[str]) -> Any:
        if not isinstance(value, str) or value not in allowed:
            wrong(value, where, one_of(value, allowed), faults)
        return value

    return read


def whole(low: int, high: int) -> Reader:
    """A whole number."""

    def read(value: Any, where: str, faults: list[str]) -> Any:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            wrong(value, where, ErrorText("a whole number from %(low)s to %(high)s", low=low, high=high), faults)
        return value

    return read


def flag(value: Any, where: str, faults: list[str]) -> Any:
    """True or false."""
    if not isinstance(value, bool):
        wrong(value, where, ErrorText("true or false"), faults)
    return value


def text(value: Any, where: str, faults: list[str]) -> Any:
    """A text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        wrong(value, where, ErrorText("a text"), faults)
    return value


def as_given(value: Any, where: str, faults: list[str]) -> Any:
    """Any value: another reader follows."""
    return value


def option_value(value: Any, where: str, faults: list[str]) -> Any:
    """What an option may be."""
    if not isinstance(value, bool | int | str):
        wrong(value, where, ErrorText("a word, a whole number, true or false"), faults)
    return value


def many(of: Reader, most: int, least: int = 0) -> Reader:
    """A list of up to `most` values."""

    def read(value: Any, where: str, faults: list[str]) -> Any:
        if not isinstance(value, list | tuple) or not least <= len(value) <= most:
            expected = ErrorText("a list of %(least)s to %(most)s values", least=least, most=most)
            wrong(value, where, expected, faults)
            return ()
        return tuple(of(part, f"{where}[{number}]", faults) for number, part in enumerate(value, 1))

    return read


def named(of: Reader, most: int = 100) -> Reader:
    """A table whose keys are names."""

    def read(value: Any, where: str, faults: list[str]) -> Any:
        if not isinstance(value, Mapping) or len(value) > most:
            wrong(value, where, ErrorText("a table of up to %(most)s keys", most=most), faults)
            return {}
        return {str(key): of(part, below(where, key), faults) for key, part in value.items()}

    return read


def table(**fields: tuple[Reader, Any]) -> Reader:
    """A table with these keys: how each is read, and its default (`Missing` if it has none)."""

    def read(value: Any, where: str, faults: list[str]) -> Any:
        if not isinstance(value, Mapping):
            wrong(value, where, ErrorText("a table of %(keys)s", keys=", ".join(fields)), faults)
            return {key: default for key, (_, default) in fields.items()}
        for key in value:
            if key not in fields:
                faults.append(
                    ErrorText(
                        "%(where)s: unknown key %(key)r: expected %(expected)s",
                        where=where,
                        key=key,
                        expected=one_of(key, fields),
                    )
                )
        found = {}
        for key, (reader, default) in fields.items():
            if key in value:
                found[key] = reader(value[key], below(where, key), faults)
            else:
                found[key] = default
                if default is Missing:
                    faults.append(ErrorText("%(where)s: key %(key)r is missing", where=where, key=key))
        return found

    return read


def varies(reader: Reader) -> Reader:
    """A value, or a table that says it for each value of an option: ``{ option = "direction", cw = …, ccw = … }``."""

    def read(value: Any, where: str, faults: list[str]) -> Any:
        if not isinstance(value, Mapping) or "option" not in value:
            return reader(value, where, faults)
        cases = {key: reader(case, below(where, key), faults) for key, case in value.items() if key != "option"}
        return Varies(text(value["option"], below(where, "option"), faults), cases, reader)

    return read
