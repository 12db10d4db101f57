"""Drawings as pixels, in child processes: rendering keeps the interpreter's lock for as long as it takes."""

from __future__ import annotations

import hashlib
import io
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from service.errors import TookTooLong
from service.processes.scheduling.fair_queue import Sender

from .calculator import Calculator, Report

if TYPE_CHECKING:
    from PIL import Image

# The web process imports this module too, so resvg and Pillow are loaded only where something is painted.
PROCESSES, PLACES = 2, 8  # paintings that are made at once, and with those that wait
PATIENCE = 60.0  # seconds until a painting is there, with waiting
KEPT = 24_000_000  # bytes of paintings that are remembered
MAX_BYTES = 4_000_000  # of a moving picture
MAX_SECONDS = 20.0  # of the processor for a moving picture
CLEAR = 255  # the number of no color, for what a frame does not change; those below are colors
RARE = 24  # of the colors, for what is small, such as the marks of pits
FAMILY = "DejaVu Sans"
KNOWN = range(0x250), range(0x1E00, 0x1F00), range(0x2000, 0x2070), range(0x2212, 0x2213)  # characters in our font


class Patch(NamedTuple):
    """The rectangle `box` (left, top, right, bottom) of drawing number `drawing`, at the same place of the frame."""

    drawing: int
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Film:
    """A moving picture: frames that change pieces of the one before, the first of the whole `drawings[0]`.

    `drawings`: SVG files, drawn `width` pixels wide. `frames`: the pieces of each, and for how many milliseconds it is
    shown.
    """

    width: int
    drawings: tuple[str, ...]
    frames: tuple[tuple[tuple[Patch, ...], int], ...]


class Painter:
    """Paints in child processes, and remembers what it painted last. `font`: the file of the font for texts."""

    def __init__(self, font: str) -> None:
        self._font = font
        self._calculator = Calculator("Pictures", PLACES, PROCESSES)
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()
        self.close = self._calculator.close

    def picture(self, svg: str, width: int, sender: Sender) -> bytes:
        """A drawing as PNG.

        :raises TooBusy: all places are taken. :raises TookTooLong: it was not there in time.
        """
        return self._painted(_paint, svg, width, sender=sender)

    def film(self, film: Film, sender: Sender) -> bytes:
        """A moving picture as GIF, which all messengers play; raises what `picture` raises."""
        return self._painted(_paint_film, film, sender=sender)

    def _painted(self, function: Any, *what: Any, sender: Sender) -> bytes:
        key, deadline = digest(what), time.monotonic() + PATIENCE
        if (kept := self._kept.get(key)) is not None:
            return kept
        with self._calculator.child(sender, patience=PATIENCE) as child:
            if (kept := self._kept.get(key)) is not None:  # somebody before us wanted the same
                return kept
            painted: bytes = child.call(function, *what, self._font, deadline=deadline)
        with self._lock:
            self._kept[key] = painted
            while sum(map(len, self._kept.values())) > KEPT:
                self._kept.popitem(last=False)
        return painted


def digest(what: object) -> str:
    """A name for a painting, the same for what looks the same."""
    return hashlib.sha256(repr(what).encode()).hexdigest()[:20]


def _paint(_report: Report, _stop: threading.Event, svg: str, width: int, font: str) -> bytes:
    import resvg_py

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


def _paint_film(_report: Report, _stop: threading.Event, film: Film, font: str) -> bytes:
    """The moving picture, with half of its frames as often as it is too large."""
    from PIL import Image

    until = time.process_time() + MAX_SECONDS
    drawn: list[Image.Image] = []
    for svg in film.drawings:
        if time.process_time() > until:
            raise TookTooLong("The moving picture takes longer than %(seconds)g s.", seconds=MAX_SECONDS)
        drawn.append(Image.open(io.BytesIO(_paint(_report, _stop, svg, film.width, font))).convert("RGB"))
    colors = Image.new("P", (1, 1))
    colors.putpalette(_palette(_montage(drawn)))
    pictures = [_numbers(picture.quantize(palette=colors, dither=Image.Dither.NONE)) for picture in drawn]
    every = 1
    while True:
        data = _gif(list(_frames(film, pictures, every)), colors)
        if len(data) <= MAX_BYTES or every > len(film.frames):
            return data
        every *= 2


def _montage(drawn: list[Image.Image]) -> Image.Image:
    """Some of the pictures below each other, for colors that fit all."""
    from PIL import Image

    chosen = drawn[:: max(1, len(drawn) // 16)]
    montage = Image.new("RGB", (drawn[0].width, sum(picture.height for picture in chosen)))
    top = 0
    for picture in chosen:
        montage.paste(picture, (0, top))
        top += picture.height
    return montage


def _palette(montage: Image.Image) -> list[int]:
    """The red, green and blue of `CLEAR` colors: those of large areas, and some that differ from all others."""
    from PIL import Image

    common = montage.quantize(CLEAR - RARE, Image.Quantize.MEDIANCUT).getpalette() or []
    rare = montage.quantize(RARE, Image.Quantize.MAXCOVERAGE).getpalette() or []
    return common + rare


def _numbers(picture: Image.Image) -> Image.Image:
    """The numbers of the colors of a picture, as one with shades of gray."""
    from PIL import Image

    return Image.frombytes("L", picture.size, picture.tobytes())


def _frames(film: Film, drawn: list[Image.Image], every: int) -> Iterator[tuple[Image.Image, int]]:
    """What each frame changes, and its time; of `every` so many the last, with the time of all."""
    from PIL import Image, ImageChops

    board = drawn[0].copy()
    change, time = board.copy(), 0
    for number, (patches, shown) in enumerate(film.frames, 1):
        for patch in patches:
            piece = drawn[patch.drawing].crop(patch.box)
            differs = ImageChops.difference(piece, board.crop(patch.box)).point([0] + [255] * 255)
            change.paste(piece, patch.box, differs)
            board.paste(piece, patch.box)
        time += shown
        if number % every == 0 or number in (1, len(film.frames)):
            yield change, time
            change, time = Image.new("L", board.size, CLEAR), 0


def _gif(frames: list[tuple[Image.Image, int]], colors: Image.Image) -> bytes:
    file = io.BytesIO()
    for picture, _ in frames:
        picture.putpalette(colors.getpalette() or [])
    first, *others = (picture for picture, _ in frames)
    times = [time for _, time in frames]
    first.save(
        file, "GIF", save_all=True, append_images=others, duration=times, loop=0, transparency=CLEAR, optimize=False
    )
    return file.getvalue()
