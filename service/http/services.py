"""The parts of the running application, for code that runs inside a request."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import cast

from flask import current_app, g

from service.boards.bindings import Boards
from service.boards.remote.inbox import Inboxes
from service.games.matches import Matches
from service.games.repository import Games
from service.live.publisher import Publisher
from service.processes.metrics import Metrics
from service.settings import Settings
from service.storage import Store

from .access import NOBODY, Caller
from .access.keys import Keys

EXTENSION = "inkeek"


@dataclass(frozen=True)
class Services:
    """What `create_app` puts together. `streams` counts the live streams that may still be opened; `stopping` is set
    when this process is to end, so that they end too."""

    settings: Settings
    store: Store
    games: Games
    matches: Matches
    boards: Boards
    inboxes: Inboxes
    keys: Keys
    metrics: Metrics
    news: Publisher
    streams: threading.BoundedSemaphore
    stopping: threading.Event

    def close(self) -> None:
        """End the live streams, and let the connections to the database go."""
        self.news.close()
        self.store.close()


def parts() -> Services:
    return cast(Services, current_app.extensions[EXTENSION])


def settings() -> Settings:
    return parts().settings


def games() -> Games:
    return parts().games


def matches() -> Matches:
    return parts().matches


def boards() -> Boards:
    return parts().boards


def inboxes() -> Inboxes:
    return parts().inboxes


def keys() -> Keys:
    return parts().keys


def csrf() -> str:
    """What forms of this request's session must carry; empty when nobody is signed in."""
    return str(g.get("inkeek_csrf", ""))


def caller() -> Caller:
    """Who sent this request, as the guard found out."""
    found: Caller = g.get("inkeek_caller", NOBODY)
    return found


def source(way: str | None = None) -> str:
    """The source of an event that this request brings, with the name of who sent it (`Caller.source`)."""
    return caller().source(way)
