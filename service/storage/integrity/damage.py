"""What is known to be wrong with the database of this process. Then nothing is written to it any more."""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path

from service.errors import Damaged

log = logging.getLogger(__name__)

MAGIC = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")  # how a write-ahead log of SQLite begins
HEAD = 24  # bytes of its header, up to the salts, which differ whenever SQLite begins to fill the file anew
READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)


class Damage:
    """The damage of a database; `path` is that of an SQLite file. It stays known until the process ends."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None  # the device and the number of the file that connections have open
        self._had_content = False
        self._logs = None if path is None else _LogFiles(path)
        self.reason: str | None = None
        self.is_total = False
        self.has_lost_log = False  # whole, but where no other connection finds it

    def note(self, reason: str, *, total: bool = False) -> None:
        """Keep the first damage, and log it; `total` if nothing can be read either."""
        self.is_total = self.is_total or total
        if self.reason is None:
            self.reason = reason
            log.error(
                "%s. Nothing is written any more: stop the service, run 'inkeek db verify', restore a copy", reason
            )

    def hold_log(self) -> None:
        """Call this when a connection was opened: until it is closed, SQLite keeps its log, and the log is watched."""
        if self._logs is not None:
            self._logs.hold()

    def release_log(self) -> None:
        """Call this before a connection is closed."""
        if self._logs is not None:
            self._logs.release()

    def check_writable(self) -> None:
        """Check that what is written will be found again. Call this with an open connection, before a transaction, and
        when it was committed: what went into a file that is gone was not stored.

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
        """Note an SQLite file, or its log, that is gone, empty, or another one than before."""
        if self._path is None or self._logs is None:
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
        else:
            fault = self._logs.fault()
            if fault is not None:
                self.has_lost_log = not self._logs.is_cut
                self.note(fault, total=True)
        self._had_content = self._had_content or found.st_size > 0

    def check_length(self, pages: int, page_size: int) -> None:
        """Note an SQLite file that is shorter than it says, unless its end may still be in the write-ahead log."""
        assert self._path is not None
        assert self._logs is not None
        try:
            if self._logs.path.exists() and self._logs.path.stat().st_size:
                return
            size = self._path.stat().st_size
        except OSError as error:
            self.note(f"the database file cannot be read: {error}")
            return
        if size < pages * page_size:
            self.note(f"the database file was cut short: it has {size} bytes of {pages * page_size}")


class _LogFiles:
    """The write-ahead log of an SQLite file and its index, while connections of this process have them open.

    SQLite keeps both as long as a connection is open anywhere, and goes on writing to them when they are deleted: until
    the last one is closed nobody would notice. It empties a log only in one step, and begins it anew with other salts.
    """

    def __init__(self, path: Path) -> None:
        self._database = path
        self._lock = threading.Lock()
        self._holders = 0
        self._fd: int | None = None  # of the log. SQLite has no locks on it, which closing would drop
        self._paths = ("", "")  # of the log and its index
        self._files: tuple[int, ...] = ()
        self._head = b""
        self._size = 0
        self.is_cut = False

    @property
    def path(self) -> Path:
        """The log: beside the file itself, not beside a link to it."""
        return Path(os.path.realpath(self._database) + "-wal")

    def hold(self) -> None:
        with self._lock:
            self._holders += 1
            if self._fd is None:
                log_path = str(self.path)
                self._paths = (log_path, log_path.removesuffix("-wal") + "-shm")
                try:
                    self._fd = os.open(log_path, READ)
                except OSError:
                    return  # this file system has no write-ahead logs
                self._files, self._size = self._look()
                self._head = _read_head(self._fd)

    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            if not self._holders and self._fd is not None:
                os.close(self._fd)
                self._fd = None

    def fault(self) -> str | None:
        """What is wrong with the log or its index."""
        with self._lock:  # so that no other thread closes the last connection meanwhile, whereupon SQLite deletes them
            if self._fd is None:
                return None
            files, size = self._look()
            if files != self._files:
                return f"the files {' and '.join(map(repr, self._paths))} were deleted, moved or replaced"
            head = _read_head(self._fd)
            is_strange = (head != b"" and head[:4] not in MAGIC) or (head == self._head and size < self._size)
            if is_strange and _read_head(self._fd) == head:  # else another process has emptied it just now
                self.is_cut = True
                return f"the file {self._paths[0]!r}, which has what was written last, was cut short"
            self._head, self._size = head, size
            return None

    def _look(self) -> tuple[tuple[int, ...], int]:
        """Which files they are, nothing if one is missing, and the size of the log."""
        try:
            found, index = os.stat(self._paths[0]), os.stat(self._paths[1])
        except OSError:
            return (), 0
        return (found.st_dev, found.st_ino, index.st_dev, index.st_ino), found.st_size


def _read_head(fd: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(fd, HEAD, 0)
    os.lseek(fd, 0, os.SEEK_SET)
    return os.read(fd, HEAD)
