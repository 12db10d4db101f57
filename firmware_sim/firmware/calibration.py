"""What a board must not forget when it is switched off: its scales' calibration, as a few bytes."""

from .codec import whole
from .crc import crc16

FORMAT = "1"  # of the bytes; another one is not understood

_MOST = 0x7FFFFFFF  # of any number in them


def dump(temperature: int, scales: list[tuple[int, int, int] | None]) -> bytes:
    """Zero, span and seeds of each scale (None: not calibrated), found at `temperature` (tenths of a degree)."""
    words = [FORMAT, str(temperature)]
    words.extend(["-" if scale is None else ":".join([str(number) for number in scale]) for scale in scales])
    body = " ".join(words).encode()
    return body + f" {crc16(body):04X}".encode()


def load(data: bytes, scales: int) -> tuple[int, list[tuple[int, int, int] | None]] | None:
    """What `dump` was given; None when the bytes are damaged or not of so many scales."""
    body = data[:-5]
    if data[-5:] != f" {crc16(body):04X}".encode():
        return None
    words = body.decode().split(" ")
    if len(words) != scales + 2 or words[0] != FORMAT:
        return None
    found = []
    for word in words[2:]:
        parts = word.split(":")
        scale = (_signed(parts[0]), _signed(parts[1]), _signed(parts[2])) if len(parts) == 3 else None
        found.append(scale)
    return _signed(words[1]), found


def _signed(text: str) -> int:
    """`text` as a whole number; 0 where it is none, which no scale can have as its span."""
    below = text[:1] == "-"
    number = whole(text[1:] if below else text, _MOST)
    if number < 0:
        return 0
    return -number if below else number
