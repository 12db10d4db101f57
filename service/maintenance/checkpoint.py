"""A checkpoint: the end of the ledger at some time, to be kept away from the database.

Whoever can write the whole database can write another ledger too. A checkpoint that was kept elsewhere shows it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from inkeek.records.json_codec import JsonError, from_json
from inkeek.service.errors import Invalid
from inkeek.service.storage import LedgerHead
from inkeek.service.storage.store import Store

from .signatures import check_signature, sign

KIND = {"inkeek": "checkpoint", "version": 1}
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The ledger up to `position`: the hash of that entry, and how many games and events it has.

    `games` and `events` are None in a proof, for which they are not counted.
    """

    position: Count
    hash: str
    games: Count | None
    events: Count | None
    time: str


def take(store: Store, time: str) -> Checkpoint:
    """The checkpoint of what is stored."""
    store.update_ledger()
    with store.reading() as transaction:
        head = transaction.ledger.head()
        games, events = transaction.ledger.counts(head.position)
    return Checkpoint(head.position, head.hash, games, events, time)


def write(checkpoint: Checkpoint, key: Ed25519PrivateKey | None) -> dict[str, Any]:
    """The checkpoint as a document, signed if there is a key."""
    document = {**KIND, **asdict(checkpoint)}
    return {**document, "key": None, "signature": None} if key is None else sign(document, key)


def read(text: str) -> tuple[Checkpoint, str | None]:
    """A checkpoint and the public key that it was signed with, None if it is not signed.

    :raises Invalid: it is no checkpoint, or was changed after it was signed.
    """
    try:
        return read_document(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise Invalid(f"{text[:60].strip()!r} is not a checkpoint: {error}") from error


def read_document(document: object) -> tuple[Checkpoint, str | None]:
    """As `read`, from its JSON.

    :raises Invalid: it is no checkpoint, or was changed after it was signed.
    """
    if not isinstance(document, dict) or {name: document.get(name) for name in KIND} != KIND:
        raise Invalid(f"{str(document)[:60]!r} is not a checkpoint of this version")
    key = check_signature(document)
    body = {name: value for name, value in document.items() if name not in (*KIND, "key", "signature")}
    try:
        return from_json(body, Checkpoint), key
    except JsonError as error:
        raise Invalid(f"the checkpoint cannot be read: {error}") from error


def checkpoint_faults(store: Store, checkpoint: Checkpoint) -> list[str]:
    """List where the ledger does not have what it had at the checkpoint. It may have grown since.

    That its entries follow from each other, and that the games have its events, is the business of `verify`.
    """
    if checkpoint.position == 0:
        return []
    with store.reading() as transaction:
        entries = transaction.ledger.entries_after(checkpoint.position - 1, 1)
        head = transaction.ledger.head()
        games, events = transaction.ledger.counts(checkpoint.position)
    faults = []
    if head.position < checkpoint.position:
        faults.append(f"the ledger ends with entry {head.position}: at the checkpoint it had {checkpoint.position}")
    elif not entries or LedgerHead(entries[0].position, entries[0].hash) != (checkpoint.position, checkpoint.hash):
        faults.append(f"the ledger was another one at the checkpoint: entry {checkpoint.position} has another hash")
    for what, now, then in (("games", games, checkpoint.games), ("events", events, checkpoint.events)):
        if then is not None and now != then:
            faults.append(f"up to the checkpoint the ledger has {now} {what}: it had {then}")
    return faults
