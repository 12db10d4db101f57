"""The gate for what boards say: the checks that each event passes before it is stored or dealt, whatever way it came.

The protocol's session and the controller of a board use the same checks. `read_event` of
`inkeek.drivers.recording.json_form` checks the shape of events that come as JSON, the gate their values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from inkeek.records.errors import ErrorText

from .events import (
    ACTIONS,
    FAULT_CODES,
    Button,
    Calibrated,
    Complaint,
    Connected,
    Disconnected,
    Event,
    Fault,
    Gap,
    Lifted,
    Numbered,
    PitChanged,
    Refused,
    SelfTestReport,
    Snapshot,
    Status,
    Unrecognized,
)
from .protocol.limits import MAX_LINE, MAX_ROW, MAX_SENSORS

MAX_SEEDS = 1000.0  # in a pit; far above every real count
MAX_CONFIDENCE = 15
MAX_VOLTS = 100.0
MAX_CELSIUS = 1000.0
MAX_SENTENCE = 500  # characters of a reason or another text for people; the rest is cut off
MAX_WORD = 100  # characters of a name: a serial number, a firmware version, a code; the rest is cut off
MAX_WORDS = 40  # capabilities or fault codes: more than a board has sensors
MAX_REFUSALS = 10  # that are kept until somebody takes them; all are counted


def misfit(event: object, sensors: int | None) -> str | None:
    """What of an event does not fit a board with `sensors` sensors, or any board (None); None: it fits."""
    most = MAX_SENSORS if sensors is None else sensors
    match event:
        case Numbered(seq=0):
            return "number 0: numbers of events begin at 1"
        case Button(action=action) if action not in ACTIONS:
            return f"action {action[:MAX_WORD]!r}: expected one of {', '.join(ACTIONS)}"
        case Fault(code=code) if code not in FAULT_CODES:
            return f"fault {code[:MAX_WORD]!r}: expected one of {', '.join(FAULT_CODES)}"
        case Unrecognized(kind=kind, fields=fields) if len(kind) + sum(map(len, fields)) + len(fields) > MAX_LINE:
            return f"more than {MAX_LINE} characters in an event of an unknown kind"
        case Button(counts=counts) | Snapshot(counts=counts) if reason := _misfit_of_counts(counts, sensors):
            return reason
        case Snapshot(counts=counts, confidence=confidence) if len(confidence) != len(counts):
            return f"{len(confidence)} values of confidence: expected {len(counts)}, one a count"
        case Snapshot(confidence=confidence) if max(confidence) > MAX_CONFIDENCE:
            return f"confidence {max(confidence)}: expected 0 to {MAX_CONFIDENCE}"
        case PitChanged(pit=pit) | Lifted(pit=pit) | Fault(pit=pit) | Calibrated(pit=pit) if pit >= most:
            return f"pit index {pit}: expected 0 to {most - 1}, the sensors of the board"
        case PitChanged(seeds=seeds) if not 0 <= seeds <= MAX_SEEDS:
            return f"count {seeds:g}: expected 0 to {MAX_SEEDS:g}"
        case Connected(row=row) if not 1 <= row <= MAX_ROW:
            return f"{row} pits a row: expected 1 to {MAX_ROW}"
        case Status(volts=volts, celsius=celsius) if not (0 <= volts <= MAX_VOLTS and abs(celsius) <= MAX_CELSIUS):
            return f"{volts:g} V and {celsius:g} °C: expected 0 to {MAX_VOLTS:g}, -{MAX_CELSIUS:g} to {MAX_CELSIUS:g}"
        case Connected(capabilities=words) | Status(faults=words) if len(words) > MAX_WORDS:
            return f"{len(words)} capabilities or fault codes: expected at most {MAX_WORDS}"
    return None


def _misfit_of_counts(counts: Sequence[float], sensors: int | None) -> str | None:
    if sensors is not None and len(counts) != sensors:
        return f"{len(counts)} counts: expected {sensors}, one for each sensor of the board"
    if not 1 <= len(counts) <= MAX_SENSORS:
        return f"{len(counts)} counts: expected 1 to {MAX_SENSORS}"
    wrong = next((count for count in counts if not 0 <= count <= MAX_SEEDS), None)
    return None if wrong is None else f"count {wrong:g}: expected 0 to {MAX_SEEDS:g}"


@dataclass(frozen=True, slots=True)
class Misfit:
    """An event that was refused: its class, and why."""

    kind: str
    reason: str


class Gate:
    """Passes the events of one connection that fit its board; refuses and counts the others.

    A numbered event that does not fit becomes `Unrecognized`: it has no effect, but is acknowledged, so that the events
    after it do not wait for it. Another one is dropped. Of a board that no board can be, which is `Refused`, nothing
    passes. Texts that are too long are cut off.
    """

    is_strict = False  # whether any fault at its board ends what reads it, as nobody knows the driver

    def __init__(self, board: Connected | None = None) -> None:
        """:param board: the one that is connected; None: it is not known yet."""
        self.board = board
        self.count = 0  # of all refused events
        self._refusals: list[Misfit] = []
        self._is_shut = False

    def admit(self, events: Iterable[Event]) -> list[Event]:
        """Return what may be stored and dealt, in order."""
        return [passed for event in events for passed in self._check(event)]

    def take_refusals(self) -> list[Misfit]:
        """Return what was refused since the last call, each once; of many only the first."""
        refusals, self._refusals = self._refusals, []
        return refusals

    def _check(self, event: Event) -> list[Event]:
        if isinstance(event, Connected):
            self._is_shut = False
        elif self._is_shut and not isinstance(event, Disconnected | Refused):
            return []  # the board keeps its events
        reason = misfit(event, None if self.board is None or isinstance(event, Connected) else self.board.sensors)
        if reason is None:
            if isinstance(event, Connected):
                self.board = event
            return [_cut(event)]
        self.count += 1
        if len(self._refusals) < MAX_REFUSALS:
            self._refusals.append(Misfit(type(event).__name__, reason))
        match event:
            case Unrecognized():
                return [replace(event, kind=_cut_text(event.kind, MAX_WORD), fields=())]
            case Numbered():
                return [Unrecognized(event.boot, event.seq, event.ms, type(event).__name__, ())]
            case Connected():
                return self._shut(reason)
        return []

    def _shut(self, reason: str) -> list[Event]:
        """Refuse the board until it says something else of itself."""
        text = ErrorText("it says that it has what no board has: %(reason)s", reason=reason)
        gone: list[Event] = [] if self.board is None else [Disconnected(text)]
        self.board, self._is_shut = None, True
        return [*gone, Refused(text)]


def _cut(event: Event) -> Event:
    """The event with texts of bounded length."""
    match event:
        case Connected(serial=serial, firmware=firmware, capabilities=words):
            short = frozenset(_cut_text(word, MAX_WORD) for word in words)
            firmware = _cut_text(firmware, MAX_WORD)
            return replace(event, serial=serial[:MAX_WORD], firmware=firmware, capabilities=short)
        case Status(faults=words):
            return replace(event, faults=tuple(_cut_text(word, MAX_WORD) for word in words))
        case Disconnected(reason=reason) | Refused(reason=reason) | Gap(reason=reason):
            return replace(event, reason=_cut_text(reason, MAX_SENTENCE))
        case Complaint(code=code, text=text):
            return replace(event, code=_cut_text(code, MAX_WORD), text=_cut_text(text, MAX_SENTENCE))
        case SelfTestReport(part=part, result=result, text=text):
            words = (_cut_text(part, MAX_WORD), _cut_text(result, MAX_WORD))
            return SelfTestReport(*words, _cut_text(text, MAX_SENTENCE))
        case Calibrated(reason=reason):
            return replace(event, reason=_cut_text(reason, MAX_WORD))
    return event


def _cut_text(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
