"""Who has a device: Linux lists the locks of files, and the process that has each."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from inkeek.records.errors import ErrorText

DATABASE = "--database"  # argument of a desk; the next one is the URL of its database
UNKNOWN = ErrorText("another program is using it")


def holder_text(path: str) -> str:
    """Who has locked a device, as far as the system tells."""
    with suppress(OSError, ValueError):  # not Linux, or the process is just gone
        found = os.stat(path)
        file = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
        for line in Path("/proc/locks").read_text("ascii").splitlines():
            _, kind, _, _, pid, locked, *_ = line.split()
            if (kind, locked) == ("FLOCK", file):
                return _process_text(pid)
    return UNKNOWN


def _process_text(pid: str) -> str:
    folder = Path("/proc", pid)
    arguments = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    if DATABASE in arguments[:-1]:
        database = arguments[arguments.index(DATABASE) + 1]
        return ErrorText(
            "the Inkeek service with the database %(database)s is using it (process %(pid)s)",
            database=database,
            pid=pid,
        )
    program = (folder / "comm").read_text("utf-8", "replace").strip()
    return ErrorText("the program %(program)s is using it (process %(pid)s)", program=program, pid=pid)
