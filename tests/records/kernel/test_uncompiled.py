"""Without a compiler the kernel's modules do what the compiled ones do, move by move and value by value."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

# Prints whether the modules are compiled, and what they found.
PROGRAM = """
import json, tempfile
from pathlib import Path
from random import Random
from inkeek.records import ruleset, ruleset_ids
from inkeek.records.analysis import Limits, analyse
from inkeek.records.analysis.solved import rules_on
from inkeek.records.analysis.tables import build_table
from inkeek.records.findings import Evidence, find
from inkeek.records.kernel import board, endgame, searcher, slips, sowing

played, searched, built, explained = [], [], [], []
for id in ruleset_ids():
    rules, rng = ruleset(id), Random(7)
    line = rules.board(rules.start())
    for _ in range(12):
        if legal := line.legal():
            line.push(rng.choice(legal))
    played.append([*map(str, line.line()), str(line.position())])
for id in ("kalah", "enkeshui", "bof"):
    rules = ruleset(id)
    one = analyse(rules, rules.start(), Limits(nodes=300), memory=1)
    searched.append([one.nodes, one.depth, one.lines[0].value, *map(str, one.lines[0].moves)])
for id in ("oware", "kalah", "bof", "anywoli", "layli-goobalay", "enkeshui"):
    with tempfile.TemporaryDirectory() as folder:
        built += [layer.sha256 for layer in build_table(Path(folder) / id, rules_on(id, "2.2/2.2"), 5).layers]
rules = ruleset("oware")
for counts in ([4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0], [4, 4, 0, 5, 5, 5, 4, 4, 4, 4, 4, 4, 0, 0]):
    found = find(rules, Evidence(before=rules.start(), counts=tuple(counts)), 1)
    explained.append([[*one.kinds, str(one.move), one.first_wrong_step] for one in found.accounts])
modules = (board, endgame, searcher, slips, sowing)
print(json.dumps([[not module.__file__.endswith(".py") for module in modules], played, searched, built, explained]))
"""


def test_the_modules_do_the_same_without_a_compiler(tmp_path: Path) -> None:
    copy = tmp_path / "inkeek" / "records"
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(Path(__file__).parents[3] / "records", copy, ignore=ignored)
    copy.with_name("__init__.py").touch()
    (compiled, *expected), (interpreted, *found) = (
        json.loads(subprocess.run([sys.executable, "-c", PROGRAM], cwd=cwd, capture_output=True, check=True).stdout)
        for cwd in (None, tmp_path)
    )
    assert (compiled, interpreted) == ([True] * 5, [False] * 5)
    assert found == expected
    played, searched, built, explained = expected
    assert all(map(len, (*played, *searched, *explained)))
    assert len(set(built)) > 20
