"""A driver whose port says where it misbehaves and how: ``bad:PLACE:ACT``. ``bad::`` behaves."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from typing import Any

from inkeek.drivers.base import Guidance, Resume
from inkeek.drivers.events import Connected, Event, Numbered, PitChanged, Snapshot

from .acts import ACTS

BOOT = "0000000a"
COUNTS = (0.0, 0.0, *(4.0,) * 6) * 2  # the start of Enkeshui with `fours-right`
ANSWERS: dict[str, Any] = {  # of a poll that returns what it may not
    "nothing": lambda: None,
    "numbers": lambda: [42],
    "long-serial": lambda: [Connected("9" * 10_000_000, "1", (1, 0), BOOT, 8, False, frozenset())],
    "wide": lambda: [Snapshot(BOOT, 1, COUNTS * 1000, (15,) * 16)],
    "not-a-number": lambda: [PitChanged(BOOT, 1, 0, 3, float("nan"))],
    "text-for-number": lambda: [PitChanged(BOOT, 1, 0, "3", 4.0)],  # type: ignore[arg-type]
    "endless": lambda: (PitChanged(BOOT, number, 0, 3, 4.0) for number in itertools.count(1)),
}


class BadDriver:
    name = "bad"
    title = "Board that misbehaves"

    def check_url(self, url: str) -> None:
        _act(url, "check_url")

    def open(self, url: str, resume: Resume | None = None) -> BadConnection:
        _act(url, "open")
        return BadConnection(url)


class BadConnection:
    def __init__(self, url: str) -> None:
        self._url = url
        self._polls = 0

    def poll(self, timeout: float) -> Iterable[Event]:
        self._polls += 1
        if self._polls == 1:
            serial = self._url.replace(":", "-")
            return [Connected(serial, "1", (1, 0), BOOT, 8, False, frozenset()), Snapshot(BOOT, 0, COUNTS, (15,) * 16)]
        place, act = self._url.split(":")[1:]
        if place == "poll" and act in ANSWERS:
            answer: Iterable[Event] = ANSWERS[act]()
            return answer
        _act(self._url, "poll")
        time.sleep(min(timeout, 0.01))
        return [PitChanged(BOOT, self._polls, 0, 3, float(self._polls % 9))]

    def acknowledge(self, event: Numbered) -> None:
        _act(self._url, "acknowledge")

    def show(self, guidance: Guidance) -> None:
        _act(self._url, "show")

    def calibrate(self, pit: int | None, seeds: int = 0) -> None:
        _act(self._url, "calibrate")

    def close(self) -> None:
        _act(self._url, "close")


def _act(url: str, place: str) -> None:
    wanted, act = url.split(":")[1:]
    if wanted == place and act in ACTS:
        ACTS[act]()
