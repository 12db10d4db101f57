from __future__ import annotations

import io
import json
import re

import pytest
from PIL import Image

from service.http.web.icons import BOX, FOLDER, GROUND, ICONS, STROKE, STROKES, WIDTH, icon_png


def pixels(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGBA")


@pytest.mark.parametrize("name", ICONS)
def test_an_icon_has_its_size_and_shows_sticks(name):
    size, fills = ICONS[name]
    icon = pixels((FOLDER / name).read_bytes())
    assert icon.size == (size, size)
    assert icon.getpixel((size // 2, 1))[:3] == GROUND
    assert icon.getpixel((0, 0))[3] == (255 if fills else 0)
    middle = {icon.getpixel((x, size // 2))[:3] for x in range(size)}
    assert {GROUND, STROKE} <= middle


def test_the_strokes_of_a_maskable_icon_are_within_the_circle_that_is_never_cut_off():
    icon = pixels((FOLDER / "icon-maskable-512.png").read_bytes())
    middle, safe = 256, 0.4 * 512
    for x in range(0, 512, 3):
        for y in range(0, 512, 3):
            if (x - middle) ** 2 + (y - middle) ** 2 > safe**2:
                assert icon.getpixel((x, y)) == (*GROUND, 255)


@pytest.mark.parametrize("fills", [False, True])
def test_icons_are_drawn_again_as_they_are(fills):
    names = {"icon-192.png": False, "icon-180.png": True}
    name = next(name for name, filled in names.items() if filled is fills)
    again = icon_png(ICONS[name][0], fills=fills)
    assert pixels(again).tobytes() == pixels((FOLDER / name).read_bytes()).tobytes()


def test_the_svg_has_the_same_strokes():
    svg = (FOLDER / "icon.svg").read_text("utf-8")
    path = re.search(r'<path d="([^"]*)"', svg)[1]
    expected = "".join(f"M{x:g} {y:g}v{end - y:g}" for (x, y), (to, end) in STROKES if x == to)
    (start, end) = STROKES[-1]
    assert path == f"{expected}M{start[0]:g} {start[1]:g} {end[0]:g} {end[1]:g}"
    assert f'stroke-width="{WIDTH:g}"' in svg
    assert f'viewBox="0 0 {BOX:g} {BOX:g}"' in svg


def test_the_manifest_names_icons_that_are_there(client):
    manifest = json.loads(client.get("/static/inkeek.webmanifest", buffered=True).text)
    for icon in manifest["icons"]:
        answer = client.get(f"/static/{icon['src']}", buffered=True)
        assert (answer.status_code, answer.mimetype) == (200, icon["type"])
        if icon["sizes"] != "any":
            width, height = pixels(answer.data).size
            assert icon["sizes"] == f"{width}x{height}"
    assert {icon.get("purpose", "any") for icon in manifest["icons"]} == {"any", "maskable"}
    page = client.get("/").text
    assert 'rel="apple-touch-icon" href="/static/icon-180.png"' in page
    assert 'rel="manifest" href="/static/inkeek.webmanifest"' in page


def test_a_browser_finds_the_icon_where_no_page_names_one(client):
    answer = client.get("/favicon.ico", follow_redirects=True, buffered=True)
    assert (answer.status_code, answer.mimetype) == (200, "image/png")
    assert pixels(answer.data).size == (192, 192)
