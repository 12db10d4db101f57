"""Why a line of a board is refused, in words for the maker of the board (`docs/protocol.md`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from inkeek.drivers.errors import MessageError

from .frames import Frame, FrameDecoder, crc
from .limits import MAX_LINE
from .messages import TYPES, verify

_LINE = re.compile(rb"\$(?P<body>[^*]*)\*(?P<digits>[0-9A-Fa-f]{4})")
_CHARACTER = re.compile(rb"[^ -#%-)+-~]")  # not allowed between `$` and `*`
MAX_TEXT = 2 * MAX_LINE  # bytes outside of lines in one report


@dataclass(frozen=True, slots=True)
class LineReport:
    """What the host makes of one line, or of the text between two lines.

    `line`: the bytes as they came, others than printable ASCII escaped. `accepted`: whether the host uses the line.
    `fault`: what is wrong as one of `FAULTS`, or ``""``. `reason`: the same as a sentence, with what is expected.
    """

    line: str
    accepted: bool
    fault: str = ""
    reason: str = ""


# The faults, with what the maker does about each.
FAULTS = {
    "text": "text outside of lines is ignored: begin each line with `$`",
    "binary": "bytes that are not ASCII: set the line to 115200 baud, 8N1, and look for a wrong baud rate",
    "too-long": f"a line has at most {MAX_LINE} bytes, from `$` to LF: shorten it",
    "line-end": "a line ends in CR LF, `\\r\\n`",
    "cut-off": "the line broke off before its end: write each line at once, and no text into it",
    "no-crc": "a line has `*` and four hex digits before its end",
    "characters": "fields hold printable ASCII without `$` and `*`",
    "crc": "the CRC is CRC-16/CCITT-FALSE of everything between `$` and `*`",
    "crc-case": "the CRC is written in upper case; the host reads both",
    "type": "the host does not know the type and ignores the line",
    "fields": "the fields do not fit the type, or the board",
}


def line_report(raw: bytes, frame: Frame | None, sensors: int | None = None) -> LineReport:
    """Return what the host makes of a piece of the stream, as `FrameDecoder` passes it to its observer.

    `sensors`: how many the board has, if it has said so.
    """
    line = _readable(raw)
    if frame is None:
        return LineReport(line, False, *_describe_damage(raw))
    if frame.type not in TYPES:
        known = ", ".join(TYPES)
        hint = ", in upper case" if frame.type.upper() in TYPES else ""
        if not frame.fields and not frame.type.isalnum():
            hint = ", each followed by ',' and its fields"
        return LineReport(line, False, "type", f"type {frame.type!r} is not known: a board sends {known}{hint}")
    try:
        verify(frame, sensors)
    except MessageError as error:
        return LineReport(line, False, "fields", str(error))
    digits = raw[-6:-2].decode("ascii")
    if digits != digits.upper():
        return LineReport(line, True, "crc-case", f"CRC {digits} is in lower case: write {digits.upper()}")
    return LineReport(line, True)


class LineInspector:
    """Cuts a board's bytes into lines as the host does, and reports each."""

    def __init__(self) -> None:
        self.sensors: int | None = None  # of the board, when it is known
        self.frames: list[Frame] = []  # of the last `feed`
        self._decoder = FrameDecoder(self._observe)
        self._reports: list[LineReport] = []
        self._text = b""

    def feed(self, data: bytes) -> list[LineReport]:
        """Return reports of the lines and texts that `data` completes."""
        self._reports = []
        self.frames = self._decoder.feed(data)
        return self._reports

    def rest(self) -> list[LineReport]:
        """Return a report of the bytes that wait for the end of their line or text, and forget them."""
        self._reports = []
        self._end_text()
        if waiting := self._decoder.waiting:
            self._reports.append(line_report(waiting, None))
        self._decoder = FrameDecoder(self._observe)
        return self._reports

    def _observe(self, raw: bytes, frame: Frame | None) -> None:
        if not raw.startswith(b"$"):
            *complete, self._text = (self._text + raw).splitlines(keepends=True) or [b""]
            if self._text.endswith(b"\n") or len(self._text) > MAX_TEXT:
                complete, self._text = [*complete, self._text], b""
            self._reports += [line_report(text, None) for text in complete if text.strip()]
            return
        self._end_text()
        self._reports.append(line_report(raw, frame, self.sensors))

    def _end_text(self) -> None:
        text, self._text = self._text, b""
        if text.strip():
            self._reports.append(line_report(text, None))


def _describe_damage(raw: bytes) -> tuple[str, str]:
    """What is wrong with bytes that are not a good line, and the same as a sentence."""
    if not raw.startswith(b"$"):
        odd = sum(byte >= 0x7F or (byte < 0x20 and byte not in b"\t\r\n\x1b") for byte in raw)
        if odd * 4 > len(raw):
            return "binary", f"{odd} of {len(raw)} bytes are not ASCII: is the line at 115200 baud, 8N1?"
        return "text", "text outside of a line: a line begins with '$'"
    body = raw.rstrip(b"\r\n")
    end = raw[len(body) :]
    if len(raw) >= MAX_LINE and end != b"\r\n":
        return "too-long", f"no line end within {MAX_LINE} bytes: a line has at most {MAX_LINE}, from '$' to LF"
    match = _LINE.fullmatch(body)
    if end != b"\r\n" and match is not None:
        return "line-end", f"the line ends in {end.decode('ascii')!r}: expected '\\r\\n'"
    if not end:
        return "cut-off", "the line breaks off: another '$' came before its end"
    if match is None:
        before, star, digits = body.partition(b"*")
        if not star:
            return "no-crc", f"'*' and the CRC are missing: expected '*{crc(before[1:]):04X}'"
        if b"*" in digits:
            return "characters", "'*' stands in a field: it may only come before the CRC"
        what = "expected 4 hex digits after '*'"
        return "no-crc", f"the CRC is {_readable(digits)!r}: {what}, here {crc(before[1:]):04X}"
    if (odd_one := _CHARACTER.search(match["body"])) is not None:
        at = odd_one.start() + 2
        return "characters", f"byte 0x{odd_one[0][0]:02X} at position {at}: fields hold printable ASCII alone"
    expected = crc(match["body"])
    digits_found = match["digits"].decode("ascii")
    return (
        "crc",
        f"the CRC is {digits_found}: expected {expected:04X}{_other_crc(match['body'], int(digits_found, 16))}",
    )


def _other_crc(body: bytes, found: int) -> str:
    """Which other well-known checksum the board sent, if it did."""
    expected = crc(body)
    others = {
        "start with 0xFFFF, not 0x0000": crc(body, 0x0000),
        "start with 0xFFFF, not 0x1D0F": crc(body, 0x1D0F),
        "do not invert it at the end": expected ^ 0xFFFF,
        "write the high byte first": int.from_bytes(expected.to_bytes(2, "big"), "little"),
        "leave out '$' and '*'": crc(b"$" + body + b"*"),
        "leave out '$'": crc(b"$" + body),
        "leave out '*'": crc(body + b"*"),
    }
    return next((f": {advice}" for advice, other in others.items() if other == found), "")


def _readable(raw: bytes) -> str:
    """Bytes as text; all but printable ASCII as escapes."""
    return raw.decode("latin-1").encode("unicode_escape").decode("ascii")
