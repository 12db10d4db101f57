"""The messages of the protocol (`docs/protocol.md`), each declared once: its line with the fields in it, the version
that brought it, and what the documentation says. Reading, writing and the tables of the documentation follow.

Pits are indices: South's from South's left, then North's, then the stores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inkeek.drivers import events
from inkeek.drivers.errors import DriverError, MessageError
from inkeek.drivers.events import ACTIONS, FAULT_CODES
from inkeek.drivers.gate import misfit
from inkeek.records import NORTH, SOUTH

from .frames import Frame
from .limits import MAX_COUNT, MAX_NUMBER, MAX_ROW, MAX_SEEDS_LAID, MAX_SENSORS

# --- fields -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """What a field holds. `what`: it is in errors; `says`: in the documentation, if that has other words.

    `form`: of its text. `value` is made of the text. `is_later`: boards of earlier minor versions do not send it.
    """

    what: str
    says: str = ""
    form: str = "(?s:.*)"
    value: Callable[[str], Any] = str
    is_later: bool = False
    bounds: str = ""  # which values it may have, in errors

    def read(self, text: str) -> Any:
        """:raises ValueError: the text does not fit."""
        if not re.fullmatch(self.form, text):
            raise ValueError
        return self.value(text)

    def write(self, value: Any) -> str:
        """:raises ValueError: the value does not fit."""
        text = ".".join(map(str, value)) if isinstance(value, tuple) else str(value)
        self.read(text)
        return text


class WholeNumber(Field):
    """A whole number; its value is that divided by `parts`."""

    def __init__(
        self, what: str, says: str = "", low: int = 0, high: int = MAX_NUMBER, parts: int = 1, is_later: bool = False
    ) -> None:
        def value(text: str) -> float:
            if not low <= int(text) <= high:
                raise ValueError
            return int(text) if parts == 1 else int(text) / parts

        form = "-?[0-9]{1,10}" if low < 0 else "[0-9]{1,10}"
        super().__init__(what, says, form, value, is_later, f", {low} to {high}")


class Word(Field):
    """One of some words, or what it stands for."""

    def __init__(self, what: str, says: str, words: tuple[str, ...] | Mapping[str, Any]) -> None:
        self.words = words if isinstance(words, Mapping) else {word: word for word in words}
        form = "|".join(self.words)
        super().__init__(what, says, form, self.words.__getitem__, bounds=f": one of {', '.join(self.words)}")

    def write(self, value: Any) -> str:
        text = next((text for text, known in self.words.items() if known == value), None)
        if text is None:
            raise ValueError
        return text


def _code(*words: str, by: str = ", ") -> str:
    """Words for the documentation."""
    return by.join(f"`{word}`" for word in words)


def _names(text: str) -> tuple[str, ...]:
    return () if text == "-" else tuple(text.split("+"))


def _counts(text: str) -> tuple[float, ...]:
    return tuple(int(count) / 100 for count in text.split("."))


TEST_RESULTS = ("wait", "ok", "failed", "end")
ERROR_CODES = ("version", "overflow", "unknown", "damaged", "range")
LIGHTS = ("off", "on", "blink", "error")
CAPABILITIES = _code("buttons", "leds", "cal", "test")
FLAG = {"0": False, "1": True}
SIDES = {"s": SOUTH, "n": NORTH}
_COUNT = "0{0,6}[0-9]{1,4}"  # at most `MAX_COUNT`
COUNTS = (
    f"up to {MAX_SENSORS} counts of 0 to {MAX_COUNT} joined by '.'",
    rf"{_COUNT}(\.{_COUNT}){{0,{MAX_SENSORS - 1}}}",
    _counts,
)
TEMPERATURE = WholeNumber(
    "temperature in tenths of a degree", "temperature in tenths of a degree Celsius", -9999, 9999, 10
)
SEEDS_LAID = "number of seeds lying there (1.1: 0 sets this pit to zero although it reads seeds)"
RESULT = "`ok` or `failed`; 1.1: after `failed`, the [reason](#version-11)"

FIELDS: dict[str, Field] = {
    "version": Field(
        "the protocol version as major.minor",
        "protocol `major.minor`",
        r"[0-9]{1,3}\.[0-9]{1,3}",
        lambda text: tuple(map(int, text.split("."))),
    ),
    "firmware": Field("the firmware version"),
    "serial": Field("the serial number"),
    "boot": Field("a boot id of 8 lower-case hex digits", "boot id", "[0-9a-f]{8}"),
    "row": WholeNumber("pits a row", low=1, high=MAX_ROW),
    "stores": Word("stores weighed", f"stores ({_code(*FLAG, by='/')})", FLAG),
    "capabilities": Field(
        "capabilities joined by '+'", f"capabilities joined by `+` ({CAPABILITIES}; `-` for none)", value=_names
    ),
    "last": WholeNumber("the last sequence number used"),
    "number": WholeNumber("a sequence number", low=1),
    "ms": WholeNumber("milliseconds", "ms"),
    "kind": Field("an event kind", "kind, then what the kind has"),
    "pit": WholeNumber("a pit index", "index", high=MAX_SENSORS - 1),
    "count": WholeNumber("a count", high=MAX_COUNT, parts=100),
    "side": Word("a side", f"side ({_code(*SIDES, by='/')})", SIDES),
    "action": Word("an action", f"action ({_code(*ACTIONS[:4])}; 1.1: {_code(*ACTIONS[4:])})", ACTIONS),
    "counts": Field(COUNTS[0], "counts", *COUNTS[1:]),
    "counts_then": Field(COUNTS[0], "counts when the event was made", *COUNTS[1:]),
    "fault": Word("a fault", f"code ({_code(*FAULT_CODES)})", FAULT_CODES),
    "result": Word("a result", RESULT, {"ok": True, "failed": False}),
    "reason": Field("a reason", is_later=True),
    "confidence": Field("hex digits of confidence, one a count", "confidence", "[0-9a-f]+"),
    "millivolts": WholeNumber("supply in mV", high=99999, parts=1000),
    "temperature": TEMPERATURE,
    "faults": Field("fault codes joined by '+'", "fault codes joined by `+` (`-` for none)", value=_names),
    "held": WholeNumber("events held", "events held in the ring"),
    "first": WholeNumber("the first sequence number held", "first sequence number held (0 if none)"),
    "error": Word("an error code", f"code ({_code(*ERROR_CODES)})", ERROR_CODES),
    "text": Field("a text"),
    "shown": WholeNumber("the number of a set of lights", "number of the set of lights that the board shows"),
    "part": Field("a part"),
    "test": Word("a result", f"result ({_code(*TEST_RESULTS)})", TEST_RESULTS),
    # of the host
    "name": Field("a name"),
    "host": Field("the version of the host"),
    "stored": WholeNumber("sequence number", "sequence number: the host has stored every event up to it"),
    "from": WholeNumber("sequence number"),
    "light": Word("light", _code(*LIGHTS, by="/"), LIGHTS),
    "light_again": Word("light", "the same", LIGHTS),
    "side_lit": Word("side", _code(*SIDES, by="/"), SIDES),
    "on": Word("on or off", _code(*FLAG, by="/"), FLAG),
    "set": WholeNumber("number of the set"),
    "pits": Field("pits", form="[01be]*"),  # a letter of `session.LETTERS` each
    "rows": Field("rows", form="[01be]{2}"),
    "seeds": WholeNumber("number of seeds", SEEDS_LAID, high=MAX_SEEDS_LAID),
}


@dataclass(frozen=True)
class MessageForm:
    """A message: its line, with the names of fields in braces.

    `make` is what `read` makes of the values. `since`: the version that brought it. `needs`: the capability that
    a board has which is sent it. `says` is for the documentation: the board's answer, or when an event is sent; `what`:
    instead of the fields.
    """

    line: str
    make: Callable[..., Any] = lambda *values: values
    says: str = ""
    needs: str = ""
    since: tuple[int, int] = (1, 0)
    what: str = ""

    @cached_property
    def parts(self) -> tuple[Field | str, ...]:
        """Words and fields after the type, in order."""
        return tuple(FIELDS[part[1:-1]] if part[0] == "{" else part for part in self.line.split(",")[1:])

    @property
    def type(self) -> str:
        return self.line.partition(",")[0]

    def __call__(self, *values: Any) -> Frame:
        """Return the frame with these values.

        :raises MessageError: a value is out of range.
        """
        rest = iter(values)
        return Frame(
            self.type, tuple(part if isinstance(part, str) else _text(part, next(rest)) for part in self.parts)
        )

    def read(self, frame: Frame) -> Any:
        """Make the message in a frame. Later versions may append more fields.

        :raises MessageError: the fields do not fit; quotes the field and says what was expected.
        """
        values = []
        for number, part in enumerate(self.parts, 1):
            if isinstance(part, str):
                continue
            if number > len(frame.fields):
                if part.is_later:
                    break
                raise MessageError(f"{frame.type}: field {number} is missing: expected {part.what}")
            text = frame.fields[number - 1]
            try:
                values.append(part.read(text))
            except ValueError as error:
                expected = part.what + part.bounds
                raise MessageError(f"{frame.type}: field {number} is {text!r}: expected {expected}") from error
        return self.make(*values)

    def is_known_to(self, board: events.Connected) -> bool:
        """Whether the board can use this message of the host."""
        return board.version >= self.since and (not self.needs or self.needs in board.capabilities)


def _text(field: Field, value: Any) -> str:
    try:
        return field.write(value)
    except ValueError as error:
        expected = field.bounds.lstrip(":, ") or field.what
        raise MessageError(f"{field.what} {value!r}: expected {expected}") from error


# --- from the board -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoardHello:
    """Who the board is. `last` is the last sequence number it has used since its boot."""

    board: events.Connected
    last: int


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The board's health during this run. `last` is the last event that it holds; 0: it holds none."""

    boot: str
    status: events.Status
    last: int


@dataclass(frozen=True, slots=True)
class BoardError:
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class LightsShown:
    """The board shows the set of lights with this number."""

    boot: str
    number: int


BoardMessage = (
    BoardHello | events.Numbered | events.Snapshot | StatusReport | BoardError | LightsShown | events.SelfTestReport
)


def _hello(version: tuple[int, int], firmware: str, serial: str, boot: str, row: int, *rest: Any) -> BoardHello:
    stores, capabilities, last = rest
    return BoardHello(events.Connected(serial, firmware, version, boot, row, stores, frozenset(capabilities)), last)


def _snapshot(boot: str, last: int, ms: int, counts: tuple[float, ...], digits: str) -> events.Snapshot:
    if len(digits) != len(counts):
        expected = f"{len(counts)} {FIELDS['confidence'].what}"
        raise MessageError(f"SNAP: field 5 is {digits!r}: expected {expected}")
    return events.Snapshot(boot, last, counts, tuple(int(digit, 16) for digit in digits))


def _status(boot: str, ms: int, volts: float, celsius: float, faults: tuple[str, ...], *ring: int) -> StatusReport:
    held, first = ring
    return StatusReport(boot, events.Status(volts, celsius, faults, held), first + held - 1 if held else 0)


def _calibrated(boot: str, seq: int, ms: int, pit: int, ok: bool, reason: str = "") -> events.Calibrated:
    return events.Calibrated(boot, seq, ms, pit, ok, "" if ok else reason)


_EVENT = MessageForm("EVT,{boot},{number},{ms},{kind}")  # of any kind
_NUMBERED = MessageForm("EVT,{boot},{number}")  # with anything after that
EVENT_KINDS = {
    "PIT": MessageForm(
        "EVT,{boot},{number},{ms},PIT,{pit},{count}", events.PitChanged, "a sensor has settled on another count"
    ),
    "LIFT": MessageForm("EVT,{boot},{number},{ms},LIFT,{pit}", events.Lifted, "a hand emptied a pit"),
    "BTN": MessageForm(
        "EVT,{boot},{number},{ms},BTN,{side},{action},{counts_then}", events.Button, "a button was pressed"
    ),
    "FAULT": MessageForm(
        "EVT,{boot},{number},{ms},FAULT,{pit},{fault}", events.Fault, "a sensor failed or came back"
    ),
    "CAL": MessageForm(
        "EVT,{boot},{number},{ms},CAL,{pit},{result},{reason}", _calibrated, "a calibration step is done"
    ),
}  # fmt: skip
FROM_BOARD = (
    MessageForm("HELLO,{version},{firmware},{serial},{boot},{row},{stores},{capabilities},{last}", _hello),
    _EVENT,
    MessageForm("SNAP,{boot},{last},{ms},{counts},{confidence}", _snapshot),
    MessageForm("STAT,{boot},{ms},{millivolts},{temperature},{faults},{held},{first}", _status),
    MessageForm("ERR,{error},{text}", BoardError),
    MessageForm("LIT,{boot},{shown}", LightsShown, since=(1, 1)),
    MessageForm("TEST,{part},{test},{text}", events.SelfTestReport, since=(1, 1)),
)
_BY_TYPE = {message.type: message for message in FROM_BOARD}
TYPES = tuple(_BY_TYPE)


def parse(frame: Frame) -> BoardMessage | None:
    """Return the message or event in a frame from a board; None for a type that this version does not know.

    An event of an unknown kind, or whose fields do not fit, becomes `events.Unrecognized`.

    :raises MessageError: the fields do not fit the type; quotes the field and says what was expected.
    """
    try:
        return _parse(frame)
    except MessageError:
        if frame.type != "EVT":
            raise
        boot, seq = _NUMBERED.read(frame)
        return unrecognized(boot, seq, frame)  # not dropped: the events after it would wait for it forever


def _parse(frame: Frame) -> BoardMessage | None:
    """:raises MessageError: the fields do not fit the type, or the kind of event."""
    message = _BY_TYPE.get(frame.type)
    if message is _EVENT:
        boot, seq, _, kind = _EVENT.read(frame)
        message = EVENT_KINDS.get(kind)
        if message is None:
            return unrecognized(boot, seq, frame)
    return None if message is None else message.read(frame)


def unrecognized(boot: str, seq: int, frame: Frame) -> events.Unrecognized:
    """Return the event in an ``EVT`` frame with its fields as they came."""
    ms, kind = (*frame.fields[2:4], "", "")[:2]
    try:
        clock = FIELDS["ms"].read(ms)
    except ValueError:
        clock = 0
    return events.Unrecognized(boot, seq, clock, kind, frame.fields[4:])


def verify(frame: Frame, sensors: int | None = None) -> None:
    """Check that `parse` understands all fields of a frame, and that they fit a board with `sensors` sensors.

    :raises MessageError: they do not; quotes the field and says what was expected. Also for an event that `parse`
        returns as `events.Unrecognized` because of its fields. Not for a type or kind that this version does not know.
    """
    if frame.type == "SNAP" and sensors is not None and (text := frame.fields[3:4]):
        number = text[0].count(".") + 1  # before the digits of confidence are compared with them
        if number != sensors:
            raise MessageError(f"SNAP: {number} counts: expected {sensors}, one for each sensor of the board")
    message = _parse(frame)
    if sensors is not None and (why := misfit(message, sensors)) is not None:
        raise MessageError(f"{frame.type}: {why}")


# --- from the host ------------------------------------------------------------------------------------------

_LOST = "the events from that number on; if some are lost, first `ERR,overflow,<first number held>`"
_OTHER = "`HELLO` if the boot id is not the board's"

host_hello = MessageForm("HELLO,{version},{name},{host}", says="`HELLO`")
ack = MessageForm("ACK,{boot},{stored}", says="none; the board forgets them, and ignores another boot id")
_nak = MessageForm("NAK", says="every unacknowledged event again", what="none (the host saw a damaged line)")
replay_request = MessageForm("REPLAY,{boot},{from}", says=f"{_LOST} (if none is held, the next number); {_OTHER}")
_snapshot_request = MessageForm("SNAP?", says="`SNAP`")
pit_light = MessageForm("LED,pit,{pit},{light}", says="none", needs="leds")
row_light = MessageForm("LED,row,{side_lit},{light_again}", says="none", needs="leds")
error_light = MessageForm("LED,error,{on}", says="none", needs="leds")
_lights_out = MessageForm("LED,clear", says="none", needs="leds")
# All lights in one line. They answer all events up to the number.
all_lights = MessageForm(
    "LED,all,{set},{boot},{from},{pits},{rows},{on}", says=f"`LIT`; {_OTHER}", needs="leds", since=(1, 1)
)
_tare = MessageForm("CAL,tare", says="`EVT … CAL`", needs="cal")
calibrate_seeds = MessageForm("CAL,seeds,{pit},{seeds}", says="`EVT … CAL`", needs="cal")
_ping = MessageForm("PING", says="`STAT`")
run_test = MessageForm("TEST", says="`TEST` lines", needs="test", since=(1, 1), what="none (run the self-test)")
_stop_test = MessageForm("TEST,stop", says="`TEST` lines", needs="test", since=(1, 1), what="`stop` (end it)")
FROM_HOST = (
    *(host_hello, ack, _nak, replay_request, _snapshot_request, pit_light, row_light, error_light, _lights_out),
    *(all_lights, _tare, calibrate_seeds, _ping, run_test, _stop_test),
)
NAK, SNAPSHOT_REQUEST, LIGHTS_OUT, TARE = _nak(), _snapshot_request(), _lights_out(), _tare()
PING, TEST, TEST_STOP = _ping(), run_test(), _stop_test()


def calibration(board: events.Connected, pit: int | None, seeds: int) -> Frame:
    """A calibration step: see `base.SupportsCalibration`.

    :raises DriverError: the board does not support it, or has no such pit.
    """
    if not _tare.is_known_to(board):
        raise DriverError("board %(serial)r does not support calibration over the line", serial=board.serial)
    if pit is None:
        return TARE
    if not (0 <= pit < board.sensors and seeds >= (0 if board.version >= (1, 1) else 1)):
        raise DriverError(
            "cannot calibrate pit %(pit)s with %(seeds)s seeds: expected pit 0 to %(last)s, 1 seed or more",
            pit=pit,
            seeds=seeds,
            last=board.sensors - 1,
        )
    return calibrate_seeds(pit, seeds)
