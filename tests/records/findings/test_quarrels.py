"""The true account of quarrels at the table, decided by hand from `docs/rules.md`, is among the first ones.

Each line of `tests/data/quarrels.tsv` is a quarrel: the position, the turns that are written, the board that is
counted, what happened (the kind, and the pit where that turn began), and the place that the true account has. It is
not the first where other slips leave the same board.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from inkeek.records import Move, Position, ruleset
from inkeek.records.findings import Evidence, find, find_since
from inkeek.records.findings.evidence import read_board

FILE = Path(__file__).parents[2] / "data" / "quarrels.tsv"
QUARRELS = list(csv.DictReader(FILE.read_text("utf-8").splitlines(), delimiter="\t"))
OPTIONS = {"layli-goobalay": {"pits": 6}}


@pytest.mark.parametrize("quarrel", QUARRELS, ids=lambda one: f"{one['game']}-{one['quarrel']}".replace(" ", "-"))
def test_the_true_account_is_among_the_first(quarrel: dict[str, str]) -> None:
    rules = ruleset(quarrel["game"], **OPTIONS.get(quarrel["game"], {}))
    before = Position.parse(quarrel["position"])
    counts, marks = read_board(quarrel["board"], before)
    moves = [Move.parse(word) for word in quarrel["written"].split()]
    evidence = Evidence(before=before, counts=counts, marks=marks)
    if len(moves) > 1:
        accounts = [one for one in find_since(rules, before, moves, evidence).accounts if one.ply in (0, None)]
    else:
        accounts = list(find(rules, Evidence(before=before, counts=counts, marks=marks, claimed=moves[0])).accounts)
    first = accounts[: int(quarrel["rank"])]
    nowhere = ("unplayed", "moved-twice")  # the move of these is none, or the one before
    assert any(
        one.kinds == (quarrel["kind"],)
        and (one.kind in nowhere or (one.move is not None and one.move.pit == quarrel["begin"]))
        for one in first
    ), [(one.kinds, one.move, one.probability) for one in accounts[:4]]


def test_most_true_accounts_are_the_first() -> None:
    places = [quarrel["rank"] for quarrel in QUARRELS]
    assert (len(places), places.count("1"), len(set(places) - {"1", "2", "3", "4"})) == (148, 133, 0)
