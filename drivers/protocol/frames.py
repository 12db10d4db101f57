"""Bytes to messages and messages to bytes. Pure: no port, no clock.

Three steps, each usable alone: `Decoder` cuts a stream of bytes into `Frame`s and drops what is damaged;
`parse` makes a frame from a board into a message; `encode` writes a message of the host.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass

from drivers.errors import MessageError

from .limits import MAX_COUNT, MAX_LINE, MAX_NUMBER, MAX_ROW, MAX_SEEDS_LAID
from .messages import (
    ACTIONS,
    ERROR_CODES,
    FAULT_CODES,
    LIGHTS,
    SIDES,
    Ack,
    BoardError,
    BoardEvent,
    BoardHello,
    BoardMessage,
    BoardSnapshot,
    BoardStatus,
    ButtonEvent,
    CalibrateSeeds,
    CalibrationEvent,
    ErrorLight,
    FaultEvent,
    HostHello,
    HostMessage,
    LiftEvent,
    LightsOut,
    Nak,
    OtherEvent,
    Ping,
    PitEvent,
    PitLight,
    Replay,
    RowLight,
    SnapRequest,
    Tare,
)

_START = ord("$")
# 0x20-0x7E without $ and *, and no more of it than fits a line.
_LINE = re.compile(rb"\$([ -#%%-)+-~]{0,%d})\*([0-9A-Fa-f]{4})\r\n" % (MAX_LINE - len(b"$*0000\r\n")))
_FIELD = re.compile(r"[ -#%-)+\--~]*")  # the same without the comma
_NUMBER = re.compile(r"[0-9]{1,10}")
_VERSION = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})")
_BOOT = re.compile(r"[0-9a-f]{8}")
_COUNTS = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,10})*")
_CONFIDENCE = re.compile(r"[0-9a-f]+")

MAX_SENSORS = 2 * MAX_ROW + 2


@dataclass(frozen=True, slots=True)
class Frame:
    """One undamaged line: its type and its fields, not yet understood."""

    type: str
    fields: tuple[str, ...]


class Decoder:
    """Cuts bytes, in pieces of any size, into frames. Holds at most one line.

    `damaged` counts lines that were dropped (too long, cut off, wrong CRC or characters), `ignored` counts
    bytes that were in no line.
    """

    def __init__(self) -> None:
        self.damaged = 0
        self.ignored = 0
        self._line = b""  # from `$` on; empty between lines

    def feed(self, data: bytes) -> list[Frame]:
        """The frames completed by `data`."""
        frames: list[Frame] = []
        data = self._line + data
        at, end = 0, len(data)
        while at < end:
            match = _LINE.match(data, at)
            if match is None:
                after = self._skip(data, at)
                if after == at:
                    break  # the rest may become a line
                at = after
                continue
            at = match.end()
            if crc(match[1]) == int(match[2], 16):
                kind, *fields = match[1].decode("ascii").split(",")
                frames.append(Frame(kind, tuple(fields)))
            else:
                self.damaged += 1
        self._line = data[at:]
        return frames

    def _skip(self, data: bytes, at: int) -> int:
        """Where to go on after what stands at `at`, which is no good line; `at` itself if it may still become one."""
        if data[at] != _START:
            start = data.find(b"$", at)
            if start < 0:
                start = len(data)
            self.ignored += start - at
            return start
        most = at + MAX_LINE
        end = data.find(b"\n", at, most)
        start = data.find(b"$", at + 1, most if end < 0 else end)
        if start < 0 and end < 0 and len(data) < most:
            return at
        self.damaged += 1
        if start >= 0:
            return start
        return most if end < 0 else end + 1


def read_line(line: bytes) -> Frame | None:
    """The frame in one whole line, ``$`` to LF; None when it is damaged."""
    match = _LINE.fullmatch(line)
    if match is None or crc(match[1]) != int(match[2], 16):
        return None
    kind, *fields = match[1].decode("ascii").split(",")
    return Frame(kind, tuple(fields))


def crc(body: bytes) -> int:
    """CRC-16/CCITT-FALSE of what stands between ``$`` and ``*``."""
    return binascii.crc_hqx(body, 0xFFFF)


def write_line(frame: Frame) -> bytes:
    """The line of a frame.

    :raises MessageError: a field has a character that no field may have, or the line is too long.
    """
    for text in (frame.type, *frame.fields):
        if not _FIELD.fullmatch(text):
            raise MessageError(f"not a field: {text!r}: printable ASCII without '$', '*' and ',' is needed")
    body = ",".join((frame.type, *frame.fields)).encode("ascii")
    line = b"$%s*%04X\r\n" % (body, crc(body))
    if len(line) > MAX_LINE:
        raise MessageError(f"{frame.type} line of {len(line)} bytes: at most {MAX_LINE} are possible")
    return line


# --- what the board says ------------------------------------------------------------------------------------


def parse(frame: Frame) -> BoardMessage | None:
    """The message in a frame from a board; None for a type that this version does not know.

    An event whose kind is unknown or whose fields do not fit comes as `OtherEvent`.

    :raises MessageError: the fields do not fit the type; quotes the field and says what was expected.
    """
    reader = _READERS.get(frame.type)
    return None if reader is None else reader(_Fields(frame))


class _Fields:
    """The fields of one frame, taken one after the other; what is left at the end is of a later version."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.taken = 0

    def text(self, what: str) -> str:
        if self.taken == len(self.frame.fields):
            raise MessageError(f"{self.frame.type}: field {self.taken + 1} is missing: expected {what}")
        self.taken += 1
        return self.frame.fields[self.taken - 1]

    def fault(self, what: str) -> MessageError:
        text = self.frame.fields[self.taken - 1]
        return MessageError(f"{self.frame.type}: field {self.taken} is {text!r}: expected {what}")

    def matching(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        match = pattern.fullmatch(self.text(what))
        if match is None:
            raise self.fault(what)
        return match

    def number(self, what: str, low: int = 0, high: int = MAX_NUMBER) -> int:
        text = self.text(what)
        digits = text[1:] if low < 0 and text[:1] == "-" else text
        if digits.isdigit() and digits.isascii() and len(digits) <= 10 and low <= (number := int(text)) <= high:
            return number
        raise self.fault(f"{what}, {low} to {high}")

    def word(self, what: str, allowed: tuple[str, ...]) -> str:
        text = self.text(what)
        if text in allowed:
            return text
        raise self.fault(f"{what}: one of {', '.join(allowed)}")

    def boot(self) -> str:
        return self.matching(_BOOT, "a boot id of 8 lower-case hex digits")[0]

    def pit(self) -> int:
        return self.number("a pit index", 0, MAX_SENSORS - 1)

    def counts(self) -> tuple[int, ...]:
        text = self.text("counts")
        if _COUNTS.fullmatch(text):
            counts = tuple(map(int, text.split(".")))
            if len(counts) <= MAX_SENSORS and max(counts) <= MAX_COUNT:
                return counts
        raise self.fault(f"up to {MAX_SENSORS} counts of 0 to {MAX_COUNT} joined by '.'")

    def names(self, what: str) -> tuple[str, ...]:
        text = self.text(what)
        return () if text == "-" else tuple(text.split("+"))


def _hello(fields: _Fields) -> BoardHello:
    version = fields.matching(_VERSION, "the protocol version as major.minor")
    return BoardHello(
        version=(int(version[1]), int(version[2])),
        firmware=fields.text("the firmware version"),
        serial=fields.text("the serial number"),
        boot=fields.boot(),
        row=fields.number("pits a row", 1, MAX_ROW),
        stores=fields.word("stores weighed", ("0", "1")) == "1",
        capabilities=frozenset(fields.names("capabilities joined by '+'")),
        last=fields.number("the last sequence number used"),
    )


def _event(fields: _Fields) -> BoardEvent:
    boot, seq = fields.boot(), fields.number("a sequence number", 1)
    try:
        return _known_event(boot, seq, fields)
    except MessageError:
        # Numbered, so it must not be dropped: the events behind it would wait for it for ever.
        rest = (*fields.frame.fields[2:], "", "")
        ms = int(rest[0]) if _NUMBER.fullmatch(rest[0]) else 0
        return OtherEvent(boot, seq, ms, rest[1], fields.frame.fields[4:])


def _known_event(boot: str, seq: int, fields: _Fields) -> BoardEvent:
    ms, kind = fields.number("milliseconds"), fields.text("an event kind")
    match kind:
        case "PIT":
            return PitEvent(boot, seq, ms, fields.pit(), fields.number("a count", 0, MAX_COUNT))
        case "LIFT":
            return LiftEvent(boot, seq, ms, fields.pit())
        case "BTN":
            return ButtonEvent(
                boot, seq, ms, fields.word("a side", SIDES), fields.word("an action", ACTIONS), fields.counts()
            )
        case "FAULT":
            return FaultEvent(boot, seq, ms, fields.pit(), fields.word("a fault", FAULT_CODES))
        case "CAL":
            return CalibrationEvent(boot, seq, ms, fields.pit(), fields.word("a result", ("ok", "failed")) == "ok")
    return OtherEvent(boot, seq, ms, kind, fields.frame.fields[fields.taken :])


def _snapshot(fields: _Fields) -> BoardSnapshot:
    boot, last, ms = (
        fields.boot(),
        fields.number("the last sequence number used"),
        fields.number("milliseconds"),
    )
    counts = fields.counts()
    what = f"{len(counts)} hex digits of confidence, one a count"
    digits = fields.matching(_CONFIDENCE, what)[0]
    if len(digits) != len(counts):
        raise fields.fault(what)
    return BoardSnapshot(boot, last, ms, counts, tuple(int(digit, 16) for digit in digits))


def _status(fields: _Fields) -> BoardStatus:
    return BoardStatus(
        boot=fields.boot(),
        ms=fields.number("milliseconds"),
        millivolts=fields.number("supply in mV", 0, 99999),
        temperature=fields.number("temperature in tenths of a degree", -9999, 9999),
        faults=fields.names("fault codes joined by '+'"),
        held=fields.number("events held"),
        first=fields.number("the first sequence number held"),
    )


def _error(fields: _Fields) -> BoardError:
    return BoardError(fields.word("an error code", ERROR_CODES), fields.text("a text"))


_READERS: dict[str, Callable[[_Fields], BoardMessage]] = {
    "HELLO": _hello,
    "EVT": _event,
    "SNAP": _snapshot,
    "STAT": _status,
    "ERR": _error,
}


# --- what the host says -------------------------------------------------------------------------------------


def encode(message: HostMessage) -> bytes:
    """The line of a message of the host.

    :raises MessageError: a field is out of range or has a character that no field may have.
    """
    return write_line(_frame(message))


def _frame(message: HostMessage) -> Frame:
    match message:
        case HostHello((major, minor), name, version):
            return Frame("HELLO", (f"{major}.{minor}", name, version))
        case Ack(boot, seq):
            return Frame("ACK", (_boot(boot), _ranged("sequence number", seq, MAX_NUMBER)))
        case Nak():
            return Frame("NAK", ())
        case Replay(boot, seq):
            return Frame("REPLAY", (_boot(boot), _ranged("sequence number", seq, MAX_NUMBER)))
        case SnapRequest():
            return Frame("SNAP?", ())
        case PitLight(pit, light):
            return Frame("LED", ("pit", _ranged("pit index", pit, MAX_SENSORS - 1), _one_of("light", light, LIGHTS)))
        case RowLight(side, light):
            return Frame("LED", ("row", _one_of("side", side, SIDES), _one_of("light", light, LIGHTS)))
        case ErrorLight(on):
            return Frame("LED", ("error", "1" if on else "0"))
        case LightsOut():
            return Frame("LED", ("clear",))
        case Tare():
            return Frame("CAL", ("tare",))
        case CalibrateSeeds(pit, seeds):
            laid = _ranged("number of seeds", seeds, MAX_SEEDS_LAID)
            return Frame("CAL", ("seeds", _ranged("pit index", pit, MAX_SENSORS - 1), laid))
        case Ping():
            return Frame("PING", ())


def _boot(text: str) -> str:
    if not _BOOT.fullmatch(text):
        raise MessageError(f"not a boot id: {text!r}: 8 lower-case hex digits are needed")
    return text


def _ranged(what: str, number: int, high: int) -> str:
    if not 0 <= number <= high:
        raise MessageError(f"{what} {number}: 0 to {high} are possible")
    return str(number)


def _one_of(what: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise MessageError(f"not a {what}: {text!r}: one of {', '.join(allowed)} is needed")
    return text
