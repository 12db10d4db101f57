"""Records without the names of people: each has a pseudonym instead, the same in every export of this installation."""

from __future__ import annotations

import re
import secrets
from base64 import b32encode
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from inkeek.records.notation.commands import replace_commands
from inkeek.records.notation.tags import RULES_TAGS, TEAM_TAGS
from inkeek.service.errors import Invalid
from inkeek.service.storage.database.files import open_private
from inkeek.service.storage.redaction import renamed
from inkeek.service.storage.search import NAMELESS, name_key
from inkeek.service.storage.store import Store

KEY_FILE = "pseudonyms.key"  # in the data folder: without it nobody can tell which name a pseudonym stands for
KEY_BYTES = 32
CONSENT = "Consent"  # a tag: what the players allow
PSEUDONYMS, NOBODY = "pseudonyms", "none"  # its values: exports have no names, or leave the game out
_MADE = re.compile("P-[a-z2-7]{8}", re.ASCII)  # a pseudonym stays one, also in a copy elsewhere


def pseudonym_maker(store: Store, folder: Path) -> Callable[[str], str]:
    """What makes the pseudonym of a name; all names of a person have the same.

    :raises Invalid: the key cannot be read or made.
    """
    key = _read_key(folder / KEY_FILE)

    @cache
    def pseudonym(name: str) -> str:
        if name.strip() in NAMELESS or _MADE.fullmatch(name.strip()):
            return name
        with store.reading() as transaction:
            person = transaction.persons.owner(name_key(name))
        return "P-" + b32encode(blake2b(person.encode(), key=key, digest_size=5).digest()).decode().lower()

    return pseudonym


def names_wanted(tags: Mapping[str, str], asked: str | None = None) -> str | None:
    """How an export has the names of a game, as whoever asks for it and the tag `Consent` want it: None as they are,
    `PSEUDONYMS`, or `NOBODY`, without the game."""
    consent = tags.get(CONSENT)
    return consent if consent in (PSEUDONYMS, NOBODY) else asked


def tags_for_export(
    tags: Mapping[str, str], pseudonym: Callable[[str], str], asked: str | None = None
) -> Mapping[str, str] | None:
    """The tags of a game in a table of data; None: the table leaves the game out. `asked` as in `names_wanted`."""
    wanted = names_wanted(tags, asked)
    if wanted == NOBODY:
        return None
    changed: Mapping[str, str] = without_names({"tags": dict(tags)}, pseudonym)["tags"] if wanted else tags
    return changed


def without_names(record: Mapping[str, Any], pseudonym: Callable[[str], str]) -> dict[str, Any]:
    """The JSON of a record with pseudonyms: in tags, in commands, and where a name of the record is in the words of a
    comment or another tag. A name that only words have, that is spelled otherwise there or has one letter stays."""
    names: dict[str, str] = {}

    def rename(name: str) -> str:
        names[name_key(name)] = pseudonym(name)
        return names[name_key(name)]

    changed = renamed(dict(record), rename)
    words = "|".join(re.escape(key) for key in sorted(names, key=len, reverse=True) if len(key) > 1)
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
