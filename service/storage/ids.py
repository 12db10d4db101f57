"""Ids of what is stored."""

from __future__ import annotations

import secrets

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # no 0 o 1 i l: ids are read aloud
ID_LENGTH = 10


def random_id() -> str:
    """A short random name for a game, a board, a key or a job."""
    number, letters = secrets.randbelow(len(ALPHABET) ** ID_LENGTH), []
    for _ in range(ID_LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[digit])
    return "".join(letters)
