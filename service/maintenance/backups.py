"""Backups that the service makes by itself: one each hour of play in a folder, each tried out, the last ones kept.

The chosen folder and what was made there stand in two small files beside the database: each has one writer.
"""

from __future__ import annotations

import glob
import logging
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import msgspec
from platformdirs import user_documents_path

from inkeek.records.structs import decode_json
from inkeek.service.errors import Invalid, NotFound, StorageError, StorageFull
from inkeek.service.files import written_file
from inkeek.service.storage import EVERYTHING
from inkeek.service.storage.clock import Clock, moment, stamp, utc_now
from inkeek.service.storage.database.engine import file_url
from inkeek.service.storage.store import Store

from .verify import MAX_FAULTS, verify_game

log = logging.getLogger(__name__)

EVERY = timedelta(hours=1)
RETRY_AFTER = 60.0  # seconds from a backup, which may have failed, to the next
KEPT = 24
TRIED = 50  # games of a backup that are checked: those that are played, then the newest
ROOM = 16 << 20  # bytes that a backup leaves free
FOLDER = "Inkeek backups"  # on a stick, or among the documents
STALE = 3600.0  # seconds after which a copy for a download belongs to a process that was killed
STICKS = ("/media/*", "/media/*/*", "/run/media/*/*", "/Volumes/*")
_NAME = re.compile(r"inkeek-[0-9]{8}-[0-9]{6}\.sqlite3", re.ASCII)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made and tried. `position`: the last one of the ledger before."""

    name: str
    time: str
    games: int
    size: int
    position: int


@dataclass(frozen=True, slots=True)
class History:
    """What was made in a folder, the oldest first. `begun`: the backup that is being made. `problem`: why the last one
    failed: ``full`` or ``failed``, with the message in `detail`."""

    folder: str = ""
    made: tuple[Backup, ...] = ()
    begun: str = ""
    problem: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class BackupPlace:
    """A folder in which backups can be made, and the bytes that are free there."""

    folder: Path
    free: int


class Backups:
    """The backups of a database. `setting` is the folder that the settings name; empty: the one chosen on the page."""

    def __init__(
        self, store: Store, setting: str = "", now: Clock = utc_now, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._setting = setting
        self._now = now
        self._clock = clock
        self._retry_at = 0.0

    @property
    def are_possible(self) -> bool:
        """Whether this makes backups: those of PostgreSQL are its operator's."""
        return self._store.file is not None

    @property
    def is_set(self) -> bool:
        """Whether the settings name the folder."""
        return bool(self._setting)

    def folder(self) -> Path | None:
        """The folder for backups, which may be a stick that is not there; None if there is none."""
        if self._setting:
            return Path(self._setting)
        with suppress(FileNotFoundError):
            return Path(text) if (text := self._choice_file.read_text("utf-8")) else None
        return None

    def places(self) -> list[BackupPlace]:
        """Where backups can be made: on sticks that are there, and among the documents."""
        bases = [base for base in (*_sticks(), user_documents_path()) if base.is_dir()]
        return [BackupPlace(base / FOLDER, shutil.disk_usage(base).free) for base in bases]

    def choose(self, text: str) -> None:
        """Make backups in one of the `places` from now on, or with an empty text none.

        :raises Invalid: another folder, or one that cannot be made.
        """
        if text and text not in (str(place.folder) for place in self.places()):
            raise Invalid("folder is %(text)r. Expected one of those on the page: is the stick still there?", text=text)
        try:
            if text:
                Path(text).mkdir(exist_ok=True)
            _write(self._choice_file, text.encode())
        except OSError as error:
            raise Invalid("folder is %(text)r: %(reason)s", text=text, reason=str(error.strerror)) from error

    def history(self) -> History:
        """What was made in the current folder."""
        folder = self.folder()
        with suppress(OSError, msgspec.MsgspecError):
            found = decode_json(self._history_file.read_bytes(), History)
            if folder is not None and found.folder == str(folder):
                return found
        return History(str(folder or ""))

    def look(self) -> None:
        """Make a backup if one is due: the games have changed since the last one, an hour ago or more."""
        folder = self.folder() if self.are_possible else None
        if folder is None or not folder.is_dir() or self._clock() < self._retry_at:
            return
        history = self.history()
        with self._store.reading() as transaction:
            position = transaction.ledger.head().position
        last = history.made[-1] if history.made else None
        if last is not None and (folder / last.name).exists():
            age = self._now() - moment(last.time)
            if position == last.position or timedelta() <= age < EVERY:
                return
        self._attempt(folder, history, position)

    def _attempt(self, folder: Path, history: History, position: int) -> None:
        """Make and try a backup, remove old ones, and keep what came of it."""
        if _NAME.fullmatch(history.begun):  # a process was killed
            for left in (history.begun, f"{history.begun}.part"):
                _remove(folder / left)
        now, self._retry_at = self._now(), self._clock() + RETRY_AFTER
        name = f"inkeek-{now.astimezone():%Y%m%d-%H%M%S}.sqlite3"
        try:
            self._keep(replace(history, begun=name))  # one that is not noted would never be removed
            self._check_room(folder)
            self._store.backup(folder / name)
            games = try_backup(folder / name)
            size = (folder / name).stat().st_size
            made = (*history.made, Backup(name, stamp(now), games, size, position))
            self._keep(History(str(folder), made[-KEPT:]))
        except (StorageError, OSError) as error:
            log.error("no backup was made in %s: %s", folder, error)
            _remove(folder / name)
            problem = "full" if isinstance(error, StorageFull) else "failed"
            with suppress(OSError):  # the disk of the database is full, too
                self._keep(replace(history, begun="", problem=problem, detail=str(error)))
            return
        for old in made[:-KEPT]:
            if _NAME.fullmatch(old.name):
                _remove(folder / old.name, old.size)
        log.info("made and tried the backup %s with %d games", folder / name, games)

    @contextmanager
    def temporary(self) -> Iterator[Path]:
        """A copy beside the database, as long as the block lasts.

        :raises StorageError: it cannot be made.
        """
        file = self._file
        for left in file.parent.glob(f"{glob.escape(file.name)}-copy-*"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > STALE:
                    left.unlink()
        self._check_room(file.parent)
        copy = file.with_name(f"{file.name}-copy-{os.getpid()}-{time.monotonic_ns()}")
        self._store.backup(copy)
        try:
            yield copy
        finally:
            _remove(copy)

    def _check_room(self, folder: Path) -> None:
        """:raises StorageFull: a copy of the database does not fit into the folder."""
        needed, free = self._file.stat().st_size + ROOM, shutil.disk_usage(folder).free
        if free < needed:
            raise StorageFull(f"a backup needs {needed >> 20} MB in {str(folder)!r}, and {free >> 20} MB are free")

    def _keep(self, history: History) -> None:
        _write(self._history_file, msgspec.json.encode(history))

    @property
    def _file(self) -> Path:
        if self._store.file is None:
            raise NotFound("PostgreSQL has backups of its own. Use `pg_dump`.")
        return self._store.file

    @property
    def _choice_file(self) -> Path:
        return self._file.with_name(f"{self._file.name}-backup-folder")

    @property
    def _history_file(self) -> Path:
        return self._file.with_name(f"{self._file.name}-backups.json")


def try_backup(path: Path) -> int:
    """Open a backup as a restored database is opened, and check the file, its tables and some of its games.

    Return how many games it has.

    :raises StorageError: something is wrong.
    """
    with suppress(AttributeError, OSError), path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # read it from the stick, not from memory
    store = Store(file_url(path), only_reads=True)
    try:
        store.check_revision()
        with store.reading() as transaction:
            faults = transaction.audit.file_faults(MAX_FAULTS)
            rows, _ = transaction.games.page(TRIED, None, EVERYTHING)
            for row in rows:
                faults += verify_game(transaction, row.id).faults
            games = transaction.games.count()
    finally:
        store.close()
    if faults:
        raise StorageError(f"the backup {str(path)!r} is damaged: {faults[0]}")
    return games


def _sticks() -> list[Path]:
    """Where sticks and other drives besides the system's are mounted."""
    if sys.platform == "win32":
        found = [f"{letter}:\\" for letter in "DEFGHIJKLMNOPQRSTUVWXYZ"]
    else:
        found = sorted(path for pattern in STICKS for path in glob.glob(pattern))
    return [Path(path) for path in found if os.path.ismount(path) and os.access(path, os.W_OK)]


def _write(path: Path, text: bytes) -> None:
    with written_file(path) as file:
        file.write(text)


def _remove(path: Path, size: int | None = None) -> None:
    """Remove a file, if it has that size: else it is another one by now."""
    with suppress(OSError):
        if size is None or path.stat().st_size == size:
            path.unlink()
