"""The driver of remote boards: a `inkeek.drivers.base.Connection` that reads the board's inbox."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import takewhile

from inkeek.drivers import registry
from inkeek.drivers.attention import Attention
from inkeek.drivers.base import Driver, Guidance, Resume
from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import Disconnected, Event, Gap, Numbered
from inkeek.records.errors import ErrorText
from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.identity import FAR

from .inbox import LOOK_EVERY, Inboxes

BATCH = 200  # events read at once
MAX_PENDING = 1000  # events returned and not acknowledged; more stay in the inbox
SILENT_AFTER = 20.0  # seconds without a message of the agent after which the board counts as disconnected


class RemoteConnection:
    """The board `board_id`. `resume` is the last event whose consequences are stored.

    An event stays in the inbox until it is acknowledged, or, without a number, until the next poll. So if the desk is
    killed, the next desk gets it again. `clock` is monotonic time, `wait` lets seconds pass.
    """

    def __init__(
        self,
        inboxes: Inboxes,
        board_id: str,
        resume: Resume | None,
        clock: Callable[[], float],
        wait: Callable[[float], object] | None = None,
    ) -> None:
        self._inboxes = inboxes
        self._id = board_id
        self._resume = resume
        self._clock = clock
        self._wait = wait or threading.Event().wait
        self._pending: deque[tuple[int, Event]] = deque()  # returned, not acknowledged
        self._after = 0  # the last event that was returned or handled
        self._begun = False
        self._attention = Attention(clock())
        self._heard: tuple[str, float] | None = None  # when the agent was last heard, and when that was seen here
        self._is_silent = False

    def poll(self, timeout: float) -> list[Event]:
        """See `base.Connection.poll`."""
        handled = list(takewhile(lambda pending: not isinstance(pending[1], Numbered), self._pending))
        if handled:
            self._forget(handled)
        deadline = self._clock() + timeout
        while True:
            events = self._read()
            left = deadline - self._clock()
            if events or left <= 0:
                return events
            self._wait(min(LOOK_EVERY, left))

    def acknowledge(self, event: Numbered) -> None:
        """See `base.Connection.acknowledge`."""
        names = [(e.boot, e.seq) if isinstance(e, Numbered) else None for _, e in self._pending]
        if (event.boot, event.seq) not in names:
            raise DriverError(f"event {event.seq} of boot {event.boot} is not waiting to be acknowledged")
        self._forget(list(self._pending)[: names.index((event.boot, event.seq)) + 1])

    def show(self, guidance: Guidance) -> None:
        """See `base.Connection.show`."""
        self._inboxes.show(self._id, guidance)

    def close(self) -> None:
        """Nothing is held open."""

    def _forget(self, handled: list[tuple[int, Event]]) -> None:
        """Remove the first ones of those that were returned."""
        self._inboxes.discard(self._id, handled)
        for _ in handled:
            self._pending.popleft()

    def _read(self) -> list[Event]:
        if not self._has_changed():
            return []
        if not self._begun:
            self._discard_stored()
        batch = self._inboxes.read(self._id, self._after, min(BATCH, MAX_PENDING - len(self._pending)))
        if batch is None:
            return []
        row = batch.row
        events: list[Event] = []
        now = self._attention.at(self._clock())
        is_back = False
        if self._heard is None or self._heard[0] != row.heard:
            is_back = self._is_silent
            self._heard, self._is_silent = (row.heard, now), False
        elif not self._is_silent and now - self._heard[1] >= SILENT_AFTER:
            self._is_silent = True
            events.append(Disconnected(ErrorText("its agent was silent for %(seconds)g seconds", seconds=SILENT_AFTER)))
        if (is_back or not self._begun) and batch.hello is not None:
            events.append(batch.hello)
        self._begun = True
        self._after = batch.upto
        self._pending += batch.events
        return events + [event for _, event in batch.events]

    def _has_changed(self) -> bool:
        """Whether there may be an event, or the agent is heard again, or is not heard any more."""
        row, now = self._inboxes.peek(self._id), self._attention.at(self._clock())
        if not self._begun or self._heard is None:
            return row is not None or not self._begun
        if row is None:
            return False
        if row.last > self._after or row.heard != self._heard[0]:
            return True
        return not self._is_silent and now - self._heard[1] >= SILENT_AFTER

    def _discard_stored(self) -> None:
        """Remove events whose consequences the last desk had stored when it died, but which it had not removed."""
        batch = self._inboxes.read(self._id, 0, MAX_PENDING)
        if batch is None:
            return
        self._after = batch.row.dealt
        for place, (number, event) in enumerate(batch.events):
            if isinstance(event, Numbered | Gap) and (event.boot, event.seq) == self._resume:
                self._inboxes.discard(self._id, batch.events[: place + 1])
                self._after = number
                break


class RemoteDriver:
    """The driver of remote boards. It belongs to the service, because it reads its database."""

    name = FAR
    title: str = ErrorText("A remote board")

    def __init__(self, boards: Boards, inboxes: Inboxes, clock: Callable[[], float] = time.monotonic) -> None:
        self._boards = boards
        self._inboxes = inboxes
        self._clock = clock

    def open(self, url: str, resume: Resume | None = None) -> RemoteConnection:
        """See `base.Driver.open`."""
        for board in self._boards.open():
            if board.url == url:
                return RemoteConnection(self._inboxes, board.id, resume, self._clock)
        raise DriverError("no open board has the port %(port)r", port=url)


def finder(boards: Boards, inboxes: Inboxes) -> Callable[[str], Driver]:
    """A function that gives drivers by name, that of remote boards included."""
    remote = RemoteDriver(boards, inboxes)
    return lambda name: remote if name == FAR else registry.driver(name)
