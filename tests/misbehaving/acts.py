"""What a driver may do wrong, by name."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable


class Unspeakable(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise SystemExit


def crashes() -> None:
    ctypes.string_at(0)


def ends() -> None:
    os._exit(3)


def ends_with_heirs() -> None:
    """End, while a child holds all that was open."""
    if os.fork():
        os._exit(3)
    time.sleep(30)


def exits() -> None:
    sys.exit(4)


def raises() -> None:
    raise RuntimeError("bang")


def raises_oddly() -> None:
    raise Unspeakable


def blocks() -> None:
    threading.Event().wait()


def spins() -> None:
    while True:
        pass


def grows() -> None:
    hoard = []
    while True:
        hoard.append(bytearray(1 << 20))


def leaves_helper() -> None:
    """Start a helper, and go on."""
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    time.sleep(60)


def prints() -> None:
    """Print more than any pipe holds, and go on."""
    for _ in range(1000):
        print("x" * 1000)


ACTS: dict[str, Callable[[], None]] = {
    act.__name__: act
    for act in (
        *(crashes, ends, ends_with_heirs, exits, raises, raises_oddly, blocks, spins, grows, prints),
        leaves_helper,
    )
}
SAID = {  # what is said of each
    "crashes": "SIGSEGV",
    "ends": "status 3",
    "ends_with_heirs": "status 3",
    "exits": "SystemExit: 4",
    "raises": "RuntimeError: bang (acts.py, line",
    "raises_oddly": "(acts.py, line",
    "blocks": "no sign of life",
    "spins": "no sign of life",
    "grows": "MB of memory",
}
