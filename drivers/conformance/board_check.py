"""Checks a board against the protocol (`docs/protocol.md`) step by step, with a person at the board if there is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from inkeek.drivers.base import ByteStream, Environment
from inkeek.drivers.errors import TransportError
from inkeek.drivers.events import Connected
from inkeek.drivers.protocol.frames import Frame, write_line
from inkeek.drivers.protocol.limits import HELLO_EVERY
from inkeek.drivers.protocol.line_report import LineInspector, LineReport
from inkeek.drivers.protocol.messages import PING, replay_request
from inkeek.records.errors import CopyableError

ANSWER_WITHIN = 5.0  # seconds for a line that the board answers at once; a busy host may stop for a while
RESEND_WITHIN = 5.0  # seconds for events to come again, one second after they came first
LISTEN_FOR = 2.0  # seconds for lines that may come or not
PERSON_WITHIN = 30.0  # seconds for what a person does at the board
TASKS = ("events", "press s", "press n", "lift south", "lift north", "lights", "empty", "restart")
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Person(Protocol):
    """Somebody at the board who reads what the check asks and types answers. The line is served meanwhile."""

    def ask(self, task: str, text: str) -> bool:
        """Show what to do or what to answer; `task` is one of `TASKS`. False: nobody is there."""

    def answer(self) -> str | None:
        """Return the next line that was typed since, without waiting; None: nothing."""


class Nobody:
    """The `Person` of a check that runs alone."""

    def ask(self, task: str, text: str) -> bool:
        return False

    def answer(self) -> str | None:
        return None


class StepFailed(CopyableError):
    """The board does otherwise than the protocol says: what came, and what was expected."""

    def __init__(self, came: str, expected: str) -> None:
        super().__init__(f"{came}; expected {expected}")
        self.came, self.expected = came, expected


class StepSkipped(Exception):
    """The step could not be done; the text says why."""


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One step: a short name, what it checks, the heading in `docs/protocol.md`, and the check itself."""

    name: str
    title: str
    section: str
    check: Callable[[CheckRun], None]
    needs_greeting: bool = True


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step came out. `came` and `expected` if it failed; `why` if it was skipped; `notes` in any case."""

    name: str
    title: str
    section: str
    outcome: str
    seconds: float
    came: str = ""
    expected: str = ""
    why: str = ""
    notes: tuple[str, ...] = ()


@dataclass
class CheckRun:
    """What the steps of one check share."""

    line: BoardLine
    person: Person
    calibrate: bool = False  # whether steps may calibrate the board
    board: Connected | None = None
    acknowledged: int = 0  # of this boot
    started: int = 0  # index into the received lines where this boot began
    notes: list[str] = field(default_factory=list)

    @property
    def connected(self) -> Connected:
        """The board, after its greeting."""
        assert self.board is not None
        return self.board

    def mark(self) -> int:
        """Return a mark for `since`."""
        return len(self.line.received)

    def since(self, mark: int, kind: str) -> list[ReceivedLine]:
        """Return the lines of a type that came after the mark."""
        return [one for one in self.line.received[mark:] if one.frame.type == kind]

    def events(self, mark: int | None = None) -> list[ReceivedLine]:
        """Return the events of this boot that came, also again, since the mark or the board's start."""
        boot = self.connected.boot
        since = self.started if mark is None else mark
        return [one for one in self.since(since, "EVT") if one.frame.fields[0] == boot]

    def numbers(self) -> set[int]:
        """Return the numbers of the events of this boot."""
        return {one.number for one in self.events()}

    def new_events(self, kinds: tuple[str, ...], mark: int) -> list[tuple[str, ...]]:
        """Return kind and fields of the events of these kinds whose numbers came first after the mark."""
        events = self.events()
        known = {one.number for one in events[: len(events) - len(self.events(mark))]}
        new = (one for one in self.events(mark) if one.number not in known)
        return [one.frame.fields[3:] for one in new if one.frame.fields[3] in kinds]

    def watch(self, task: str, what: str, is_done: Callable[[], bool], within: float = PERSON_WITHIN) -> bool:
        """Have a person do something, and return whether `is_done`. False: they say that they did it, but it is not.

        :raises StepSkipped: nobody does it.
        """
        if not self.person.ask(task, f"{what} (Enter: done, and nothing happens; s: skip)"):
            raise StepSkipped(f"nobody is there: {what}")
        typed = self._typed(lambda text: True, is_done, within)
        if not is_done() and typed is not None and typed != "s":
            self.line.read_until(is_done, ANSWER_WITHIN)
        elif not is_done():
            raise StepSkipped("skipped" if typed else f"nothing happened within {within:g} seconds")
        return is_done()

    def confirm(self, task: str, question: str) -> str | None:
        """Ask a person and return what they type: ``y``, ``n`` or ``s``; None: nobody answers."""
        if not self.person.ask(task, f"{question} (y: yes, n: no, s: skip)"):
            return None
        typed = self._typed(lambda text: text[:1] in ("y", "n", "s"), lambda: False, PERSON_WITHIN)
        return None if typed is None else typed[:1]

    def _typed(self, is_answer: Callable[[str], bool], is_done: Callable[[], bool], within: float) -> str | None:
        """Serve the line until something `is_answer` is typed, or it `is_done`; return what was typed last."""
        typed: str | None = None

        def is_over() -> bool:
            nonlocal typed
            typed = self.person.answer()
            return typed is not None and is_answer(typed.strip())

        self.line.read_until(lambda: is_done() or is_over(), within)
        return None if typed is None else typed.strip()

    def unacknowledged(self) -> list[int]:
        """Return the numbers of the events that the board must still hold.

        :raises StepSkipped: there are none.
        """
        numbers = sorted({one.number for one in self.events()} - set(range(self.acknowledged + 1)))
        if not numbers:
            raise StepSkipped("the board has sent no event")
        return numbers

    def replay(self, first: int) -> None:
        """Request the events from a number on."""
        self.line.send(replay_request(self.connected.boot, first))

    def overflows(self, mark: int) -> list[tuple[str, ...]]:
        """Return the fields of each ``ERR,overflow`` after the mark."""
        return [one.frame.fields for one in self.since(mark, "ERR") if one.frame.fields[0] == "overflow"]

    def wait_for(self, numbers: Iterable[int], mark: int, within: float = RESEND_WITHIN) -> bool:
        """Wait until these events have come after the mark, and return whether they have."""
        return self.line.read_until(lambda: {one.number for one in self.events(mark)}.issuperset(numbers), within)

    def expect_events(
        self, numbers: Sequence[int], mark: int, what: str, expected: str, within: float = RESEND_WITHIN
    ) -> None:
        """:raises StepFailed: one of these events has not come after the mark; `what` it did instead."""
        self.wait_for(numbers, mark, within)
        for missing in sorted(set(numbers) - {one.number for one in self.events(mark)}):
            raise StepFailed(f"event {missing} {what}", expected)

    @staticmethod
    def expect(is_right: bool, came: str, expected: str) -> None:
        """:raises StepFailed: it is not right."""
        if not is_right:
            raise StepFailed(came, expected)

    def answer(self, request: Frame, kind: str, within: float = ANSWER_WITHIN) -> Frame:
        """Send a request and return its answer.

        :raises StepFailed: none came.
        """
        mark = self.mark()
        found = self.line.request(request, kind, within)
        if found is None:
            raise StepFailed(self.describe(mark), f"{kind} within {within:g} seconds of {request.type}")
        return found

    def is_alive(self) -> bool:
        """Whether the board answers a ``PING``."""
        return self.line.request(PING, "STAT", ANSWER_WITHIN) is not None

    def describe(self, mark: int) -> str:
        """What came after the mark, as part of a sentence."""
        came = self.line.received[mark:]
        types = [one.frame.type for one in came if one.frame.type]
        parts = [f"{types.count(kind)} {kind}" for kind in dict.fromkeys(types)]
        refused = {one.report.fault: one.report for one in reversed(came) if not one.report.accepted}
        parts += (f"refused: {report.line} ({report.reason})" for report in refused.values())
        return ", ".join(parts) or "nothing came"


def run_check(
    environment: Environment,
    steps: Sequence[CheckStep],
    *,
    log: Callable[[LoggedLine], None] = lambda line: None,
    person: Person | None = None,
    calibrate: bool = False,
) -> Iterator[StepResult]:
    """Run the steps on the board behind `environment`, and yield each result when it is known.

    `calibrate` allows steps to calibrate the board. The check acknowledges events: the board forgets them.

    :raises TransportError: the port cannot be opened.
    """
    line = BoardLine(environment, log)
    run = CheckRun(line, person or Nobody(), calibrate)
    line.open()
    try:
        for step in steps:
            yield _result(step, run)
    finally:
        line.close()


def _result(step: CheckStep, run: CheckRun) -> StepResult:
    start = run.line.now
    run.notes = []
    outcome, came, expected, why = PASSED, "", "", ""
    try:
        run.line.open(ANSWER_WITHIN)  # it may have been lost in the step before
        if step.needs_greeting and run.board is None:
            raise StepSkipped("the board has not greeted the host")
        step.check(run)
    except StepFailed as failure:
        outcome, came, expected = FAILED, failure.came, failure.expected
    except StepSkipped as skip:
        outcome, why = SKIPPED, str(skip)
    except TransportError as error:
        run.line.close()
        outcome, came, expected = FAILED, f"the port was lost: {error}", "a port that stays open"
    except FloodError:
        outcome, came, expected = FAILED, f"more than {MAX_LINES} lines", "lines when something happens"
    seconds = round(run.line.now - start, 3)
    return StepResult(step.name, step.title, step.section, outcome, seconds, came, expected, why, tuple(run.notes))


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
