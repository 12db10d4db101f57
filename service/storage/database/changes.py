"""Whether the database has changed: a check of some microseconds, to be made many times a second."""

from __future__ import annotations

from typing import Any

from service.errors import StorageError

# SQLite counts the commits of others on a connection. In PostgreSQL whatever is committed from now on is by a
# transaction that runs now or later: a snapshot names those, so it changes with each.
ASK = {"sqlite": "PRAGMA data_version", "postgresql": "SELECT pg_current_snapshot()::text"}


class Changes:
    """Looks at the database through a connection of its driver that does nothing else."""

    def __init__(self, connection: Any, dialect: str) -> None:
        self._ask = ASK[dialect]
        self._connection = connection
        if dialect == "postgresql":
            connection.autocommit = True  # else it would look at the same moment for ever
        self._cursor = connection.cursor()
        self._last: object = None

    def happened(self) -> bool:
        """Whether anything was committed since it was asked before; the first time it says so too.

        :raises StorageError: the database does not answer.
        """
        try:
            self._cursor.execute(self._ask)
            now = self._cursor.fetchall()
        except Exception as error:
            raise StorageError(f"the database failed: {error}") from error
        before, self._last = self._last, now
        return bool(now != before)

    def close(self) -> None:
        """Leave the connection to others: they want transactions."""
        self._cursor.close()
        if self._ask == ASK["postgresql"] and not self._connection.closed:
            self._connection.autocommit = False
