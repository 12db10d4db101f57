"""How to cite a game."""

from __future__ import annotations

from typing import Annotated

from inkeek.records.notation.dates import read_day
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.snapshot import ruleset_of
from inkeek.service.http.addresses import page_url
from inkeek.service.http.names import shown_tags
from inkeek.service.storage import GameRow
from inkeek.service.storage.search import NAMELESS

from .shape import Shape, Url


class CitationJson(Shape):
    """How to cite a game as it is now: a change gives another `seq` and `hash`."""

    text: str
    url: Url
    seq: Annotated[int, "number of the game's last event"]
    hash: Annotated[str, "of that event, and so of all before it"]


def citation_json(row: GameRow) -> CitationJson:
    """Who played what, where and when; and where the game is kept, in which version."""
    tags, url = shown_tags(row.tags), page_url("games", row.id)
    date = tags.get("Date", "")
    facts = [tags.get("Event", ""), tags.get("Site", ""), read_day(date) or date, tags.get("Round", "")]
    names = " – ".join(tags.get(side, "?") for side in SIDES)
    said = ", ".join([names, ruleset_of(row).name, *(fact for fact in facts if fact not in NAMELESS)])
    version = f"Inkeek game {row.id}, event {row.seq}, {row.hash[:16]}"
    return CitationJson(f"{said}. {version}. {url}", url, row.seq, row.hash)
