"""docs/README.md and tests/README.md: pages, folders and names that they tell of exist."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

from inkeek.service.reference import filled
from tests.docs.pages import ROOT, page, quoted, rows, section

TEXT = page("README.md")
TURN = section(TEXT, "One turn through the files")
PLACES = [(quoted(row[0])[0], name) for row in rows(TURN) for name in quoted(row[0])[1:]]
LINK = re.compile(r"\]\(([^)#]+?)(?:#([\w-]+))?\)")
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/**/*.md")})


def names_in(path: Path) -> set[str]:
    """Functions and classes of a module, methods as ``Class.method``."""
    if path.suffix == ".js":
        return set(re.findall(r"function (\w+)", path.read_text("utf-8")))
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return found


@pytest.mark.parametrize(("path", "name"), PLACES)
def test_every_name_on_the_way_of_a_turn_exists(path: str, name: str) -> None:
    assert name in names_in(ROOT / path)


def test_the_way_of_a_turn_names_a_place_in_every_row() -> None:
    assert len(PLACES) >= len(list(rows(TURN))) > 25
    assert {path.split("/")[0] for path, _ in PLACES} == {"firmware_sim", "drivers", "service", "records"}


def test_every_page_is_in_the_index() -> None:
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md", "index.md"}
    assert {match[1] for row in rows(TEXT) for match in LINK.finditer(row[0])} == pages


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for match in LINK.finditer(re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)):
        if "://" in match[1]:
            continue
        there = path.parent / match[1]
        assert there.exists(), match[1]
        if match[2]:
            assert match[2] in anchors(there), match[0]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_within_a_page_lead_to_a_heading(path: Path) -> None:
    text = path.read_text("utf-8")
    assert set(re.findall(r"\]\(#([\w-]+)\)", text)) <= anchors(path)


@functools.cache
def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", filled(path.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_folder_of_tests_is_listed() -> None:
    listed = {quoted(row[0])[0].rstrip("/") for row in rows((ROOT / "tests" / "README.md").read_text("utf-8"))}
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and any(path.rglob("*.*"))}
    modules = {path.name for path in (ROOT / "tests").glob("test_*.py")}
    assert listed == folders - {"__pycache__"} | modules
