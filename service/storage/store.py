"""The store: transactions over games, events, boards and keys."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from service.errors import StorageError

from . import migrate
from .backup import copy
from .board_table import BoardTable
from .changes import Changes
from .dispute_table import DisputeTable
from .engine import WRITE, open_engine, translated
from .game_table import GLANCE, GameTable, Version
from .inbox_table import InboxTable
from .key_table import KeyTable
from .receipt_table import ReceiptTable

LOOKED_AT = 1000  # rows of an index that SQLite looks at when it analyses; PostgreSQL has a limit of its own


class Transaction:
    """What can be done inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self.games = GameTable(connection)
        self.boards = BoardTable(connection)
        self.disputes = DisputeTable(connection)
        self.inboxes = InboxTable(connection)
        self.keys = KeyTable(connection)
        self.receipts = ReceiptTable(connection)


class Store:
    """A database by URL. Opens connections when they are first needed; `close` lets them go."""

    def __init__(self, url: str, lock_timeout: float = 10.0) -> None:
        self._engine = open_engine(url, lock_timeout)
        self._writes = self._engine.execution_options(**{WRITE: True})
        self._reads = self._engine
        if self._engine.dialect.name == "postgresql":  # SQLite's readers see one state anyway
            self._reads = self._engine.execution_options(isolation_level="REPEATABLE READ")
        self._lock_timeout = lock_timeout
        self._turn = threading.Lock()
        self._shared = threading.local()  # the transaction of `together`, for its thread

    def upgrade(self) -> None:
        """Make or update the tables. See `migrate.upgrade`."""
        migrate.upgrade(self._engine)

    def revisions(self) -> tuple[str | None, str]:
        """The revision of the database and the one this version needs."""
        return migrate.current(self._engine), migrate.latest()

    def close(self) -> None:
        self._engine.dispose()

    def analyse(self) -> None:
        """Have the database look at how its tables are filled, so that it chooses the right index. After many changes.

        :raises StorageError: it cannot.
        """
        with (
            self._failures(),
            self._writes.connect() as connection,
            connection.begin(),
        ):
            if self._engine.dialect.name == "sqlite":
                connection.exec_driver_sql(f"PRAGMA analysis_limit = {LOOKED_AT}")
            connection.exec_driver_sql("ANALYZE")

    def backup(self, target: Path, told: Callable[[int, int], None] = lambda done, whole: None) -> None:
        """Copy the database to the SQLite file `target` as it is at one moment, while others read and write it.

        `told` gets how many pages are copied, and of how many. The file is whole or not there.

        :raises StorageError: the database is not SQLite, the file exists, or cannot be written or read.
        """
        if self._engine.dialect.name != "sqlite":
            raise StorageError("only an SQLite file is backed up so; PostgreSQL's own pg_dump does it there")
        with self._failures(), self._engine.connect() as connection:
            source = connection.connection.driver_connection
            assert isinstance(source, sqlite3.Connection)
            copy(source, target, told)

    def glance(self, game_id: str) -> Version | None:
        """How the game and its board stand, in a form that is only good to be compared, and found out quickly."""
        shared: Transaction | None = getattr(self._shared, "transaction", None)
        with self._failures():
            if shared is not None:
                return shared.games.glance(game_id)
            connection = self._engine.raw_connection()
            try:
                return GLANCE.first_on(connection.cursor(), self._engine.dialect, {"game_id": game_id})
            finally:
                connection.close()

    @contextmanager
    def changes(self) -> Iterator[Changes]:
        """What tells whether the database has changed, whoever did it, on a connection of its own."""
        with self._failures():
            connection = self._engine.raw_connection()
            connection.detach()  # it is not to come back among those that transactions use
            try:
                yield Changes(connection.dbapi_connection, self._engine.dialect.name)
            finally:
                connection.close()

    @contextmanager
    def together(self) -> Iterator[Transaction]:
        """A transaction that writes, and that all this thread does with the store until the end of the block is part
        of: it is stored together, or not at all. What `writing` raises is raised where it happens, or at the end.
        """
        if getattr(self._shared, "transaction", None) is not None:
            with self.writing() as transaction:
                yield transaction
            return
        with self._transaction(write=True) as transaction:
            self._shared.transaction = transaction
            try:
                yield transaction
            finally:
                del self._shared.transaction

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A transaction that sees one state of the database throughout."""
        with self._transaction(write=False) as transaction:
            yield transaction

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A transaction that is durable when the block has been left, and undone when it raises.

        :raises Conflict: another writer was first. :raises StorageFull: there is no room; nothing was stored.
        """
        with self._transaction(write=True) as transaction:
            yield transaction

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[Transaction]:
        shared: Transaction | None = getattr(self._shared, "transaction", None)
        if shared is not None:
            with self._failures():
                yield shared
            return
        engine = self._writes if write else self._reads
        with (
            self._writers_turn() if write else nullcontext(),
            self._failures(),
            engine.connect() as connection,
            connection.begin(),
        ):
            yield Transaction(connection)

    @contextmanager
    def _writers_turn(self) -> Iterator[None]:
        """One writer of this process at a time, where the database is SQLite: it has one writer anyway, but those who
        wait for it look again now and then, and whoever looks at the right moment is next."""
        if self._engine.dialect.name != "sqlite":
            yield
            return
        if not self._turn.acquire(timeout=self._lock_timeout):
            raise StorageError(f"the database failed: other writers held it for {self._lock_timeout:g} s")
        try:
            yield
        finally:
            self._turn.release()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Failures of the database as those of the service."""
        driver: Any = self._engine.dialect.dbapi
        try:
            yield
        except (SQLAlchemyError, driver.Error) as error:
            raise translated(error, driver) from error
