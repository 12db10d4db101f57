"""The desk's end of a far board: a `drivers.base.Connection` whose events come out of the board's inbox."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from drivers import registry
from drivers.base import Driver, Guidance, Resume
from drivers.errors import DriverError
from drivers.events import Disconnected, Event, Gap, Numbered
from drivers.recording.json_form import read_event
from service.boards.bindings import Boards
from service.storage import InboxNews

from .inbox import FAR, LOOK_EVERY, Inboxes

BATCH = 200  # events read at once
MAX_GIVEN = 1000  # events handed out and not acknowledged; more stay in the inbox
SILENT_AFTER = 20.0  # seconds without a word of the far desk after which the board counts as gone


class RemoteConnection:
    """The board `board_id` as its inbox tells it. `resume` is the last event whose consequences are stored.

    Events stay in the inbox until they are acknowledged or, when they have no number, until the next poll: whatever
    kills the desk, they are handed out again. `clock` is monotonic time, `wait` passes some seconds.
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
        self._given: deque[tuple[int, Event]] = deque()
        self._after = 0  # the last event that was handed out or dealt with
        self._begun = False
        self._heard: tuple[str, float] | None = None  # what the far desk was last heard, and when that was seen
        self._silent = False

    def poll(self, timeout: float) -> list[Event]:
        """See `base.Connection.poll`."""
        done = []
        while self._given and not isinstance(self._given[0][1], Numbered):
            done.append(self._given.popleft())
        if done:
            self._inboxes.deal(self._id, done)
        deadline = self._clock() + timeout
        while True:
            events = self._look()
            left = deadline - self._clock()
            if events or left <= 0:
                return events
            self._wait(min(LOOK_EVERY, left))

    def acknowledge(self, event: Numbered) -> None:
        """See `base.Connection.acknowledge`."""
        names = [(e.boot, e.seq) if isinstance(e, Numbered) else None for _, e in self._given]
        if (event.boot, event.seq) not in names:
            raise DriverError(f"event {event.seq} of boot {event.boot} is not waiting to be acknowledged")
        done = [self._given.popleft() for _ in range(names.index((event.boot, event.seq)) + 1)]
        self._inboxes.deal(self._id, done)

    def show(self, guidance: Guidance) -> None:
        """See `base.Connection.show`."""
        self._inboxes.show(self._id, guidance)

    def close(self) -> None:
        """There is nothing to give back."""

    def _look(self) -> list[Event]:
        news = self._inboxes.news(self._id)
        if self._begun and not self._is_news(news):
            return []
        if not self._begun:
            self._drop_settled()
        row, found = self._inboxes.look(self._id, self._after, min(BATCH, MAX_GIVEN - len(self._given)))
        if row is None:
            return []
        events: list[Event] = []
        now = self._clock()
        back = self._silent and self._heard is not None and self._heard[0] != row.heard
        if self._heard is None or self._heard[0] != row.heard:
            self._heard, self._silent = (row.heard, now), False
        elif not self._silent and now - self._heard[1] >= SILENT_AFTER:
            self._silent = True
            events.append(Disconnected(f"its desk was not heard for {SILENT_AFTER:g} seconds"))
        if (back or not self._begun) and row.hello is not None:
            events.append(read_event(row.hello))
        self._begun = True
        if found:
            self._after = found[-1][0]
            self._given += found
        return events + [event for _, event in found]

    def _is_news(self, news: InboxNews | None) -> bool:
        """Whether there is something to tell: events, a desk that is heard again, or one that is not heard any more."""
        if news is None or self._heard is None:
            return news is not None
        if news.last > self._after or news.heard != self._heard[0]:
            return True
        return not self._silent and self._clock() - self._heard[1] >= SILENT_AFTER

    def _drop_settled(self) -> None:
        """Drop what the last desk had stored the consequences of when it died, before it could drop it."""
        row, found = self._inboxes.look(self._id, 0, MAX_GIVEN)
        for place, (_, event) in enumerate(found):
            if isinstance(event, Numbered | Gap) and (event.boot, event.seq) == self._resume:
                self._inboxes.deal(self._id, found[: place + 1])
                break
        self._after = 0 if row is None else row.dealt


class RemoteDriver:
    """The driver of far boards. It is the service's own, since it reads the database."""

    name = FAR
    title = "A board attached from afar"

    def __init__(self, boards: Boards, inboxes: Inboxes, clock: Callable[[], float] = time.monotonic) -> None:
        self._boards = boards
        self._inboxes = inboxes
        self._clock = clock

    def open(self, url: str, resume: Resume | None = None) -> RemoteConnection:
        """See `base.Driver.open`."""
        for board in self._boards.open():
            if board.url == url:
                return RemoteConnection(self._inboxes, board.id, resume, self._clock)
        raise DriverError(f"no open board is called {url!r}")


def finder(boards: Boards, inboxes: Inboxes) -> Callable[[str], Driver]:
    """What gives a driver by name: the far boards', or an installed one."""
    far = RemoteDriver(boards, inboxes)
    return lambda name: far if name == FAR else registry.driver(name)
