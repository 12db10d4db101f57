"""How often somebody may ask, and how often they may guess a code."""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

from inkeek.service.errors import ErrorText, TooManyRequests

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


MAX_CLIENTS = 10_000  # remembered; the least recent one is dropped first, and starts again with a full bucket


class Limiter:
    """Allows each client `rate` requests a second on average and `burst` at once. Rate 0: no limit."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # what was left, and when

    def take(self, client: Hashable) -> int:
        """Count a request of `client`. Returns 0 if it may pass, else the whole seconds to wait."""
        if not self._rate:
            return 0
        with self._lock:
            now = self._clock()
            left, then = self._buckets.pop(client, (float(self._burst), now))
            left = min(left + (now - then) * self._rate, self._burst)
            passes = left >= 1
            self._buckets[client] = (left - 1 if passes else left, now)
            if len(self._buckets) > MAX_CLIENTS:
                self._buckets.popitem(last=False)
            return 0 if passes else math.ceil((1 - left) / self._rate)

    def left(self, client: Hashable) -> tuple[int, int]:
        """How many requests of `client` could pass at once after the last one, and the whole seconds until the burst
        could."""
        left, _ = self._buckets.get(client, (float(self._burst), 0.0))
        return int(left), math.ceil((self._burst - left) / self._rate)

    def give_back(self, client: Hashable) -> None:
        """Count a request of `client` that passed no more."""
        with self._lock:
            if client in self._buckets:
                left, then = self._buckets[client]
                self._buckets[client] = (min(left + 1, self._burst), then)
