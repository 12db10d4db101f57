"""docs/rooms.md shows the room of the example."""

from __future__ import annotations

from typing import Any

from tests.docs.pages import ROOT, blocks, page


def test_the_page_shows_the_example() -> None:
    shown: dict[str, Any] = {}
    example: dict[str, Any] = {}
    exec(next(block for block in blocks(page("rooms.md")) if block.kind == "python").text, shown)
    exec((ROOT / "docs/examples/room/chairs/room.py").read_text("utf-8"), example)
    assert shown["ROOM"] == example["ROOM"]
    assert next(block for block in blocks(page("rooms.md")) if block.kind == "toml").text.strip() in (
        ROOT / "docs/examples/room/pyproject.toml"
    ).read_text("utf-8")
