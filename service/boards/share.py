"""Shares of what is scarce: so much at once, and more as time goes on."""

from __future__ import annotations

from collections.abc import Callable


class Share:
    """A share of which `burst` may be taken at once, and after that `rate` a second (a token bucket)."""

    def __init__(self, burst: float, rate: float, clock: Callable[[], float]) -> None:
        self._burst = burst
        self._rate = rate
        self._clock = clock
        self._left = burst
        self._at = clock()

    @property
    def left(self) -> float:
        """How much may be taken now; less than 0 if more was taken than was left."""
        now = self._clock()
        self._left, self._at = min(self._burst, self._left + (now - self._at) * self._rate), now
        return self._left

    def take(self, amount: float = 1.0) -> bool:
        """Take so much if it is left. Return whether it was."""
        is_left = self.left >= amount
        if is_left:
            self._left -= amount
        return is_left

    def charge(self, amount: float) -> None:
        """Take so much, even if less is left: what something has cost is known only after it."""
        self._left = self.left - amount
