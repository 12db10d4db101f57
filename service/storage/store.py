"""The store: transactions over games, events, boards and keys."""

from __future__ import annotations

import glob
import logging
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData
from sqlalchemy.exc import SQLAlchemyError

from inkeek.service.errors import Damaged, ServiceError, StorageError, StorageFull

from . import migrate
from .clock import moment, utc_now
from .database.engine import POOL, begin, copy_log, in_transaction, open_engine, translated
from .database.files import free_bytes, hide_from_others, open_private
from .database.machines import Changes, DeskLock
from .database.write_queue import Group, WriteQueue, WriteRoom
from .rows import KeyRow
from .tables.games import Version
from .transaction import Transaction

PAGES_PER_STEP = 1024  # copied between two words on the progress
UNFINISHED = ".unfinished"  # at the end of the name of a copy, until the upgrade that it was made for is done


class UpgradeCopy:
    """The copy of an SQLite file of a revision, which is kept when the file has been upgraded. `path`: until then."""

    def __init__(self, file: Path, revision: str, now: datetime) -> None:
        self._name = f"{glob.escape(file.name)}.{revision}.*{UNFINISHED}*"
        self._kept = file.with_name(f"{file.name}.{revision}.{now:%Y%m%dT%H%M%S}")
        self.path = self._kept.with_name(self._kept.name + UNFINISHED)

    def remove_failed(self) -> None:
        """Remove those of upgrades that failed: they would take more room with each attempt. Call this while no other
        process can upgrade the file."""
        for failed in self.path.parent.glob(self._name):
            failed.unlink()

    def keep(self) -> Path:
        """Give the copy the name that it keeps, and return it."""
        os.rename(self.path, self._kept)
        return self._kept


def copy(source: sqlite3.Connection, target: Path, progress: Callable[[int, int], None]) -> None:
    """Copy what `source` reads to the file `target`: all of one moment, whole or not at all.

    A read transaction holds that moment while the pages are copied; writers go on meanwhile.

    :raises StorageError: `target` exists, cannot be written, or is not whole after all.
    """
    target = Path(os.path.realpath(target))  # a symbolic link stays one
    part = target.with_name(target.name + ".part")
    if target.exists():
        raise StorageError(f"{str(target)!r} exists: a backup is a new file")
    try:
        os.close(open_private(part))
    except OSError as error:
        raise StorageError(f"cannot back up to {str(target)!r}: {str(part)!r}: {error.strerror}") from error
    try:
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # the moment is that of the first read
        with closing(sqlite3.connect(part)) as copied:
            source.backup(
                copied, pages=PAGES_PER_STEP, progress=lambda _status, left, pages: progress(pages - left, pages)
            )
            copied.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
            found = copied.execute("PRAGMA quick_check").fetchone()[0]
        if found != "ok":
            raise StorageError(f"the copy is not whole: {found}")
        with part.open("rb+") as file:  # Windows syncs only what may be written
            os.fsync(file.fileno())
        os.rename(part, target)
    except (sqlite3.Error, OSError) as error:
        raise StorageError(f"cannot back up to {str(target)!r}: {error}") from error
    finally:
        source.rollback()
        _remove(part)


def _remove(part: Path) -> None:
    """Remove an unfinished copy, and the journal that SQLite leaves beside it when the disk is full."""
    part.unlink(missing_ok=True)
    part.with_name(f"{part.name}-journal").unlink(missing_ok=True)


log = logging.getLogger(__name__)


class Damage:
    """The damage of a database; `path` is that of an SQLite file. It stays known until the process ends."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None  # the device and the number of the file that connections have open
        self._had_content = False
        self._is_total = False  # nothing can be read either
        self.reason: str | None = None

    def note(self, reason: str) -> None:
        """Keep the first damage, and log it."""
        if self.reason is None:
            self.reason = reason
            log.error(
                "%s. Nothing is written any more: stop the service, run 'inkeek db verify', restore a copy", reason
            )

    def check_writable(self) -> None:
        """Check that what is written will be found again. Call this before a transaction, and when it was committed:
        what went into a file that is gone was not stored.

        :raises Damaged: it will not.
        """
        self._look_at_file()
        if self.reason is not None:
            raise Damaged(self.reason)

    def check_readable(self) -> None:
        """Check that there is something to be read.

        :raises Damaged: there is nothing.
        """
        self._look_at_file()
        if self._is_total and self.reason is not None:
            raise Damaged(self.reason)

    def _look_at_file(self) -> None:
        """Note an SQLite file that is gone, empty, or another one than before."""
        fault = None if self._path is None else self._file_fault(self._path)
        if fault is not None:
            self._is_total = True
            self.note(fault)

    def _file_fault(self, path: Path) -> str | None:
        try:
            found = os.stat(path)
        except OSError as error:
            return None if self._file is None else f"the database file is gone: {error}"
        file = (found.st_dev, found.st_ino)
        self._file = self._file or file
        if file != self._file:
            return f"the database file {str(path)!r} was replaced by another one"
        if self._had_content and not found.st_size:
            return f"the database file {str(path)!r} was emptied"
        self._had_content = found.st_size > 0
        return None


class Meter:
    """Notes nothing. One that counts is in `inkeek.service.processes`."""

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


MOST_WRITERS = 1000  # threads, where nobody says how many
SCARCE = 32 << 20  # bytes left on the disk, below which each commit copies SQLite's log, which else grows to 16 MB
LEAST = 1 << 20  # bytes left on the disk, below which soon nothing can be written
FULL_FOR = 60.0  # seconds after a write that found no room, unless another one finds some
LEDGER_LAGS = timedelta(seconds=30)  # after which the ledger counts as standing still
LOOKED_AT = 1000  # rows of an index that SQLite looks at when it analyses; PostgreSQL has a limit of its own


class Store:
    """A database by URL. Opens connections when they are first needed; `close` lets them go.

    `cache`: bytes of an SQLite file that a connection may keep in memory. `writers`: how many threads may write, or
    wait until they may. `connections`: how many to PostgreSQL. `meter`: what notes their
    use. `only_reads`: an SQLite file is only read, and nothing of it or beside it changes.
    """

    def __init__(
        self,
        url: str,
        lock_timeout: float = 10.0,
        cache: int | None = None,
        writers: int = MOST_WRITERS,
        connections: int = POOL,
        meter: Meter | None = None,
        *,
        only_reads: bool = False,
    ) -> None:
        self._engine = open_engine(url, lock_timeout, cache, connections, only_reads=only_reads)
        self._is_sqlite = self._engine.dialect.name == "sqlite"
        self.file = Path(str(self._engine.url.database)) if self._is_sqlite else None
        self.damage = Damage(self.file)
        self._meter = meter or Meter()
        if not self._is_sqlite:
            self._meter.allow(connections)
        self._lock_timeout = lock_timeout
        self._queue = WriteQueue()
        self._room = WriteRoom(writers)
        self._idle: deque[Connection] = deque()
        self._full: tuple[str, float] | None = None  # what a write that found no room said, and when
        self._shared = threading.local()  # the transaction of `together`, for its thread

    def upgrade(self, rooms: Mapping[str, MetaData] | None = None) -> None:
        """Make or update the tables (see `migrate.upgrade`), then those of `rooms` by their names, and let nobody else
        read an SQLite file. A room whose tables cannot be made is logged, and changes nothing."""
        copies: list[UpgradeCopy] = []
        migrate.upgrade(self._engine, lambda revision: copies.extend(self._copy_as_it_was(revision)))
        for made in copies:
            log.warning("%s is of an earlier version, and is brought up to date; copied to %s", self.file, made.keep())
        for name, tables in (rooms or {}).items():
            try:
                migrate.upgrade_room(self._engine, name, tables)
            except StorageError as error:
                log.error("the room %r has no tables: %s", name, error)
        if self.file is not None:
            hide_from_others(Path(os.path.realpath(self.file)))

    def _copy_as_it_was(self, revision: str) -> Iterator[UpgradeCopy]:
        """Copy an SQLite file before its tables change, so that one can go back to the version that made it."""
        if self.file is None:
            log.warning(
                "the database of revision %s is upgraded, without a copy: to go back you need a dump that pg_dump made "
                "before",
                revision,
            )
            return
        made = UpgradeCopy(self.file, revision, utc_now())
        made.remove_failed()
        self.backup(made.path)
        yield made

    def revisions(self) -> tuple[str | None, str]:
        """The revision of the database and the one this version needs."""
        self.damage.check_readable()
        return migrate.current(self._engine), migrate.latest()

    def check_revision(self, *, tables: bool = True) -> str:
        """As `migrate.check`."""
        self.damage.check_readable()
        return migrate.check(self._engine, tables=tables)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
        self._engine.dispose()

    @contextmanager
    def _connect(self, *, anew: bool = False) -> Iterator[Connection]:
        """A connection, with SQLite a new one if `anew`. What was not committed at the end is undone. With SQLite idle
        ones are kept: to get one from a pool takes as long as a statement."""
        try:
            self.damage.check_readable()
            try:
                connection = self._engine.connect() if anew else self._idle.pop()
            except IndexError:
                with self._meter.waiting():
                    connection = self._engine.connect()
            self._meter.take()
            try:
                yield connection
                connection.rollback()
                if self._is_sqlite and len(self._idle) < POOL:
                    self._idle.append(connection)
                else:
                    connection.close()
            except BaseException:
                connection.close()
                raise
            finally:
                self._meter.give_back()
        except self._errors as error:
            raise self._failure(error) from error

    def update_statistics(self) -> None:
        """Have the database look at how its tables are filled, so that it chooses the right index. After many changes.

        :raises StorageError: it cannot.
        """
        with self._connect() as connection:
            begin(connection, self._lock_timeout)
            if self._is_sqlite:
                connection.exec_driver_sql(f"PRAGMA analysis_limit = {LOOKED_AT}")
            connection.exec_driver_sql("ANALYZE")
            connection.commit()

    def surface_faults(self) -> list[str]:
        """What a quick look shows to be wrong with the database, or was found before.

        :raises StorageError: it cannot be reached, or read.
        """
        with self.reading(anew=True) as transaction:
            faults = transaction.audit.schema_faults()
        return [*([] if self.damage.reason is None else [self.damage.reason]), *faults[:1]]

    def check_room(self) -> None:
        """:raises StorageFull: a write has just found no room, or an SQLite file's disk has almost none."""
        if self._full is not None and time.monotonic() - self._full[1] < FULL_FOR:
            raise StorageFull(self._full[0])
        if self.file is not None and (left := free_bytes(self.file)) < LEAST:
            raise StorageFull(f"only {left} bytes are left on the disk of {self.file}")

    @property
    def has_one_writer(self) -> bool:
        """Whether one transaction at a time can write: in SQLite."""
        return self._is_sqlite

    @property
    def ledger_lags(self) -> bool:
        """Whether the ledger must be extended after events were stored: in PostgreSQL. See `tables.ledger`."""
        return not self._is_sqlite

    def update_ledger(self) -> None:
        """Extend the ledger by all events that are committed."""
        if not self.ledger_lags:
            return
        with self.reading() as transaction:
            more = transaction.ledger.has_notes()
        while more:
            with self.writing() as transaction:
                more = transaction.ledger.seal()

    def ledger_age(self) -> timedelta:
        """For how long the oldest event waits that is not in the ledger yet."""
        if not self.ledger_lags:
            return timedelta(0)
        with self.reading() as transaction:
            oldest = transaction.ledger.oldest_note()
        return timedelta(0) if oldest is None else utc_now() - moment(oldest)

    def check_ledger(self) -> None:
        """:raises StorageError: the ledger stands still."""
        age = self.ledger_age()
        if age > LEDGER_LAGS:
            raise StorageError(f"the ledger stands still: for {age.total_seconds():.0f} s an event is not in it yet")

    def checkpoint(self) -> None:
        """Copy SQLite's log into the file, as far as that keeps nobody waiting, so that no commit of others has to.

        :raises StorageError: it cannot.
        """
        if self._is_sqlite:
            with self._connect() as connection:
                copy_log(connection)

    def backup(self, target: Path, progress: Callable[[int, int], None] = lambda done, whole: None) -> None:
        """Copy the database to the SQLite file `target` as it is at one moment, while others read and write it.

        `progress` gets how many pages are copied, and of how many. The file is whole or not there.

        :raises StorageError: the database is not SQLite, the file exists, or cannot be written or read.
        """
        if not self._is_sqlite:
            raise StorageError("cannot back up a PostgreSQL database: use pg_dump")
        with self._failures(), self._engine.connect() as connection:
            source = connection.connection.driver_connection
            assert isinstance(source, sqlite3.Connection)
            copy(source, target, progress)

    def version(self, game_id: str) -> Version | None:
        """A value that is equal as long as neither the game nor its board changes; None if there is no game."""
        with self.reading() as transaction:
            return transaction.games.version(game_id)

    def key(self, digest: str) -> KeyRow | None:
        """As `KeyTable.by_hash`."""
        with self.reading() as transaction:
            return transaction.keys.by_hash(digest)

    def desk_lock(self) -> DeskLock:
        """What one desk at a time has, on a connection of its own."""
        return DeskLock(self._engine, self.file)

    @contextmanager
    def changes(self) -> Iterator[Changes]:
        """What tells whether the database has changed, whoever did it, on a connection of its own."""
        with self._connect() as connection:
            yield Changes(connection)

    @contextmanager
    def together(self, *, joins: bool = False, urgent: bool = False) -> Iterator[Transaction]:
        """A transaction that writes, and that all this thread does with the store until the end of the block is part
        of: it is stored together, or not at all. What `writing` raises is raised where it happens, or at the end.
        `joins`, `urgent`: as there.
        """
        if getattr(self._shared, "transaction", None) is not None:
            with self.writing() as transaction:
                yield transaction
            return
        with self.writing(joins=joins, urgent=urgent) as transaction:
            self._shared.transaction = transaction
            try:
                yield transaction
            finally:
                del self._shared.transaction

    @contextmanager
    def reading(self, *, anew: bool = False) -> Iterator[Transaction]:
        """A transaction that sees one state of the database throughout. With `anew` it is on a connection that has
        nothing of an SQLite file in memory."""
        shared: Transaction | None = getattr(self._shared, "transaction", None)
        if shared is not None and not anew:
            with self._failures():
                yield shared
            return
        with self._connect(anew=anew) as connection:
            if not self._is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            begin(connection)
            yield Transaction(connection)
            connection.commit()  # after a rollback, psycopg forgets which statements PostgreSQL has prepared

    @contextmanager
    def writing(self, *, joins: bool = False, urgent: bool = False, waits: bool = True) -> Iterator[Transaction]:
        """A transaction that is durable when the block has been left, and undone when it raises.

        `joins`: it is short, and may be stored together with those of other threads; each is undone alone. `urgent`: it
        goes before those that are not. `waits`: for other writers, as long as the store does.

        :raises Conflict: another writer was first. :raises StorageFull: there is no room; nothing was stored.
        :raises StorageBusy: others write for too long. :raises Damaged: damage is known.
        """
        shared: Transaction | None = getattr(self._shared, "transaction", None)
        if shared is not None:
            with self._failures():
                yield shared
            return
        timeout = self._lock_timeout if waits else 0.0
        deadline = time.monotonic() + timeout
        room = nullcontext() if urgent else self._room.place(timeout)
        try:
            with room, self._in_turn(deadline, joins=joins, urgent=urgent) as one:
                yield one
        except StorageError as error:
            if timeout:  # else who wrote does without it
                self._meter.note_failed_write(error.slug)
            raise

    @contextmanager
    def _in_turn(self, deadline: float, *, joins: bool, urgent: bool) -> Iterator[Transaction]:
        """A transaction that writes. SQLite has one writer at a time anyway, but those who wait for it only retry now
        and then, in no order: here they come in turn."""
        if not self._is_sqlite:
            with self._connect() as connection:
                yield from self._run(connection, deadline)
                self._commit(connection)
            return
        with self._meter.waiting():
            writer = self._queue.enter(_until(deadline), joins=joins, urgent=urgent)
        if writer.group is None:
            with self._first(deadline, joins=joins) as one:
                yield one
        else:
            with self._joining(writer.group, writer.wait) as one:
                yield one

    def _run(self, connection: Connection, deadline: float) -> Iterator[Transaction]:
        """Begin a transaction that writes, at most until then after others, and do in it what a block does."""
        self.damage.check_writable()
        begin(connection, _until(deadline))
        transaction = Transaction(connection)
        yield transaction
        transaction.ledger.store_notes()

    def _commit(self, connection: Connection) -> None:
        try:
            connection.commit()
        except BaseException:
            connection.invalidate()  # SQLAlchemy takes the transaction for ended
            raise
        self._full = None
        if self.file is not None and free_bytes(self.file) < SCARCE:
            with suppress(*self._errors):  # what was committed is durable without it
                copy_log(connection)
        self.damage.check_writable()

    @contextmanager
    def _first(self, deadline: float, *, joins: bool) -> Iterator[Transaction]:
        """The transaction of a thread whose turn it is to write, in which others may join it."""
        group: Group | None = None
        try:
            with self._connect() as connection:
                yield from self._run(connection, deadline)
                if joins:
                    group = Group(connection)
                    self._queue.pass_on(group)
                    group.is_complete.acquire()
                    if group.error is not None:
                        raise group.error
                self._commit(connection)
        except BaseException as error:
            if group is not None:
                group.fail(error)
            raise
        finally:
            self._queue.leave(group)

    @contextmanager
    def _joining(self, group: Group, wait: Callable[[], object]) -> Iterator[Transaction]:
        """A part of the transaction of a group, which is undone alone if the block raises, until the group has
        committed."""
        try:
            with self._failures(), group.connection.begin_nested():
                transaction = Transaction(group.connection)
                yield transaction
                transaction.ledger.store_notes()
        except BaseException as error:
            if not in_transaction(group.connection):  # what the others wrote is undone too
                group.fail(error)
            raise
        finally:
            self._queue.pass_on(group)
        wait()
        if group.error is not None:
            raise group.error

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            raise self._failure(error) from error

    @cached_property
    def _errors(self) -> tuple[type[Exception], ...]:
        driver: Any = self._engine.dialect.dbapi
        return SQLAlchemyError, driver.Error

    def _failure(self, error: Exception) -> ServiceError:
        failure = translated(error, self._engine.dialect.dbapi)
        if isinstance(failure, Damaged):
            self.damage.note(failure.message)
        if isinstance(failure, StorageFull):
            self._full = failure.message, time.monotonic()
        return failure


def _until(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())
