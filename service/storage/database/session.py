"""One connection within one transaction, with a short way to the driver for frequent statements."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import chain, zip_longest
from typing import Any

from sqlalchemy import ClauseElement, Connection, CursorResult, Dialect, Engine
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.pool import PoolProxiedConnection

from .engine import begin_statement, take_write_lock

MARKS = {"sqlite": "qmark", "postgresql": "format"}  # how values are marked in a statement: ``?``, ``%s``
ROWS = 64  # inserted in one step, where there are so many
Row = tuple[Any, ...]


class Statement:
    """A statement that runs directly on the driver's cursor: SQLAlchemy's execution would take longer than it does.

    It is compiled once for each kind of database. Its values are text, numbers and None; with PostgreSQL lists of them.
    """

    def __init__(self, clause: ClauseElement) -> None:
        self._clause = clause
        self._compiled: dict[str, tuple[str, tuple[str, ...], Mapping[str, Any]]] = {}

    def sql(self, dialect: Dialect) -> str:
        """The text of the statement."""
        return self._compile(dialect)[0]

    def call(self, dialect: Dialect, values: Mapping[str, Any]) -> tuple[str, list[Any]]:
        """The text of the statement, and the values in the order of their marks."""
        sql, names, constants = self._compile(dialect)
        return sql, [values[name] if name in values else constants[name] for name in names]

    def _compile(self, dialect: Dialect) -> tuple[str, tuple[str, ...], Mapping[str, Any]]:
        found = self._compiled.get(dialect.name)
        if found is None:
            compiled: Any = self._clause.compile(dialect=type(dialect)(paramstyle=MARKS[dialect.name]))  # type: ignore[call-arg]
            found = self._compiled[dialect.name] = str(compiled), tuple(compiled.positiontup), compiled.params
        return found


def padded(names: Sequence[str], values: Sequence[str]) -> dict[str, str]:
    """Values for a statement that looks for texts with so many names; those that are left over find nothing."""
    return dict(zip_longest(names, values, fillvalue="-"))


class Session:
    """Runs statements on a connection, which is not the pool's any more if it is `detached`."""

    def __init__(self, engine: Engine, connection: PoolProxiedConnection, *, detached: bool = False) -> None:
        self._detached: Any = connection.dbapi_connection if detached else None
        if detached:
            connection.detach()
        self.dialect = engine.dialect
        self.on_close: Callable[[], None] = lambda: None
        self._engine = engine
        self._connection = connection
        self._cursor: DBAPICursor = connection.cursor()

    def begin(self, *, write: bool, timeout: float) -> None:
        """Begin a transaction, at most `timeout` seconds after other writers. One that only reads sees one state of the
        database throughout."""
        if self.dialect.name == "sqlite":
            if write:
                take_write_lock(self._cursor, timeout)
            else:
                self._cursor.execute(begin_statement(write=False))
        else:  # psycopg begins at the first statement
            self.dialect.set_isolation_level(self._driver, "READ COMMITTED" if write else "REPEATABLE READ")

    def begin_look_up(self) -> None:
        """As `begin`, for one statement that reads: with PostgreSQL it takes one message, not three."""
        if self.dialect.name == "postgresql":
            self.dialect.set_isolation_level(self._driver, "AUTOCOMMIT")

    def commit(self) -> None:
        self._connection.commit()

    def end(self) -> None:
        """Undo what was not committed."""
        self._connection.rollback()
        if "sqlalchemy" in self.__dict__:
            self.sqlalchemy.rollback()  # it counts on a transaction of its own; with one it would be garbage in cycles

    @contextmanager
    def part(self) -> Iterator[None]:
        """A part of a transaction in SQLite, which is undone alone if the block raises."""
        self._cursor.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._cursor.execute("ROLLBACK TO part")
            raise
        finally:
            self._cursor.execute("RELEASE part")

    @property
    def _driver(self) -> Any:
        return self._connection.dbapi_connection if self._detached is None else self._detached

    @property
    def is_open(self) -> bool:
        """Whether a transaction has begun, and SQLite has not undone it, as it does if there is no room."""
        return bool(self._driver.in_transaction)

    def copy_log(self) -> None:
        """As `Store.checkpoint`, outside a transaction."""
        self._cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self._cursor.fetchall()

    def close(self) -> None:
        """Undo what was not committed, and let the connection go."""
        self.on_close()
        if self._detached is None:
            self._connection.close()
            return
        # Not through SQLAlchemy: after a KeyboardInterrupt it drops a detached connection without closing it. And
        # SQLite keeps a closed one, with its lock, while a cursor of it is alive, such as in a traceback.
        driver: Any = self.dialect.dbapi
        with suppress(driver.Error):  # a connection that is broken holds no lock
            self._detached.rollback()
        self._detached.close()

    def all(self, statement: Statement, values: Mapping[str, Any]) -> Sequence[Row]:
        """The rows that a statement finds."""
        self.run(statement, values)
        return self._cursor.fetchall()

    def first(self, statement: Statement, values: Mapping[str, Any]) -> Row | None:
        """The first row that a statement finds."""
        rows = self.all(statement, values)  # all: SQLite keeps reading until there is no next row
        return rows[0] if rows else None

    def run(self, statement: Statement, values: Mapping[str, Any]) -> None:
        """Run a statement that returns no rows."""
        self._cursor.execute(*statement.call(self.dialect, values))

    def run_many(self, statement: Statement, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row of values, which stand in the order of its marks."""
        if rows:
            self._cursor.executemany(statement.sql(self.dialect), rows)

    def insert_many(self, statement: Statement, rows: Sequence[Sequence[Any]]) -> None:
        """As `run_many`, for an INSERT of many rows."""
        done = 0
        into, _, marks = statement.sql(self.dialect).rpartition(" VALUES ")
        if self.dialect.name == "postgresql" and len(rows) >= ROWS:
            cursor: Any = self._cursor
            with cursor.copy(f"{into.replace('INSERT INTO', 'COPY', 1)} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        if self.dialect.name == "sqlite" and len(rows) >= ROWS and threading.active_count() > 1:
            # At each step a thread lets others compute, and then waits for them: with the lock of the one writer. Alone
            # it is done sooner with one row at each step.
            together = f"{into} VALUES {', '.join([marks] * ROWS)}"
            for done in range(ROWS, len(rows) + 1, ROWS):
                self._cursor.execute(together, list(chain.from_iterable(rows[done - ROWS : done])))
        self.run_many(statement, rows[done:])

    @cached_property
    def sqlalchemy(self) -> Connection:
        return Connection(self._engine, self._connection)

    def execute(self, query: Any, values: Any = None) -> CursorResult[Any]:
        """Run a query through SQLAlchemy."""
        return self.sqlalchemy.execute(query, values)
