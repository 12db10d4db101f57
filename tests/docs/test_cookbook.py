"""docs/cookbook.md: what its snippets do is what the page says they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.docs.pages import ROOT, blocks, page

WRONG = '[Game "bof"]\n\n1. a a *\n'


def test_the_snippets_of_the_cookbook_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = (ROOT / "docs" / "examples" / "bof.pmn").read_text("utf-8")
    (tmp_path / "games.pmn").write_text(f"{WRONG}\n{example}", "utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    snippets = [block.text for block in blocks(page("cookbook.md")) if block.kind == "python"]
    for snippet in snippets:
        exec(snippet, names)
    assert len(snippets) == 7
    assert [row["errors"] for row in names["rows"]] == [1] + [0] * (len(names["rows"]) - 1)
    assert sum(names["openings"].values()) == len(names["rows"])
    assert [(index, error.code) for index, error in names["illegal"]] == [(0, "not-your-pit")]
    assert names["board"].is_game_over()
    assert len(names["judged"]) == len(names["game"].plies)
    assert names["best"].moves
    ElementTree.parse(tmp_path / "board.svg")
