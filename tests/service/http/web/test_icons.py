import io
import json
from pathlib import Path

import pytest
import resvg_py
from PIL import Image, ImageChops, ImageStat

from inkeek.service.http.web import base

FOLDER = Path(base.__file__).parent / "static"
GROUND = (0x6D, 0x4A, 0x33)
ICONS = {  # size in pixels, and whether the ground fills the square
    "icon-180.png": (180, True),
    "icon-192.png": (192, False),
    "icon-512.png": (512, False),
    "icon-maskable-512.png": (512, True),
}


def pixels(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGBA")


def test_the_strokes_of_a_maskable_icon_are_within_the_circle_that_is_never_cut_off():
    icon = pixels((FOLDER / "icon-maskable-512.png").read_bytes())
    middle, safe = 256, 0.4 * 512
    for x in range(0, 512, 3):
        for y in range(0, 512, 3):
            if (x - middle) ** 2 + (y - middle) ** 2 > safe**2:
                assert icon.getpixel((x, y)) == (*GROUND, 255)


@pytest.mark.parametrize("name", ICONS)
def test_an_icon_is_the_svg(name):
    """One that fills the square has no round corners, and room around the strokes, which a device may cut off."""
    (size, fills), svg = ICONS[name], (FOLDER / "icon.svg").read_text("utf-8")
    if fills:
        room = '<path transform="translate(16 16) scale(.72) translate(-16 -16)"'
        svg = svg.replace('rx="7" ', "").replace("<path", room)
    drawn = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=size, height=size))
    ground = Image.new("RGBA", (size, size), "white")  # the color of what nobody sees does not count
    seen = [Image.alpha_composite(ground, pixels(png)) for png in (drawn, (FOLDER / name).read_bytes())]
    assert max(ImageStat.Stat(ImageChops.difference(*seen)).mean) < 0.5


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
