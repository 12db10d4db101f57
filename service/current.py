"""The parts of the running application, for code that runs inside a request."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import cast

from flask import current_app

from .boards import Boards
from .games import Games
from .settings import Settings
from .storage import Store

EXTENSION = "inkeek"


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
