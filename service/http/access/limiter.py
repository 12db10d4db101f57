"""Rate limiting: a token bucket for each client."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

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
