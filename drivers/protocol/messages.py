"""The messages of the protocol (`docs/protocol.md`): frames of the board parsed into typed values, frames of the host.

Pits are indices: South's from South's left, then North's, then the stores. Sides are ``s`` and ``n``, as on the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from inkeek.drivers import events
from inkeek.drivers.errors import DriverError, MessageError
from inkeek.drivers.events import ACTIONS, FAULT_CODES
from inkeek.drivers.gate import misfit
from inkeek.records import Side

from .frames import Frame
from .limits import MAX_COUNT, MAX_NUMBER, MAX_ROW, MAX_SEEDS_LAID, MAX_SENSORS

SIDES = ("s", "n")
TEST_RESULTS = ("wait", "ok", "failed", "end")
ERROR_CODES = ("version", "overflow", "unknown", "damaged", "range")
LIGHTS = ("off", "on", "blink", "error")

_NUMBER = re.compile(r"[0-9]{1,10}")
_VERSION = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})")
_BOOT = re.compile(r"[0-9a-f]{8}")
_COUNTS = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,10})*")
_CONFIDENCE = re.compile(r"[0-9a-f]+")


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


def parse(frame: Frame) -> BoardMessage | None:
    """Return the message or event in a frame from a board; None for a type that this version does not know.

    An event of an unknown kind, or whose fields do not fit, becomes `events.Unrecognized`.

    :raises MessageError: the fields do not fit the type; quotes the field and says what was expected.
    """
    reader = _READERS.get(frame.type)
    return None if reader is None else reader(_Fields(frame))


def verify(frame: Frame, sensors: int | None = None) -> None:
    """Check that `parse` understands all fields of a frame, and that they fit a board with `sensors` sensors.

    :raises MessageError: they do not; quotes the field and says what was expected. Also for an event that `parse`
        returns as `events.Unrecognized` because of its fields. Not for a type or kind that this version does not know.
    """
    fields = _Fields(frame)
    if frame.type == "SNAP" and sensors is not None and (text := frame.fields[3:4]):
        _check_number_of_counts(
            frame, text[0].count(".") + 1, sensors
        )  # before the digits of confidence are compared with them
    if frame.type == "EVT":
        message: BoardMessage | None = _known_event(fields.boot(), fields.number("a sequence number", 1), fields)
    else:
        message = parse(frame)
    if sensors is not None and (why := misfit(message, sensors)) is not None:
        raise MessageError(f"{frame.type}: {why}")


def _check_number_of_counts(frame: Frame, number: int, sensors: int) -> None:
    if number != sensors:
        raise MessageError(f"{frame.type}: {number} counts: expected {sensors}, one for each sensor of the board")


class _Fields:
    """The fields of one frame, read one after the other. Later versions may append more."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.taken = 0

    def text(self, what: str) -> str:
        if self.taken == len(self.frame.fields):
            raise MessageError(f"{self.frame.type}: field {self.taken + 1} is missing: expected {what}")
        self.taken += 1
        return self.frame.fields[self.taken - 1]

    @property
    def has_more(self) -> bool:
        """Whether there is another field: one that only later versions have."""
        return self.taken < len(self.frame.fields)

    def optional(self) -> str:
        """The next field, which only later versions have."""
        return self.text("") if self.has_more else ""

    def misfit(self, what: str) -> MessageError:
        text = self.frame.fields[self.taken - 1]
        return MessageError(f"{self.frame.type}: field {self.taken} is {text!r}: expected {what}")

    def matching(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        match = pattern.fullmatch(self.text(what))
        if match is None:
            raise self.misfit(what)
        return match

    def number(self, what: str, low: int = 0, high: int = MAX_NUMBER) -> int:
        text = self.text(what)
        digits = text[1:] if low < 0 and text[:1] == "-" else text
        if digits.isdigit() and digits.isascii() and len(digits) <= 10 and low <= (number := int(text)) <= high:
            return number
        raise self.misfit(f"{what}, {low} to {high}")

    def word(self, what: str, allowed: tuple[str, ...]) -> str:
        text = self.text(what)
        if text in allowed:
            return text
        raise self.misfit(f"{what}: one of {', '.join(allowed)}")

    def boot(self) -> str:
        return self.matching(_BOOT, "a boot id of 8 lower-case hex digits")[0]

    def pit(self) -> int:
        return self.number("a pit index", 0, MAX_SENSORS - 1)

    def side(self) -> Side:
        return Side(SIDES.index(self.word("a side", SIDES)))

    def seeds(self) -> float:
        return self.number("a count", 0, MAX_COUNT) / 100

    def counts(self) -> tuple[float, ...]:
        text = self.text("counts")
        if _COUNTS.fullmatch(text):
            counts = tuple(map(int, text.split(".")))
            if len(counts) <= MAX_SENSORS and max(counts) <= MAX_COUNT:
                return tuple(count / 100 for count in counts)
        raise self.misfit(f"up to {MAX_SENSORS} counts of 0 to {MAX_COUNT} joined by '.'")

    def names(self, what: str) -> tuple[str, ...]:
        text = self.text(what)
        return () if text == "-" else tuple(text.split("+"))


def _hello(fields: _Fields) -> BoardHello:
    version = fields.matching(_VERSION, "the protocol version as major.minor")
    firmware, serial = fields.text("the firmware version"), fields.text("the serial number")
    board = events.Connected(
        serial,
        firmware,
        (int(version[1]), int(version[2])),
        boot=fields.boot(),
        row=fields.number("pits a row", 1, MAX_ROW),
        stores=fields.word("stores weighed", ("0", "1")) == "1",
        capabilities=frozenset(fields.names("capabilities joined by '+'")),
    )
    return BoardHello(board, fields.number("the last sequence number used"))


def _event(fields: _Fields) -> events.Numbered:
    boot, seq = fields.boot(), fields.number("a sequence number", 1)
    try:
        return _known_event(boot, seq, fields)
    except MessageError:
        return unrecognized(boot, seq, fields.frame)  # not dropped: the events after it would wait for it forever


def unrecognized(boot: str, seq: int, frame: Frame) -> events.Unrecognized:
    """Return the event in an ``EVT`` frame with its fields as they came."""
    ms, kind = (*frame.fields[2:4], "", "")[:2]
    clock = int(ms) if _NUMBER.fullmatch(ms) and int(ms) <= MAX_NUMBER else 0
    return events.Unrecognized(boot, seq, clock, kind, frame.fields[4:])


def _known_event(boot: str, seq: int, fields: _Fields) -> events.Numbered:
    ms, kind = fields.number("milliseconds"), fields.text("an event kind")
    match kind:
        case "PIT":
            return events.PitChanged(boot, seq, ms, fields.pit(), fields.seeds())
        case "LIFT":
            return events.Lifted(boot, seq, ms, fields.pit())
        case "BTN":
            return events.Button(boot, seq, ms, fields.side(), fields.word("an action", ACTIONS), fields.counts())
        case "FAULT":
            return events.Fault(boot, seq, ms, fields.pit(), fields.word("a fault", FAULT_CODES))
        case "CAL":
            pit, ok = fields.pit(), fields.word("a result", ("ok", "failed")) == "ok"
            return events.Calibrated(boot, seq, ms, pit, ok, "" if ok else fields.optional())
    return unrecognized(boot, seq, fields.frame)


def _snapshot(fields: _Fields) -> events.Snapshot:
    boot, last = fields.boot(), fields.number("the last sequence number used")
    fields.number("milliseconds")
    counts = fields.counts()
    what = f"{len(counts)} hex digits of confidence, one a count"
    digits = fields.matching(_CONFIDENCE, what)[0]
    if len(digits) != len(counts):
        raise fields.misfit(what)
    return events.Snapshot(boot, last, counts, tuple(int(digit, 16) for digit in digits))


def _status(fields: _Fields) -> StatusReport:
    boot = fields.boot()
    fields.number("milliseconds")
    status = events.Status(
        volts=fields.number("supply in mV", 0, 99999) / 1000,
        celsius=fields.number("temperature in tenths of a degree", -9999, 9999) / 10,
        faults=fields.names("fault codes joined by '+'"),
        held=fields.number("events held"),
    )
    first = fields.number("the first sequence number held")
    return StatusReport(boot, status, first + status.held - 1 if status.held else 0)


def _error(fields: _Fields) -> BoardError:
    return BoardError(fields.word("an error code", ERROR_CODES), fields.text("a text"))


def _lights_shown(fields: _Fields) -> LightsShown:
    return LightsShown(fields.boot(), fields.number("the number of a set of lights"))


def _test(fields: _Fields) -> events.SelfTestReport:
    part = fields.text("a part")
    return events.SelfTestReport(part, fields.word("a result", TEST_RESULTS), fields.text("a text"))


_READERS: dict[str, Callable[[_Fields], BoardMessage]] = {
    "HELLO": _hello,
    "EVT": _event,
    "SNAP": _snapshot,
    "STAT": _status,
    "ERR": _error,
    "LIT": _lights_shown,
    "TEST": _test,
}
TYPES = tuple(_READERS)


# --- from the host ------------------------------------------------------------------------------------------

NAK = Frame("NAK")
SNAPSHOT_REQUEST = Frame("SNAP?")
PING = Frame("PING")
LIGHTS_OUT = Frame("LED", ("clear",))
TARE = Frame("CAL", ("tare",))
TEST = Frame("TEST")
TEST_STOP = Frame("TEST", ("stop",))


def host_hello(version: tuple[int, int], name: str, host_version: str) -> Frame:
    return Frame("HELLO", (f"{version[0]}.{version[1]}", name, host_version))


def ack(boot: str, seq: int) -> Frame:
    """:raises MessageError: as all of these, a value is out of range."""
    return Frame("ACK", (_boot(boot), _format_number("sequence number", seq, MAX_NUMBER)))


def replay_request(boot: str, seq: int) -> Frame:
    return Frame("REPLAY", (_boot(boot), _format_number("sequence number", seq, MAX_NUMBER)))


def pit_light(pit: int, light: str) -> Frame:
    return Frame("LED", ("pit", _format_number("pit index", pit, MAX_SENSORS - 1), _check_word("light", light, LIGHTS)))


def row_light(side: str, light: str) -> Frame:
    return Frame("LED", ("row", _check_word("side", side, SIDES), _check_word("light", light, LIGHTS)))


def error_light(on: bool) -> Frame:
    return Frame("LED", ("error", "1" if on else "0"))


def all_lights(number: int, boot: str, seq: int, pits: str, rows: str, error: bool) -> Frame:
    """The whole set of lights in one line: one letter a pit and a row. It answers all events up to `seq`."""
    numbers = (
        _format_number("number of a set", number, MAX_NUMBER),
        _boot(boot),
        _format_number("sequence number", seq, MAX_NUMBER),
    )
    return Frame("LED", ("all", *numbers, pits, rows, "1" if error else "0"))


def calibration(board: events.Connected, pit: int | None, seeds: int) -> Frame:
    """A calibration step: see `base.SupportsCalibration`.

    :raises DriverError: the board does not support it, or has no such pit.
    """
    if "cal" not in board.capabilities:
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


def calibrate_seeds(pit: int, seeds: int) -> Frame:
    number = _format_number("number of seeds", seeds, MAX_SEEDS_LAID)
    return Frame("CAL", ("seeds", _format_number("pit index", pit, MAX_SENSORS - 1), number))


def _boot(text: str) -> str:
    if not _BOOT.fullmatch(text):
        raise MessageError(f"boot id {text!r}: expected 8 lower-case hex digits")
    return text


def _format_number(what: str, number: int, high: int) -> str:
    if not 0 <= number <= high:
        raise MessageError(f"{what} {number}: expected 0 to {high}")
    return str(number)


def _check_word(what: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise MessageError(f"{what} {text!r}: expected one of {', '.join(allowed)}")
    return text
