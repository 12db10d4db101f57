"""Drawings as pixels, in child processes: rendering keeps the interpreter's lock for as long as it takes."""

from __future__ import annotations

import threading
import time

from service.processes.places import Sender

from .calculator import Calculator, Report

PROCESSES, PLACES = 2, 8  # pictures that are made at once, and with those that wait
PATIENCE = 60.0  # seconds until a picture is there, with waiting
FAMILY = "DejaVu Sans"
KNOWN = range(0x250), range(0x1E00, 0x1F00), range(0x2000, 0x2070), range(0x2212, 0x2213)  # characters in our font


class Painter:
    """Paints in child processes. `font`: the file of the font for texts."""

    def __init__(self, font: str) -> None:
        self._font = font
        self._calculator = Calculator("Pictures", PLACES, PROCESSES)
        self.close = self._calculator.close

    def picture(self, svg: str, width: int, sender: Sender) -> bytes:
        """A drawing as PNG.

        :raises TooBusy: all places are taken. :raises TookTooLong: it was not there in time.
        """
        deadline = time.monotonic() + PATIENCE
        with self._calculator.child(sender, patience=PATIENCE) as child:
            painted: bytes = child.call(_paint, svg, width, self._font, deadline=deadline)
        return painted


def _paint(_report: Report, _stop: threading.Event, svg: str, width: int, font: str) -> bytes:
    import resvg_py  # the web process imports this module too, and paints nothing

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
