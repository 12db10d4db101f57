"""Checks a board against the protocol (`docs/protocol.md`) step by step, with a person at the board if there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from inkeek.drivers.base import Environment
from inkeek.drivers.errors import TransportError
from inkeek.drivers.events import Connected
from inkeek.drivers.protocol.frames import Frame
from inkeek.drivers.protocol.messages import PING, replay_request
from inkeek.records.errors import CopyableError

from .board_line import MAX_LINES, BoardLine, FloodError, LoggedLine, ReceivedLine

ANSWER_WITHIN = 5.0  # seconds for a line that the board answers at once; a busy host may stop for a while
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
        typed: str | None = None

        def is_over() -> bool:
            nonlocal typed
            typed = self.person.answer()
            return typed is not None

        self.line.read_until(lambda: is_done() or is_over(), within)
        if not is_done() and typed is not None and typed.strip() != "s":
            self.line.read_until(is_done, ANSWER_WITHIN)
        elif not is_done():
            raise StepSkipped("skipped" if typed else f"nothing happened within {within:g} seconds")
        return is_done()

    def confirm(self, task: str, question: str) -> str | None:
        """Ask a person and return what they type: ``y``, ``n`` or ``s``; None: nobody answers."""
        if not self.person.ask(task, f"{question} (y: yes, n: no, s: skip)"):
            return None
        typed: str | None = None

        def is_over() -> bool:
            nonlocal typed
            typed = self.person.answer()
            return typed is not None and typed.strip()[:1] in ("y", "n", "s")

        self.line.read_until(is_over, PERSON_WITHIN)
        return None if typed is None else typed.strip()[:1]

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
