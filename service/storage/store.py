"""The store: transactions over games, events, boards and keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from ..errors import Conflict, StorageError
from . import migrate
from .board_table import BoardTable
from .engine import WRITE, open_engine, said
from .game_table import GameTable
from .key_table import KeyTable


class Transaction:
    """What can be done inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self.games = GameTable(connection)
        self.boards = BoardTable(connection)
        self.keys = KeyTable(connection)


class Store:
    """A database by URL. Opens connections when they are first needed; `close` lets them go."""

    def __init__(self, url: str, lock_timeout: float = 10.0) -> None:
        self._engine = open_engine(url, lock_timeout)

    def upgrade(self) -> None:
        """Make or update the tables. See `migrate.upgrade`."""
        migrate.upgrade(self._engine)

    def revisions(self) -> tuple[str | None, str]:
        """The revision of the database and the one this version needs."""
        return migrate.current(self._engine), migrate.latest()

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A transaction that sees one state of the database throughout."""
        with self._transaction(write=False) as transaction:
            yield transaction

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A transaction that is durable when the block has been left, and undone when it raises.

        :raises Conflict: another writer was first.
        """
        with self._transaction(write=True) as transaction:
            yield transaction

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[Transaction]:
        options: dict[str, Any] = {WRITE: write}
        if not write and self._engine.dialect.name == "postgresql":
            options["isolation_level"] = "REPEATABLE READ"  # SQLite's readers see one state anyway
        try:
            with self._engine.connect().execution_options(**options) as connection, connection.begin():
                yield Transaction(connection)
        except IntegrityError as error:
            raise Conflict(f"another writer was first: {said(error)}") from error
        except SQLAlchemyError as error:
            raise StorageError(f"the database failed: {said(error)}") from error
