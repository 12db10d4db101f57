"""docs/security.md: each row names a test that is there, and settings that there are."""

from __future__ import annotations

import ast
import functools
import re

from inkeek.service.settings import NAMES
from tests.docs.pages import ROOT, page, quoted, rows, section
from tests.e2e.attack import ATTACKS

PROMISES = rows(section(page("security.md"), "The web server"))
ROWS = list(rows(section(page("security.md"), "Abuses")))
ATTACK = "tests/e2e/test_attack.py::test_an_attack_harms_nobody"


@functools.cache
def names_in(path: str) -> set[str]:
    """The names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_abuse_names_a_test_that_is_there():
    assert ROWS
    for abuse, *_, tests in [*ROWS, *PROMISES]:
        named = [test.partition("[")[0].split("::") for test in quoted(tests)]
        assert named, abuse
        for path, name in named:
            assert name in names_in(path), f"{abuse}: {path}::{name}"


def test_every_attack_stands_in_the_table_and_no_other():
    named = {test for row in ROWS for test in quoted(row[2]) if test.startswith(ATTACK)}
    assert named == {f"{ATTACK}[{name}]" for name in ATTACKS}


def test_every_setting_that_bounds_an_abuse_is_one():
    assert {setting for row in ROWS for setting in re.findall(r"`([a-z_]+)`", row[1])} <= set(NAMES)
