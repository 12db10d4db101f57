"""Places for what is scarce: live streams, waiting requests, calculations, sheets. Each sender has a share of them.

The share is a dynamic threshold (Choudhury and Hahne, 1998): a sender may take one more place while it has less than
`FACTOR` times as many as are free. So one who is alone gets three quarters of all, the next three quarters of the rest,
and a newcomer finds a place until many have taken all that they may. Callers without a key have at most half of the
places together. Who waits for a place is served in turn of the senders.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from service.errors import ErrorText, ServiceError, TooBusy

from .fair_queue import RoundRobin, Sender
from .thread_turns import waiting

FACTOR = 3


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
        self._running = running  # that are free
        self._lock = threading.Lock()
        self._held: Counter[Sender] = Counter()  # running and queued
        self._queue: RoundRobin[threading.Lock] = RoundRobin()

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
        signal: threading.Lock | None = None
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
            if self._running:
                self._running -= 1
            else:
                signal = threading.Lock()
                signal.acquire()
                self._queue.add(sender, signal)
        if signal is not None:
            self._wait(sender, signal, patience)
        return _once(lambda: self._give_back(sender))

    def _may_have_more(self, sender: Sender) -> bool:
        held, free = self._held[sender], self.free
        if not sender.has_key:
            without_key = sum(count for other, count in self._held.items() if not other.has_key)
            if without_key >= (self._total + 1) // 2:
                return False
        return free > 0 and (held == 0 or (free > 1 and held < FACTOR * free))

    def _wait(self, sender: Sender, signal: threading.Lock, patience: float) -> None:
        with waiting():
            is_given = signal.acquire(timeout=patience)
        if is_given:
            return
        with self._lock:
            if self._queue.discard(sender, signal):
                self._drop(sender)
                raise self._refusal(
                    ErrorText(
                        "%(what)s: no place got free within %(patience)s s. Try again in a moment.",
                        what=self._what,
                        patience=f"{patience:g}",
                    )
                )

    def _give_back(self, sender: Sender) -> None:
        with self._lock:
            self._drop(sender)
            if self._queue:
                self._queue.pop().release()
            else:
                self._running += 1

    def _drop(self, sender: Sender) -> None:
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
