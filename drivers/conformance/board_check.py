"""Checks a board against the protocol (`docs/protocol.md`) step by step, with a person at the board if there is one.

`STEPS`, at the end, are in order; each names the section of the protocol that demands it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from inkeek.drivers.base import ByteStream, Environment
from inkeek.drivers.errors import TransportError
from inkeek.drivers.events import Connected
from inkeek.drivers.ports.environment import MAX_SERIAL
from inkeek.drivers.protocol.frames import Frame, write_line
from inkeek.drivers.protocol.limits import HELLO_EVERY, PERIOD_MS, PROTOCOL
from inkeek.drivers.protocol.line_report import LineInspector, LineReport
from inkeek.drivers.protocol.messages import (
    NAK,
    PING,
    SNAPSHOT_REQUEST,
    TARE,
    BoardHello,
    ack,
    host_hello,
    parse,
    replay_request,
)
from inkeek.drivers.protocol.session import Lights
from inkeek.records.errors import CopyableError

ANSWER_WITHIN = 5.0  # seconds for a line that the board answers at once; a busy host may stop for a while
RESEND_WITHIN = 5.0  # seconds for events to come again, one second after they came first
LISTEN_FOR = 2.0  # seconds for lines that may come or not
PERSON_WITHIN = 30.0  # seconds for what a person does at the board
TASKS = ("events", "press s", "press n", "lift south", "lift north", "lights", "empty", "restart")
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
MAX_LINES = 100_000  # kept of one check: what a line at 115200 baud carries in a quarter of an hour
REOPEN_EVERY = 1.0  # seconds
REFUSED = Frame("")
HELLO_WITHIN = 10.0  # seconds: some microcontrollers restart when their port is opened
QUIET_FOR = 3.0  # seconds in which a board that sends events again has done so
NAK_WITHIN = 0.7  # seconds: before the board would send everything again anyway
ATTEMPTS = 3  # at what depends on a moment
QUIET_SECONDS = 1.5  # seconds without a new event after which a hand has finished
OTHER_BOOT = "fedcba98"  # of no board
HELLO = host_hello(PROTOCOL, "inkeek-check", "1")
CALIBRATE_WITHIN = 15.0  # seconds for a step of the calibration
MIN_RING = 512  # events that a board keeps at least
FILL_WITHIN = 120.0  # seconds for making more events than the ring holds
RESTART_WITHIN = 60.0  # seconds for a person to switch the board off and on
NO_CALIBRATION = "this would calibrate the board: allow it with --calibrate"


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
    *,
    log: Callable[[LoggedLine], None] = lambda line: None,
    person: Person | None = None,
    calibrate: bool = False,
) -> Iterator[StepResult]:
    """Run all steps on the board behind `environment`, and yield each result when it is known.

    `calibrate` allows steps to calibrate the board. The check acknowledges events: the board forgets them.

    :raises TransportError: the port cannot be opened.
    """
    line = BoardLine(environment, log)
    run = CheckRun(line, person or Nobody(), calibrate)
    line.open()
    try:
        for step in STEPS:
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
        self.inspector = LineInspector()  # it checks lines against the sensors of the board, once that has said them
        self._partial = False  # whether the next line may have begun before the port was opened

    @property
    def now(self) -> float:
        """Seconds since the start of the check."""
        return self._environment.clock() - self._start

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
        self._partial = True

    def close(self) -> None:
        """Release the port."""
        stream, self._stream = self._stream, None
        if stream is not None:
            self._take(self.inspector.rest())
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
        self._take(self.inspector.feed(data))
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
        frames = iter(self.inspector.frames)
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


# The steps


def check_greeting(run: CheckRun) -> None:
    """The board answers ``HELLO`` with a ``HELLO`` of a version that the host knows."""
    mark = run.mark()
    frame = run.line.request(HELLO, "HELLO", HELLO_WITHIN, repeat=True)
    if frame is None:
        came = run.describe(mark)
        raise StepFailed(came, f"HELLO within {HELLO_WITHIN:g} seconds of the host's, which is sent each second")
    board = known_board(frame)
    known = f"version {PROTOCOL[0]}.x: the host refuses others"
    run.expect(board.version[0] == PROTOCOL[0], f"protocol version {frame.fields[0]}", known)
    run.board, run.line.inspector.sensors = board, board.sensors
    is_usable = 1 <= len(board.serial) <= MAX_SERIAL and board.serial == board.serial.strip()
    expected = f"1 to {MAX_SERIAL} characters without blanks at the ends, which no other board has"
    run.expect(is_usable, f"serial number {board.serial!r}", expected)
    if unknown := sorted(board.capabilities - {"buttons", "leds", "cal", "test"}):
        run.notes.append(f"capabilities that this version does not know: {', '.join(unknown)}")


def check_snapshot(run: CheckRun) -> None:
    """``SNAP?`` is answered by a count and a confidence for each sensor."""
    frame = run.answer(SNAPSHOT_REQUEST, "SNAP")
    _check_boot(run, frame)
    counts = [int(count) for count in frame.fields[3].split(".")]
    if 0 < max(counts) < 50:
        run.notes.append(
            f"no sensor reads half a seed: counts are hundredths of a seed, so 4 seeds are 400, and {max(counts)} is "
            f"{max(counts) / 100}"
        )
    doubtful = [pit for pit, digit in enumerate(frame.fields[4]) if int(digit, 16) < 15]
    if doubtful:
        run.notes.append(f"confidence below f: sensors {', '.join(map(str, doubtful))}")


def check_status(run: CheckRun) -> None:
    """``PING`` is answered by ``STAT``, also with a field of a later version."""
    _check_boot(run, run.answer(PING, "STAT"))
    frame = run.answer(Frame("PING", ("later",)), "STAT")
    held, first = int(frame.fields[5]), int(frame.fields[6])
    came = f"{held} events held, the first {first}"
    run.expect((held == 0) == (first == 0), came, "the first number held, and 0 if none is held")


def check_clock(run: CheckRun) -> None:
    """The board's milliseconds pass like the host's."""
    for _ in range(ATTEMPTS):
        before, at = _milliseconds(run), run.line.now
        run.line.read_for(LISTEN_FOR)
        after, passed = _milliseconds(run), run.line.now - at
        counted = (after - before) % PERIOD_MS / 1000
        if 0.5 * passed - 0.5 <= counted <= 1.5 * passed + 0.5:
            return
    raise StepFailed(f"{counted:g} seconds of the board in {passed:.1f} seconds", "milliseconds since its start")


def check_events(run: CheckRun) -> None:
    """Events have the numbers 1, 2, 3 …, and each number stands for one event."""
    run.replay(1)
    run.line.read_for(LISTEN_FOR)
    if len(run.numbers()) < 3:
        _ask_for_events(run)
    numbers = sorted(run.numbers())
    contents: dict[int, tuple[str, ...]] = {}
    for one in run.events():
        first = contents.setdefault(one.number, one.frame.fields)
        came = f"number {one.number} for {','.join(first[3:])} and for {','.join(one.frame.fields[3:])}"
        run.expect(first == one.frame.fields, came, "a number for each event, one higher than the one before")
    last = int(run.answer(SNAPSHOT_REQUEST, "SNAP").fields[1])
    came = f"SNAP says that {last} was the last number, after event {numbers[-1]}"
    run.expect(last >= numbers[-1], came, f"{numbers[-1]}")
    for missing in sorted(set(range(numbers[0], numbers[-1] + 1)) - set(numbers)):
        raise StepFailed(f"no event {missing}, but event {numbers[-1]}", "numbers without holes")


def check_resend(run: CheckRun) -> None:
    """Events that are not acknowledged come again about each second."""
    run.expect_events(
        run.unacknowledged(),
        run.mark(),
        f"did not come again within {RESEND_WITHIN:g} seconds",
        "every event that is not acknowledged again after a second",
    )


def check_replay(run: CheckRun) -> None:
    """``REPLAY`` sends the events from a number on; with another boot id the board says ``HELLO``."""
    numbers = run.unacknowledged()
    for first in (numbers[0], numbers[-1]):
        expected = [number for number in numbers if number >= first]
        is_right = any(_replays(run, first, expected) for _ in range(ATTEMPTS))  # the board may be sending all again
        came = f"the events {first} to {numbers[-1]} did not come"
        run.expect(is_right, came, f"them, in order, after REPLAY,{first}")
    run.answer(replay_request(OTHER_BOOT, 1), "HELLO")


def check_nak(run: CheckRun) -> None:
    """``NAK`` makes the board send everything again at once."""
    numbers = run.unacknowledged()
    for _ in range(ATTEMPTS):
        mark = run.mark()
        run.wait_for(numbers, mark)  # the next time is far away
        mark = run.mark()
        run.line.send(NAK)
        if run.wait_for(numbers[:1], mark, NAK_WITHIN):
            break
    else:
        raise StepFailed(f"no event came within {NAK_WITHIN:g} seconds of NAK", "everything unacknowledged at once")
    run.expect_events(numbers, mark, "did not come after NAK", "everything unacknowledged")


def check_reconnect(run: CheckRun) -> None:
    """A board whose port was closed and opened keeps its boot id and its events."""
    board, numbers = run.connected, sorted(run.numbers() - set(range(run.acknowledged + 1)))
    run.line.close()
    run.line.open(HELLO_WITHIN)
    mark = run.mark()
    frame = run.line.request(HELLO, "HELLO", HELLO_WITHIN, repeat=True)
    if frame is None:
        raise StepFailed("no HELLO after the port was opened again", f"HELLO within {HELLO_WITHIN:g} seconds")
    if frame.fields[3] != board.boot:
        run.board, run.started, run.acknowledged = known_board(frame), mark, 0
        raise StepFailed(
            f"boot id {frame.fields[3]}, before {board.boot}: the board restarts when its port is opened",
            "the same boot id: keep the adapter's DTR line from resetting the board",
        )
    came = f"serial number {frame.fields[2]!r}, before {board.serial!r}"
    run.expect(frame.fields[2] == board.serial, came, "the same serial number")
    run.replay(1)
    run.expect_events(numbers, mark, "did not come after the reconnection", "all that is not acknowledged")
    if not numbers:
        run.notes.append("the board held no event that could come again")


def check_acknowledge(run: CheckRun) -> None:
    """``ACK`` makes the board forget events, but not one with another boot id."""
    numbers = run.unacknowledged()
    board, last = run.connected, numbers[-1]
    run.line.send(ack(OTHER_BOOT, last))
    run.expect_events(numbers, run.mark(), "did not come again after an ACK of another boot id", "that ACK ignored")
    run.line.send(ack(board.boot, last))
    run.line.read_for(0.5)  # what was on its way
    mark = run.mark()
    again = [one for one in run.line.read_for(QUIET_FOR) if one.number and one.number <= last]
    if again:
        raise StepFailed(f"event {again[0].number} came after ACK,{board.boot},{last}", "the board forgets it")
    run.acknowledged = last
    status = run.answer(PING, "STAT")
    newer = [one for one in run.events(mark) if one.number > last]
    came = f"STAT says that {status.fields[5]} events are held"
    run.expect(int(status.fields[5]) <= len(newer), came, f"{len(newer)} after ACK,{board.boot},{last}")


def check_forgotten(run: CheckRun) -> None:
    """``REPLAY`` of events that the board has forgotten is answered by ``ERR,overflow`` first."""
    if run.acknowledged == 0:
        raise StepSkipped("no event was acknowledged")
    frame = run.answer(replay_request(run.connected.boot, 1), "ERR")
    is_right = frame.fields[0] == "overflow" and frame.fields[1] in map(
        str, range(run.acknowledged + 1, PERIOD_MS)[:1000]
    )
    expected = f"ERR,overflow,{run.acknowledged + 1}: the first number held, or the next"
    run.expect(is_right, f"ERR,{','.join(frame.fields)}", expected)


def check_damaged(run: CheckRun) -> None:
    """Damaged lines of the host have no effect, and the next good one has."""
    ping = write_line(PING)
    wrong = {
        "a wrong CRC": ping[:-3] + (b"0" if ping[-3:-2] != b"0" else b"1") + b"\r\n",
        "no \\r": ping.replace(b"\r", b""),
        "no CRC": b"$PING\r\n",
        "300 bytes without an end": b"$" + b"x" * 300 + b"\r\n",
    }
    for what, line in wrong.items():
        mark = run.mark()
        run.line.send_bytes(line)
        run.line.read_for(1.0)
        came = f"STAT in answer to PING with {what}"
        run.expect(not run.since(mark, "STAT"), came, "the line ignored: it is damaged")
        for one in run.since(mark, "ERR"):
            came = f"ERR,{','.join(one.frame.fields)} for a line with {what}"
            run.expect(one.frame.fields[0] == "damaged", came, "ERR,damaged or nothing")
        run.expect(run.is_alive(), f"no STAT after a line with {what}", "STAT in answer to the next good PING")
    mark = run.mark()
    run.line.send_bytes(ping[:4])
    run.line.read_for(0.3)
    run.line.send_bytes(ping[4:])
    is_answered = run.line.read_until(lambda: bool(run.since(mark, "STAT")), ANSWER_WITHIN)
    run.expect(is_answered, "no STAT for a PING whose halves came 0.3 seconds apart", "STAT")


def check_unknown(run: CheckRun) -> None:
    """A type that the board does not know is answered by ``ERR,unknown``, and the board goes on."""
    mark = run.mark()
    run.line.send(Frame("DANCE", ("7",)))
    run.line.read_until(lambda: bool(run.since(mark, "ERR")), ANSWER_WITHIN)
    answers = [one.frame.fields for one in run.since(mark, "ERR")]
    came = "nothing any more after a line of an unknown type"
    run.expect(run.is_alive(), came, "ERR,unknown, and answers as before")
    is_told = any(fields[:2] == ("unknown", "DANCE") for fields in answers)
    run.expect(is_told, run.describe(mark), "ERR,unknown,DANCE")


def check_range(run: CheckRun) -> None:
    """Fields that do not fit are answered by ``ERR,range``."""
    board = run.connected
    wrong = [Frame("REPLAY", (board.boot, "many")), Frame("ACK", (board.boot,))]
    if "leds" in board.capabilities:
        wrong.append(Frame("LED", ("pit", "99", "on")))
    if "cal" in board.capabilities:
        wrong.append(Frame("CAL", ("seeds", "99", "10")))
    for frame in wrong:
        text = ",".join((frame.type, *frame.fields))
        code, quoted, *_ = fields = run.answer(frame, "ERR").fields
        is_right = code == "range" and quoted.startswith(frame.type)
        run.expect(is_right, f"ERR,{','.join(fields)} for {text}", f"ERR,range,{frame.type}")


def _ask_for_events(run: CheckRun) -> None:
    """Have a person make events.

    :raises StepFailed: they did, and none came.
    :raises StepSkipped: nobody is there.
    """
    mark, before = run.mark(), len(run.numbers())
    what = "Lift the seeds of a pit, put them back, then press a button if there is one."
    try:
        has_come = run.watch("events", what, lambda: len(run.numbers()) > before)
        run.expect(has_come, run.describe(mark), "EVT lines")
    except StepSkipped:
        if not before:
            raise
    deadline, quiet = run.line.now + PERSON_WITHIN, False
    while not quiet and run.line.now < deadline:
        count = len(run.numbers())
        run.line.read_for(QUIET_SECONDS)
        quiet = len(run.numbers()) == count


def known_board(frame: Frame) -> Connected:
    """Return the board of a ``HELLO`` that the host uses."""
    hello = parse(frame)
    assert isinstance(hello, BoardHello)
    return hello.board


def _milliseconds(run: CheckRun) -> int:
    return int(run.answer(PING, "STAT").fields[1])


def _replays(run: CheckRun, first: int, expected: list[int]) -> bool:
    """Whether a ``REPLAY`` brings the expected events in order, and none before the first."""
    mark = run.mark()
    run.replay(first)
    run.wait_for(expected, mark)
    return [one.number for one in run.events(mark)][: len(expected)] == expected


def _check_boot(run: CheckRun, frame: Frame) -> None:
    boot = run.connected.boot
    run.expect(frame.fields[0] == boot, f"{frame.type} with boot id {frame.fields[0]}", f"{boot}, as in HELLO")


def check_buttons(run: CheckRun) -> None:
    """Each side's commit button sends its side and all counts."""
    board = run.connected
    if "buttons" not in board.capabilities:
        raise StepSkipped("the board has no buttons")
    for side, name in (("s", "South"), ("n", "North")):
        event = _event_of_hand(run, f"press {side}", f"Press {name}'s commit button.", ("BTN",))
        expected = f"BTN,{side},commit and {board.sensors} counts"
        run.expect(event[1:3] == (side, "commit"), ",".join(event[:3]), expected)


def check_pits(run: CheckRun) -> None:
    """The first pits of both rows have the right indices."""
    for pit, row, name in (
        (0, "south", "a (South's row, the left end seen from South)"),
        (run.connected.row, "north", "A (North's row, the left end seen from North)"),
    ):
        what = f"Lift all seeds out of pit {name} and put them back; put one in if it is empty."
        event = _event_of_hand(run, f"lift {row}", what, ("PIT", "LIFT"))
        expected = f"{event[0]},{pit}: South's pits come first, each row from its own left"
        run.expect(event[1] == str(pit), ",".join(event[:2]), expected)


def check_lights(run: CheckRun) -> None:
    """Every light can be switched, and shows what it should."""
    board = run.connected
    if "leds" not in board.capabilities:
        raise StepSkipped("the board has no lights")
    shows = [
        ("every pit lit, and no other light", Lights(dict.fromkeys(range(2 * board.row), "on"))),
        ("South's row blinking, North's row lit", Lights(rows=("blink", "on"))),
        ("pit a and the error light as errors", Lights({0: "error"}, error=True)),
        ("no light at all", Lights()),
    ]
    seen = True
    for number, (what, lights) in enumerate(shows, 1):
        _show(run, what, lights, number)
        answer = run.confirm("lights", f"Does the board show {what}?") if seen else None
        came = f"other lights, when the host asked for: {what}"
        run.expect(answer != "n", came, "the lights as asked for")
        seen = answer == "y"
    if not seen:
        raise StepSkipped("the board took the lines without an error, but nobody looked at the lights")


def check_calibration(run: CheckRun) -> None:
    """``CAL,tare`` is answered by a ``CAL`` event for each sensor."""
    board = run.connected
    _require_calibration(run)
    if run.confirm("empty", "Empty every pit and store. Are they empty?") in ("n", "s"):
        raise StepSkipped("the board is not empty")
    _tare(run)
    failed = [
        one.frame.fields for one in run.events() if one.frame.fields[3:4] == ("CAL",) and one.frame.fields[5] != "ok"
    ]
    if failed:
        run.notes.append(f"{len(failed)} sensors could not be calibrated")
    run.line.send(ack(board.boot, max(run.numbers())))


def check_overflow(run: CheckRun) -> None:
    """A ring of at least 512 events that overflows says which events are lost."""
    board = run.connected
    _require_calibration(run)
    first = max(run.numbers(), default=0) + 1
    deadline = run.line.now + FILL_WITHIN
    made = 0
    while made <= MIN_RING:
        if run.line.now >= deadline:
            raise StepSkipped(f"only {made} events could be made within {FILL_WITHIN:g} seconds")
        _tare(run)
        made = max(run.numbers()) - first + 1
    held_first, held = (int(field) for field in reversed(run.answer(PING, "STAT").fields[5:7]))
    came = f"{held} of {made} unacknowledged events held"
    run.expect(held >= MIN_RING, came, f"a ring of at least {MIN_RING}")
    mark = run.mark()
    run.line.send(replay_request(board.boot, first))
    last = first + made - 1
    run.wait_for([last], mark, FILL_WITHIN)
    is_told = held_first <= first or any(fields[1] == str(held_first) for fields in run.overflows(mark))
    came = f"no ERR,overflow, though the events {first} to {held_first - 1} are lost"
    run.expect(is_told, came, f"ERR,overflow,{held_first}")
    expected = f"the events {held_first} to {last} after REPLAY,{first}"
    run.expect_events(range(held_first, last + 1), mark, "did not come", expected, within=0.0)
    if held_first <= first:
        run.notes.append(f"the ring holds all {made} events: it did not overflow")
    run.line.send(ack(board.boot, last))


def check_restart(run: CheckRun) -> None:
    """After a restart the board has a new boot id and an empty ring."""
    board = run.connected
    ms = int(run.answer(PING, "STAT").fields[1])
    mark = run.mark()
    if not run.person.ask("restart", "Switch the board off and on again. (s: skip)"):
        raise StepSkipped("nobody restarts the board")
    deadline = run.line.now + RESTART_WITHIN
    hello = None
    while run.line.now < deadline and (hello is None or not _has_restarted(run, hello, ms)):
        if (run.person.answer() or "").strip() == "s":
            raise StepSkipped("skipped")
        try:
            run.line.open(HELLO_EVERY)
            hello = run.line.request(HELLO, "HELLO", HELLO_EVERY)
        except TransportError:
            run.line.close()
    if hello is None:
        came = f"no HELLO within {RESTART_WITHIN:g} seconds"
        raise StepFailed(came, f"HELLO within {HELLO_WITHIN:g} seconds of the start")
    if not _has_restarted(run, hello, ms):
        raise StepSkipped(f"the board did not restart within {RESTART_WITHIN:g} seconds")
    serial, boot = hello.fields[2:4]
    expected = "another one at each start: seed the random generator"
    run.expect(boot != board.boot, f"boot id {board.boot} again", expected)
    run.board, run.started, run.acknowledged = known_board(hello), mark, 0
    came = f"serial number {serial!r}, before {board.serial!r}"
    run.expect(serial == board.serial, came, "the same after each start")
    run.replay(1)
    events = [one for one in run.line.read_for(LISTEN_FOR) if one.number]
    for fields in run.overflows(mark):
        raise StepFailed(f"ERR,overflow,{fields[1]} for REPLAY,1 after the start", "numbers from 1 at each start")
    for one in events:
        came = f"event {one.number} with boot id {one.frame.fields[0]}"
        run.expect(one.frame.fields[0] == boot, came, f"{boot}, as in HELLO")


def check_lines(run: CheckRun) -> None:
    """Every line that came during the check is as the protocol says."""
    faults = run.line.faults
    examples = {
        fault: f"{faults[fault]} × {run.line.examples[fault].line} ({run.line.examples[fault].reason})"
        for fault in faults
    }
    for fault in ("text", "type"):  # allowed, and of no use
        if fault in examples:
            run.notes.append(f"ignored: {examples.pop(fault)}")
    run.expect(not examples, "; ".join(examples.values()), "lines as the protocol has them")


def _show(run: CheckRun, what: str, lights: Lights, number: int) -> None:
    """Switch the lights. A board of version 1.1 confirms them.

    :raises StepFailed: it does not, or finds an error.
    """
    board, mark = run.connected, run.mark()
    if board.version >= (1, 1):
        line = lights.line(number, board.boot, max(run.numbers(), default=0), board.sensors)
        confirmed = run.answer(line, "LIT")
        came = f"LIT,{','.join(confirmed.fields)} for set {number}"
        run.expect(confirmed.fields == (board.boot, str(number)), came, f"LIT,{board.boot},{number}")
    else:
        for line in lights.lines():
            run.line.send(line)
        run.line.read_for(0.5)
    if refused := run.since(mark, "ERR"):
        raise StepFailed(f"ERR,{','.join(refused[0].frame.fields)} for: {what}", "the lights, and no error")


def _event_of_hand(run: CheckRun, task: str, what: str, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Have a person do something, and return kind and fields of the first event of these kinds.

    :raises StepFailed: no such event came.
    """
    mark = run.mark()
    has_come = run.watch(task, what, lambda: bool(run.new_events(kinds, mark)))
    run.expect(has_come, run.describe(mark), f"EVT with {' or '.join(kinds)}")
    return run.new_events(kinds, mark)[0]


def _has_restarted(run: CheckRun, hello: Frame, ms: int) -> bool:
    """Whether the board's boot id is another one, or its clock was set back."""
    if hello.fields[3] != run.connected.boot:
        return True
    status = run.line.request(PING, "STAT", HELLO_EVERY)
    return status is not None and int(status.fields[1]) < ms


def _require_calibration(run: CheckRun) -> None:
    if "cal" not in run.connected.capabilities:
        raise StepSkipped("the board cannot be calibrated over the line, and nothing else makes so many events")
    if not run.calibrate:
        raise StepSkipped(NO_CALIBRATION)


def _tare(run: CheckRun) -> None:
    """Tare all sensors.

    :raises StepFailed: a sensor sent no result.
    """
    board, mark = run.connected, run.mark()
    known = max(run.numbers(), default=0)
    run.line.send(TARE)

    def tared() -> set[int]:
        events = [one for one in run.events(mark) if one.number > known and one.frame.fields[3] == "CAL"]
        return {int(one.frame.fields[4]) for one in events}

    run.line.read_until(lambda: len(tared()) == board.sensors, CALIBRATE_WITHIN)
    for sensor in sorted(set(range(board.sensors)) - tared()):
        came = f"no CAL event for sensor {sensor} within {CALIBRATE_WITHIN:g} seconds of CAL,tare"
        raise StepFailed(came, "EVT with CAL,<index>,ok or failed for each sensor")


STEPS = (
    CheckStep("greeting", "HELLO is answered", "A session", check_greeting, needs_greeting=False),
    CheckStep("snapshot", "SNAP? is answered", "Host to board", check_snapshot),
    CheckStep("status", "PING is answered", "Host to board", check_status),
    CheckStep("clock", "the board's clock runs", "Numbers", check_clock),
    CheckStep("events", "events have rising numbers", "Numbers", check_events),
    CheckStep("buttons", "buttons send their side and all counts", "Board to host", check_buttons),
    CheckStep("pits", "pits have the right index", "Numbers", check_pits),
    CheckStep("resend", "events come again until they are acknowledged", "A session", check_resend),
    CheckStep("replay", "REPLAY sends events again", "Host to board", check_replay),
    CheckStep("nak", "NAK sends all events again", "Host to board", check_nak),
    CheckStep("reconnect", "events survive a lost port", "A session", check_reconnect),
    CheckStep("acknowledge", "ACK makes the board forget", "Host to board", check_acknowledge),
    CheckStep("forgotten", "REPLAY of forgotten events says so", "Host to board", check_forgotten),
    CheckStep("damaged", "damaged lines are ignored", "A line", check_damaged),
    CheckStep("unknown", "unknown types are refused", "A line", check_unknown),
    CheckStep("range", "fields that do not fit are refused", "A line", check_range),
    CheckStep("lights", "lights show what the host says", "Host to board", check_lights),
    CheckStep("calibration", "CAL is answered", "Host to board", check_calibration),
    CheckStep("overflow", "a full ring says what is lost", "A session", check_overflow),
    CheckStep("restart", "a restart has a new boot id", "Numbers", check_restart),
    CheckStep("lines", "every line is well formed", "A line", check_lines, needs_greeting=False),
)
