"""Lines of the board protocol (`docs/protocol.md`): from fields to bytes, and from a stream of bytes to fields.

Also the stored calibration of all scales, as a few bytes with the same CRC.
"""

MAX_LINE = 256  # bytes from "$" to "\n", both counted: docs/protocol.md, "A line"
MAX_UINT32 = 0xFFFFFFFF  # the largest sequence number

_DOLLAR, _STAR, _CR, _LF = 0x24, 0x2A, 0x0D, 0x0A


def encode(fields: list[str]) -> bytes:
    """Return the line with this type and these fields.

    :raises ValueError: a field holds a character that no field may hold, or the line is longer than `MAX_LINE`.
    """
    for field in fields:
        for char in field:
            if not " " <= char <= "~" or char in "$*,":
                raise ValueError("a field may not hold " + repr(char) + ": " + repr(field))
    body = ",".join(fields).encode()
    line = b"$" + body + b"*" + _check(body) + b"\r\n"
    if len(line) > MAX_LINE:
        raise ValueError(f"a line has at most {MAX_LINE} bytes, not {len(line)}: {body.decode()}")
    return line


def whole(text: str, most: int) -> int:
    """Read a whole number from 0 to `most`. -1 if `text` is none."""
    if not 1 <= len(text) <= 10:
        return -1
    for char in text:
        if not "0" <= char <= "9":
            return -1
    number = int(text)
    return number if number <= most else -1


class LineDecoder:
    """Finds the lines in a stream of bytes that may be cut anywhere.

    `damaged` counts dropped lines, `ignored` the bytes outside lines.
    """

    def __init__(self) -> None:
        self.damaged = 0
        self.ignored = 0
        self._line = bytearray()  # the line so far, from its "$"; empty outside lines

    def feed(self, data: bytes) -> list[list[str]]:
        """Return the intact lines that `data` completes, each as its type and fields."""
        lines = []
        for byte in data:
            if byte == _DOLLAR:
                if self._line:
                    self.damaged += 1
                self._line = bytearray(b"$")
            elif not self._line:
                self.ignored += 1
            else:
                self._line.append(byte)
                if byte == _LF:
                    fields = _fields(bytes(self._line))
                    self._line = bytearray()
                    if fields is None:
                        self.damaged += 1
                    else:
                        lines.append(fields)
                elif len(self._line) == MAX_LINE:
                    self._line = bytearray()
                    self.damaged += 1
        return lines


def _fields(line: bytes) -> list[str] | None:
    """Return the fields of a line from "$" to "\\n", or None if it is damaged."""
    if len(line) < 8 or line[-2] != _CR or line[-7] != _STAR:
        return None
    body = line[1:-7]
    for byte in body:
        if not 0x20 <= byte <= 0x7E or byte == _STAR:
            return None
    return body.decode().split(",") if line[-6:-2].upper() == _check(body) else None


def _check(body: bytes) -> bytes:
    return f"{crc16(body):04X}".encode()


def _table() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1
        table.append(crc & 0xFFFF)
    return table


_TABLE = _table()


def crc16(data: bytes) -> int:
    """Return the CRC of `data`, 0 … 0xFFFF."""
    crc = 0xFFFF
    for byte in data:
        crc = ((crc << 8) & 0xFFFF) ^ _TABLE[(crc >> 8) ^ byte]
    return crc


FORMAT = "1"

_MAX_NUMBER = 0x7FFFFFFF


def dump(temperature: int, scales: list[tuple[int, int, int] | None]) -> bytes:
    """Encode zero, span and seeds of each scale (None: not calibrated), and the tare's temperature (tenths of °C)."""
    words = [FORMAT, str(temperature)]
    words.extend(["-" if scale is None else ":".join([str(number) for number in scale]) for scale in scales])
    body = " ".join(words).encode()
    return body + f" {crc16(body):04X}".encode()


def load(data: bytes, scales: int) -> tuple[int, list[tuple[int, int, int] | None]] | None:
    """Decode what `dump` returned. None if the bytes are damaged or hold another number of scales."""
    body = data[:-5]
    if data[-5:] != f" {crc16(body):04X}".encode():
        return None
    words = body.decode().split(" ")
    if len(words) != scales + 2 or words[0] != FORMAT:
        return None
    decoded = []
    for word in words[2:]:
        parts = word.split(":")
        scale = (_parse_signed(parts[0]), _parse_signed(parts[1]), _parse_signed(parts[2])) if len(parts) == 3 else None
        decoded.append(scale)
    return _parse_signed(words[1]), decoded


def _parse_signed(text: str) -> int:
    """Read a whole number. 0 if `text` is none: no scale has 0 as its span."""
    negative = text[:1] == "-"
    number = whole(text[1:] if negative else text, _MAX_NUMBER)
    if number < 0:
        return 0
    return -number if negative else number
