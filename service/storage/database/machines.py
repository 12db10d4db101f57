"""What all who use a database share: the lock of its one desk.

In PostgreSQL that is an advisory lock of a connection, whose name says who has it. Beside an SQLite file it is the lock
of a second small file, which has the process id as its `user_version`. Both are let go when the process ends.
"""

from __future__ import annotations

import os
import socket
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from inkeek.service.errors import StorageError

from .engine import BUSY
from .files import create_private
from .session_reader import SessionReader

LOCK = 0x494E4B4A  # PostgreSQL's advisory lock of the desk: any number of our own
DESK_FILE = "-desk"  # what the name of the file beside an SQLite file ends with
# A machine that is cut off says no goodbye: the server asks now and then, and lets its lock go within half a minute.
_ALIVE = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
_HOLDER = (
    "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND granted "
    f"AND classid = 0 AND objid = {LOCK} AND datname = current_database() AND database = datid"
)


class Machines(SessionReader):
    """Reads within the transaction of `session`."""

    def desk(self) -> str | None:
        """The desk that works with the database, as a process on a machine; None: none does."""
        if self._session.dialect.name == "postgresql":
            name: str | None = self._session.execute(text(_HOLDER)).scalar()
            return name
        file = Path(self._session.execute(text("PRAGMA database_list")).all()[0].file)
        return _holder(file.with_name(file.name + DESK_FILE))


class DeskLock:
    """The lock in the database of `engine`, or beside the SQLite `file`. For one thread."""

    def __init__(self, engine: Engine, file: Path | None) -> None:
        self._engine = engine
        self._file = None if file is None else file.with_name(file.name + DESK_FILE)
        self._connection: Any = None  # that has the lock; to PostgreSQL also while another one has it

    def hold(self) -> bool:
        """Take the lock if nobody has it. Return whether this desk has it.

        :raises StorageError: the database does not answer. Another desk may get the lock meanwhile.
        """
        try:
            return self._hold_connection() if self._file is None else self._hold_file(self._file)
        except Exception as error:
            self.close()
            raise StorageError(f"the database failed: {error}") from error

    @staticmethod
    def is_here(desk: str) -> bool:
        """Whether a desk is on this machine."""
        return desk == _own_name(desk.split()[1])

    def close(self) -> None:
        """Let the lock go."""
        if self._connection is not None:
            with suppress(Exception):  # a connection that is broken has no lock
                self._connection.close()
        self._connection = None

    def _hold_connection(self) -> bool:
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            self._connection.detach()  # from the pool, which has others for transactions
            self._connection.execute(text(_ALIVE))
            named = text("SELECT set_config('application_name', :name, false)")
            self._connection.execute(named, {"name": _own_name(os.getpid())})
        # It gives the lock again to who has it. That shows that the connection is alive.
        return bool(self._connection.execute(text(f"SELECT pg_try_advisory_lock({LOCK})")).scalar_one())

    def _hold_file(self, file: Path) -> bool:
        if self._connection is None:
            create_private(file)
            connection = _open(file)
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(f"PRAGMA user_version = {os.getpid()}")
                connection.execute("COMMIT")
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                connection.close()
                if error.sqlite_errorcode & 0xFF not in BUSY:
                    raise
                return False
            self._connection = connection
        return True


def _holder(file: Path) -> str | None:
    if not file.exists():
        return None
    with closing(_open(file)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            return None
        except sqlite3.OperationalError:
            connection.execute("PRAGMA busy_timeout = 1000")
            return _own_name(*connection.execute("PRAGMA user_version").fetchone())


def _open(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=0, isolation_level=None)


def _own_name(pid: int | str) -> str:
    return f"process {pid} on {socket.gethostname()}"


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
