"""The runs of a board: from power-on to power-off. A board with a bad random generator gives two runs one boot id."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

from drivers.events import Numbered, Snapshot

from .frames import Frame
from .limits import ASK_EVERY, DOUBT_LASTS, LOSSES_WITHIN, MAX_LOSSES, MAX_NUMBER
from .messages import StatusReport

MAX_NAMES = 1000  # boot ids that are remembered
MAX_EVENTS = 1024  # events that are remembered: more than most rings hold
MAX_BACKWARD_MS = 2000  # milliseconds that the clock of a line may be behind: a bad cable may reorder lines


class RunNames:
    """Names for runs that never come twice: the boot id, or, if that came before, ``<boot id>.<count>``."""

    def __init__(self, name: str | None) -> None:
        """:param name: of the run so far; None: none is known."""
        self.current = name
        self._counts: dict[str, int] = {}
        if name is not None:
            boot, _, count = name.partition(".")
            self._counts[boot] = int(count) if count.isdigit() else 1

    @property
    def boot(self) -> str | None:
        """The current run's boot id, as it is on the line."""
        return None if self.current is None else self.current.partition(".")[0]

    def begin(self, boot: str) -> str:
        """Return the name of a new run with this boot id."""
        count = self._counts.pop(boot, 0) + 1
        self._counts[boot] = count  # as the latest
        if len(self._counts) > MAX_NAMES:
            del self._counts[next(iter(self._counts))]
        self.current = boot if count == 1 else f"{boot}.{count}"
        return self.current


class RunEvidence:
    """Evidence that a board restarted although its boot id is the same.

    A bad cable may delay an old line, and a board may report a wrong time. So the first evidence is only a doubt: the
    host asks the board for a greeting and a snapshot. More evidence in the answer is proof, and so are different events
    under two known numbers. A snapshot without evidence refutes the doubt; for a while after that, the times of events
    raise no new one.
    """

    def __init__(self) -> None:
        self._doubted_at: float | None = None
        self._refuted_at = -math.inf
        self._clock = 0  # the latest time on the board's clock
        self._floor: tuple[int, int] | None = None  # a number, and a time that later numbers cannot be before
        self._events: dict[int, Numbered] = {}  # the latest ones that were delivered, by number
        self._others: set[int] = set()  # numbers under which the board sent a different event

    def doubts(self, now: float) -> bool:
        """Whether there was evidence that is neither confirmed nor refuted yet."""
        return self._doubted_at is not None and now - self._doubted_at < DOUBT_LASTS

    def is_proof(self, now: float) -> bool:
        """Note evidence at `now`; return whether it confirms an earlier doubt.

        Two known numbers with other events are a proof at once: a line that a cable held back has only one.
        """
        if self._doubted_at is None or not self.doubts(now):
            self._doubted_at = now
        return now - self._doubted_at >= ASK_EVERY or len(self._others) > 1

    def refute(self, now: float) -> None:
        """Note that the board is in the same run."""
        self._doubted_at, self._refuted_at = None, now

    def contradiction(
        self, message: Numbered | Snapshot | StatusReport, frame: Frame, expected: int, now: float
    ) -> str | None:
        """What in a line contradicts the current run, in words; None: nothing. The next event is `expected`."""
        match message:
            case Numbered():
                if message.seq <= expected and self.is_another(message, now):
                    return f"it sends an event {message.seq} of {message.ms} ms"
                return None
            case Snapshot(last=last):
                if last < expected - 1:
                    return f"it says that its last event was {last}"
                ms = int(frame.fields[2])
            case StatusReport(status=status):
                ms, first = int(frame.fields[1]), int(frame.fields[6])
                last = first + status.held - 1 if status.held else expected - 1
        return f"its clock went back to {ms} ms" if self.is_clock_back(ms, last) else None

    def is_clock_back(self, ms: int, last: int) -> bool:
        """Note the time in a line and the board's last number then; return whether an earlier line said more."""
        if _behind(ms, self._clock) > MAX_BACKWARD_MS and ms:  # a board that has no clock says 0
            return True
        if _behind(ms, self._clock) < 0:
            self._clock = ms
        self._floor = last, ms
        return False

    def is_another(self, event: Numbered, now: float) -> bool:
        """Whether another event was delivered under this number, or the event is older than an earlier number."""
        known = self._events.get(event.seq)
        if known is not None and replace(known, boot=event.boot, ms=event.ms) != event:
            self._others.add(event.seq)
            return True
        if now - self._refuted_at < DOUBT_LASTS:
            return False
        if known is not None:
            return known != event
        return (
            self._floor is not None
            and event.seq > self._floor[0]
            and _behind(event.ms, self._floor[1]) > MAX_BACKWARD_MS
        )

    def note_delivered(self, event: Numbered) -> None:
        self._events[event.seq] = event
        self._floor = max(self._floor or (0, 0), (event.seq, event.ms))
        if len(self._events) > MAX_EVENTS:
            del self._events[next(iter(self._events))]


class Losses:
    """The losses of events that were passed on: a board that has too many of them is ignored for a while."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=MAX_LOSSES)  # of the last ones

    def accept(self, now: float) -> bool:
        """Whether to pass on one more loss; if so, it is counted."""
        if len(self._times) == MAX_LOSSES and now - self._times[0] < LOSSES_WITHIN:
            return False
        self._times.append(now)
        return True

    def forgive(self) -> float:
        """Return until when the board is ignored, and count from zero again.

        Its first lines after that may report another loss, which must not exclude it again.
        """
        until = self._times[0] + LOSSES_WITHIN
        self._times.clear()
        return until


def _behind(ms: int, known: int) -> int:
    """By how many milliseconds a clock is behind one that was `known`; negative: ahead. Clocks wrap."""
    behind = (known - ms) % (MAX_NUMBER + 1)
    return behind if behind <= MAX_NUMBER // 2 else behind - (MAX_NUMBER + 1)
