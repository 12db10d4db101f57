"""Proofs of serial numbers: a board that can is given a secret at its first binding, and challenged at each greeting.

A proof is HMAC-SHA256 of the serial number, the boot id and a nonce (`docs/protocol.md`). Only boards at ports of this
machine that were bound with a key without a limit are given a secret: nobody else can get one for another's number.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from drivers import events
from drivers.base import SupportsProof
from drivers.errors import DriverError
from service.boards.claims import ALL_GAMES
from service.boards.identity import FAR, Identity
from service.boards.status import PROVED, SAYS
from service.storage import SecretRow

from .core import Challenge, ControllerCore

REPEAT_AFTER = 1.0  # seconds until a challenge without an answer is repeated: a line may be damaged
MAX_TRIES = 10


def begin(board: ControllerCore, event: events.Connected) -> None:
    """The bound board has greeted: give it a secret, or challenge it."""
    board.challenge = None
    board.update_status(identity=SAYS)
    serial = board.serial
    can = "key" in event.capabilities and isinstance(board.connection, SupportsProof)
    is_trusted = board.row.driver != FAR and board.row.reach in (None, ALL_GAMES)
    if serial is None or not can or not is_trusted or not Identity(serial).has_name(board.row.driver):
        return
    row = board.boards.secret(serial)
    if row is None:
        row = SecretRow(serial, secrets.token_hex(32), held=False)
        board.boards.keep_secret(row)
    board.challenge = Challenge(event.serial, row, secrets.token_hex(16))
    work(board)


def work(board: ControllerCore) -> None:
    """Ask the board, or ask it again."""
    challenge = board.challenge
    if challenge is None or board.clock() < challenge.until or not isinstance(board.connection, SupportsProof):
        return
    if challenge.tries == MAX_TRIES:
        _fail(board, challenge, "the board gave no answer")
        return
    challenge.tries += 1
    challenge.until = board.clock() + REPEAT_AFTER
    try:
        if challenge.row.held:
            board.connection.challenge(key_id(challenge.row.secret), challenge.nonce)
        else:
            board.connection.give_secret(key_id(challenge.row.secret), challenge.row.secret)
    except DriverError:  # the session is recorded, or the board is gone: it greets again when it is back
        board.challenge = None


def note_kept(board: ControllerCore, event: events.SecretKept) -> None:
    """The board keeps its secret, or has no room for it."""
    challenge = board.challenge
    if challenge is None or challenge.row.held or event.key != key_id(challenge.row.secret):
        return
    if not event.ok:
        board.boards.forget_secret(challenge.row.serial)
        _fail(board, challenge, "the board keeps the secrets of other hosts and has no room for one more")
        return
    challenge.row = SecretRow(challenge.row.serial, challenge.row.secret, held=True)
    board.boards.keep_secret(challenge.row)
    challenge.tries, challenge.until = 0, board.clock()
    work(board)


def note_proof(board: ControllerCore, event: events.SerialProof) -> None:
    """The board has answered a challenge."""
    challenge = board.challenge
    if challenge is None or not challenge.row.held or event.nonce != challenge.nonce:
        return
    expected = mac(challenge.row.secret, challenge.said, event.boot, challenge.nonce)
    if not hmac.compare_digest(expected, event.mac):
        _fail(board, challenge, "the board has no such secret" if event.mac == "-" else "the proof is wrong")
        return
    board.challenge = None
    board.boards.presence.prove(board.row.id)
    board.update_status(identity=PROVED)


def key_id(secret: str) -> str:
    """The id of a secret, which says nothing about it."""
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()[:8]


def mac(secret: str, serial: str, boot: str, nonce: str) -> str:
    """The proof of a serial number, in hex digits."""
    text = f"inkeek,{serial},{boot},{nonce}"
    return hmac.new(bytes.fromhex(secret), text.encode(), hashlib.sha256).hexdigest()


def _fail(board: ControllerCore, challenge: Challenge, reason: str) -> None:
    board.challenge = None
    board.store(("unproved", {"serial": challenge.row.serial, "reason": reason}))
