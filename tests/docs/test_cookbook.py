"""docs/cookbook.md: what its snippets do is what the page says they do."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from inkeek.records import Board
from inkeek.service.http.access.caller import TOKEN
from tests.docs.pages import ROOT, blocks, commands, page, section
from tests.service.http.web.club import club_of_its_own

WRONG = '[Game "bof"]\n\n1. a a *\n'
TEXT = page("cookbook.md")


def run_cell(text: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; the value of an expression at its end is what the notebook shows."""
    *body, last = ast.parse(text).body
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    exec(compile(ast.Module([last], []), "cell", "exec"), names)
    return None


def test_the_snippets_of_the_cookbook_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = (ROOT / "docs" / "examples" / "bof.pmn").read_text("utf-8")
    (tmp_path / "games.pmn").write_text(f"{WRONG}\n{example}", "utf-8")
    (tmp_path / "clay_board.py").write_text(blocks(section(page("drivers.md"), "Writing a driver"))[0].text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    names: dict[str, Any] = {}
    shown: list[Any] = []
    with club_of_its_own() as club:
        token = club.services.keys.create(TOKEN, "my bot", ("record",), None)[1]
        for block in blocks(TEXT.replace("http://127.0.0.1:8000", club.base).replace("ink_t_…", token)):
            if block.kind == "python":
                shown.append(run_cell(block.text, names))
        assert club.games.row(names["state"]["id"]).state == "ended"
    del sys.modules["clay_board"]

    assert len(shown) == 10
    assert [row["errors"] for row in names["rows"]] == [1] + [0] * (len(names["rows"]) - 1)
    assert sum(names["openings"].values()) == len(names["rows"])
    assert [(index, error.code) for index, error in names["illegal"]] == [(0, "not-your-pit")]
    (played,) = (value for value in shown if isinstance(value, Board))
    assert played.is_game_over()
    assert (tmp_path / "board.svg").read_text("utf-8") == played._repr_svg_()
    ElementTree.parse(tmp_path / "board.svg")
    assert len(names["judged"]) == len(names["game"].plies)
    assert names["best"].moves
    assert played.rules.is_legal(played.turns[1].position, names["answer"].move)
    assert str(names["verdict"].turn.move) == "c"


def test_clients_are_generated_by_commands_that_are_tested() -> None:
    """The tests of generators run those of docs/api.md."""
    tested = commands(section(page("api.md"), "Generate a client"))
    shown = commands(section(TEXT, "Generate a client"))
    assert len(shown) == 3
    assert all(words in tested for words in shown)
