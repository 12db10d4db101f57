"""What checking one record may cost, so that no record takes long, whatever is in it."""

from __future__ import annotations

from typing import Any

from .errors import ErrorText, RecordsError

# Games need five laps a ply; the longest turn that is known to end takes about a thousand (docs/endless.md).
LAPS_A_RECORD = 5_000  # laps of sowing to check a record
LAPS_A_PLY = 100  # more laps for each ply
# The cost in laps of describing an error, and of listing a legal turn.
AN_ERROR = 2_000
A_LISTED_TURN = 150


class BudgetSpent(RecordsError):
    """Checking a record took too many laps of sowing."""

    def __init__(self) -> None:
        super().__init__(
            ErrorText(
                "its moves take more than %(laps)s laps of sowing, and %(more)s for each ply: the record is checked no "
                "further. Correct the errors above, or leave out variations",
                laps=LAPS_A_RECORD,
                more=LAPS_A_PLY,
            )
        )


class Budget:
    """The laps of sowing that are left for a record. `plies`: how many it has, with those of its variations."""

    def __init__(self, plies: int) -> None:
        self._left = LAPS_A_RECORD + LAPS_A_PLY * plies
        self._kernel: Any = None
        self._seen = 0

    def limit(self, kernel: Any) -> None:
        """Let the kernel sow what is left, until its next position; what it sows until then is spent."""
        kernel.limit(max(self.left, 0))
        self._kernel, self._seen = kernel, kernel.laps_sown()

    def spend(self, laps: int) -> None:
        self._left -= laps

    @property
    def left(self) -> int:
        if self._kernel is not None:
            sown = self._kernel.laps_sown()
            self._left -= sown - self._seen
            self._seen = sown
        return self._left

    def verify(self) -> None:
        """:raises BudgetSpent: nothing is left."""
        if self.left <= 0:
            raise BudgetSpent
