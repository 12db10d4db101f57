"""The runs of a board: from power-on to power-off. A board with a bad random generator gives two runs one boot id."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace

from inkeek.drivers.events import Numbered, Snapshot
from inkeek.records.errors import ErrorText

from .frames import Frame
from .limits import ASK_EVERY, DOUBT_LASTS, LOSSES_WITHIN, MAX_LOSSES, PERIOD_MS
from .messages import StatusReport

MAX_NAMES = 1000  # boot ids that are remembered
MAX_EVENTS = 1024  # events that are remembered: more than most rings hold
MAX_BACKWARD_MS = 2000  # milliseconds that the clock of a line may be behind: a bad cable may reorder lines
MAX_DRIFT = 1.1  # how much faster than the host's the board's clock may be
MAX_LATE = 60.0  # seconds that a line may wait until the host reads it: it may have been stopped


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


@dataclass(frozen=True, slots=True)
class _Mark:
    """A time on the board's clock, and the time of the host that was not later; minus infinity: it is not known."""

    ms: int
    at: float = -math.inf

    def contradicts(self, ms: int, now: float) -> bool:
        """Whether the clock cannot show `ms` at `now`: that is less, and it had no time to begin at 0 again."""
        behind = self.ms - ms
        if behind <= MAX_BACKWARD_MS:
            return False
        return (PERIOD_MS - behind) / 1000 > (now - self.at) * MAX_DRIFT + MAX_LATE

    def moved_on(self, ms: int, at: float | None = None) -> _Mark:
        """The mark of a line that does not contradict; `at`: when it was read if it tells the present time."""
        ahead = (ms - self.ms) % PERIOD_MS
        if ahead >= PERIOD_MS - MAX_BACKWARD_MS:
            return self  # the line is late
        return _Mark(ms, self.at + ahead / 1000 if at is None else at)


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
        self._clock: _Mark | None = None  # the latest time on the board's clock
        self._floor: tuple[int, _Mark] | None = None  # a number, and a time that later numbers cannot be before
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
                    return ErrorText("it sends an event %(event)s of %(ms)s ms", event=message.seq, ms=message.ms)
                return None
            case Snapshot(last=last):
                if last < expected - 1:
                    return ErrorText("it says that its last event was %(event)s", event=last)
                ms = int(frame.fields[2])
            case StatusReport(status=status):
                ms, first = int(frame.fields[1]), int(frame.fields[6])
                last = first + status.held - 1 if status.held else expected - 1
        is_back = self.is_clock_back(ms, last, now)
        return ErrorText("its clock went back to %(ms)s ms", ms=ms) if is_back else None

    def is_clock_back(self, ms: int, last: int, now: float) -> bool:
        """Note the time in a line and the board's last number then; return whether an earlier line said more."""
        if not ms:  # a board that has no clock says 0
            return False
        if self._clock is not None and self._clock.contradicts(ms, now):
            return True
        self._clock = _Mark(ms, now) if self._clock is None else self._clock.moved_on(ms, now)
        self._floor = last, _Mark(ms, now)
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
        return self._floor is not None and event.seq > self._floor[0] and self._floor[1].contradicts(event.ms, now)

    def note_delivered(self, event: Numbered) -> None:
        self._events[event.seq] = event
        if self._floor is None:
            self._floor = event.seq, _Mark(event.ms)
        elif event.seq >= self._floor[0]:
            self._floor = event.seq, self._floor[1].moved_on(event.ms)
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
