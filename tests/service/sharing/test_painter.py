"""Pictures as PNG."""

import io
from typing import Any

import pytest
import resvg_py
from PIL import Image

from inkeek.service.sharing.pages import FONT
from inkeek.service.sharing.painter import paint


def painted(words: str) -> Any:
    wall = '<rect width="80" height="40" fill="#fff"/>'
    text = f'<text x="2" y="25" font-size="20" font-family="Georgia, serif" font-weight="700">{words}</text>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40">{wall}{text}</svg>'
    return Image.open(io.BytesIO(paint(svg, 80, FONT))).convert("L")


@pytest.mark.parametrize("words", ["0123456789", "Wanjikũ", "Bò·f ẹ", "3… −½"])
def test_texts_are_drawn_on_a_machine_without_fonts(monkeypatch, words):
    asked: list[dict[str, Any]] = []
    draw = resvg_py.svg_to_bytes
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **given: asked.append(given) or draw(**given))
    made = [painted(letter) for letter in (*words, "\ue000")]
    missing = made.pop().tobytes()
    assert all(picture.getextrema()[0] < 90 for picture, letter in zip(made, words, strict=True) if letter != " ")
    assert missing not in [picture.tobytes() for picture in made]
    assert [given["skip_system_fonts"] for given in asked] == [True] * len(words) + [False]
