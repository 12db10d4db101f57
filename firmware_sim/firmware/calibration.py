"""The stored calibration of all scales, as a few bytes."""

from .codec import whole
from .crc import crc16

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
