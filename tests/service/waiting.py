"""Waiting for a condition, with a deadline; whether a process lives."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Found = TypeVar("Found")


def until(condition: Callable[[], Found], seconds: float = 60.0) -> Found:
    """What `condition` answers as soon as that is true."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"after {seconds:g} seconds it is still {found!r}")
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
