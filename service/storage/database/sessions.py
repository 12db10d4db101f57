"""The sessions of a store, and a meter of their use."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from sqlalchemy import Engine

from service.storage.integrity.damage import Damage

from .engine import POOL
from .session import Session


class Meter:
    """What a store notes of its connections. This one does nothing; one that counts is in `service.processes`."""

    def allow(self, connections: int) -> None:
        """So many connections may be in use at once."""

    def take(self) -> None:
        """A connection is in use from now on."""

    def give_back(self) -> None:
        """It is not in use any more."""

    def waiting(self) -> AbstractContextManager[None]:
        """For a block in which a thread waits for a connection or, with SQLite, for its turn to write."""
        return nullcontext()

    def note_failed_write(self, problem: str) -> None:
        """Nothing was stored, because of a problem of that type."""


class Sessions:
    """Opens sessions. Those with SQLite are kept outside the pool, which takes longer than many a statement."""

    def __init__(self, engine: Engine, damage: Damage, meter: Meter) -> None:
        self._engine = engine
        self._damage = damage
        self._meter = meter
        self._keeps = engine.dialect.name == "sqlite"
        self._idle: deque[Session] = deque()

    def open(self) -> Session:
        """A new session."""
        self._damage.check_readable()
        with self._meter.waiting():
            session = Session(self._engine, self._engine.raw_connection(), detached=self._keeps)
        session.on_close = self._note_close
        self._damage.hold_log()
        self._meter.take()
        return session

    def take(self) -> Session:
        """An idle session, else a new one."""
        try:
            session = self._idle.pop()
        except IndexError:
            return self.open()
        self._meter.take()
        return session

    def give_back(self, session: Session) -> None:
        """Keep a session that has ended, or let it go."""
        if self._keeps and len(self._idle) < POOL:
            self._idle.append(session)
            self._meter.give_back()
        else:
            session.close()

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session, whose changes are undone at the end unless they were committed."""
        session = self.take()
        try:
            yield session
            session.end()
        except BaseException:
            session.close()
            raise
        self.give_back(session)

    def close(self) -> None:
        """Let the idle sessions go."""
        while self._idle:
            self.take().close()

    def _note_close(self) -> None:
        self._damage.release_log()
        self._meter.give_back()
