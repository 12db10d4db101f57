"""Make the proof of a game or a dispute: what was stored, signed, for anybody to check (`docs/proof.md`)."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from inkeek.records import write_game
from inkeek.service.errors import Conflict, Damaged, Invalid, NotFound
from inkeek.service.games.state import game_state
from inkeek.service.maintenance import checkpoint as checkpoints
from inkeek.service.maintenance.checkpoint import Checkpoint
from inkeek.service.maintenance.signatures import public_text
from inkeek.service.storage import GameEvent, LedgerEntry, LedgerHead
from inkeek.service.storage.store import Store
from inkeek.service.storage.transaction import Transaction

from .check import check_proof
from .file import MAX_ENTRIES, MAX_EVENTS, ProofHeader, body_lines, sign_file


def make_proof(store: Store, game_id: str, key: Ed25519PrivateKey, time: str, dispute: int | None = None) -> bytes:
    """The proof of a game, or of the dispute in it that event number `dispute` opened.

    It begins before the first event of the game and ends with the ledger; where that would be more than `MAX_ENTRIES`
    entries, it has as many, with the last event of the game among them.

    :raises NotFound: there is no such game or dispute. :raises Invalid: the game has too many events.
    :raises Damaged: what is stored is not right, so nothing is signed.
    """
    store.update_ledger()
    with store.reading() as transaction:
        events, entries, before = _stored_events(transaction, game_id)
    state = game_state(events)
    if dispute is not None and all(one.seq != dispute for one in state.disputes):
        raise NotFound(f"there is no dispute '{game_id}-{dispute}'")
    header = ProofHeader("proof", 1, game_id, dispute, time)
    start, end = (
        checkpoints.write(Checkpoint(head.position, head.hash, None, None, time), key)
        for head in (before, LedgerHead(entries[-1].position, entries[-1].hash))
    )
    data = sign_file(body_lines(header, events, write_game(state.record), start, entries, end), key)
    report = check_proof(data, [public_text(key)])
    if not report.ok:
        faults = "; ".join(fault.message for fault in report.faults[:3])
        raise Damaged(f"game {game_id} cannot be proven: {faults}")
    return data


def _stored_events(transaction: Transaction, game_id: str) -> tuple[list[GameEvent], list[LedgerEntry], LedgerHead]:
    """The events of a game that are in the ledger, entries of the ledger, and the end of the ledger before them."""
    events = transaction.games.events(game_id)
    if not events:
        raise NotFound(f"there is no game {game_id!r}")
    own, _ = transaction.ledger.of_game(game_id)
    if not own:
        raise Conflict(f"game {game_id} is not in the ledger yet: try again in a second")
    if len(events) > MAX_EVENTS:
        raise Invalid(f"game {game_id} has {len(events)} events: a proof has at most {MAX_EVENTS}")
    last = transaction.ledger.head().position
    before = max(own[0].position - 1, min(last - MAX_ENTRIES, own[-1].position - 1))
    head = LedgerHead()
    if before:
        (entry,) = transaction.ledger.entries_after(before - 1, 1)
        head = LedgerHead(entry.position, entry.hash)
    return events[: own[-1].seq], transaction.ledger.entries_after(before, min(MAX_ENTRIES, last - before)), head
