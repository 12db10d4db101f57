"""Files that commands write: the whole file or nothing of it."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

STANDARD = Path("-")  # as the name of a file: standard input or output
MAX_LINE = 64_000_000  # bytes
MAX_CERTIFICATES = 16 << 20  # bytes of a file


def checked_target(path: Path) -> Path:
    """What would be written as `path`: where its symbolic links lead. Nothing waits for a pipe, or reads a device.

    :raises OSError: it cannot be written, or is no regular file.
    """
    target = Path(os.path.realpath(path))
    if os.path.lexists(target) and not target.is_file():
        raise OSError(errno.EINVAL, "expected a regular file", str(path))
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise OSError(errno.EACCES if target.parent.is_dir() else errno.ENOENT, "it cannot be written", str(path))
    return target


@contextmanager
def written_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that becomes `path` at the end. After an error `path` is as it was.

    Symbolic links and further names of the file stay, and so do its owner and permissions; a new one is only its
    owner's.
    :raises OSError: it cannot be written, or `path` is no regular file.
    """
    target = checked_target(path)
    old = target.stat() if target.exists() else None
    handle, name = tempfile.mkstemp(".part", f".{target.name[:40]}-", target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if old is not None and old.st_nlink > 1:
            _overwrite(target, Path(name), old.st_size)
            os.unlink(name)
            return
        if old is not None:
            if hasattr(os, "chown"):
                with suppress(PermissionError):  # of another user's file, in whose place comes one of ours
                    os.chown(name, old.st_uid, old.st_gid)
            os.chmod(name, stat.S_IMODE(old.st_mode))
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _overwrite(target: Path, new: Path, size: int) -> None:
    """Overwrite a file of that size in its place. What takes more room is written first: if there is none, the file is
    as it was."""
    data = memoryview(new.read_bytes())
    with target.open("rb+", buffering=0) as file:
        for start, part in ((size, data[size:]), (0, data[:size])):
            file.seek(start)
            try:
                while part:
                    part = part[file.write(part) :]
            except OSError:
                file.truncate(size)
                raise
        file.truncate(len(data))
        os.fsync(file.fileno())


def read_bounded(path: str | Path, most: int) -> bytes:
    """The content of a file.

    :raises OSError: it cannot be read, or is longer than `most` bytes, as a device that has no end.
    """
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"longer than {most} bytes", str(path))
    return data


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file.

    :raises OSError: one is longer than `MAX_LINE`, as in a device that has no end.
    """
    for number, line in enumerate(iter(lambda: file.readline(MAX_LINE), b""), 1):
        if len(line) == MAX_LINE:
            raise OSError(errno.EFBIG, f"line {number} is longer than {MAX_LINE} bytes")
        yield line


def print_exactly(data: bytes) -> None:
    """Write to standard output: the bytes themselves, but on a terminal as a text that shows what it would obey."""
    if sys.stdout.isatty():
        sys.stdout.write(data.decode("utf-8", "replace"))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def write_output(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file, or standard output for ``-``.

    :raises OSError: see `written_file`.
    """
    if path == STANDARD:
        for part in parts:
            print_exactly(part)
        return
    with written_file(path) as file:
        file.writelines(parts)
