"""Lines of the protocol as bytes: cut from a stream, checked, and written. Without port or clock."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass

from inkeek.drivers.errors import MessageError

from .limits import MAX_LINE

_START = ord("$")
# 0x20-0x7E without $ and *, and no more than fits a line.
_LINE = re.compile(rb"\$([ -#%%-)+-~]{0,%d})\*([0-9A-Fa-f]{4})\r\n" % (MAX_LINE - len(b"$*0000\r\n")))
_FIELD = re.compile(r"[ -#%-)+\--~]*")  # the same without the comma


@dataclass(frozen=True, slots=True)
class Frame:
    """One undamaged line: its type and its fields, not parsed yet."""

    type: str
    fields: tuple[str, ...] = ()


class FrameDecoder:
    """Cuts bytes, in chunks of any size, into frames. Buffers at most one line.

    `damaged` counts dropped lines (too long, cut off, wrong CRC or characters), `ignored` counts bytes outside lines.
    `observe` is called with every piece of the stream in order: a line with its frame (None: damaged), and the bytes
    between lines with None (`line_report.line_report` says why they are no frame).
    """

    def __init__(self, observe: Callable[[bytes, Frame | None], None] | None = None) -> None:
        self._observe = observe
        self.damaged = 0
        self.ignored = 0
        self._line = b""  # from `$` on; empty between lines

    @property
    def waiting(self) -> bytes:
        """The bytes of a line whose end has not come yet."""
        return self._line

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that `data` completes."""
        frames: list[Frame] = []
        data = self._line + data
        at, end = 0, len(data)
        while at < end:
            match = _LINE.match(data, at)
            if match is None:
                after = self._skip(data, at)
                if after == at:
                    break  # the rest may still become a line
                if self._observe is not None:
                    self._observe(data[at:after], None)
                at = after
                continue
            at = match.end()
            frame = _read_frame(match)
            if self._observe is not None:
                self._observe(match[0], frame)
            if frame is None:
                self.damaged += 1
            else:
                frames.append(frame)
        self._line = data[at:]
        return frames

    def _skip(self, data: bytes, at: int) -> int:
        """The offset after the bytes at `at`, which are not a good line; `at` itself if they may still become one."""
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


def _read_frame(match: re.Match[bytes]) -> Frame | None:
    """The frame in a line of the right form; None if its CRC is wrong."""
    if crc(match[1]) != int(match[2], 16):
        return None
    kind, *fields = match[1].decode("ascii").split(",")
    return Frame(kind, tuple(fields))


def crc(body: bytes, start: int = 0xFFFF) -> int:
    """CRC-16/CCITT-FALSE of the bytes between ``$`` and ``*``."""
    return binascii.crc_hqx(body, start)


def write_line(frame: Frame) -> bytes:
    """Return the line of a frame.

    :raises MessageError: a field has a character that is not allowed, or the line is too long.
    """
    for text in (frame.type, *frame.fields):
        if not _FIELD.fullmatch(text):
            raise MessageError(f"field {text!r}: expected printable ASCII without '$', '*' and ','")
    body = ",".join((frame.type, *frame.fields)).encode("ascii")
    line = b"$%s*%04X\r\n" % (body, crc(body))
    if len(line) > MAX_LINE:
        raise MessageError(f"{frame.type} line of {len(line)} bytes: expected at most {MAX_LINE}")
    return line
