from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from records import ruleset
from records.findings import Evidence, find

PROGRAM = """
import json, sys
from records import Position, ruleset
from records.findings import Evidence, find
from records.kernel import slips
rules = ruleset("oware")
found = [find(rules, Evidence(before=rules.start(), counts=tuple(counts)), 1) for counts in json.loads(sys.argv[1])]
accounts = [[[list(one.kinds), str(one.move), one.first_wrong_step] for one in each.accounts] for each in found]
print(json.dumps([slips.COMPILED, accounts]))
"""
BOARDS = ([4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0], [4, 4, 0, 5, 5, 5, 4, 4, 4, 4, 4, 4, 0, 0])


def test_the_search_finds_the_same_without_a_compiler(tmp_path: Path) -> None:
    source = Path(__file__).parents[3] / "records"
    shutil.copytree(source, tmp_path / "records", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(BOARDS)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    compiled, accounts = json.loads(done.stdout)
    assert not compiled
    rules = ruleset("oware")
    for counts, found in zip(BOARDS, accounts, strict=True):
        expected = find(rules, Evidence(before=rules.start(), counts=tuple(counts)), 1).accounts
        assert found == [[list(one.kinds), str(one.move), one.first_wrong_step] for one in expected]
