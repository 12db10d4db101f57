"""The services that one process shares: storage, games, boards, keys and live streams."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.remote.reports import Reports
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
from inkeek.service.processes.watch import Clocks
from inkeek.service.processes.workers.calculator import Calculator
from inkeek.service.processes.workers.importer import Importer
from inkeek.service.settings import Settings
from inkeek.service.storage.store import Store

from .access.invitations import Invitations, follow_players
from .access.keys import Devices, Keys
from .access.limiter import Guesses
from .sse import encode
from .timed_calls import TimedCalls

MAX_ANALYSES = 2  # that compute at once
PICTURES = 8, 60.0, 2  # that are made or wait, seconds until one is there, and how many are made at once
COPIES = 1  # of the database that are downloaded at once
SHEETS = 2, 4  # that are made at once, and that wait
SHEET_PATIENCE = 10.0  # seconds that a sheet waits for those before it


@dataclass(frozen=True)
class Services:
    """The services of one process. `streams` are the places of live streams, `waits` those of requests that wait in a
    thread, `analyses` those of searches of positions, `sheets` those of sheets of disputes and booklets, `copies` those
    of downloaded backups; `stopping` is set when the process shuts down, which ends streams and waiting requests.
    `health` looks at the database for who watches."""

    settings: Settings
    store: Store
    games: Games
    matches: Matches
    events: Events
    boards: Boards
    reports: Reports
    tables: TableBoards
    keys: Keys
    invitations: Invitations
    devices: Devices
    metrics: Metrics
    publisher: Publisher
    findings: Calculator
    analyses: Places
    importer: Importer
    jobs: Jobs
    streams: Places
    waits: Places
    stopping: threading.Event
    watch: DatabaseWatch
    clocks: Clocks
    sheets: Places
    copies: Places
    pictures: Calculator
    health: TimedCalls

    def close(self) -> None:
        """End the live streams and the processes that calculate, and close the database connections."""
        self.publisher.close()
        self.findings.close()
        self.pictures.close()
        self.store.close()


def build_services(settings: Settings, part: str = "web", connections: int | None = None) -> Services:
    """Create the services of a `part` of the service on the configured database, with so many connections to PostgreSQL
    (None: as a web process has). Opens none yet."""
    metrics = Metrics(part)
    store = Store(
        settings.database_url,
        settings.lock_timeout,
        writers=settings.waiting_threads,
        connections=connections or settings.web_connections,
        meter=metrics,
    )
    games = Games(store, max_plies=settings.max_plies, rules_folder=settings.rules_folder)
    keys, stopping = Keys(store), threading.Event()
    boards = Boards(store, max_boards=settings.max_boards)
    tables = TableBoards(store, boards)
    running = min(MAX_ANALYSES, settings.max_analyses)
    return Services(
        settings=settings,
        store=store,
        games=games,
        matches=Matches(store, games),
        events=Events(
            store, games, settings.max_event_games, zone=settings.zone, seat=tables.seat, follow=follow_players
        ),
        boards=boards,
        reports=Reports(boards, games),
        tables=tables,
        keys=keys,
        invitations=Invitations(store, keys, Guesses(settings.workers), zone=settings.zone),
        devices=Devices(store, keys),
        metrics=metrics,
        publisher=Publisher(store, encode, keys.ended, settings.stream_poll, stopping),
        findings=Calculator("Findings", settings.finding_threads, settings.finding_time),
        analyses=Places("Analyses", running, settings.max_analyses - running),
        importer=Importer(games, settings),
        jobs=Jobs(store, games, settings.max_jobs),
        streams=Places("Live streams", settings.max_streams, refusal=TooManyStreams, note=metrics.note_streams),
        waits=Places("Waiting requests", settings.waiting_threads, refusal=TooManyStreams),
        stopping=stopping,
        watch=DatabaseWatch(store),
        clocks=Clocks(store),
        sheets=Places("Sheets", *SHEETS),
        copies=Places("Backups", COPIES),
        pictures=Calculator("Pictures", *PICTURES),
        health=TimedCalls(),
    )
