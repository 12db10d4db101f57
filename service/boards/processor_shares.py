"""The desk's processor is shared among its boards: one that floods it is read more slowly, and the others go on.

While all boards together use more than is there for them, those that have used most wait: up to a level at which what
each has used, cut off there, adds up to what is there (max-min fairness). So a board that uses little never waits for
those that use much. What was used is forgotten exponentially. Turns that are recorded are free, at the pace of people.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable

from .share import Share

PART = 0.5  # of one core, for the threads of all boards: the interpreter runs one thread at a time
WINDOW = 10.0  # seconds after which 1/e of what was used still counts
PAUSE = 0.1  # seconds that a board beyond its share waits until it is looked at again
LOOK_EVERY = 0.05  # seconds between two looks who has used most
FORGOTTEN = 1e-3  # seconds
FREE_TURNS = 5  # that are free at once
FREE_TURNS_RATE = 1.0  # more a second


class ProcessorShares:
    """What each board has used lately. `clock` is monotonic time. Any thread may use it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._used: dict[str, float] = {}
        self._free_turns: dict[str, Share] = {}
        self._level = math.inf
        self._at = clock()

    def charge(self, board_id: str, seconds: float, *, has_played: bool = False) -> bool:
        """Note that a board has used so many seconds of the processor. Return whether it may go on at once.

        `has_played`: a turn was recorded meanwhile.
        """
        with self._lock:
            now = self._clock()
            if has_played and self._take_free_turn(board_id):
                seconds = 0.0
            if now - self._at >= LOOK_EVERY:
                kept = math.exp((self._at - now) / WINDOW)
                self._used = {board: left for board, used in self._used.items() if (left := used * kept) > FORGOTTEN}
                self._free_turns = {board: free for board, free in self._free_turns.items() if free.left < FREE_TURNS}
                self._level = fair_level(self._used.values(), PART * WINDOW)
                self._at = now
            used = self._used[board_id] = self._used.get(board_id, 0.0) + seconds
            return used <= self._level

    def _take_free_turn(self, board_id: str) -> bool:
        free = self._free_turns.setdefault(board_id, Share(FREE_TURNS, FREE_TURNS_RATE, self._clock))
        return free.take()


def fair_level(amounts: Iterable[float], whole: float) -> float:
    """The level at which the amounts, cut off there, add up to `whole`; infinite if they are no more than that."""
    left, sorted_amounts = whole, sorted(amounts)
    for number, amount in enumerate(sorted_amounts):
        others = len(sorted_amounts) - number
        if amount * others > left:
            return left / others
        left -= amount
    return math.inf
