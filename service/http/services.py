"""What the parts of a process share: all processes what is stored, web processes also what requests share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.tables import TableBoards
from inkeek.service.errors import TooManyStreams
from inkeek.service.games.events.planning import Events
from inkeek.service.games.integrity import DatabaseWatch
from inkeek.service.games.matches.matches import Matches
from inkeek.service.games.repository import Games
from inkeek.service.jobs.queue import Jobs
from inkeek.service.live.publisher import Publisher
from inkeek.service.processes.metrics import Metrics
from inkeek.service.processes.places import Places
from inkeek.service.processes.workers.calculator import Calculator
from inkeek.service.settings import Settings
from inkeek.service.storage.store import Store

from .access.invitations import Invitations, follow_players
from .access.keys import Devices, Keys
from .access.limiter import Guesses
from .sse import encode

T = TypeVar("T")
MAX_ANALYSES = 2  # that compute at once
SHEETS = 2, 4  # that are made at once, and that wait
SHEET_PATIENCE = 10.0  # seconds that a sheet waits for those before it


@dataclass(frozen=True)
class StoredServices:
    """What is stored, and what watches over it: all that a process without requests needs."""

    settings: Settings
    metrics: Metrics
    store: Store
    games: Games
    events: Events
    boards: Boards
    tables: TableBoards
    keys: Keys
    watch: DatabaseWatch

    @classmethod
    def build(cls, settings: Settings, part: str, connections: int) -> StoredServices:
        """Those of a `part` of the service on the configured database, with so many connections to PostgreSQL. Opens
        none yet."""
        metrics = Metrics(part)
        store = Store(
            settings.database_url,
            settings.lock_timeout,
            writers=settings.waiting_threads,
            connections=connections,
            meter=metrics,
        )
        games = Games.of(store, settings)
        boards = Boards(store, max_boards=settings.max_boards)
        tables = TableBoards(store, boards)
        most, zone = settings.max_event_games, settings.zone
        events = Events(store, games, most, zone=zone, seat=tables.seat, follow=follow_players)
        return cls(settings, metrics, store, games, events, boards, tables, Keys(store), DatabaseWatch(store))


class RequestPlaces(NamedTuple):
    """The places that the requests of a web process share: of live streams, of requests that wait in a thread, of
    searches of positions, of sheets of disputes and booklets."""

    streams: Places
    waits: Places
    analyses: Places
    sheets: Places


@dataclass(frozen=True)
class Services(StoredServices):
    """The services of a web process. `stopping` is set when it shuts down, which ends streams and waiting requests."""

    matches: Matches
    invitations: Invitations
    devices: Devices
    jobs: Jobs
    publisher: Publisher
    findings: Calculator
    places: RequestPlaces
    stopping: threading.Event
    _made: dict[Callable[[Services], Any], Any] = field(default_factory=dict)
    _making: threading.Lock = field(default_factory=threading.Lock)

    def once(self, make: Callable[[Services], T]) -> T:
        """What `make` returned for these services when it was first asked for: what the requests of one module share
        stands in that module."""
        with self._making:
            if make not in self._made:
                self._made[make] = make(self)
            made: T = self._made[make]
            return made

    def close(self) -> None:
        """End the live streams and the processes that calculate, and close the database connections."""
        self.publisher.close()
        for one in (self.findings, *self._made.values()):
            if isinstance(one, Calculator):
                one.close()
        self.store.close()


def build_services(settings: Settings) -> Services:
    """The services of a web process on the configured database. Opens no connection yet."""
    stored = StoredServices.build(settings, "web", settings.web_connections)
    store, games, keys, stopping = stored.store, stored.games, stored.keys, threading.Event()
    running = min(MAX_ANALYSES, settings.max_analyses)
    return Services(
        **vars(stored),
        matches=Matches(store, games),
        invitations=Invitations(store, keys, Guesses(settings.workers), zone=settings.zone),
        devices=Devices(store, keys),
        jobs=Jobs(store, games, settings.max_jobs),
        publisher=Publisher(store, encode, keys.ended, settings.stream_poll, stopping),
        findings=Calculator("Findings", settings.finding_threads, settings.finding_time),
        places=RequestPlaces(
            streams=Places(
                "Live streams", settings.max_streams, refusal=TooManyStreams, note=stored.metrics.note_streams
            ),
            waits=Places("Waiting requests", settings.waiting_threads, refusal=TooManyStreams),
            analyses=Places("Analyses", running, settings.max_analyses - running),
            sheets=Places("Sheets", *SHEETS),
        ),
        stopping=stopping,
    )
