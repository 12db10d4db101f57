from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inkeek.records.analysis.tables.building import build_table
from tests.records.analysis.small_boards import small_rules

PROGRAM = """
import sys
from pathlib import Path
from inkeek.records.analysis.solved import rules_on
from inkeek.records.analysis.tables.building import build_table
from inkeek.records.kernel import endgame
assert endgame.__file__.endswith(".py")
for game in sys.argv[1:]:
    for layer in build_table(Path(game), rules_on(game, "2.2/2.2"), 5).layers:
        print(layer.sha256)
"""
GAMES = ("oware", "kalah", "bof", "anywoli", "layli-goobalay", "enkeshui")


def test_the_values_are_the_same_without_a_compiler(run_uncompiled: Callable[..., str], tmp_path: Path) -> None:
    printed = run_uncompiled(PROGRAM, *GAMES)
    expected = [
        layer.sha256
        for game in GAMES
        for layer in build_table(tmp_path / f"compiled-{game}", small_rules(game, 2, 2), 5).layers
    ]
    assert printed.split() == expected
    assert len(set(expected)) > 20
