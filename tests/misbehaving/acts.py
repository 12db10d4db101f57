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
    """Start a helper in a session of its own."""
    _leave(lambda: None)


def leaves_heir() -> None:
    """The same with a helper whose parent has ended, as has this process."""
    _leave(lambda: os.fork() and os._exit(0))
    os._exit(3)


def _leave(begin: Callable[[], object]) -> None:
    child = os.fork()
    if child == 0:
        os.setsid()
        begin()
        with open(os.environ["HELPER"], "w") as file:
            file.write(str(os.getpid()))
        time.sleep(60)
        os._exit(0)
    until = time.monotonic() + 10
    while not os.path.exists(os.environ["HELPER"]) and time.monotonic() < until:
        time.sleep(0.01)


def prints() -> None:
    """Print more than any pipe holds, and go on."""
    for _ in range(1000):
        print("x" * 1000)


ACTS: dict[str, Callable[[], None]] = {
    act.__name__: act
    for act in (
        *(crashes, ends, ends_with_heirs, exits, raises, raises_oddly, blocks, spins, grows, prints),
        *(leaves_helper, leaves_heir),
    )
}
KINDS = {  # what each is called
    "crashes": "ended",
    "ends": "ended",
    "ends_with_heirs": "ended",
    "exits": "raised",
    "raises": "raised",
    "raises_oddly": "raised",
    "blocks": "blocked",
    "spins": "spun",
    "grows": "grew",
}
