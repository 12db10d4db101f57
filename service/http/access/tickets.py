"""Tickets: they let a browser's ``EventSource`` open a live stream, as it cannot send a token in a header.

A ticket is the id of a key, signed with the hash of the key's secret and with the setting `ticket_secret`. So it needs
no storage, is known in every web process, ends with the key's secret, and cannot be made by who has only the database.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256

from itsdangerous import BadSignature, TimestampSigner

LIFETIME = timedelta(minutes=1)
PARAMETER = "ticket"  # of the query
TICKET = r"[0-9a-z]{1,40}\.[0-9A-Za-z_-]{1,20}\.[0-9A-Za-z_-]{43}"  # id of the key, time, signature


class Tickets:
    """Signs and checks tickets. `secret` is that of the service."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def sign(self, key_id: str, hash: str, now: datetime) -> str:
        """A ticket of the key with that id, for who has the secret with that hash."""
        return _Signer(self._secret + hash, now).sign(key_id).decode()

    def signing_hash(self, ticket: str, hashes: Iterable[str | None], now: datetime) -> str | None:
        """The hash with which a ticket was signed in the last `LIFETIME`; None if it was none of these."""
        return next((hash for hash in hashes if hash and self._is_signed(ticket, hash, now)), None)

    def _is_signed(self, ticket: str, hash: str, now: datetime) -> bool:
        try:
            _Signer(self._secret + hash, now).unsign(ticket, max_age=int(LIFETIME.total_seconds()))
        except BadSignature:
            return False
        return True


class _Signer(TimestampSigner):
    def __init__(self, secret: str, now: datetime) -> None:
        super().__init__(secret, salt=b"inkeek ticket", digest_method=sha256)
        self._now = int(now.timestamp())

    def get_timestamp(self) -> int:
        return self._now


def holder_of(ticket: str) -> str:
    """The id of the key that a ticket names, whether or not it is valid; empty if the text cannot be one."""
    return ticket.partition(".")[0] if re.fullmatch(TICKET, ticket, re.ASCII) else ""
