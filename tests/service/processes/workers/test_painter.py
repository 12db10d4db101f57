"""Pictures and moving pictures, painted in a child process."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageSequence

from service.errors import TookTooLong
from service.http.services import FONT
from service.processes.scheduling.fair_queue import Sender
from service.processes.workers import painter
from service.processes.workers.calculator import CalculatorChild
from service.processes.workers.painter import Film, Painter, Patch

ANYBODY = Sender("a", True)
HALVES = ((0, 0, 40, 40), (40, 0, 80, 40))


def drawing(content: str) -> str:
    wall = '<rect width="80" height="40" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40">{wall}{content}</svg>'


def text(words: str) -> str:
    return drawing(f'<text x="2" y="25" font-size="20" font-family="Georgia, serif" font-weight="700">{words}</text>')


def film(frames: int) -> Film:
    """A red picture whose halves become blue, and red again, one after the other."""
    drawn = tuple(drawing(f'<rect width="80" height="40" fill="{color}"/>') for color in ("red", "blue"))
    patches = [(Patch(1 - number // 2 % 2, HALVES[number % 2]),) for number in range(frames)]
    return Film(80, drawn, tuple((patch, 100 + number) for number, patch in enumerate(patches)))


def opened_frames(data: bytes) -> list[Any]:
    return [frame.convert("RGB") for frame in ImageSequence.Iterator(opened(data))]


def nearest(color: tuple[int, int, int]) -> str:
    return "r" if color[0] > color[2] else "b"


def opened(data: bytes) -> Any:
    return Image.open(io.BytesIO(data))


@pytest.fixture(scope="module")
def painting() -> Iterator[Painter]:
    made = Painter(FONT)
    yield made
    made.close()


@pytest.mark.parametrize("words", ["0123456789", "Wanjikũ", "Bò·f ẹ", "3… −½"])
def test_texts_are_drawn_on_a_machine_without_fonts(monkeypatch, words):
    asked: list[dict[str, Any]] = []
    import resvg_py

    draw = resvg_py.svg_to_bytes
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **given: asked.append(given) or draw(**given))
    made = [opened(painter._paint(None, None, text(letter), 80, FONT)).convert("L") for letter in (*words, "\ue000")]
    missing = made.pop().tobytes()
    assert all(picture.getextrema()[0] < 90 for picture, letter in zip(made, words, strict=True) if letter != " ")
    assert missing not in [picture.tobytes() for picture in made]
    assert [given["skip_system_fonts"] for given in asked] == [True] * len(words) + [False]


def test_a_moving_picture_shows_each_frame_for_its_time(painting: Painter) -> None:
    frames = opened_frames(painting.film(film(7), ANYBODY))
    assert [frame.info["duration"] // 10 for frame in frames] == [(100 + number) // 10 for number in range(7)]
    shown = ["".join(nearest(frame.getpixel(at)) for at in ((20, 20), (60, 20))) for frame in frames]
    assert shown == ["br", "bb", "rb", "rr", "br", "bb", "rb"]


def test_a_moving_picture_that_is_too_large_has_fewer_frames(monkeypatch):
    whole = painter._paint_film(None, None, film(40), FONT)
    monkeypatch.setattr(painter, "MAX_BYTES", len(whole) - 1)
    shorter = painter._paint_film(None, None, film(40), FONT)
    before, after = opened_frames(whole), opened_frames(shorter)
    assert len(after) < len(before)
    times = [sum(frame.info["duration"] for frame in frames) for frames in (before, after)]
    assert abs(times[0] - times[1]) < 10 * len(before)
    assert ImageChops.difference(before[-1], after[-1]).getbbox() is None


def test_a_moving_picture_has_a_limit_of_time(monkeypatch):
    monkeypatch.setattr(painter, "MAX_SECONDS", -1.0)
    with pytest.raises(TookTooLong):
        painter._paint_film(None, None, film(2), FONT)


def test_the_last_paintings_are_remembered(monkeypatch):
    made = Painter(FONT)
    calls: list[str] = []

    def paint(_child: Any, _function: Any, svg: str, *_: Any, **__: Any) -> bytes:
        calls.append(svg)
        return b"x" * 60

    monkeypatch.setattr(CalculatorChild, "call", paint)
    monkeypatch.setattr(painter, "KEPT", 100)
    for svg in ("a", "a", "b", "b", "a"):
        assert len(made.picture(svg, 10, ANYBODY)) == 60
    assert calls == ["a", "b", "a"]
