"""Reads the tables of a file by a schema: every unknown key and wrong value is named, with what is expected instead.

A reader takes a value, where it stands, and the list of faults, to which it adds those that it finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from difflib import get_close_matches
from itertools import islice
from typing import Any

from inkeek.records.errors import ErrorText, OptionError, joined_texts
from inkeek.records.text import HAS_VISIBLE, barred_in_line, barred_in_note, character_name

Reader = Callable[[Any, str, list[str]], Any]
LANGUAGE = re.compile("[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
MAX_LISTED = 60  # characters of a wrong value in a message
MAX_SENTENCE = 200  # characters of a sentence of a file
MAX_WORD = 100  # characters of an option's name or value, which may be two rows of pits
MAX_FAULTS = 10  # that are listed
MAX_NESTED = 12  # tables and lists in each other; no file needs as many
MAX_WHOLE = 1 << 63


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


def shown(value: object) -> str:
    """A value as a message quotes it."""
    written = _written_out(value)
    return written if len(written) <= MAX_LISTED else written[:MAX_LISTED] + "…"


def _written_out(value: object) -> str:
    """A value as files write it; of long tables and lists a part."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written_out, value[:MAX_LISTED]))}]"
    if isinstance(value, Mapping):
        pairs = islice(value.items(), MAX_LISTED)
        return f"{{{', '.join(f'{key} = {_written_out(part)}' for key, part in pairs)}}}"
    return repr(value)


def below(where: str, key: object) -> str:
    """Where the value of a key stands."""
    name = str(key) if isinstance(key, str) and key.isprintable() and len(key) <= MAX_LISTED else shown(key)
    return f"{where}.{name}" if ": " in where else f"{where}: {name}"


def refusal(faults: Sequence[str]) -> OptionError:
    """An error that lists the faults of a file, the first ones if there are very many."""
    listed, more = list(faults[:MAX_FAULTS]), len(faults) - MAX_FAULTS
    if more > 0:
        listed.append(ErrorText("and %(count)s more faults", count=more))
    return OptionError(joined_texts(listed, "; "))


def refused(value: object, where: str, expected: str) -> OptionError:
    """An error about one value."""
    faults: list[str] = []
    wrong(value, where, expected, faults)
    return refusal(faults)


def verify_values(data: object, where: str) -> None:
    """Make sure that any value can be quoted, compared and written to JSON.

    :raises OptionError: tables lie too deep in each other, or a number is too large.
    """
    left = [(data, where, 0)]
    while left:
        value, where, depth = left.pop()
        if depth > MAX_NESTED:
            expected = ErrorText("at most %(most)s tables and lists in each other", most=MAX_NESTED)
            raise OptionError(ErrorText("%(where)s: expected %(expected)s", where=where, expected=expected))
        if isinstance(value, int) and not -MAX_WHOLE <= value < MAX_WHOLE:
            raise OptionError(ErrorText("%(where)s: expected a number of at most 18 digits", where=where))
        if isinstance(value, Mapping):
            left += [(part, below(where, key), depth + 1) for key, part in value.items()]
        elif isinstance(value, list | tuple):
            left += [(part, f"{where}[{number}]", depth + 1) for number, part in enumerate(value, 1)]


def wrong(value: object, where: str, expected: str, faults: list[str]) -> None:
    faults.append(
        ErrorText("%(where)s = %(value)s: expected %(expected)s", where=where, value=shown(value), expected=expected)
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


def _written(value: Any, where: str, barred_in: Callable[[str], str | None], faults: list[str]) -> Any:
    if not isinstance(value, str) or not HAS_VISIBLE.search(value):
        wrong(value, where, ErrorText("a text"), faults)
    elif (character := barred_in(value)) is not None:
        wrong(value, where, ErrorText("a text without %(character)s", character=character_name(character)), faults)
    return value


def text(value: Any, where: str, faults: list[str]) -> Any:
    """A text that is not empty, of any number of lines."""
    return _written(value, where, barred_in_note, faults)


def line(value: Any, where: str, faults: list[str]) -> Any:
    """A text of one line that is not empty."""
    return _written(value, where, barred_in_line, faults)


def sentence(value: Any, where: str, faults: list[str]) -> Any:
    """A sentence that the program says: a text of one line, or a table of texts by language."""
    if isinstance(value, Mapping) and value:
        return named(sentence_in, 20, language_code)(value, where, faults)
    return sentence_in(value, where, faults)


def sentence_in(value: Any, where: str, faults: list[str]) -> Any:
    """A sentence in one language."""
    if isinstance(value, str) and len(value) > MAX_SENTENCE:
        wrong(value, where, ErrorText("at most %(most)s characters", most=MAX_SENTENCE), faults)
        return value
    return line(value, where, faults)


def language_code(value: Any, where: str, faults: list[str]) -> Any:
    """The code of a language."""
    if not LANGUAGE.fullmatch(value):
        wrong(value, where, ErrorText("the code of a language, such as en or sw"), faults)
    return value


def as_given(value: Any, where: str, faults: list[str]) -> Any:
    """Any value: another reader follows."""
    return value


def is_word(value: str) -> bool:
    """Whether a text is one word, as the tag `Options` of a record can hold it."""
    return value.split() == [value] and len(value) <= MAX_WORD and barred_in_line(value) is None


def option_value(value: Any, where: str, faults: list[str]) -> Any:
    """What an option may be."""
    if not isinstance(value, bool | int | str) or (isinstance(value, str) and not is_word(value)):
        wrong(value, where, ErrorText("a word without blanks, a whole number, true or false"), faults)
    return value


def option_name(value: Any, where: str, faults: list[str]) -> Any:
    """What an option may be called."""
    if not is_word(value) or "=" in value:
        wrong(value, where, ErrorText("a name without blanks and ="), faults)
    return value


def many(of: Reader, most: int, least: int = 0) -> Reader:
    """A list of up to `most` values."""

    def read(value: Any, where: str, faults: list[str]) -> Any:
        if not isinstance(value, list | tuple) or not least <= len(value) <= most:
            expected = ErrorText("a list of %(least)s to %(most)s values, in square brackets", least=least, most=most)
            wrong(value, where, expected, faults)
            return ()
        return tuple(of(part, f"{where}[{number}]", faults) for number, part in enumerate(value, 1))

    return read


def named(of: Reader, most: int = 100, name: Reader | None = None) -> Reader:
    """A table whose keys are names, each of which `name` checks."""

    def read(value: Any, where: str, faults: list[str]) -> Any:
        if not isinstance(value, Mapping) or len(value) > most:
            wrong(value, where, ErrorText("a table of up to %(most)s keys", most=most), faults)
            return {}
        if name is not None:
            for key in value:
                name(key, where, faults)
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
                        "%(where)s: unknown key %(key)s: expected %(expected)s",
                        where=where,
                        key=shown(key),
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
