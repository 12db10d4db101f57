"""Whether the database has changed: a short check, to be made many times a second."""

from __future__ import annotations

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from inkeek.service.errors import StorageError

# SQLite counts the commits of others on a connection. In PostgreSQL whatever is committed from now on is by a
# transaction that runs now or later: a snapshot names those, so it changes with each.
ASK = {"sqlite": text("PRAGMA data_version"), "postgresql": text("SELECT pg_current_snapshot()::text")}


class Changes:
    """Looks at the database through a connection that does nothing else."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ask = ASK[connection.dialect.name]
        self._last: object = None

    def happened(self) -> bool:
        """Whether anything was committed since it was asked before; the first time it says so too.

        :raises StorageError: the database does not answer.
        """
        try:
            with self._connection.begin():
                now = self._connection.execute(self._ask).scalar()
        except SQLAlchemyError as error:
            raise StorageError(f"the database failed: {error}") from error
        before, self._last = self._last, now
        return bool(now != before)
