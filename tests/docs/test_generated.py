"""Generated parts of the pages are what `docs.generate` makes now, and nothing that has a part is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.generate import BLOCKS, DOCS, PARTS, generated, pages, parts_of
from docs.generate.api import METHODS, document
from docs.generate.commands import COMMANDS
from records import ruleset_ids
from tests.docs.pages import page

PAGES = pages()
USED = {path.name: parts_of(path.read_text("utf-8")) for path in PAGES}


def arguments(name: str, part: str) -> set[str]:
    """The arguments with which a page has a part."""
    return {argument for used, argument in USED[name] if used == part}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_a_page_is_what_the_code_generates(path: Path) -> None:
    text = path.read_text("utf-8")
    assert generated(text) == text, "run: make docs"


def test_every_kind_of_part_is_on_a_page() -> None:
    assert {name for parts in USED.values() for name, _ in parts} == {*PARTS, *BLOCKS}


def test_every_part_is_closed() -> None:
    for path in PAGES:
        text = path.read_text("utf-8")
        marked = [name for name, _ in USED[path.name] if name in PARTS]
        assert text.count("<!-- generated: ") == text.count("<!-- end -->") == len(marked), path.name


def test_every_command_is_documented_with_an_example() -> None:
    text = page("cli.md")
    assert {f"inkeek {name}" for name in arguments("cli.md", "command")} == COMMANDS.keys()
    for name in COMMANDS:
        assert f"\n## {name}\n" in text
        assert f"\n$ {name}" in text, name


def test_every_operation_of_the_api_is_documented() -> None:
    shown = {tag for tags in arguments("api.md", "operations") for tag in tags.split()}
    operations = [item[method] for item in document()["paths"].values() for method in METHODS if method in item]
    assert {tag for operation in operations for tag in operation["tags"]} == shown


def test_every_game_has_its_options() -> None:
    assert arguments("rules.md", "options") == set(ruleset_ids())
