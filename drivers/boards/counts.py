"""Boards that only report counts: a line of numbers now and then, or whenever something has changed.

    4 4 4 4 4 4 4 4   4 4 4 4 4 4 4 4            pits: South's from South's left, then North's from North's left
    4 4 4 … 4 | 3 12                             and, after a bar, South's store and North's
    [4, 4, 4, …]                                 the same as JSON, without stores
    {"pits": [4, 4, …], "stores": [3, 12]}       or with stores
    commit s                                     a button: commit, undo, dispute or trial; s or n
    board B-17                                   the serial number, before the first counts; ``counts`` without it

Numbers may have decimals, and blanks, commas or semicolons between them. Other lines count as misfits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from inkeek.drivers.base import Resume
from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import ACTIONS, Event
from inkeek.drivers.gate import MAX_SEEDS
from inkeek.drivers.ports.driver import PortDriver
from inkeek.drivers.protocol.limits import MAX_ROW
from inkeek.records import Side
from inkeek.records.errors import ErrorText

from .unnumbered import TextSession

_NUMBERS = re.compile(r"[0-9.,; |]+")
_SPLIT = re.compile(r"[,; ]+")
_BUTTON = re.compile(r"(?P<action>[a-z]+) +(?P<side>s|n|south|north)", re.IGNORECASE)
_BOARD = re.compile(r"board +(?P<serial>[!-~]{1,40})", re.IGNORECASE)


class CountsBoard(PortDriver):
    """The driver for such boards."""

    name = "counts"
    title: str = ErrorText("Board that only reports counts, as lines of text")

    def session(self, token: Callable[[], str], resume: Resume | None) -> CountsSession:
        """See `PortDriver.session`."""
        return CountsSession(token, resume)


class CountsSession(TextSession):
    """The session of a board that reports counts as lines of text."""

    def __init__(self, token: Callable[[], str], resume: Resume | None) -> None:
        super().__init__(token, resume)
        self._serial = "counts"

    def handle_line(self, text: str, now: float) -> list[Event]:
        """See `TextSession.handle_line`."""
        if named := _BOARD.fullmatch(text):
            self._serial = named["serial"]
            return []
        if button := read_button(text):
            return self.board.press(*button, now)
        counts, stores = read_counts(text)
        if self.ready:
            return self.board.update(counts, now)
        self.ready = True
        return self.board.connect(self._serial, counts, stores, frozenset())


def read_button(text: str) -> tuple[Side, str] | None:
    """Return side and action of a line such as ``commit s``; None for any other line."""
    match = _BUTTON.fullmatch(text)
    if match is None or match["action"].lower() not in ACTIONS:
        return None
    return Side("sn".index(match["side"][0].lower())), match["action"].lower()


def read_counts(text: str) -> tuple[tuple[float, ...], bool]:
    """Return the counts in a line, pits and then stores, and whether there are stores.

    :raises DriverError: the line has no counts, a wrong number of them, or impossible ones.
    """
    pits, stores = _json_counts(text) if text[0] in "[{" else _plain_counts(text)
    if len(pits) % 2 or not 2 <= len(pits) <= 2 * MAX_ROW:
        raise DriverError(
            "%(pits)s pits: expected two rows of 1 to %(most)s, and the stores after a bar",
            pits=len(pits),
            most=MAX_ROW,
        )
    if len(stores) not in (0, 2):
        raise DriverError("%(stores)s stores: expected South's and North's, or none", stores=len(stores))
    counts = (*pits, *stores)
    for count in counts:
        if not 0 <= count <= MAX_SEEDS:
            raise DriverError("count %(count)g: expected 0 to %(most)g", count=count, most=MAX_SEEDS)
    return counts, bool(stores)


def _plain_counts(text: str) -> tuple[list[float], list[float]]:
    parts = text.split("|")
    if not _NUMBERS.fullmatch(text) or len(parts) > 2:
        raise DriverError(
            "%(line)r is not a line of counts: expected numbers with blanks or commas between them", line=text[:60]
        )
    try:
        rows = [[float(word) for word in _SPLIT.split(part) if word] for part in parts]
    except ValueError as error:
        raise DriverError("%(line)r is not a line of counts: %(reason)s", line=text[:60], reason=str(error)) from error
    return rows[0], rows[1] if len(rows) == 2 else []


def _json_counts(text: str) -> tuple[list[float], list[float]]:
    try:
        data = json.loads(text)
        if isinstance(data, list):
            data = {"pits": data}
        rows = [data["pits"], data.get("stores") or []]
        return [float(count) for count in rows[0]], [float(count) for count in rows[1]]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise DriverError(
            "%(line)r is not a line of counts: expected a list, or pits and stores", line=text[:60]
        ) from error
