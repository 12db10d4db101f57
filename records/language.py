"""Languages: the sentences of explanations and refusals, as templates by key. The English ones are in
`messages/en.toml`; each other language has a gettext catalogue, ``<language>.po`` compiled to ``<language>.mo``."""

from __future__ import annotations

import string
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from .errors import OptionError
from .position import Side

VOWELS = tuple("aeiou")
_FOLDER = Path(__file__).with_name("messages")
PLURAL_FORMS = ("0", "1")  # an entry of each catalogue: its translations are the numbers of the plural forms


class Term(str):
    """A word of a game, such as ``bull``: each language may have its own for it."""


class Message(NamedTuple):
    """A sentence in no language yet: the key of its template, such as ``refusals.empty-pit``, and its fields.

    A field is a number, a `Side`, a `Term`, another message, text that no language changes (a pit, a move), a text by
    language, or a list of these.
    """

    key: str
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `sides` are its names of (South, North), `terms` its words for the games' words, `templates` its
    sentences by dotted key. `plurals` say which of the words in ``{count:seed|seeds}`` goes with a number."""

    id: str
    name: str
    sides: tuple[str, str]
    terms: Mapping[str, str]
    templates: Mapping[str, str]
    plurals: NullTranslations

    def plural_form(self, count: int) -> int:
        """Which of the plural forms goes with a number, from 0."""
        return int(self.plurals.ngettext(*PLURAL_FORMS, count))

    def translate(self, message: Message) -> str:
        """The message in this language."""
        return self.text(message.key, **message.fields)

    def text(self, key: str, /, **fields: object) -> str:
        """The template `key`, filled in; in English if it was not translated."""
        language = self if key in self.templates else load_language("en")
        return _Formatter(language).vformat(language.templates[key], (), fields)

    def listed(self, items: list[str]) -> str:
        """``a``, ``a and b``, ``a, b and c``."""
        return self.text("words.and").join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


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
    return TranslatableLanguage(**{field.name: getattr(english, field.name) for field in fields(english)})


class _Formatter(string.Formatter):
    """Fills in ``{field}``, and ``{field:one|many}`` with the word that goes with a number, of as many as the language
    has plural forms; or the word that goes with a term, of two: the second before a vowel."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def format_field(self, value: Any, spec: str) -> str:
        if spec:
            is_term = isinstance(value, Term)
            at = self.format_field(value, "")[:1] in VOWELS if is_term else self.language.plural_form(value)
            return spec.split("|")[at]
        if isinstance(value, MessageText):
            value = value.message
        if isinstance(value, Mapping):
            return str(value.get(self.language.id) or value.get("en") or next(iter(value.values())))
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
    return tuple(sorted(["en", *(file.stem for file in _FOLDER.glob("*.po"))]))


@cache
def load_language(id: str) -> Language:
    """The language with this id.

    :raises OptionError: there is no such language; lists those there are.
    """
    if id not in language_ids():
        raise OptionError(f"no language {id!r}: expected one of {', '.join(language_ids())}")
    if id == "en":
        return _language(id, english_texts(), NullTranslations())
    with (_FOLDER / f"{id}.mo").open("rb") as file:
        return read_language(id, file)


def read_language(id: str, file: IO[bytes]) -> Language:
    """The language of a compiled catalogue. It lacks the templates that are not translated."""
    catalogue = GNUTranslations(file)
    texts = {}
    for key, english in english_texts().items():
        entry = GNUTranslations.CONTEXT % (key, english)
        text = catalogue.gettext(entry)
        if text != entry:  # else there is no such entry
            texts[key] = text
    return _language(id, texts, catalogue)


@cache
def english_texts() -> Mapping[str, str]:
    """All that is translated, by dotted key: the templates, and the names of sides, terms and the language."""
    return dict(_flat(tomllib.loads((_FOLDER / "en.toml").read_text("utf-8"))))


def _flat(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{name}.")
        else:
            yield path + name, value


def _language(id: str, texts: Mapping[str, str], plurals: NullTranslations) -> Language:
    """The language with these of the `english_texts`."""
    templates = dict(texts)
    south, north = (templates.pop(key, english_texts()[key]) for key in ("sides.south", "sides.north"))
    terms = {key.removeprefix("terms."): templates.pop(key) for key in texts if key.startswith("terms.")}
    return Language(id, templates.pop("name", id), (south, north), terms, templates, plurals)
