"""Names that were taken out: events as they may be shown, with a stand-in wherever such a name stood.

A stored event never changes, or its hash chain could not be checked. Instead a `tags` event says which names are out,
as digests, and every reader but checks, archives and proofs gets the events through `redacted`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from inkeek.records.notation.commands import with_people
from inkeek.records.notation.tags import PERSON_TAGS, TEAM_TAGS

from .integrity.chain import GameEvent
from .search import name_key

NAME_FIELDS = ("by", "name", "witness")  # of the data of events
Rename = Callable[[str], str]


def name_digest(game_id: str, key: str) -> str:
    """What an event of a game says of a name that was taken out, by its key."""
    return blake2b(f"{game_id} {key}".encode(), digest_size=16).hexdigest()


def redacted(events: Sequence[GameEvent]) -> Sequence[GameEvent]:
    """The events of a game, from its first on, with the names that they say are taken out replaced."""
    names: dict[str, str] = {}
    for event in events:
        if event.kind == "tags" and "names" in event.data:
            names |= event.data["names"]
    return with_names(events, names)


def with_names(events: Sequence[GameEvent], names: Mapping[str, str]) -> Sequence[GameEvent]:
    """Events of a game with the names replaced that have these digests."""
    if not names or not events:
        return events

    def rename(name: str) -> str:
        return names.get(name_digest(events[0].game, name_key(name)), name)

    return tuple(event._replace(actor=rename(event.actor), data=renamed(event.data, rename)) for event in events)


def renamed(value: Any, rename: Rename, field: str = "") -> Any:
    """The JSON of an event or a record with other names of people: in fields, in tags, and in commands in comments."""
    if isinstance(value, dict):
        return {name: renamed(one, rename, name) for name, one in value.items()}
    if isinstance(value, list):
        return [renamed(one, rename) for one in value]
    if not isinstance(value, str) or not value:
        return value
    if field in NAME_FIELDS or field in PERSON_TAGS:
        return rename(value)
    if field in TEAM_TAGS:
        return "; ".join(rename(name.strip()) for name in value.split(";"))
    return with_people(value, rename) if "[%" in value else value


def quotes(events: Iterable[GameEvent], keys: Iterable[str]) -> list[str]:
    """The texts of events that have one of these names in their words, which a person must look at."""
    words = re.compile("|".join(rf"(?<!\w){re.escape(key)}(?!\w)" for key in keys))
    texts = (text for event in events for text in texts_of(event.data))
    return [text for text in dict.fromkeys(texts) if words.search(name_key(text))]


def texts_of(value: Any) -> Iterator[str]:
    """All texts in the JSON of an event or a record."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from texts_of(one)
    elif isinstance(value, str):
        yield value
