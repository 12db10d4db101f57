"""The firmware keeps to the subset of Python that MicroPython supports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from inkeek.firmware_sim import firmware

FILES = sorted(Path(firmware.__file__).parent.glob("*.py"))
MISSING_METHODS = {"isalnum", "isascii", "isdecimal", "isidentifier", "removeprefix", "removesuffix", "casefold"}
LIBRARY = {"hashlib"}  # modules that MicroPython has too
BUILTINS = {"bool", "bytes", "bytearray", "int", "str", "list", "tuple", "dict", "float", "None"}


def names_in(annotation: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(annotation) if isinstance(node, ast.Name))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_only_what_micropython_supports(file: Path) -> None:
    siblings = {other.stem for other in FILES}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        where = f"{file.name}:{getattr(node, 'lineno', 0)}"
        assert not isinstance(node, ast.Import), f"{where}: an import that is not of the firmware"
        if isinstance(node, ast.ImportFrom):
            is_ours = (node.level, node.module in siblings) == (1, True)
            assert is_ours or node.module in LIBRARY, f"{where}: imports {node.module!r}"
        if isinstance(node, ast.FormattedValue):
            assert node.conversion == -1, f"{where}: no !r or !s in an f-string"
        if isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
            assert not any(isinstance(item, ast.Starred) for item in node.elts), f"{where}: * in a display"
        assert not isinstance(node, (ast.Match, ast.AsyncFunctionDef, ast.Delete)), where
        if isinstance(node, ast.Attribute):
            assert node.attr not in MISSING_METHODS, f"{where}: {node.attr}"
        if isinstance(node, ast.arg) and node.annotation is not None:
            assert set(names_in(node.annotation)) <= BUILTINS, where


def test_there_are_files() -> None:
    assert len(FILES) >= 6
