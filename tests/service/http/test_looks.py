"""What a reader wishes for colours and contrast changes no length: the layout of a page is the same in all looks."""

import re
from pathlib import Path

from inkeek.service.http import web

STYLES = [path.read_text("utf-8") for path in Path(web.__file__).parents[2].rglob("static/**/*.css")]
LOOK = re.compile(r"@media \(prefers-(?:color-scheme|contrast):.*?\n\}", re.DOTALL)
DECLARATION = re.compile(r"^ *([\w-]+): ([^;{]+);", re.MULTILINE)
COLOUR = re.compile(r"#[0-9a-f]{3,8}|var\(--[\w-]+\)")
PAINT = re.compile(r"--[\w-]+|(.*-)?color|background|border(-\w+)?|box-shadow|outline|fill|stroke|text-decoration")
# Of these a colour is a part; a number would be a width.
SHADES = {"--grain-strength", "--lit", "--zero"}


def test_a_look_sets_colours_and_shades_alone():
    looks = [look for style in STYLES for look in LOOK.findall(style)]
    assert len(looks) >= 3
    for name, value in (declaration for look in looks for declaration in DECLARATION.findall(look)):
        assert name.startswith("--")
        assert COLOUR.fullmatch(value) or name in SHADES, (name, value)


def test_what_a_look_sets_is_painted_and_not_measured():
    set_by_looks = {name for style in STYLES for look in LOOK.findall(style) for name, _ in DECLARATION.findall(look)}
    for name, value in (declaration for style in STYLES for declaration in DECLARATION.findall(style)):
        used = set(re.findall(r"var\((--[\w-]+)", value)) & set_by_looks
        if used & SHADES:
            assert name == "opacity"
        elif used:
            assert PAINT.fullmatch(name), (name, value)
