"""A session on a port: reads, writes, and opens the port again when it was lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from .base import Guidance
from .errors import DriverError, TransportError
from .events import Event, Numbered
from .limits import REOPEN_EVERY
from .messages import HostMessage
from .session import Session, State


class Line(Protocol):
    """What a link needs of a port (`transport.Transport`)."""

    def read(self) -> bytes: ...

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


class Link:
    """A `base.Connection` over the serial protocol.

    `line` is open already; `reopen` opens the same port again. `clock` gives seconds and never goes back;
    `lights` turns guidance into the board's lines.
    """

    def __init__(
        self,
        session: Session,
        line: Line,
        reopen: Callable[[], Line],
        clock: Callable[[], float],
        lights: Callable[[Guidance], Sequence[HostMessage]],
    ) -> None:
        self.session = session
        self._line: Line | None = line
        self._reopen = reopen
        self._clock = clock
        self._lights = lights
        self._retry_at = 0.0
        self._closed = threading.Event()
        session.opened(clock())

    def poll(self, timeout: float) -> list[Event]:
        """See `base.Connection.poll`; one read may exceed `timeout` by `transport.READ_WAIT`, and
        opening a network port that does not answer by five seconds.

        :raises DriverError: the connection was closed.
        """
        deadline = self._clock() + timeout
        while True:
            if self._closed.is_set():
                raise DriverError("the connection to the board is closed")
            events = self._step(deadline)
            if events or self._clock() >= deadline:
                return events

    def acknowledge(self, event: Numbered) -> None:
        self.session.acknowledge(event)

    def show(self, guidance: Guidance) -> None:
        self.session.show(self._lights(guidance))

    def close(self) -> None:
        """Send what is due (a last acknowledgement, say) and give the port back."""
        if self._closed.is_set():
            return
        self._closed.set()
        if self._line is not None:
            line, self._line = self._line, None
            try:
                with suppress(TransportError):  # a port that is gone takes no last words, and needs none
                    line.write(self.session.take())
            finally:
                self.session.closed("closed")
                line.close()

    def _step(self, deadline: float) -> list[Event]:
        if self._line is None and not self._open(deadline):
            return []
        assert self._line is not None
        events: list[Event] = []
        try:
            self._line.write(self.session.take())
            data = self._line.read()
            now = self._clock()
            events += self.session.receive(data, now)
            events += self.session.tick(now)
            if self.session.state is State.CLOSED:  # given up for silence
                self._drop()
            else:
                self._line.write(self.session.take())
        except TransportError as error:
            self._drop()
            events += self.session.closed(str(error))
        return events

    def _open(self, deadline: float) -> bool:
        now = self._clock()
        if now < self._retry_at:
            self._closed.wait(max(0.0, min(deadline, self._retry_at) - now))
            return False
        try:
            self._line = self._reopen()
        except TransportError:
            # Still away: the caller has been told so by `Disconnected`, once.
            self._retry_at = self._clock() + REOPEN_EVERY
            return False
        self.session.opened(self._clock())
        return True

    def _drop(self) -> None:
        line, self._line = self._line, None
        self._retry_at = self._clock() + REOPEN_EVERY
        if line is not None:
            with suppress(TransportError):  # it is lost already: that is what gets reported
                line.close()
