"""How many games an import stores in one transaction."""

from __future__ import annotations

from datetime import datetime, timedelta
from time import monotonic, sleep
from typing import NamedTuple

from inkeek.service.storage.clock import moment


class Size(NamedTuple):
    """A batch is full with so many games, or so many characters of their events' data."""

    games: int
    characters: int


FEW = Size(2, 12_000)  # while others write: they wait for each transaction of an import, so each is short
MANY = Size(64, 400_000)  # else: the more games at once, the fewer pages of the indexes change for each
PAUSE = 0.002  # seconds between transactions while others write
ALONE_AFTER = timedelta(seconds=10)  # after others wrote


class BatchSize:
    """The size of an import's batches: few games while others write, many when nobody does.

    Others are noticed by their entries in the ledger. Where writers do not wait for each other, batches are large.
    """

    def __init__(self, *, writers_wait: bool) -> None:
        self._writers_wait = writers_wait
        self._size = FEW if writers_wait else MANY
        self._end: int | None = None  # of the ledger, after the import's last transaction
        self._others: datetime | None = None  # when they wrote last
        self._stored = -PAUSE  # when the import wrote last, by the monotonic clock

    def is_full(self, games: int, characters: int) -> bool:
        """Whether a batch with so many games and characters is to be stored."""
        return games >= self._size.games or characters >= self._size.characters

    def note(self, end: int, time: str, added: int, now: str) -> None:
        """Note a transaction of the import at the time `now`, which added so many entries to the ledger. Before it, the
        ledger ended with the entry `end`, of the time `time` (empty: not known)."""
        if not self._writers_wait:
            return
        if end != self._end:
            self._others = moment(time) if time else None
        self._end = end + added
        wrote_lately = self._others is not None and moment(now) - self._others < ALONE_AFTER
        self._size = FEW if wrote_lately else MANY
        self._stored = monotonic()

    def pause(self) -> None:
        """Let others write who wait: they try every millisecond, and this import would begin again before they do."""
        if self._size is FEW:
            sleep(max(0.0, self._stored + PAUSE - monotonic()))
