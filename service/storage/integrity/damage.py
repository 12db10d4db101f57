"""What is known to be wrong with the database of this process. Then nothing is written to it any more."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from inkeek.service.errors import Damaged

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
