"""Make the proof of a game or a dispute: what was stored, signed, for anybody to check (`docs/proof.md`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from records import write_game
from service.errors import Conflict, Damaged, Invalid, NotFound
from service.games.state import game_state
from service.storage import GameEvent, LedgerEntry, LedgerHead, Store, Transaction

from . import checkpoint as checkpoints
from .check import check_proof
from .checkpoint import Checkpoint
from .file import MAX_ENTRIES, MAX_EVENTS, ProofHeader, body_lines, sealed
from .signatures import public_text

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def make_proof(store: Store, game_id: str, key: Ed25519PrivateKey, time: str, dispute: int | None = None) -> bytes:
    """The proof of a game, or of the dispute in it that event number `dispute` opened.

    It begins before the first event of the game and ends with the ledger; where that would be more than `MAX_ENTRIES`
    entries, it has as many, with the last event of the game among them.

    :raises NotFound: there is no such game or dispute. :raises Invalid: the game has too many events.
    :raises Damaged: what is stored is not right, so nothing is signed.
    """
    store.update_ledger()
    with store.reading() as transaction:
        events, entries, start = _stored(transaction, game_id)
    state = game_state(events)
    if dispute is not None and all(one.seq != dispute for one in state.disputes):
        raise NotFound(f"there is no dispute '{game_id}-{dispute}'")
    end = LedgerHead(entries[-1].position, entries[-1].hash)
    header = ProofHeader("proof", 1, game_id, dispute, time)
    documents = [
        checkpoints.write(Checkpoint(head.position, head.hash, None, None, time), key) for head in (start, end)
    ]
    data = sealed(body_lines(header, events, write_game(state.record), documents[0], entries, documents[1]), key)
    report = check_proof(data, [public_text(key)])
    if not report.ok:
        faults = "; ".join(fault.message for fault in report.faults[:3])
        raise Damaged(f"game {game_id} cannot be proven: {faults}")
    return data


def _stored(transaction: Transaction, game_id: str) -> tuple[list[GameEvent], list[LedgerEntry], LedgerHead]:
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
    return events[: own[-1].seq], transaction.ledger.entries_after(before, MAX_ENTRIES), head
