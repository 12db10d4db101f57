"""Boards that only give "these counts now": a line of numbers whenever they look, or whenever something has changed.

    4 4 4 4 4 4 4 4   4 4 4 4 4 4 4 4            pits: South's from South's left, then North's from North's left
    4 4 4 … 4 | 3 12                             and, after a bar, South's store and North's
    [4, 4, 4, …]                                 the same as JSON, without stores
    {"pits": [4, 4, …], "stores": [3, 12]}       or with
    commit s                                     a button, where there is one: commit, undo, dispute, trial; s or n
    board B-17                                   who the board is, before its first counts; without it `counts`

Numbers may have decimals and stand with blanks, commas or semicolons between them. Other lines are counted as misfits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from drivers.base import Environment, Resume
from drivers.errors import DriverError
from drivers.events import Event
from drivers.ports.connection import PortConnection
from drivers.ports.environment import SystemEnvironment
from drivers.protocol.limits import MAX_ROW
from drivers.protocol.messages import ACTIONS
from records import Side

from .unnumbered import TextSession

MAX_SEEDS = 1000.0  # in a pit; far above every count
_NUMBERS = re.compile(r"[0-9.,; |]+")
_SPLIT = re.compile(r"[,; ]+")
_BUTTON = re.compile(r"(?P<action>[a-z]+) +(?P<side>s|n|south|north)", re.IGNORECASE)
_BOARD = re.compile(r"board +(?P<serial>[!-~]{1,40})", re.IGNORECASE)

Counts = tuple[tuple[float, ...], bool]  # pits and perhaps stores in one row, and whether there are stores


class CountsBoard:
    """The driver of such boards."""

    name = "counts"
    title = "Board that only tells its counts, as lines of text"

    def open(self, url: str, resume: Resume | None = None) -> PortConnection:
        """See `base.Driver.open`."""
        return self.connect(self.environment(url), resume)

    def environment(self, url: str) -> Environment:
        """See `base.SupportsRecording.environment`."""
        return SystemEnvironment(url)

    def connect(self, environment: Environment, resume: Resume | None = None) -> PortConnection:
        """See `base.SupportsRecording.connect`."""
        return PortConnection(CountsSession(environment.token, resume), environment)


class CountsSession(TextSession):
    """What such a board says."""

    def __init__(self, token: Callable[[], str], resume: Resume | None) -> None:
        super().__init__(token, resume)
        self._serial = "counts"

    def hear(self, text: str, now: float) -> list[Event]:
        """See `TextSession.hear`."""
        if named := _BOARD.fullmatch(text):
            self._serial = named["serial"]
            return []
        if button := read_button(text):
            return self.board.press(*button, now)
        counts, stores = read_counts(text)
        if self.ready:
            return self.board.lie(counts, now)
        self.ready = True
        return self.board.connected(self._serial, counts, stores, frozenset())


def read_button(text: str) -> tuple[Side, str] | None:
    """The side and the action, as in ``commit s``; None when it is no such line."""
    match = _BUTTON.fullmatch(text)
    if match is None or match["action"].lower() not in ACTIONS:
        return None
    return Side("sn".index(match["side"][0].lower())), match["action"].lower()


def read_counts(text: str) -> Counts:
    """The counts in a line.

    :raises DriverError: there are none, or not as many as a board has, or one that cannot be.
    """
    pits, stores = _json_counts(text) if text[0] in "[{" else _plain_counts(text)
    if len(pits) % 2 or not 2 <= len(pits) <= 2 * MAX_ROW:
        raise DriverError(f"{len(pits)} pits: two rows of 1 to {MAX_ROW} are needed, and the stores after a bar")
    if len(stores) not in (0, 2):
        raise DriverError(f"{len(stores)} stores: South's and North's are needed, or none")
    counts = (*pits, *stores)
    for count in counts:
        if not 0 <= count <= MAX_SEEDS:
            raise DriverError(f"a count is {count:g}: 0 to {MAX_SEEDS:g} is possible")
    return counts, bool(stores)


def _plain_counts(text: str) -> tuple[list[float], list[float]]:
    parts = text.split("|")
    if not _NUMBERS.fullmatch(text) or len(parts) > 2:
        raise DriverError(f"not counts: {text[:60]!r}: numbers with blanks or commas between them are needed")
    try:
        rows = [[float(word) for word in _SPLIT.split(part) if word] for part in parts]
    except ValueError as error:
        raise DriverError(f"not counts: {text[:60]!r}: {error}") from error
    return rows[0], rows[1] if len(rows) == 2 else []


def _json_counts(text: str) -> tuple[list[float], list[float]]:
    try:
        told = json.loads(text)
        if isinstance(told, list):
            told = {"pits": told}
        rows = [told["pits"], told.get("stores") or []]
        return [float(count) for count in rows[0]], [float(count) for count in rows[1]]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise DriverError(f"not counts: {text[:60]!r}: a list of numbers, or pits and stores, is needed") from error
