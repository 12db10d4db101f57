"""The searches for what happened on a board that fits no legal turn, in other processes, for a few boards at a time.

Most searches take some hundredths of a second of a processor, few half a second (`weigh` bounds them), and they hold
the interpreter's lock meanwhile. So they run in processes that stay: to start one takes longer than to search. A board
has one search at a time; if it has used up its share, or its turn does not come in time, it gets its answer without
one. The processes have the priority of the desk: who has pressed a button waits for them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import wait

from inkeek.drivers.detection.diagnosis import Explanation, diagnose
from inkeek.records.errors import ErrorText
from inkeek.service.processes.workers.calculator import Processes

from .share import Share

log = logging.getLogger(__name__)

PROCESSES = 2
BURST = 10.0  # seconds of searching that a board may have at once
RATE = 0.05  # seconds of searching that it gets back a second
PATIENCE = 5.0  # seconds that a board waits for its turn: people wait for the answer to their button
LONGEST = 20.0  # seconds that one search may take
LOOK_EVERY = 0.05  # seconds between two looks whether a board that waits is released

Find = Callable[..., tuple[Explanation, float]]
"""What runs in a process: the explanation of a question, and the seconds of a processor that it cost."""

SHARE_USED = ErrorText("Nobody searched for what happened: the board has used up its share of searches.")
NO_TIME = ErrorText("Nobody searched for what happened: other boards keep the desk busy.")
FAILED = ErrorText("The search for what happened took too long, or failed.")


class NoSearch(Exception):
    """There is no search; `reason` is why, as a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _find(*question: object) -> tuple[Explanation, float]:
    """In a process: the explanation, and the seconds of a processor that it cost."""
    began = time.process_time()
    found = diagnose(*question)  # type: ignore[arg-type]
    return found, time.process_time() - began


class Searches:
    """Runs the searches of all boards: `find` is a function of a module. `clock` is monotonic time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, find: Find = _find) -> None:
        self._clock = clock
        self._find = find
        self._lock = threading.Lock()
        self._shares: dict[str, Share] = {}
        self._processes = Processes(PROCESSES, LONGEST)

    def search(self, board_id: str, stop: Callable[[], None], *question: object) -> Explanation:
        """What `diagnose` says of a question. `stop` is called now and then, and raises once nobody needs the answer.

        :raises NoSearch: the board has used up its share, its turn does not come, or the search fails.
        """
        with self._lock:
            share = self._shares.setdefault(board_id, Share(BURST, RATE, self._clock))
            if share.left <= 0:
                raise NoSearch(SHARE_USED)
        until = self._clock() + PATIENCE
        future = self._processes.submit(self._find, *question)
        try:
            while not future.done():
                stop()
                if self._clock() >= until and not future.running():
                    raise NoSearch(NO_TIME)
                wait((future,), LOOK_EVERY)
        finally:
            future.cancel()  # which ends its process, if nobody needs the answer
        try:
            found, cost = future.result()
        except Exception as error:
            share.charge(LONGEST)
            log.warning("board %s: the search for what happened failed", board_id, exc_info=error)
            raise NoSearch(FAILED) from error
        share.charge(cost)
        explanation: Explanation = found
        return explanation

    def close(self) -> None:
        """End the processes."""
        self._processes.shutdown()
