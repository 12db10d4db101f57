"""Places for what is scarce: live streams, large bodies, calculations, sheets. Each sender has a share of them.

The share is a dynamic threshold (Choudhury and Hahne, 1998): a sender may take one more place while it has less than
`FACTOR` times as many as are free. So one who is alone gets three quarters of all, the next three quarters of the rest,
and a newcomer finds a place until many have taken all that they may. Callers without a key have at most half of the
places together.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from inkeek.service.errors import ErrorText, ServiceError, TooBusy

FACTOR = 3


class Sender(NamedTuple):
    """Whom requests count against: the holder of a key, or without one an address."""

    name: str
    has_key: bool


class Places:
    """`running` places, and a queue for `queued` more callers. `what` they are for is named in refusals. `note` gets 1
    when one is taken, and -1 when it is given back."""

    def __init__(
        self,
        what: str,
        running: int,
        queued: int = 0,
        refusal: type[ServiceError] = TooBusy,
        note: Callable[[int], None] = lambda more: None,
    ) -> None:
        self._what = what
        self._refusal = refusal
        self._note = note
        self._total = running + queued
        self._running = threading.Semaphore(running)
        self._lock = threading.Lock()
        self._held: Counter[Sender] = Counter()  # running and queued

    @property
    def free(self) -> int:
        """How many places are free, those in the queue included."""
        return self._total - self._held.total()

    @contextmanager
    def taken(self, sender: Sender, patience: float = 0.0) -> Iterator[None]:
        """Have a place for the block.

        :raises ServiceError: the refusal: the sender has its share, or none gets free within `patience` seconds.
        """
        give_back = self.take(sender, patience)
        try:
            yield
        finally:
            give_back()

    def take(self, sender: Sender, patience: float = 0.0) -> Callable[[], None]:
        """Take a place. Returns what gives it back, which may be called again.

        :raises ServiceError: the refusal: the sender has its share, or none gets free within `patience` seconds.
        """
        with self._lock:
            if not self._may_have_more(sender):
                raise self._refusal(
                    ErrorText(
                        "%(what)s: %(held)s of %(total)s places are yours, and the others are taken or kept for other "
                        "callers. Try again in a moment.",
                        what=self._what,
                        held=self._held[sender],
                        total=self._total,
                    )
                )
            self._held[sender] += 1
            self._note(1)
        if not self._running.acquire(timeout=patience):
            self._drop(sender)
            raise self._refusal(
                ErrorText(
                    "%(what)s: no place got free within %(patience)s s. Try again in a moment.",
                    what=self._what,
                    patience=f"{patience:g}",
                )
            )
        return _once(lambda: self._give_back(sender))

    def _may_have_more(self, sender: Sender) -> bool:
        held, free = self._held[sender], self.free
        if not sender.has_key:
            without_key = sum(count for other, count in self._held.items() if not other.has_key)
            if without_key >= (self._total + 1) // 2:
                return False
        return free > 0 and (held == 0 or (free > 1 and held < FACTOR * free))

    def _give_back(self, sender: Sender) -> None:
        self._running.release()  # first: who finds a place free without waiting gets it
        self._drop(sender)

    def _drop(self, sender: Sender) -> None:
        with self._lock:
            self._held[sender] -= 1
            self._note(-1)
            if not self._held[sender]:
                del self._held[sender]


def _once(call: Callable[[], None]) -> Callable[[], None]:
    calls = [call]

    def run() -> None:
        with suppress(IndexError):
            calls.pop()()

    return run
