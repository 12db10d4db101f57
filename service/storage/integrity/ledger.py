"""The ledger: a chain over the events of all games, in which a removed game, or an older state of one, shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .chain import GENESIS, canonical_json


class LedgerNote(NamedTuple):
    """The events `first` to `seq` that one transaction stored in a game, and the time and the hash `head` of the last.

    `number` is the game's: the order in which games were stored.
    """

    game: str
    number: int
    first: int
    seq: int
    time: str
    head: str


class LedgerEntry(NamedTuple):
    """A note in the ledger. `position` counts from 1 without holes and is never used again.

    `hash` covers the note but for its time, the position and the hash of the entry before it. `time` is the latest of
    this note and of all before it, so that it never goes back.
    """

    position: int
    game: str
    number: int
    first: int
    seq: int
    time: str
    head: str
    hash: str

    @property
    def note(self) -> LedgerNote:
        return LedgerNote(*self[1:-1])


class LedgerHead(NamedTuple):
    """The last entry's position and hash; 0 and `GENESIS` if the ledger is empty."""

    position: int = 0
    hash: str = GENESIS


def next_entry(head: LedgerHead, note: LedgerNote) -> LedgerEntry:
    """The entry that follows `head`. Its hash is SHA-256 over the JSON of what stands in `body`."""
    position = head.position + 1
    body = [position, note.game, note.number, note.first, note.seq, note.head, head.hash]
    return LedgerEntry(position, *note, hashlib.sha256(canonical_json(body)).hexdigest())


def chained(head: LedgerHead, notes: Iterable[LedgerNote], time: str = "") -> Iterator[LedgerEntry]:
    """The entries that follow `head`, whose time is `time`."""
    for note in notes:
        time = max(time, note.time)
        entry = next_entry(head, note._replace(time=time))
        head = LedgerHead(entry.position, entry.hash)
        yield entry
