"""A board on a line for the checks: every line is sent, read and reported as it is, without the help of a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from inkeek.drivers.base import ByteStream, Environment
from inkeek.drivers.errors import TransportError
from inkeek.drivers.protocol.frames import Frame, write_line
from inkeek.drivers.protocol.limits import HELLO_EVERY
from inkeek.drivers.protocol.line_report import LineInspector, LineReport

MAX_LINES = 100_000  # kept of one check: what a line at 115200 baud carries in a quarter of an hour
REOPEN_EVERY = 1.0  # seconds


REFUSED = Frame("")


class FloodError(Exception):
    """The board sent more than `MAX_LINES` lines."""


@dataclass(frozen=True, slots=True)
class LoggedLine:
    """A line on the wire: when, from whom, and what the host makes of it."""

    seconds: float  # since the start of the check
    sender: str  # "board" or "host"
    report: LineReport


@dataclass(frozen=True, slots=True)
class ReceivedLine:
    """A line of the board. `frame`: as the host uses it; of a refused line, a frame of type ``""``."""

    frame: Frame
    report: LineReport

    @property
    def number(self) -> int:
        """The number of an event; 0 for other lines."""
        return int(self.frame.fields[1]) if self.frame.type == "EVT" else 0


class BoardLine:
    """The port of a board that is checked. `log` is called with every line at once, those of the host included."""

    def __init__(self, environment: Environment, log: Callable[[LoggedLine], None]) -> None:
        self.received: list[ReceivedLine] = []  # all lines of the board, in order
        self.faults: Counter[str] = Counter()  # of the board's lines
        self.examples: dict[str, LineReport] = {}  # the first line of each fault
        self._environment = environment
        self._log = log
        self._start = environment.clock()
        self._stream: ByteStream | None = None
        self._inspector = LineInspector()
        self._partial = False  # whether the next line may have begun before the port was opened

    @property
    def now(self) -> float:
        """Seconds since the start of the check."""
        return self._environment.clock() - self._start

    @property
    def sensors(self) -> int | None:
        """How many sensors the board has, once it has said so; then lines are checked against it."""
        return self._inspector.sensors

    @sensors.setter
    def sensors(self, sensors: int) -> None:
        self._inspector.sensors = sensors

    def open(self, within: float = 0.0) -> None:
        """Open the port; try again until `within` seconds have passed.

        :raises TransportError: it cannot be opened.
        """
        deadline = self.now + within
        while self._stream is None:
            try:
                self._stream = self._environment.open()
            except TransportError:
                if self.now >= deadline:
                    raise
                self._environment.wait(min(REOPEN_EVERY, max(0.0, deadline - self.now)))
        sensors = self.sensors
        self._inspector = LineInspector()
        self._inspector.sensors = sensors
        self._partial = True

    def close(self) -> None:
        """Release the port."""
        stream, self._stream = self._stream, None
        if stream is not None:
            self._take(self._inspector.rest())
            with suppress(TransportError):  # the port may be gone
                stream.close()

    def send(self, frame: Frame) -> None:
        """Send a line.

        :raises TransportError: the port is lost.
        """
        self.send_bytes(write_line(frame))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes, also wrong ones.

        :raises TransportError: the port is lost.
        """
        for report in self._reports_of(data):
            self._log(LoggedLine(self.now, "host", report))
        self._open_stream().write(data)

    def read(self) -> None:
        """Read once; what came is in `received`.

        :raises TransportError: the port is lost.
        """
        data = self._open_stream().read()
        self._take(self._inspector.feed(data))
        if len(self.received) > MAX_LINES:
            raise FloodError

    def read_until(self, is_done: Callable[[], bool], within: float) -> bool:
        """Read until `is_done`, for at most `within` seconds. Return whether it is."""
        deadline = self.now + within
        while not is_done():
            if self.now >= deadline:
                return False
            self.read()
        return True

    def read_for(self, seconds: float) -> list[ReceivedLine]:
        """Read for this long and return what came."""
        mark = len(self.received)
        self.read_until(lambda: False, seconds)
        return self.received[mark:]

    def request(self, request: Frame, kind: str, within: float, *, repeat: bool = False) -> Frame | None:
        """Send a line and return the first line of a type that comes then, or None; `repeat`: send it each second."""
        mark, deadline = len(self.received), self.now + within
        while True:
            self.send(request)
            wait = min(HELLO_EVERY, max(0.0, deadline - self.now)) if repeat else within
            self.read_until(lambda: any(one.frame.type == kind for one in self.received[mark:]), wait)
            found = next((one.frame for one in self.received[mark:] if one.frame.type == kind), None)
            if found is not None or self.now >= deadline:
                return found

    def _open_stream(self) -> ByteStream:
        if self._stream is None:
            raise TransportError("the port is not open")
        return self._stream

    def _take(self, reports: list[LineReport]) -> None:
        """Log, count and keep reports."""
        frames = iter(self._inspector.frames)
        for report in reports:
            self._log(LoggedLine(self.now, "board", report))
            is_frame = report.accepted or report.fault in ("type", "fields")
            frame = next(frames) if is_frame else REFUSED
            if report.fault and not (self._partial and not is_frame):
                self.faults[report.fault] += 1
                self.examples.setdefault(report.fault, report)
            self._partial = False
            self.received.append(ReceivedLine(frame if report.accepted else REFUSED, report))

    @staticmethod
    def _reports_of(data: bytes) -> list[LineReport]:
        """The host's own lines as reports: what is wrong with them is wrong on purpose."""
        lines = data.splitlines(keepends=True)
        return [LineReport(line.decode("latin-1").encode("unicode_escape").decode(), True) for line in lines]
