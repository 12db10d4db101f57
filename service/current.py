"""The parts of the running application, for code that runs inside a request."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import cast

from flask import current_app, g

from .access import NOBODY, Caller
from .boards import Boards
from .games import Games
from .settings import Settings
from .storage import Store

EXTENSION = "inkeek"
CALLER = "inkeek_caller"  # where the guard puts the caller of a request


@dataclass(frozen=True)
class Parts:
    """What `create_app` puts together. `streams` counts the live streams that may still be opened."""

    settings: Settings
    store: Store
    games: Games
    boards: Boards
    streams: threading.BoundedSemaphore


def parts() -> Parts:
    return cast(Parts, current_app.extensions[EXTENSION])


def settings() -> Settings:
    return parts().settings


def games() -> Games:
    return parts().games


def boards() -> Boards:
    return parts().boards


def caller() -> Caller:
    """Who sent this request."""
    found: Caller = g.get(CALLER, NOBODY)
    return found


def source(way: str | None = None) -> str:
    """The source of an event that this request brings, with the name of who sent it (`Caller.source`)."""
    return caller().source(way)
