"""Drawings as pixels: rendering keeps the interpreter's lock for as long as it takes."""

from __future__ import annotations

import resvg_py

FAMILY = "DejaVu Sans"
KNOWN = range(0x250), range(0x1E00, 0x1F00), range(0x2000, 0x2070), range(0x2212, 0x2213)  # characters in our font


def paint(svg: str, width: int, font: str) -> bytes:
    """A drawing as PNG. `font`: the file of the font for texts."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            font_files=[font],
            skip_system_fonts=all(any(ord(sign) in known for known in KNOWN) for sign in set(svg)),
            font_family=FAMILY,
            sans_serif_family=FAMILY,
            serif_family=FAMILY,
        )
    )
