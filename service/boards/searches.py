"""The searches for what happened on a board that fits no legal turn, in other processes, for a few boards at a time.

A search may take a second of a processor, holds the interpreter's lock meanwhile, and needs much memory. So that no
board is the others' burden, it runs in a process of its own; the board whose searches have cost least goes first; and a
board that has used up its share, or whose turn does not come in time, gets its answer without a search. A process has
the priority of the desk: who has pressed a button waits for it, and on a busy machine it would hardly start.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from inkeek.drivers.detection.diagnosis import Explanation, diagnose
from inkeek.records.errors import ErrorText
from inkeek.service.errors import ServiceError
from inkeek.service.processes.workers.calculator import calculate

from .share import Share

log = logging.getLogger(__name__)

AT_ONCE = 4  # searches: most cost less than the start of their process, and where the desk is busy they wait for it
BURST = 10.0  # seconds of searching that a board may have at once
RATE = 0.05  # seconds of searching that it gets back a second
PATIENCE = 5.0  # seconds that a board waits for its turn: people wait for the answer to their button
LONGEST = 20.0  # seconds that one search may take
LOOK_EVERY = 0.1  # seconds between two looks whether a board that waits is released

SHARE_USED = ErrorText("Nobody searched for what happened: the board has used up its share of searches.")
NO_TIME = ErrorText("Nobody searched for what happened: other boards keep the desk busy.")
FAILED = ErrorText("The search for what happened took too long.")


class NoSearch(Exception):
    """There is no search; `reason` is why, as a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Searches:
    """Runs the searches of all boards. `clock` is monotonic time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._shares: dict[str, Share] = {}
        self._waiting: dict[str, tuple[float, int]] = {}  # the board that has the most left and asked first is next
        self._numbers = itertools.count()
        self._running = 0

    def search(self, board_id: str, stop: Callable[[], None], *question: object) -> Explanation:
        """What `diagnose` says of a question. `stop` is called now and then, and raises once nobody needs the answer.

        :raises NoSearch: the board has used up its share, its turn does not come, or the search takes too long.
        """
        with self._turn(board_id, stop) as share:
            began = self._clock()
            try:
                found, cost = calculate(_search, *question, seconds=LONGEST, nice=0, look=stop)
            except ServiceError as error:
                share.charge(self._clock() - began)
                log.warning("board %s: the search for what happened failed", board_id, exc_info=error)
                raise NoSearch(FAILED) from error
            share.charge(cost)
        explanation: Explanation = found
        return explanation

    @contextmanager
    def _turn(self, board_id: str, stop: Callable[[], None]) -> Iterator[Share]:
        """Have the turn for the block; the share is that of the board."""
        with self._changed:
            share = self._shares.setdefault(board_id, Share(BURST, RATE, self._clock))
            if share.left <= 0:
                raise NoSearch(SHARE_USED)
            mine = self._waiting[board_id] = -share.left, next(self._numbers)
            until = self._clock() + PATIENCE
            try:
                while self._running >= AT_ONCE or min(self._waiting.values()) != mine:
                    stop()
                    if self._clock() >= until:
                        raise NoSearch(NO_TIME)
                    self._changed.wait(LOOK_EVERY)
                self._running += 1
            finally:
                del self._waiting[board_id]
                self._changed.notify_all()
        try:
            yield share
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()


def _search(*question: object) -> tuple[Explanation, float]:
    """In the process: the explanation, and the seconds of a processor that it cost."""
    began = time.process_time()
    found = diagnose(*question)  # type: ignore[arg-type]
    return found, time.process_time() - began
