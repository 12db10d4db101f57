"""Generated parts of the pages are what `docs.generate` makes now, and nothing that has a part is left out.

What is built where it is read (`inkeek.service.reference`) is on no page: it is made here once.
"""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from docs.generate import BLOCKS, DOCS, PARTS, generated, pages, parts_of
from docs.generate.api import METHODS, document
from inkeek.records import ruleset_ids
from inkeek.service import reference
from inkeek.service.games.event_kinds import KINDS
from inkeek.service.reference.commands import all_commands
from inkeek.service.settings import NAMES
from tests.docs.pages import page, section

PAGES = pages()
USED = {path.name: parts_of(path.read_text("utf-8")) for path in PAGES}
BUILT = {path.name: parts for path in DOCS.glob("*.md") if (parts := reference.parts_of(path.read_text("utf-8")))}


def arguments(name: str, part: str) -> set[str]:
    """The arguments with which a page has a part."""
    return {argument for used, argument in USED[name] if used == part}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_a_page_is_what_the_code_generates(path: Path) -> None:
    text = path.read_text("utf-8")
    made = generated(text)
    if path.name == "promises.md":  # every change of the code changes how many lines there are
        text, made = (re.sub(r"\| [\d,]+(?= \|)", "|", page) for page in (text, made))
    assert made == text, "run: make docs"


def test_every_kind_of_part_is_on_a_page() -> None:
    assert {name for parts in USED.values() for name, _ in parts} == {*PARTS, *BLOCKS}


def test_every_part_is_closed() -> None:
    for path in PAGES:
        text = path.read_text("utf-8")
        marked = [name for name, _ in USED[path.name] if name in PARTS]
        assert text.count("<!-- generated: ") == text.count("<!-- end -->") == len(marked), path.name


def test_every_built_part_is_on_a_page_that_says_how_to_see_it() -> None:
    assert {name for parts in BUILT.values() for name, _ in parts} == reference.PARTS.keys()
    for name, parts in BUILT.items():
        text = page(name)
        assert text.count("<!-- built: ") == len(parts), name
        assert "`make docs`" in text, name
        assert f"`/help/{name.removesuffix('.md')}`" in text, name
        assert "<!-- built: " not in reference.filled(text), name


def test_every_command_is_documented_with_an_example() -> None:
    text = reference.filled(page("cli.md"))
    assert {f"inkeek {name}" for part, name in BUILT["cli.md"] if part == "command"} == all_commands().keys()
    for name, command in all_commands().items():
        assert f"    {name} " in section(text, name)
        assert f"\n$ {name}" in section(text, name), name
        shown = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
        assert [option.name for option in shown if option.opts[-1] not in section(text, name)] == [], name


def test_every_setting_kind_of_event_and_shape_of_the_api_is_documented() -> None:
    settings, kinds, fields = map(reference.filled, map(page, ("settings.md", "event-kinds.md", "api-fields.md")))
    assert {name for name in NAMES if f"\n| `{name}` | " in settings} == set(NAMES)
    assert {kind for kind in KINDS if f"\n## {kind}\n" in kinds} == KINDS.keys()
    others = document()["components"]["schemas"].keys() - {kind.__name__ for kind in KINDS.values()}
    shown = re.findall(r"^## (\w+)$", fields + kinds, re.MULTILINE)
    assert {name for name in others if not name.endswith("Event")} <= set(shown)


def test_every_operation_of_the_api_is_documented() -> None:
    shown = {tag for tags in arguments("api.md", "operations") for tag in tags.split()}
    operations = [item[method] for item in document()["paths"].values() for method in METHODS if method in item]
    assert {tag for operation in operations for tag in operation["tags"]} == shown


def test_every_game_has_its_options() -> None:
    assert arguments("rules.md", "options") == set(ruleset_ids())
