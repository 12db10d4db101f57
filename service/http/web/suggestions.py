"""Names that a form suggests while somebody types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inkeek.service.games.event_data import SIDES
from inkeek.service.games.library.persons import near_players
from inkeek.service.http.context import current_limit, current_services
from inkeek.service.storage import event_of
from inkeek.service.storage.search import players_of

SUGGESTED = 50  # names of players, and of events


def suggested_names(event: str = "") -> list[str]:
    """Players: those of an event, then of the newest games. A limited key sees those of its event only."""
    limit = current_limit()
    if limit is not None:
        event = limit.value if limit.kind == "event" else ""
    key = event_of({"Event": event})
    with current_services().store.reading() as transaction:
        return transaction.names.recent(key, SUGGESTED, others=limit is None)


def suggested_events() -> list[str]:
    """The events of the newest games."""
    limit = current_limit()
    if limit is not None:
        return [limit.value] if limit.kind == "event" else []
    with current_services().store.reading() as transaction:
        return transaction.names.recent_events(SUGGESTED)


@dataclass(frozen=True, slots=True)
class NameHint:
    """A player without other games, as `written`, who may be the player `name`."""

    side: str
    written: str
    name: str


def name_hints(tags: Mapping[str, str]) -> list[NameHint]:
    """Whom the new names in a game may mean."""
    if current_limit() is not None:  # of which players there are it may not know
        return []
    store = current_services().store
    with store.reading() as transaction:
        new = [
            (side, key)
            for side, key in zip(SIDES, players_of(tags), strict=True)
            if key and not transaction.games.player_exceeds(transaction.persons.owner(key), 1)
        ]
    return [NameHint(side, tags[side], row.name) for side, key in new for row in near_players(store, key)]
