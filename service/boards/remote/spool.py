"""A spool: a file that keeps a board's events until they are delivered, through any death of the process.

The file is SQLite's. It is held exclusively while it is open, so that two processes never fill the same one, and what
was appended is on the disk when `append` has returned.
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

from drivers.base import Resume
from drivers.errors import SpoolError, SpoolFull
from drivers.events import Button, Event, Gap, Numbered
from drivers.recording.json_form import event_json

LIMIT = 100_000  # events: some hundred games; about 20 MB
VERSION = 1  # of the file's form
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_TABLES = """
CREATE TABLE spool (
    id TEXT NOT NULL, board TEXT, begun INTEGER NOT NULL, last INTEGER NOT NULL, boot TEXT, seq INTEGER NOT NULL,
    button INTEGER NOT NULL);
CREATE TABLE events (number INTEGER PRIMARY KEY, event TEXT NOT NULL);
"""


class Spool:
    """The events in the file at `path`, numbered one after another. Any thread may use it.

    `id` names it for ever. `board`: the service's id of the board whose events these are. `begun`: it knows from which
    number and from which of the board's events it begins. `last`: the number of the last event that was appended.
    `resume`: the last event of the board that is in the record of this spool, for `Driver.open`. `button`: the number
    of the last button that was pressed, 0 if none.
    """

    def __init__(self, path: Path, limit: int = LIMIT) -> None:
        """Open the file, or make it.

        :raises SpoolError: another process has it, it cannot be written, or it is no spool.
        """
        self.path = path
        self.limit = limit
        self._lock = threading.Lock()
        with _failures(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
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
        with self._writing():  # from here on the file is ours
            version = self._file.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                for statement in _TABLES.split(";")[:-1]:
                    self._file.execute(statement)
                self._file.execute("INSERT INTO spool VALUES (?, NULL, 0, 0, NULL, 0, 0)", (secrets.token_hex(16),))
                self._file.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise SpoolError(f"{self.path} is a spool of version {version}: known is {VERSION}")
        row = self._file.execute("SELECT id, board, begun, last, boot, seq, button FROM spool").fetchone()
        self.id: str = row[0]
        self.board: str | None = row[1]
        self.begun = bool(row[2])
        self.last: int = row[3]
        self.resume: Resume | None = None if row[4] is None else (row[4], row[5])
        self.button: int = row[6]
        first = self._file.execute("SELECT min(number) FROM events").fetchone()[0]
        self.first: int = self.last + 1 if first is None else first

    @property
    def waiting(self) -> int:
        """How many events are not delivered yet; they are those from number `first` on."""
        return self.last + 1 - self.first

    def bind(self, board: str) -> None:
        """From now on the events are for this board of the service."""
        with self._lock, _failures(self.path), self._writing():
            self._file.execute("UPDATE spool SET board = ?", (board,))
            self.board = board

    def begin(self, last: int, resume: Resume | None) -> None:
        """The next event gets the number after `last`; the board's events go on after `resume`. Once for a spool."""
        assert not self.begun
        boot, seq = resume or (None, 0)
        with self._lock, _failures(self.path), self._writing():
            self._file.execute("UPDATE spool SET begun = 1, last = ?, boot = ?, seq = ?", (last, boot, seq))
            self.begun, self.last, self.resume, self.first = True, last, resume, last + 1

    def append(self, events: Sequence[Event]) -> None:
        """Keep these events, all of them or none.

        :raises SpoolFull: there is no room. :raises SpoolError: the file cannot be written.
        :raises MessageError: one of them cannot be sent.
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
            raise SpoolFull(f"the spool {self.path} is full: {self.limit} events wait in it, its limit")
        if not rows:
            return
        boot, seq = resume or (None, 0)
        with self._lock, _failures(self.path), self._writing():
            self._file.executemany("INSERT INTO events VALUES (?, ?)", rows)
            told = (rows[-1][0], boot, seq, button)
            self._file.execute("UPDATE spool SET last = ?, boot = ?, seq = ?, button = ?", told)
            self.last, self.resume, self.button = rows[-1][0], resume, button

    def batch(self, most: int) -> tuple[int, list[dict[str, Any]]]:
        """The number of the oldest event that is held, and it and those after it, `most` at most."""
        with self._lock, _failures(self.path):
            query = "SELECT event FROM events ORDER BY number LIMIT ?"
            return self.first, [json.loads(row[0]) for row in self._file.execute(query, (most,))]

    def forget(self, upto: int) -> None:
        """Drop the events up to that number: they are delivered."""
        with self._lock, _failures(self.path), self._writing():
            self._file.execute("DELETE FROM events WHERE number <= ?", (upto,))
            self.first = max(self.first, min(upto, self.last) + 1)

    def close(self) -> None:
        """Let the file go. May be called twice."""
        with self._lock:
            self._file.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._file.execute("COMMIT")
        except BaseException:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise


@contextmanager
def _failures(path: Path) -> Iterator[None]:
    """What the file does wrong as errors of this package."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) in _BUSY:
            raise SpoolError(f"{path} is in use: another process delivers these events already") from error
        kind = SpoolFull if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL else SpoolError
        raise kind(f"the spool {path} fails: {error}") from error
    except OSError as error:
        raise SpoolError(f"the spool {path} cannot be made: {error.strerror}") from error
