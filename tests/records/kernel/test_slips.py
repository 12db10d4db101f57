from __future__ import annotations

import json
from collections.abc import Callable

from inkeek.records import ruleset
from inkeek.records.findings import Evidence, find

PROGRAM = """
import json, sys
from inkeek.records import Position, ruleset
from inkeek.records.findings import Evidence, find
from inkeek.records.kernel import slips
rules = ruleset("oware")
found = [find(rules, Evidence(before=rules.start(), counts=tuple(counts)), 1) for counts in json.loads(sys.argv[1])]
accounts = [[[list(one.kinds), str(one.move), one.first_wrong_step] for one in each.accounts] for each in found]
print(json.dumps([slips.COMPILED, accounts]))
"""
BOARDS = ([4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0], [4, 4, 0, 5, 5, 5, 4, 4, 4, 4, 4, 4, 0, 0])


def test_the_search_finds_the_same_without_a_compiler(run_uncompiled: Callable[..., str]) -> None:
    compiled, accounts = json.loads(run_uncompiled(PROGRAM, json.dumps(BOARDS)))
    assert not compiled
    rules = ruleset("oware")
    for counts, found in zip(BOARDS, accounts, strict=True):
        expected = find(rules, Evidence(before=rules.start(), counts=tuple(counts)), 1).accounts
        assert found == [[list(one.kinds), str(one.move), one.first_wrong_step] for one in expected]
