"""A spool: a file that keeps a board's events until they are delivered, even if the process is killed.

It is an SQLite file. A process locks it while it is open, so two processes never fill the same one. When `append`
returns, the events are on the disk.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inkeek.drivers.base import Resume
from inkeek.drivers.errors import SpoolError, SpoolFull
from inkeek.drivers.events import Button, Event, Gap, Numbered
from inkeek.drivers.recording.json_form import event_json
from inkeek.service.storage.database.files import create_private

MAX_SPOOL_EVENTS = 100_000  # events: some hundred games; about 20 MB
MAX_SPOOL_BYTES = 64 << 20  # of the file
VERSION = 1  # of the file's format
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_TABLES = """
CREATE TABLE spool (
    id TEXT NOT NULL, board TEXT, begun INTEGER NOT NULL, last INTEGER NOT NULL, boot TEXT, seq INTEGER NOT NULL,
    button INTEGER NOT NULL);
CREATE TABLE events (number INTEGER PRIMARY KEY, event TEXT NOT NULL);
"""


class Spool:
    """The events in the file at `path`, with consecutive numbers. Any thread may use it.

    `id` names the spool permanently, `board` is the service's id of its board. `begun`: the number of the first event
    is known. `first` and `last`: the oldest event that is held, and the last that was appended. `resume`: the board's
    last event that was appended, for `Driver.open`. `button`: the number of the last button, 0 if there is none.
    `bound`: the serial number of the only board that may fill the spool; None: the first one.
    """

    def __init__(self, path: Path, limit: int = MAX_SPOOL_EVENTS, max_bytes: int = MAX_SPOOL_BYTES) -> None:
        """Open or create the file.

        :raises SpoolError: another process uses it, it cannot be written, or it is no spool.
        """
        self.path = path
        self.limit = limit
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        with _failures(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_private(path)
            self._file = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
            try:
                self._open()
            except BaseException:
                self._file.close()
                raise

    def _open(self) -> None:
        self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = FULL")
        page_size = self._file.execute("PRAGMA page_size").fetchone()[0]
        self._file.execute(f"PRAGMA max_page_count = {self.max_bytes // page_size}")
        with self._transaction():  # from here on the file is ours
            version = self._file.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                for statement in _TABLES.split(";")[:-1]:
                    self._file.execute(statement)
                self._file.execute("INSERT INTO spool VALUES (?, NULL, 0, 0, NULL, 0, 0)", (secrets.token_hex(16),))
                self._file.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise SpoolError(f"{self.path} is a spool of version {version}: expected {VERSION}")
            self._file.execute("CREATE TABLE IF NOT EXISTS bound (serial TEXT NOT NULL)")
        self._read()

    def _read(self) -> None:
        """Read what the file holds: nothing else is known of it, whether a write succeeded or failed."""
        row = self._file.execute("SELECT id, board, begun, last, boot, seq, button FROM spool").fetchone()
        self.id: str = row[0]
        self.board: str | None = row[1]
        self.begun = bool(row[2])
        self.last: int = row[3]
        self.resume: Resume | None = None if row[4] is None else (row[4], row[5])
        self.button: int = row[6]
        bound = self._file.execute("SELECT serial FROM bound").fetchone()
        self.bound: str | None = None if bound is None else bound[0]
        first = self._file.execute("SELECT min(number) FROM events").fetchone()[0]
        self.first: int = self.last + 1 if first is None else first

    @property
    def waiting(self) -> int:
        """How many events are not delivered yet."""
        return self.last + 1 - self.first

    def bind(self, board: str) -> None:
        """Set the service's id of the board."""
        with self._writing():
            self._file.execute("UPDATE spool SET board = ?", (board,))

    def bind_serial(self, serial: str) -> None:
        """Set the serial number of the only board that may fill this."""
        if serial != self.bound:
            with self._writing():
                self._file.execute("DELETE FROM bound")
                self._file.execute("INSERT INTO bound VALUES (?)", (serial,))

    def begin(self, last: int, resume: Resume | None) -> None:
        """Set, once, the number before the first event, and the board's event before it."""
        assert not self.begun
        boot, seq = resume or (None, 0)
        with self._writing():
            self._file.execute("UPDATE spool SET begun = 1, last = ?, boot = ?, seq = ?", (last, boot, seq))

    def append(self, events: Sequence[Event]) -> None:
        """Append all of these events, or none.

        :raises SpoolFull: there is no room. :raises SpoolError: the file cannot be written.
        :raises MessageError: an event cannot be sent.
        """
        rows: list[tuple[int, str]] = []
        resume, button = self.resume, self.button
        for number, event in enumerate(events, self.last + 1):
            rows.append((number, json.dumps(event_json(event), allow_nan=False)))
            if isinstance(event, Numbered | Gap):
                resume = event.boot, event.seq
            if isinstance(event, Button):
                button = number
        if self.waiting + len(rows) > self.limit:
            raise SpoolFull(f"the spool {self.path} is full: {self.limit} events wait in it")
        if not rows:
            return
        boot, seq = resume or (None, 0)
        with self._writing():
            self._file.executemany("INSERT INTO events VALUES (?, ?)", rows)
            changes = (rows[-1][0], boot, seq, button)
            self._file.execute("UPDATE spool SET last = ?, boot = ?, seq = ?, button = ?", changes)

    def batch(self, most: int) -> tuple[int, list[dict[str, Any]]]:
        """The number of the oldest event that is held, and at most `most` events from it on."""
        with self._lock, _failures(self.path):
            query = "SELECT event FROM events ORDER BY number LIMIT ?"
            return self.first, [json.loads(row[0]) for row in self._file.execute(query, (most,))]

    def forget(self, upto: int) -> None:
        """Drop the events up to this number: they are delivered."""
        with self._writing():
            self._file.execute("DELETE FROM events WHERE number <= ?", (upto,))

    def close(self) -> None:
        """Close the file. May be called twice."""
        with self._lock:
            self._file.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock, _failures(self.path):
            try:
                with self._transaction():
                    yield
            finally:
                self._read()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._file.execute("COMMIT")
        finally:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")


@contextmanager
def _failures(path: Path) -> Iterator[None]:
    """Raise errors of the file as errors of this package."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) in _BUSY:
            raise SpoolError(f"{path} is in use: another process delivers its events already") from error
        kind = SpoolFull if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL else SpoolError
        raise kind(f"the spool {path} fails: {error}") from error
    except OSError as error:
        raise SpoolError(f"the spool {path} cannot be created: {error.strerror}") from error
