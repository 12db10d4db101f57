"""What a process and those that it has started use, as Linux says in ``/proc``. Elsewhere nobody says: nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Usage:
    """Processor time in seconds, also that of children that have ended, and bytes of memory."""

    seconds: float = 0.0
    memory: int = 0


def usage_of(pid: int) -> Usage:
    """What a process and its descendants use together."""
    ticks = pages = 0
    for each in _tree(pid):
        try:
            fields = _fields(each)
            pages += int((PROC / str(each) / "statm").read_text().split()[1])
        except OSError:  # it has just ended
            continue
        ticks += sum(map(int, fields[11:15]))
    if not ticks:
        return Usage()
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE"))


def family_of(pid: int, mark: str) -> set[int]:
    """The descendants of a process, and the processes that have an environment variable `mark`: those that have left
    the session of the process, and whose parents have ended, too."""
    family = set(_tree(pid)) - {pid}
    for environ in PROC.glob("[0-9]*/environ"):
        with suppress(OSError):  # it has just ended, or is another user's
            if mark.encode() in environ.read_bytes().split(b"\0"):
                family.add(int(environ.parent.name))
    return family - {pid}


def is_computing(pid: int) -> bool:
    """Whether the process uses a processor at this moment."""
    try:
        return _fields(pid)[0] == b"R"
    except OSError:
        return False


def _fields(pid: int) -> list[bytes]:
    """The fields of ``stat`` after the name of the program."""
    return (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()


def _tree(pid: int) -> Iterator[int]:
    """A process and its descendants."""
    yield pid
    for children in (PROC / str(pid) / "task").glob("*/children"):
        try:
            found = [int(child) for child in children.read_text().split()]
        except OSError:
            continue
        for child in found:
            yield from _tree(child)
