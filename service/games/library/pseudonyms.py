"""Records without the names of people: each has a pseudonym instead, the same in every export of this installation."""

from __future__ import annotations

import re
import secrets
from base64 import b32encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from inkeek.records.notation.commands import replace_commands
from inkeek.records.notation.tags import CONSENTS, RULES_TAGS, TEAM_TAGS, consent_of
from inkeek.service.errors import Invalid
from inkeek.service.storage import GameRow
from inkeek.service.storage.database.files import open_private
from inkeek.service.storage.redaction import name_digest, renamed, texts_of
from inkeek.service.storage.search import NAMELESS, name_key
from inkeek.service.storage.store import Store

from .persons import first_key

KEY_FILE = "pseudonyms.key"  # in the data folder: without it nobody can tell which name a pseudonym stands for
KEY_BYTES = 32
PSEUDONYMS, NOBODY = CONSENTS  # what the tag `Consent` wants: exports have no names, or leave the game out
MAX_WORDS = 12  # in a name that was taken out, with the letters around each apostrophe
_MADE = re.compile("P-[a-z2-7]{8}", re.ASCII)  # a pseudonym stays one, also in a copy elsewhere


class Pseudonyms:
    """The pseudonyms of an installation; all names of a person have the same, also after they were written otherwise.
    If two persons are joined, the pseudonym of the one whose name counts is kept.

    :raises Invalid: their key cannot be read or made.
    """

    def __init__(self, store: Store, folder: Path) -> None:
        self._store, self._key, self._made = store, _read_key(folder / KEY_FILE), dict[str, str]()

    def of(self, name: str) -> str:
        """The pseudonym of a name."""
        if name.strip() in NAMELESS or _MADE.fullmatch(name.strip()):
            return name
        if name not in self._made:
            with self._store.reading() as transaction:
                person = first_key(transaction, transaction.persons.owner(name_key(name)))
            digest = blake2b(person.encode(), key=self._key, digest_size=5).digest()
            self._made[name] = "P-" + b32encode(digest).decode().lower()
        return self._made[name]

    def of_removed(self, game_id: str, texts: Iterable[str]) -> dict[str, str]:
        """The pseudonyms of people who were taken out of a game, by those keys of their names that these texts still
        have in their words."""
        with self._store.reading() as transaction:
            out = transaction.games.names_out(game_id)
        phrases = (phrase for text in texts for phrase in _phrases(text)) if out else ()
        return {key: self.of(out[digest]) for key in phrases if (digest := name_digest(game_id, key)) in out}


def names_wanted(tags: Mapping[str, str], asked: str | None = None) -> str | None:
    """How an export has the names of a game, as whoever asks for it and the tag `Consent` want it: None as they are,
    `PSEUDONYMS`, or `NOBODY`, without the game."""
    return consent_of(tags) or asked


def tags_for_export(row: GameRow, pseudonyms: Pseudonyms, asked: str | None = None) -> Mapping[str, str] | None:
    """The tags of a game in a table of data; None: the table leaves the game out. `asked` as in `names_wanted`."""
    wanted = names_wanted(row.tags, asked)
    if wanted == NOBODY:
        return None
    changed: Mapping[str, str] = without_names({"tags": row.tags}, row.id, pseudonyms)["tags"] if wanted else row.tags
    return changed


def without_names(record: Mapping[str, Any], game_id: str, pseudonyms: Pseudonyms) -> dict[str, Any]:
    """The JSON of a record with pseudonyms: in tags, in commands, and where a name of the record, or one that was taken
    out of it, is in the words of a comment or another tag. A name that only words have, that is spelled otherwise there
    or has one letter stays."""
    names: dict[str, str] = {}

    def rename(name: str) -> str:
        names[name_key(name)] = pseudonyms.of(name)
        return names[name_key(name)]

    changed = renamed(dict(record), rename)
    names |= pseudonyms.of_removed(game_id, texts_of(record))
    words = "|".join(
        r"\s+".join(map(re.escape, key.split())) for key in sorted(names, key=len, reverse=True) if len(key) > 1
    )
    if not words:
        return dict(changed)
    pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)

    def said(text: str) -> str:
        return pattern.sub(lambda found: names.get(name_key(found[0]), found[0]), text)

    def comment(text: str) -> str:
        return replace_commands(text, lambda command: re.sub(r'"[^"]*"', lambda quoted: said(quoted[0]), command), said)

    tags = {
        name: value if name in (*RULES_TAGS, *TEAM_TAGS, "South", "North") else said(value)
        for name, value in changed["tags"].items()
    }
    return {**_with_comments(changed, comment), "tags": tags}


def _phrases(text: str) -> Iterator[str]:
    """The keys of all phrases of a text that may be a name: up to `MAX_WORDS` words, with a full stop or without."""
    words = list(re.finditer(r"\w+", text))
    for at, first in enumerate(words):
        for last in words[at : at + MAX_WORDS]:
            phrase = text[first.start() : last.end()]
            yield name_key(phrase)
            if text.startswith(".", last.end()):
                yield name_key(f"{phrase}.")


def _with_comments(value: Any, comment: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {
            name: [comment(text) for text in one] if name == "comments" else _with_comments(one, comment)
            for name, one in value.items()
        }
    return [_with_comments(one, comment) for one in value] if isinstance(value, list) else value


def _read_key(path: Path) -> bytes:
    try:
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(open_private(path), "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
        key = path.read_bytes()
    except OSError as error:
        raise Invalid("the key of the pseudonyms, %(path)s, cannot be read or made", path=str(path)) from error
    if len(key) != KEY_BYTES:
        raise Invalid("the key of the pseudonyms, %(path)s, is damaged", path=str(path))
    return key
