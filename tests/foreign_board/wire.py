"""Lines as bytes, from "A line" of `docs/protocol.md`."""

from __future__ import annotations

LIMIT = 256  # bytes, from `$` to LF
ALLOWED = frozenset(range(0x20, 0x7F)) - frozenset(b"$*")


def check_digits(body: bytes, start: int = 0xFFFF) -> str:
    """CRC-16/CCITT-FALSE, bit by bit."""
    register = start
    for byte in body:
        for bit in range(7, -1, -1):
            carry = register >> 15 ^ byte >> bit & 1
            register = register << 1 & 0xFFFF
            if carry:
                register ^= 0x1021
    return f"{register:04X}"


def write(*fields: object) -> bytes:
    """Return the line of a type and its fields."""
    body = ",".join(map(str, fields)).encode("ascii")
    return b"$" + body + b"*" + check_digits(body).encode("ascii") + b"\r\n"


class LineReader:
    """Cuts a stream of bytes into lines. A damaged line comes out as None."""

    def __init__(self, *, checks_crc: bool = True) -> None:
        self.checks_crc = checks_crc
        self._line: bytearray | None = None  # None: no `$` was seen since the last line

    def read(self, data: bytes) -> list[list[str] | None]:
        lines: list[list[str] | None] = []
        for byte in data:
            if byte == ord("$"):
                if self._line is not None:
                    lines.append(None)  # it was cut off
                self._line = bytearray(b"$")
            elif self._line is not None:
                self._line.append(byte)
                if byte == ord("\n"):
                    lines.append(self._fields(bytes(self._line)))
                    self._line = None
                elif len(self._line) == LIMIT:
                    lines.append(None)
                    self._line = None
        return lines

    def _fields(self, line: bytes) -> list[str] | None:
        body, digits, end = line[1:-7], line[-7:-2], line[-2:]
        if len(line) < 8 or end != b"\r\n" or digits[:1] != b"*" or not ALLOWED.issuperset(body):
            return None
        if self.checks_crc and digits[1:].decode("ascii", "replace").upper() != check_digits(body):
            return None
        return body.decode("ascii").split(",")
