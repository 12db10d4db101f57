"""The quarrels of docs/quarrels.md: their findings are what their stories tell, and their commands find the same."""

from __future__ import annotations

import shlex

import pytest
from click.testing import CliRunner

from docs.generate.quarrels import ENGLISH, command
from inkeek.records.findings.kinds import KINDS, UNKNOWN
from inkeek.service.cli import main
from inkeek.service.http.web.findings.quarrels import QUARRELS, Quarrel, quarrel_finding

# By the quarrel, the kind of its first account; where two accounts must be equal, both.
KIND = {
    "one-too-few": ("left-behind",),
    "pit-skipped": ("skipped",),
    "wrong-pit": ("wrong-pit",),
    "relayed-too-far": ("relayed-on",),
    "capture-forgotten": ("captured-left",),
    "not-theirs": ("captured-wrongly",),
    "bull-emptied": ("special-emptied",),
    "uur-forgotten": ("unmarked",),
    "wrong-way": ("wrong-way",),
    "moved-twice": ("moved-twice",),
    "whose-hand": ("wrong-row", "wrong-side"),
    "turn-before": ("previous-unfinished",),
    "since-when": ("skipped",),
    "knocked-over": (UNKNOWN,),
}


@pytest.mark.parametrize("quarrel", QUARRELS, ids=lambda quarrel: quarrel.id)
def test_the_finding_is_what_the_story_tells(quarrel: Quarrel) -> None:
    first, *others = quarrel_finding(quarrel, ENGLISH).accounts
    best = [first, *(account for account in others if account.account.equal)]
    if len(KIND[quarrel.id]) == 1:
        assert first.account.kinds == KIND[quarrel.id]
    else:
        assert sorted(kind for account in best for kind in account.account.kinds) == sorted(KIND[quarrel.id])
    assert set(first.account.kinds) <= {*KINDS, UNKNOWN}


@pytest.mark.parametrize("quarrel", [quarrel for quarrel in QUARRELS if not quarrel.played], ids=lambda one: one.id)
def test_the_command_finds_the_same(quarrel: Quarrel) -> None:
    line = command(quarrel)
    result = CliRunner().invoke(main, shlex.split(line)[1:])
    assert result.exit_code == 0, result.output
    first = quarrel_finding(quarrel, ENGLISH).accounts[0]
    for sentence in (*first.sentences, first.mend_sentence):
        assert sentence in result.output


def test_every_quarrel_has_its_kind() -> None:
    assert KIND.keys() == {quarrel.id for quarrel in QUARRELS}
    assert len(QUARRELS) >= 10
