"""The events of a game and the chain of hashes that shows a changed or missing one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

GENESIS = "0" * 64  # what the first event of a game has in place of the hash before it

_CANONICAL = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class GameEvent:
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


def canonical_json(value: object) -> str:
    """One exact text for one value: keys in their own order (that of tags counts), no spaces, plain UTF-8."""
    return _CANONICAL.encode(value)


def seal(
    game: str, seq: int, time: str, actor: str, source: str, kind: str, data: dict[str, Any], prev_hash: str
) -> GameEvent:
    """The event with its hash: SHA-256 over the canonical JSON of everything else in it."""
    body = [game, seq, time, actor, source, kind, data, prev_hash]
    digest = hashlib.sha256(canonical_json(body).encode()).hexdigest()
    return GameEvent(game, seq, time, actor, source, kind, data, prev_hash, digest)


def verify_chain(events: Iterable[GameEvent], head: tuple[int, str] | None = None) -> list[str]:
    """What is wrong with the chain, one sentence a fault; empty when nothing is.

    `head` is the (seq, hash) that the last event must have: a chain cut short is a fault too.
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
        sealed = seal(
            event.game,
            event.seq,
            event.time,
            event.actor,
            event.source,
            event.kind,
            event.data,
            event.prev_hash,
        )
        if sealed.hash != event.hash:
            faults.append(f"event {seq} was changed: its content has the hash {sealed.hash[:12]}…")
        prev = event.hash
    if head is not None and head != (seq, prev):
        faults.append(
            f"the game's head is event {head[0]} ({head[1][:12]}…), the last one stored is {seq} ({prev[:12]}…)"
        )
    return faults
