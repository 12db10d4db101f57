"""What a board reports, whatever its driver.

Pits are indices as in `records.Position`: South's from South's left, then North's; after them, on a board that weighs
its stores, South's store and North's. Counts are seeds as floats, as weighed: drivers do not round. A board keeps its
`Numbered` events until they are acknowledged; all others describe the present.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated, Any

from msgspec import Meta

from inkeek.records import Side
from inkeek.records.errors import ErrorText

from .protocol.limits import MAX_NUMBER

ACTIONS = ("commit", "undo", "dispute", "trial", "accept")  # of a button
FAULT_CODES = ("open", "stuck", "overload", "ok")  # of a sensor

# The limits apply where events are stored or sent (`inkeek.drivers.recording.json_form`).
Text = Annotated[str, Meta(max_length=2000)]
Number = Annotated[int, Meta(ge=0, le=MAX_NUMBER)]
BootId = Annotated[str, Meta(min_length=1, max_length=16)]  # names one run of the board, from power-on to power-off
Seeds = Annotated[float, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]
Counts = Annotated[tuple[Seeds, ...], Meta(max_length=256)]  # one a sensor, in order of index
Texts = Annotated[tuple[Text, ...], Meta(max_length=256)]


@dataclass(frozen=True, slots=True)
class Event:
    """The base class of all events."""


@dataclass(frozen=True, slots=True)
class Connected(Event):
    """A board answered; sent again after each reconnection and restart of the board.

    `serial`: the board's serial number. `version`: of the protocol, major and minor. `row`: pits a row. `stores`:
    whether it weighs its stores. `capabilities`: any of ``buttons``, ``leds``, ``cal``, ``test``.
    """

    serial: Text
    firmware: Text
    version: tuple[Number, Number]
    boot: BootId
    row: Number
    stores: bool
    capabilities: Annotated[frozenset[Text], Meta(max_length=256)]

    @property
    def sensors(self) -> int:
        return 2 * self.row + (2 if self.stores else 0)


@dataclass(frozen=True, slots=True)
class Disconnected(Event):
    """The board is gone, for `reason`; the connection tries to get it back."""

    reason: Text


@dataclass(frozen=True, slots=True)
class Refused(Event):
    """A board is there but cannot be used, for `reason`; the connection keeps listening in case it is exchanged."""

    reason: Text


@dataclass(frozen=True, slots=True)
class Gap(Event):
    """Events are lost for good, for `reason`; a `Snapshot` follows.

    The next event comes after event `seq` of `boot`. A caller that has stored that does not get the gap again.
    """

    reason: Text
    boot: BootId
    seq: Number


@dataclass(frozen=True, slots=True)
class Snapshot(Event):
    """All counts at one moment.

    `last`: the last numbered event before it, 0 if none. `confidence`: a number for each sensor, from 0 (broken) to 15
    (calibrated and still).
    """

    boot: BootId
    last: Number
    counts: Counts
    confidence: Annotated[tuple[Number, ...], Meta(max_length=256)]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a value of a health report is shown: its `label`, and the `form` of ``%``.

    A change of less than `step` is no news. `is_live`: it changes so often that only a live view shows it.
    """

    label: ErrorText
    form: str = "%s"
    step: float = 0.0
    is_live: bool = False

    def text(self, value: Any) -> str:
        """The value as people read it."""
        return self.form % (" ".join(value) or ErrorText("none") if isinstance(value, tuple) else value)

    def is_news(self, value: Any, before: Any) -> bool:
        """Whether a value says something that the one before it did not."""
        return abs(value - before) >= self.step if self.step else bool(value != before)


@dataclass(frozen=True, slots=True)
class Status(Event):
    """The board's health: supply, temperature, fault codes, number of events held."""

    volts: Annotated[Seeds, "of the supply"] = field(metadata={"reading": Reading(ErrorText("supply"), "%.2f V", 0.05)})
    celsius: Annotated[Seeds, "temperature of the board"] = field(
        metadata={"reading": Reading(ErrorText("temperature"), "%.1f °C", 1.0)}
    )
    faults: Annotated[Texts, "codes of its faults"] = field(metadata={"reading": Reading(ErrorText("faults"))})
    held: Annotated[Number, "events that it holds"] = field(
        metadata={"reading": Reading(ErrorText("events held"), "%d", 20, is_live=True)}
    )

    def readings(self) -> list[tuple[Reading, Any]]:
        """How each value is shown, and the value, None if the board's version of the protocol does not say it."""
        pairs = [(one.metadata["reading"], getattr(self, one.name)) for one in fields(self)]
        return [(reading, value) for reading, value in pairs if value is not None]

    def is_news(self, before: Status) -> bool:
        """Whether it says something that the report before it did not."""
        known = dict(before.readings())
        return any(one not in known or one.is_news(value, known[one]) for one, value in self.readings())


@dataclass(frozen=True, slots=True)
class Complaint(Event):
    """The board could not use a line it received; `code` is an error code of the protocol."""

    code: Text
    text: Text


@dataclass(frozen=True, slots=True)
class SelfTestReport(Event):
    """A line of the board's self-test: `result` is ``wait``, ``ok``, ``failed``, or ``end`` when the test is over."""

    part: Text
    result: Text
    text: Text


@dataclass(frozen=True, slots=True)
class OfferShown(Event):
    """The board's lights show that a long press answers the `question` of `base.Guidance`.

    A board of protocol 1.1 confirms its lights. Presses that come after this were made while they were lit; an
    `accept` of an earlier one is no answer.
    """

    question: Text


@dataclass(frozen=True, slots=True)
class Numbered(Event):
    """An event that must be acknowledged. `boot` and `seq` identify it forever; `ms` is the board's clock.

    `seq` counts from 1 in each run of the board; `ms` are milliseconds since its start, modulo 2³².
    """

    boot: BootId
    seq: Number
    ms: Number


@dataclass(frozen=True, slots=True)
class PitChanged(Numbered):
    """A sensor settled at another count, in seeds."""

    pit: Number
    seeds: Seeds


@dataclass(frozen=True, slots=True)
class Lifted(Numbered):
    """A hand emptied the pit."""

    pit: Number


@dataclass(frozen=True, slots=True)
class Button(Numbered):
    """A side pressed a button: `action` is ``commit``, ``undo``, ``dispute``, ``trial``, or ``accept``.

    ``accept`` follows a ``commit`` whose button is still held: a long press. `counts` are those at that moment.
    """

    side: Side
    action: Text
    counts: Counts


@dataclass(frozen=True, slots=True)
class Fault(Numbered):
    """A sensor failed or recovered: `code` is ``open``, ``stuck``, ``overload``, or ``ok``."""

    pit: Number
    code: Text


@dataclass(frozen=True, slots=True)
class Calibrated(Numbered):
    """The answer to a calibration step, for one sensor; `ok`: whether it worked.

    `reason`: a word of `docs/protocol.md` for why it failed, "" if the board does not say.
    """

    pit: Number
    ok: bool
    reason: Text = ""


@dataclass(frozen=True, slots=True)
class Unrecognized(Numbered):
    """An event of a kind that this version does not know, or that does not fit the board, as it came."""

    kind: Text
    fields: Texts
