"""The icons of the installed pages as PNG: four tally sticks and one across, as in ``static/icon.svg``.

``python -m service.http.web.icons`` draws them again.
"""

from __future__ import annotations

import struct
import zlib
from math import hypot
from pathlib import Path

FOLDER = Path(__file__).parent / "static"
BOX = 32.0  # side of the drawing
CORNER = 7.0  # radius
WIDTH = 2.6  # of a stroke, with round ends
GROUND, STROKE = (0x6D, 0x4A, 0x33), (0xFB, 0xF3, 0xE2)
STROKES = (*(((x, 8.0), (x, 24.0)) for x in (8.0, 13.0, 18.0, 23.0)), ((5.0, 21.0), (27.0, 11.0)))
SAFE = 0.72  # size of the strokes in an icon that a device may cut to a circle
ICONS = {  # size in pixels, and whether the ground fills the square
    "icon-180.png": (180, True),
    "icon-192.png": (192, False),
    "icon-512.png": (512, False),
    "icon-maskable-512.png": (512, True),
}

Point = tuple[float, float]


def icon_png(size: int, *, fills: bool) -> bytes:
    """An icon with so many pixels a side; `fills`: without round corners, and with room around the strokes."""
    scale = size / BOX
    shrink = SAFE if fills else 1.0
    rows = bytearray()
    for down in range(size):
        rows.append(0)  # no filter
        for along in range(size):
            x, y = (along + 0.5) / scale, (down + 0.5) / scale
            from_center = ((x - BOX / 2) / shrink + BOX / 2, (y - BOX / 2) / shrink + BOX / 2)
            ink = max(_covered((WIDTH / 2 - _distance(from_center, *one)) * scale * shrink) for one in STROKES)
            rows += bytes(round(g + (s - g) * ink) for g, s in zip(GROUND, STROKE, strict=True))
            rows.append(255 if fills else round(255 * _covered(-_outside(x, y) * scale)))
    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)  # eight bits of red, green, blue and opacity
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _covered(pixels: float) -> float:
    """How much of a pixel is covered whose middle lies so far within an edge."""
    return min(1.0, max(0.0, pixels + 0.5))


def _distance(point: Point, start: Point, end: Point) -> float:
    """From a point to a line between two others."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    at = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / (dx * dx + dy * dy)
    at = min(1.0, max(0.0, at))
    return hypot(point[0] - start[0] - at * dx, point[1] - start[1] - at * dy)


def _outside(x: float, y: float) -> float:
    """How far a point lies outside of the square with round corners; negative within."""
    dx, dy = (abs(value - BOX / 2) - (BOX / 2 - CORNER) for value in (x, y))
    return hypot(max(dx, 0.0), max(dy, 0.0)) + min(max(dx, dy), 0.0) - CORNER


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main() -> None:
    """Draw all icons."""
    for name, (size, fills) in ICONS.items():
        (FOLDER / name).write_bytes(icon_png(size, fills=fills))


if __name__ == "__main__":
    main()
