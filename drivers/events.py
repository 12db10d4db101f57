"""What a board reports, whatever its driver.

Pits are indices as in `records.Position`: South's from South's left, then North's; after them, on a board that weighs
its stores, South's store and North's. Counts are seeds as floats, as weighed: drivers do not round. A board keeps its
`Numbered` events until they are acknowledged; all others describe the present.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from records import Side

from .protocol.limits import MAX_NUMBER

ACTIONS = ("commit", "undo", "dispute", "trial", "accept")  # of a button
FAULT_CODES = ("open", "stuck", "overload", "ok")  # of a sensor

# The limits apply where events are stored or sent (`drivers.recording.json_form`).
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
    whether it weighs its stores. `capabilities`: any of ``buttons``, ``leds``, ``cal``.
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
class Status(Event):
    """The board's health: supply voltage, temperature, fault codes, and how many events it holds."""

    volts: Seeds
    celsius: Seeds
    faults: Texts
    held: Number


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
class SecretKept(Event):
    """The answer to a secret that was given to the board: whether it keeps the one with the id `key`."""

    key: Text
    ok: bool


@dataclass(frozen=True, slots=True)
class SerialProof(Event):
    """The answer to a challenge: `mac` is made with the secret `key` of the serial number, `boot` and `nonce`.

    ``-``: the board has no such secret.
    """

    boot: BootId
    key: Text
    nonce: Text
    mac: Text


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
