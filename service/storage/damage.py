"""What is known to be wrong with the database of this process. Then nothing is written to it any more."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from service.errors import Damaged

log = logging.getLogger(__name__)


class Damage:
    """The damage of a database; `path` is that of an SQLite file. It stays known until the process ends."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None  # the device and the number of the file that connections have open
        self._had_content = False
        self.reason: str | None = None
        self.is_total = False

    def note(self, reason: str, *, total: bool = False) -> None:
        """Keep the first damage, and log it; `total` if nothing can be read either."""
        self.is_total = self.is_total or total
        if self.reason is None:
            self.reason = reason
            log.error(
                "%s. Nothing is written any more: stop the service, run 'inkeek db verify', restore a copy", reason
            )

    def check_writable(self) -> None:
        """Check that what is written will be found again. Call this with an open connection.

        :raises Damaged: it will not.
        """
        self._look_at_file()
        if self.reason is not None:
            raise Damaged(self.reason)

    def check_readable(self) -> None:
        """Check that there is something to be read. Call this before a connection is opened.

        :raises Damaged: there is nothing.
        """
        self._look_at_file()
        if self.is_total and self.reason is not None:
            raise Damaged(self.reason)

    def _look_at_file(self) -> None:
        """Note an SQLite file that is gone, empty, or another one than before."""
        if self._path is None:
            return
        try:
            found = os.stat(self._path)
        except OSError as error:
            if self._file is not None:
                self.note(f"the database file is gone: {error}", total=True)
            return
        file = (found.st_dev, found.st_ino)
        self._file = self._file or file
        if file != self._file:
            self.note(f"the database file {str(self._path)!r} was replaced by another one", total=True)
        elif self._had_content and not found.st_size:
            self.note(f"the database file {str(self._path)!r} was emptied", total=True)
        self._had_content = self._had_content or found.st_size > 0

    def check_length(self, pages: int, page_size: int) -> None:
        """Note an SQLite file that is shorter than it says, unless its end may still be in the write-ahead log."""
        assert self._path is not None
        log_file = self._path.with_name(self._path.name + "-wal")
        try:
            if log_file.exists() and log_file.stat().st_size:
                return
            size = self._path.stat().st_size
        except OSError as error:
            self.note(f"the database file cannot be read: {error}")
            return
        if size < pages * page_size:
            self.note(f"the database file was cut short: it has {size} bytes of {pages * page_size}")
