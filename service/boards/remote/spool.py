"""The spool of a far board: a file with the reports that are not delivered yet, and with what is known of the game.

It is an SQLite file. A process locks it while it is open, so two processes never fill the same one. When `keep`
returns, the report is on the disk.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inkeek.drivers.errors import SpoolError, SpoolFull
from inkeek.service.errors import Damaged
from inkeek.service.storage import BoardRow, GameEvent, RequestRow
from inkeek.service.storage.database.files import create_private
from inkeek.service.storage.text_json import dump_texts, load_texts


@dataclass(frozen=True, slots=True)
class Known:
    """The row of the board, with its own port and driver; the events of its game, of which the first `confirmed` are
    the service's and the others follow from reports that wait; and the requests that wait."""

    board: BoardRow
    events: tuple[GameEvent, ...]
    confirmed: int
    requests: tuple[RequestRow, ...] = ()


def read_events(game_id: str, news: Mapping[str, Any]) -> list[GameEvent]:
    """The events of a game in an answer of the service.

    :raises LookupError, TypeError: it has none.
    """
    return [GameEvent(game_id, *(one[name] for name in GameEvent._fields[1:])) for one in news["events"]]


MAX_REPORTS = 20_000  # some hundred games
MAX_BYTES = 128 << 20  # of the file
VERSION = 2  # of the file's format; version 1 held events of the board
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_TABLES = """
CREATE TABLE board (one INTEGER PRIMARY KEY CHECK (one = 1), board TEXT NOT NULL, confirmed INTEGER NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, event TEXT NOT NULL);
CREATE TABLE reports (number INTEGER PRIMARY KEY AUTOINCREMENT, report TEXT NOT NULL);
"""


class Spool:
    """The file at `path`. Any thread may use it. `waiting`: how many reports it keeps."""

    def __init__(self, path: Path, limit: int = MAX_REPORTS, max_bytes: int = MAX_BYTES) -> None:
        """Open or create the file.

        :raises SpoolError: another process uses it, it cannot be written, or it is no spool of this version.
        """
        self.path = path
        self.limit = limit
        self._lock = threading.Lock()
        self._hashes: list[str] = []  # of the events that the file has
        with _failures(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_private(path)
            self._file = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
            try:
                self._open(max_bytes)
            except BaseException:
                self._file.close()
                raise

    def _open(self, max_bytes: int) -> None:
        self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._file.execute("PRAGMA journal_mode = WAL")
        page_size = self._file.execute("PRAGMA page_size").fetchone()[0]
        self._file.execute(f"PRAGMA max_page_count = {max_bytes // page_size}")
        with self._transaction():  # from here on the file is ours
            version = self._file.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                for statement in _TABLES.split(";")[:-1]:
                    self._file.execute(statement)
                self._file.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise SpoolError(
                    f"{self.path} is a spool of version {version}: expected {VERSION}. Deliver it with the program "
                    f"that made it, or give another folder than {self.path.parent} with --spool"
                )
        self.waiting: int = self._file.execute("SELECT count(*) FROM reports").fetchone()[0]

    def load(self) -> tuple[Known | None, list[tuple[int, dict[str, Any]]]]:
        """What was known, None if nothing was; and the reports that wait, in order, each with its number.

        :raises SpoolError: the file is damaged.
        """
        with self._lock, _failures(self.path):
            reports = self._file.execute("SELECT number, report FROM reports ORDER BY number").fetchall()
            found = self._file.execute("SELECT board, confirmed FROM board").fetchone()
            events = self._file.execute("SELECT event FROM events ORDER BY seq").fetchall()
        try:
            waiting = [(number, json.loads(text)) for number, text in reports]
            if found is None:
                return None, waiting
            board = BoardRow(**load_texts(found[0], "the board in a spool"))
            known = Known(board, tuple(GameEvent(*json.loads(text)) for (text,) in events), found[1])
        except (ValueError, TypeError, Damaged) as error:
            raise SpoolError(f"the spool {self.path} is damaged: {error}") from error
        self._hashes = [event.hash for event in known.events]
        return known, waiting

    def keep(self, report: dict[str, Any], known: Known | None, instead_of: Collection[int] = ()) -> int:
        """Keep a report, in place of others, and what is known after it, if that is new. Return its number.

        :raises SpoolFull: there is no room. :raises SpoolError: the file cannot be written.
        """
        if self.waiting - len(instead_of) >= self.limit:
            raise SpoolFull(f"the spool {self.path} is full: {self.limit} reports wait in it")
        with self._writing(durable=True):
            self._delete(instead_of)
            number = self._file.execute("INSERT INTO reports (report) VALUES (?)", (json.dumps(report),)).lastrowid
            if known is not None:
                self._remember(known)
        assert number is not None
        return number

    def forget(self, numbers: Collection[int]) -> None:
        """Drop reports that are delivered. If a power failure undoes it, delivering them again does nothing."""
        with self._writing(durable=False):
            self._delete(numbers)

    def remember(self, known: Known) -> None:
        """Note what is known."""
        with self._writing(durable=False):
            self._remember(known)

    def close(self) -> None:
        """Close the file. May be called twice."""
        with self._lock:
            self._file.close()

    def _delete(self, numbers: Collection[int]) -> None:
        self._file.executemany("DELETE FROM reports WHERE number = ?", [(number,) for number in numbers])

    def _remember(self, known: Known) -> None:
        row = dump_texts(known.board._asdict())
        self._file.execute("INSERT OR REPLACE INTO board VALUES (1, ?, ?)", (row, known.confirmed))
        hashes = [event.hash for event in known.events]
        pairs = zip(self._hashes, hashes, strict=False)
        same = next((at for at, (then, now) in enumerate(pairs) if then != now), min(len(self._hashes), len(hashes)))
        self._file.execute("DELETE FROM events WHERE seq > ?", (same,))
        new = [(event.seq, json.dumps(event)) for event in known.events[same:]]
        self._file.executemany("INSERT INTO events VALUES (?, ?)", new)
        self._new_hashes = hashes

    @contextmanager
    def _writing(self, *, durable: bool) -> Iterator[None]:
        with self._lock, _failures(self.path):
            self._new_hashes = self._hashes
            self._file.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with self._transaction():
                yield
            self._hashes = self._new_hashes
            self.waiting = self._file.execute("SELECT count(*) FROM reports").fetchone()[0]

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
            raise SpoolError(f"{path} is in use: another process delivers its reports already") from error
        kind = SpoolFull if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL else SpoolError
        raise kind(f"the spool {path} fails: {error}") from error
    except OSError as error:
        raise SpoolError(f"the spool {path} cannot be created: {error.strerror}") from error
