"""Languages: the sentences of explanations and refusals, as templates in `messages/*.toml`, one file a language."""

from __future__ import annotations

import string
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from .errors import OptionError
from .position import Side

VOWELS = tuple("aeiou")
_FOLDER = Path(__file__).with_name("messages")


class Term(str):
    """A word of a game, such as ``bull``: each language may have its own for it."""


class Message(NamedTuple):
    """A sentence in no language yet: the key of its template, such as ``refusals.empty-pit``, and its fields.

    A field is a number, a `Side`, a `Term`, another message, text that no language changes (a pit, a move), or a list
    of these.
    """

    key: str
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `sides` are its names of (South, North), `terms` its words for the games' words, `templates` its
    sentences by dotted key."""

    id: str
    name: str
    sides: tuple[str, str]
    terms: Mapping[str, str]
    templates: Mapping[str, str]

    def translate(self, message: Message) -> str:
        """The message in this language."""
        return self.text(message.key, **message.fields)

    def text(self, key: str, /, **fields: object) -> str:
        """The template `key`, filled in."""
        return _Formatter(self).vformat(self.templates[key], (), fields)

    def listed(self, items: list[str]) -> str:
        """``a``, ``a and b``, ``a, b and c``."""
        return (
            self.templates["words.and"].join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)
        )


class MessageText(str):
    """A message in English, which can be said again in another language."""

    message: Message

    def __new__(cls, message: Message) -> Self:
        made = super().__new__(cls, load_language("en").translate(message))
        made.message = message
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[Message], dict[str, object]]:
        """Pickle what the text was made from: `str` would pickle the text."""
        return (self.message,), {}


class TranslatableLanguage(Language):
    """English whose texts can be said again in another language: each is a `MessageText`."""

    __slots__ = ()

    def text(self, key: str, /, **fields: object) -> str:
        return MessageText(Message(key, fields))


@cache
def translatable_english() -> Language:
    """The language for sentences that are stored, and shown in the language of the page."""
    english = load_language("en")
    return TranslatableLanguage(english.id, english.name, english.sides, english.terms, english.templates)


class _Formatter(string.Formatter):
    """Fills in ``{field}``, and ``{field:one|many}`` with the word that goes with a number, or with a term: ``many``
    before a vowel."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def format_field(self, value: Any, spec: str) -> str:
        if spec:
            one, many = spec.split("|")
            if isinstance(value, Term):
                return many if self.format_field(value, "")[:1] in VOWELS else one
            return one if value == 1 else many
        if isinstance(value, MessageText):
            value = value.message
        if isinstance(value, Message):
            return self.language.translate(value)
        if isinstance(value, Side):
            return self.language.sides[value]
        if isinstance(value, Term):
            return self.language.terms.get(value, str(value))
        if isinstance(value, list):
            return self.language.listed([self.format_field(item, "") for item in value])
        return str(value)


@cache
def language_ids() -> tuple[str, ...]:
    """The ids of all languages, sorted."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.toml")))


@cache
def load_language(id: str) -> Language:
    """The language with this id.

    :raises OptionError: there is no such language; lists those there are.
    """
    if id not in language_ids():
        raise OptionError(f"no language {id!r}: expected one of {', '.join(language_ids())}")
    data = tomllib.loads((_FOLDER / f"{id}.toml").read_text("utf-8"))
    south, north = data.pop("sides")
    return Language(id, data.pop("name"), (south, north), data.pop("terms"), dict(_flat(data)))


def _flat(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Every template with its dotted key."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{name}.")
        else:
            yield path + name, value
