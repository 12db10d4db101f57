"""Waiting for a condition, with a deadline, and for a coroutine; whether a process lives."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

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


def run_coroutine(coroutine: Coroutine[Any, Any, Found]) -> Found:
    """What a coroutine returns. It runs in another thread: in this one may be the event loop of a browser's tests."""
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, coroutine).result()


def alive(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
