"""The events of a game, and the chain of hashes that shows if one was changed or is missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

GENESIS = "0" * 64  # the previous hash of a game's first event

_ENCODER = msgspec.json.Encoder()
Content = tuple[str, str, dict[str, Any], bytes]  # of an event: source, kind, data, the canonical JSON of the data


class GameEvent(NamedTuple):
    """One thing that happened in a game, as it is stored.

    `seq` counts from 1 without holes. `time` is RFC 3339 UTC. `actor` is free text, `source` where it came from:
    ``page``, ``api`` or ``import``, each with ``:<name>:<id>`` of the key that was shown (`docs/access.md`), ``rules``
    (an end that the rules gave) or ``board:<serial>:<boot>:<seq>``.
    `data` depends on `kind`; it is plain JSON.
    """

    game: str
    seq: int
    time: str
    actor: str
    source: str
    kind: str
    data: dict[str, Any]
    prev_hash: str
    hash: str


def canonical_json(value: object) -> bytes:
    """The one JSON text of a value: keys in their own order (that of tags counts), no spaces, plain UTF-8.

    Fractions are only in the data of disputes and rulings: what sensors counted, and probabilities of a finding.
    """
    return _ENCODER.encode(value)


def seal(
    game: str,
    seq: int,
    time: str,
    actor: str,
    source: str,
    kind: str,
    data: dict[str, Any],
    prev_hash: str,
    text: bytes | None = None,
) -> GameEvent:
    """The event with its hash: SHA-256 over the canonical JSON of everything else in it.

    `text` is the canonical JSON of the data, if it was made already.
    """
    body = [game, seq, time, actor, source, kind, data if text is None else msgspec.Raw(text), prev_hash]
    digest = hashlib.sha256(canonical_json(body)).hexdigest()
    return GameEvent(game, seq, time, actor, source, kind, data, prev_hash, digest)


def verify_chain(events: Iterable[GameEvent], head: tuple[int, str] | None = None) -> list[str]:
    """List the faults of a chain of events.

    `head` is the (seq, hash) that the last event must have, so that a chain that was cut short shows.
    """
    faults: list[str] = []
    seq, prev = 0, GENESIS
    for event in events:
        seq += 1
        if event.seq != seq:
            faults.append(f"event {seq} is missing: the next one stored is {event.seq}")
            seq = event.seq
        elif event.prev_hash != prev:
            faults.append(
                f"event {seq} does not follow the one before it: its previous hash is {event.prev_hash[:12]}…"
            )
        sealed = seal(*event[:-1])
        if sealed.hash != event.hash:
            changed = f"event {seq} was changed, or one that was stored together with it"
            faults.append(f"{changed}: its content has the hash {sealed.hash[:12]}…")
        prev = event.hash
    if head is not None and head != (seq, prev):
        faults.append(
            f"the game's head is event {head[0]} ({head[1][:12]}…), the last one stored is {seq} ({prev[:12]}…)"
        )
    return faults


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
