"""How fast one client may ask: a bucket of permissions each, which fills again with time."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

MAX_CLIENTS = 10_000  # remembered; who has not asked for longest is forgotten first, and begins with a full bucket


class Limiter:
    """`rate` requests a second on average, `burst` at once, for each client of this process. Rate 0: no limit."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and when that was

    def take(self, client: str) -> int:
        """Let a request of `client` pass, then 0; else the whole seconds after which the next one passes."""
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
