"""Files that only their owner may use: databases and their copies."""

from __future__ import annotations

import logging
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)

OTHERS = 0o007  # the rights of everybody else
BESIDE = ("", "-wal", "-shm", "-journal")  # what the names of an SQLite file and those beside it end with
_creating = threading.Lock()


def create_private(path: Path) -> None:
    """Create an empty file that only its owner may use, if there is none.

    SQLite gives the files beside a database the rights of the database.

    :raises OSError: it cannot be created.
    """
    # A file that is there must not be opened: closing it would drop the locks of this process's SQLite connections.
    with _creating, suppress(FileExistsError):
        os.close(open_private(path))


def open_private(path: Path) -> int:
    """Create a file that only its owner may use, and open it to write. Root gives it to the owner of its folder: the
    service of that user is to use it, whoever ran the command that made it.

    :raises OSError: it cannot be created.
    """
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    if hasattr(os, "getuid") and os.getuid() == 0:
        folder = path.parent.stat()
        with suppress(OSError):  # in a container, the owner of a folder outside of it may have no number
            os.fchown(file, folder.st_uid, folder.st_gid)
    return file


def free_bytes(file: Path) -> int:
    """The room that is left on the disk of a file."""
    return shutil.disk_usage(file.parent).free


def hide_from_others(database: Path) -> None:
    """Take the rights of everybody else from an SQLite file and those beside it. The group keeps its own.

    On Windows they have the rights of their folder.
    """
    if not hasattr(os, "getuid"):
        return
    for suffix in BESIDE:
        path = database.with_name(database.name + suffix)
        try:
            mode = path.stat().st_mode
            if mode & OTHERS:
                path.chmod(mode & ~OTHERS & 0o777)
                log.warning("everybody on this machine could use %s: now only its owner and its group can", path)
        except FileNotFoundError:
            pass
        except OSError as error:
            log.warning("everybody on this machine can use %s, which cannot be changed: %s", path, error.strerror)
