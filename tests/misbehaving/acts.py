"""What a driver may do wrong, by name."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable


class Unspeakable(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise SystemExit


def crashes() -> None:
    ctypes.string_at(0)


def ends() -> None:
    os._exit(3)


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


def prints() -> None:
    """Print more than any pipe holds, and go on."""
    for _ in range(1000):
        print("x" * 1000)


ACTS: dict[str, Callable[[], None]] = {
    act.__name__: act for act in (crashes, ends, exits, raises, raises_oddly, blocks, spins, grows, prints)
}
KINDS = {  # what each is called
    "crashes": "ended",
    "ends": "ended",
    "exits": "raised",
    "raises": "raised",
    "raises_oddly": "raised",
    "blocks": "blocked",
    "spins": "spun",
    "grows": "grew",
}
