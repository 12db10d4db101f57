"""The bound on guessing the codes of invitations. ``docs/security.md`` has the calculation."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from inkeek.service.errors import ErrorText, TooManyRequests

from .limiter import Limiter

ALPHABET = "23456789CDFGHJKMNPQRTVWXY"  # no vowels, and no two that look alike
LENGTH = 8
RATE, BURST = 0.1, 20  # wrong codes of an address, a second and at once
RATE_OF_ALL, BURST_OF_ALL = 5.0, 100  # of all addresses together


def random_code() -> str:
    """The code of a new invitation."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def read_code(text: str) -> str:
    """The code that somebody typed: in any case, with spaces or hyphens; empty if it cannot be one."""
    code = "".join(text.split()).replace("-", "").upper()
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else ""


def shown_code(code: str) -> str:
    """A code as people read it aloud: ``K7PM-3XQ9``."""
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"


class Guesses:
    """Counts wrong codes. `processes`: the web processes, each of which has its share of what is let through."""

    def __init__(self, processes: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self._each = Limiter(RATE / processes, BURST, clock)
        self._all = Limiter(RATE_OF_ALL / processes, max(1, BURST_OF_ALL // processes), clock)

    def begin(self, network: str) -> None:
        """Count a code before it is looked at, from this network.

        :raises TooManyRequests: too many were wrong.
        """
        wait = self._each.take(network)
        if not wait and (wait := self._all.take("")):
            self._each.give_back(network)
        if wait:
            raise TooManyRequests(ErrorText("Too many wrong codes. Try again in %(wait)s seconds.", wait=wait), wait)

    def was_right(self, network: str) -> None:
        """Count the code no more: it was right."""
        self._each.give_back(network)
        self._all.give_back("")
