"""A copy of an SQLite file that is in use, by SQLite's own online backup."""

from __future__ import annotations

import glob
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from inkeek.service.errors import StorageError

from .files import open_private

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
