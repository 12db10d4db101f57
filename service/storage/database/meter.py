"""What a store notes of its connections."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext


class Meter:
    """Notes nothing. One that counts is in `inkeek.service.processes`."""

    def allow(self, connections: int) -> None:
        """So many connections may be in use at once."""

    def take(self) -> None:
        """A connection is in use from now on."""

    def give_back(self) -> None:
        """It is not in use any more."""

    def waiting(self) -> AbstractContextManager[None]:
        """For a block in which a thread waits for a connection or, with SQLite, for its turn to write."""
        return nullcontext()

    def note_failed_write(self, problem: str) -> None:
        """Nothing was stored, because of a problem of that type."""
