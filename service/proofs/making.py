"""Make the proof of a game or a dispute: what was stored, signed, for anybody to check (`docs/proof.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from inkeek.records import write_game
from inkeek.service.errors import Conflict, Damaged, Invalid, NotFound
from inkeek.service.games.state import game_state
from inkeek.service.maintenance import checkpoint as checkpoints
from inkeek.service.maintenance.checkpoint import Checkpoint, checkpoint_faults
from inkeek.service.maintenance.signatures import public_text
from inkeek.service.storage import GameEvent, LedgerEntry, LedgerHead
from inkeek.service.storage.store import Store
from inkeek.service.storage.transaction import Transaction

from .check import check_proof
from .file import MAX_ENTRIES, MAX_EVENTS, ProofHeader, body_lines, sign_file


def make_proof(
    store: Store,
    game_id: str,
    key: Ed25519PrivateKey,
    time: str,
    dispute: int | None = None,
    *,
    start: Mapping[str, Any] | None = None,
    end: Mapping[str, Any] | None = None,
) -> bytes:
    """The proof of a game, or of the dispute in it that event number `dispute` opened.

    It begins before the first event of the game and ends with the ledger; where that would be more than `MAX_ENTRIES`
    entries, it has as many, with the last event of the game among them. `start` and `end`: the documents of signed
    checkpoints that were taken before, with which it begins and ends; then it shows the game as it was at the `end`.

    :raises NotFound: there is no such game or dispute. :raises Invalid: the game has too many events, or the
        checkpoints do not fit. :raises Damaged: what is stored is not right, so nothing is signed.
    """
    store.update_ledger()
    keys = [public_text(key)]
    ends = [None if document is None else _read_kept(store, document, keys) for document in (start, end)]
    with store.reading() as transaction:
        events, entries, before = _stored_events(transaction, game_id, *ends)
    state = game_state(events)
    if dispute is not None and all(one.seq != dispute for one in state.disputes):
        raise NotFound(f"there is no dispute '{game_id}-{dispute}'")
    last = LedgerHead(entries[-1].position, entries[-1].hash)
    header = ProofHeader("proof", 1, game_id, dispute, time)
    documents = [
        dict(document) if document else checkpoints.write(Checkpoint(head.position, head.hash, None, None, time), key)
        for head, document in ((before, start), (last, end))
    ]
    data = sign_file(body_lines(header, events, write_game(state.record), documents[0], entries, documents[1]), key)
    report = check_proof(data, keys)
    if not report.ok:
        faults = "; ".join(fault.message for fault in report.faults[:3])
        raise Damaged(f"game {game_id} cannot be proven: {faults}")
    return data


def _read_kept(store: Store, document: Mapping[str, Any], keys: list[str]) -> Checkpoint:
    """A checkpoint that was kept; the key that signed it joins the `keys`.

    :raises Invalid: it is not a checkpoint, or not signed. :raises Damaged: it is of another ledger.
    """
    checkpoint, key = checkpoints.read_document(dict(document))
    if key is None:
        raise Invalid(f"the checkpoint of entry {checkpoint.position} is not signed: a proof needs a signed one")
    if faults := checkpoint_faults(store, checkpoint):
        raise Damaged(f"the checkpoint of entry {checkpoint.position} does not fit: {'; '.join(faults)}")
    keys.append(key)
    return checkpoint


def _stored_events(
    transaction: Transaction, game_id: str, start: Checkpoint | None, end: Checkpoint | None
) -> tuple[list[GameEvent], list[LedgerEntry], LedgerHead]:
    """The events of a game that are in the ledger, entries of the ledger, and the end of the ledger before them."""
    events = transaction.games.events(game_id)
    if not events:
        raise NotFound(f"there is no game {game_id!r}")
    own, _ = transaction.ledger.of_game(game_id)
    if not own:
        raise Conflict(f"game {game_id} is not in the ledger yet: try again in a second")
    if len(events) > MAX_EVENTS:
        raise Invalid(f"game {game_id} has {len(events)} events: a proof has at most {MAX_EVENTS}")
    last = transaction.ledger.head().position if end is None else end.position
    first, own = own[0].position, [entry for entry in own if entry.position <= last]
    if not own or (start is not None and start.position >= own[-1].position):
        shown = f"{'its beginning' if start is None else f'entry {start.position}'} and entry {last}"
        raise Invalid(f"game {game_id} begins with entry {first} of the ledger and has none between {shown}")
    before = max(first - 1, min(last - MAX_ENTRIES, own[-1].position - 1)) if start is None else start.position
    least = own[-1].position if end is None else last  # what the entries must reach
    if least - before > MAX_ENTRIES:
        raise Invalid(
            f"the proof would have {least - before} entries of the ledger, from {before + 1} to {least}: it has at "
            f"most {MAX_ENTRIES}. Give checkpoints that are nearer to each other"
        )
    head = LedgerHead()
    if before:
        (entry,) = transaction.ledger.entries_after(before - 1, 1)
        head = LedgerHead(entry.position, entry.hash)
    entries = transaction.ledger.entries_after(before, min(MAX_ENTRIES, last - before))
    return events[: own[-1].seq], entries, head
