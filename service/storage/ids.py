"""Ids of what is stored."""

from __future__ import annotations

import secrets
from hashlib import blake2b

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # no 0 o 1 i l: ids are read aloud
ID_LENGTH = 10


def random_id() -> str:
    """A short random name for a game, a board, a key or a job."""
    return _id_of(secrets.randbelow(len(ALPHABET) ** ID_LENGTH))


def derived_id(text: str) -> str:
    """An id that follows from a text."""
    return _id_of(int.from_bytes(blake2b(text.encode(), digest_size=16).digest()))


def _id_of(number: int) -> str:
    letters = []
    for _ in range(ID_LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[digit])
    return "".join(letters)
