"""Opening the database, the settings of SQLite's connections, and what a failure means to the service."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, TimeoutError
from sqlalchemy.pool import NullPool

from inkeek.service.errors import (
    Conflict,
    Damaged,
    Invalid,
    ServiceError,
    SettingError,
    StorageBusy,
    StorageError,
    StorageFull,
)

from .files import create_private

DRIVER = "postgresql+psycopg"
DIALECTS = ("sqlite", "postgresql")
POOL = 16  # connections that a process keeps; with SQLite its threads may open more for a moment
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
# No room for the file or its log. SQLite reports an I/O error if the log's index cannot grow.
FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE, "53100")
CANNOT_OPEN = "unable to open database file"  # SQLite's message
MAY_WRITE = "Let this user write to it and to its folder, in which SQLite makes files"
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, "XX001", "XX002")
NOT_TEXT = "Could not decode to UTF-8"  # how a message of the module `sqlite3` begins that has no code
LOCKED = (*BUSY, "55P03")
# What another writer has just stored or removed; in PostgreSQL also a serialization failure, a deadlock.
OVERTAKEN = (
    *(sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY),
    *("23505", "23503", "40001", "40P01"),
)
TRY_EVERY = 0.02  # seconds
LOCK_EVERY = 0.001  # seconds between tries to take the lock of SQLite's one writer; its own waiting grows to 100 ms
CHECKPOINT = 4000  # pages in the log after which a commit copies them into the file


def open_engine(
    url: str, lock_timeout: float, cache: int | None = None, connections: int = POOL, *, only_reads: bool = False
) -> Engine:
    """An engine for `url` that waits `lock_timeout` seconds for other writers. Opens no connection yet.

    At most `connections` to PostgreSQL are open; whoever needs one waits as long. A connection to SQLite keeps at most
    `cache` bytes of the file in memory (None: SQLite's 2 MB). `only_reads`: an SQLite file and its log are only read.

    :raises SettingError: no URL, or a database that is not known.
    """
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() not in DIALECTS:
            raise SettingError(
                f"database is {shown_url(url)!r}: expected one of " + ", ".join(f"{d}…" for d in DIALECTS)
            )
        if parsed.get_backend_name() == "sqlite":
            if "?" in url:  # SQLAlchemy would drop what follows, and open another file
                raise SettingError(f"database is {url!r}: in the URL of a file, write %3F for a question mark")
            return _open_to_read(parsed, lock_timeout) if only_reads else _open_sqlite(parsed, lock_timeout, cache)
        return _open_postgresql(parsed, lock_timeout, connections)
    except (ArgumentError, NoSuchModuleError) as error:
        raise SettingError(f"database is {url!r}: {error}") from error


def begin(connection: Connection, patience: float | None = None) -> None:
    """Begin a transaction: one that writes, at most `patience` seconds after those of other processes in SQLite, or one
    that only reads.

    SQLAlchemy has an event for this, but an engine with events takes twice as long for each statement.
    """
    connection.begin()
    if connection.dialect.name == "sqlite":
        driver: Any = connection.connection.dbapi_connection
        if patience is None:
            driver.execute("BEGIN")
        else:
            _take_write_lock(driver, patience)


def _take_write_lock(driver: sqlite3.Connection, patience: float) -> None:
    """Begin a transaction that writes. It takes the lock at once: a reader that turns writer can only fail."""
    deadline = time.monotonic() + patience
    (before,) = driver.execute("PRAGMA busy_timeout").fetchone()
    driver.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                driver.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(LOCK_EVERY)
    finally:
        driver.execute(f"PRAGMA busy_timeout = {before}")


def copy_log(connection: Connection) -> None:
    """Copy SQLite's log into the file, as far as that keeps nobody waiting. Call this outside a transaction."""
    driver: Any = connection.connection.dbapi_connection
    driver.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def in_transaction(connection: Connection) -> bool:
    """Whether SQLite has not undone the transaction that has begun, as it does if there is no room."""
    driver: Any = connection.connection.dbapi_connection
    return bool(driver.in_transaction)


def translated(error: Exception, driver: Any) -> ServiceError:
    """The service's error for a failure of the database, be it SQLAlchemy's or the `driver`'s own."""
    if isinstance(error, TimeoutError):
        return StorageBusy("all connections to the database are in use. Try again later")
    message = database_message(error)
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, driver.DataError):
        return Invalid(f"the database cannot hold this: {message}")
    code = getattr(cause, "sqlite_errorcode", None) or getattr(cause, "sqlstate", None)
    if code in OVERTAKEN:
        return Conflict(f"another writer was first: {message}")
    if (code & 0xFF if isinstance(code, int) else code) in LOCKED:
        return StorageBusy(f"the database is locked by another writer: {message}")
    if code in FULL:
        return StorageFull(f"nothing was stored: there is no room left for the database: {message}")
    if (code & 0xFF if isinstance(code, int) else code) in DAMAGED or message.startswith(NOT_TEXT):
        return Damaged(f"the database is damaged: {message}")
    return StorageError(f"the database failed: {message}")


def database_message(error: Exception) -> str:
    """The message of the database itself, without the statement and its values."""
    message = str(getattr(error, "orig", None) or error).strip()
    return f"{message}. {MAY_WRITE}" if message == CANNOT_OPEN else message


def shown_url(url: str, *, with_options: bool = True) -> str:
    """The URL without its password, for people and logs. Without its options, in which there may be another password,
    for everybody on this machine."""
    parsed = make_url(url)
    return (parsed if with_options else parsed.set(query={})).render_as_string(hide_password=True)


def _open_postgresql(url: URL, lock_timeout: float, connections: int) -> Engine:
    if url.drivername == "postgresql":
        url = url.set(drivername=DRIVER)
    given = url.query.get("options", ())
    options = " ".join(
        [f"-c lock_timeout={round(1000 * lock_timeout)}", *([given] if isinstance(given, str) else given)]
    )
    try:
        return create_engine(
            url,
            pool_size=connections,
            max_overflow=0,
            pool_timeout=lock_timeout,
            pool_pre_ping=True,
            connect_args={"options": options},
        )
    except ImportError as error:
        raise SettingError(f"database is {url!r}: PostgreSQL needs the extra inkeek[postgresql]") from error


def file_url(path: Path) -> str:
    """The URL of an SQLite file."""
    return f"sqlite:///{quote(str(path))}"


def _open_to_read(url: URL, lock_timeout: float) -> Engine:
    def connect() -> sqlite3.Connection:
        # Where there is no log, nobody has the file open: SQLite need not make one to read it.
        alone = "" if Path(f"{url.database}-wal").exists() else "&immutable=1"
        address = f"file:{quote(str(url.database))}?mode=ro{alone}"
        return sqlite3.connect(address, lock_timeout, uri=True, isolation_level=None, check_same_thread=False)

    return create_engine(url, poolclass=NullPool, creator=connect)


def _open_sqlite(url: URL, lock_timeout: float, cache: int | None) -> Engine:
    path = url.database
    if not path or path == ":memory:":
        raise SettingError(f"database is {str(url)!r}: all processes share the database, so it must be a file")

    def connect() -> sqlite3.Connection:
        try:
            Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_private(Path(os.path.realpath(path)))  # of a link, what it leads to
        except OSError as error:
            raise StorageError(f"cannot create {path!r}: {error.strerror}") from error
        if hasattr(os, "getuid") and not os.access(path, os.R_OK):  # SQLite would not say why it cannot be opened
            raise StorageError(f"cannot read {path!r}: run this as the user who owns it, or as root")
        # We say BEGIN ourselves: the module would begin too late and too weakly.
        connection = sqlite3.connect(path, timeout=lock_timeout, isolation_level=None, check_same_thread=False)
        try:
            _use_wal(connection, lock_timeout)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
            connection.execute("PRAGMA foreign_keys = ON")
            if cache is not None:
                connection.execute(f"PRAGMA cache_size = {-(cache >> 10)}")
        except BaseException:
            connection.close()
            raise
        return connection

    return create_engine(url, creator=connect, poolclass=NullPool)


def _use_wal(connection: sqlite3.Connection, timeout: float) -> None:
    """Switch the file to write-ahead logging. SQLite's busy timeout does not cover the switch, so retry here."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode not in BUSY or time.monotonic() > deadline:
                raise
            time.sleep(TRY_EVERY)
