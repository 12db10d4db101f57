"""A legal turn is never called illegal, however rare it is and however little is known."""

from __future__ import annotations

import sys
from random import Random

import pytest

from inkeek.records import Position, Rules, ruleset
from inkeek.records.findings import Evidence, Reading, Seen, find
from inkeek.records.findings.evidence import read_board

from .legal_turns import cases
from .slipped_turns import counts_of, random_position

REARRANGING = [
    ruleset("enkeshui-wikipedia"),
    ruleset("enkeshui-wikipedia", pits=8, setup="fours-right", rearrange_into_bulls=True),
    ruleset("enkeshui", pits=8, setup="fours-right", rearrangement="initial"),
]


@pytest.mark.parametrize("rules", REARRANGING, ids=str)
def test_a_rearrangement_is_never_illegal(rules: Rules) -> None:
    rng = Random(20)
    if rules.options["rearrangement"] == "initial":
        drawn = [one for one in cases(rng, rules, 60) if one[0].ply <= 1 and one[0].pits != one[1].pits][:12]
    else:
        drawn = list(cases(rng, rules, 8))
    assert drawn
    for before, after in drawn:
        counts = counts_of(after)
        own = [pit for pit in before.pits_of(before.to_move) if before.pits[pit] or after.pits[pit]]
        hidden = [None if place in rng.sample(own, 1) else count for place, count in enumerate(counts)]
        noisy = [Reading(count + rng.gauss(0, 0.1), 0.15) for count in counts]
        for known in (counts, hidden, noisy):
            found = find(rules, Evidence(before=before, counts=tuple(known)), 1)
            assert found.legal is not False, (str(before), str(after))
            assert any(account.legal for account in found.accounts)


def test_a_rearrangement_that_looks_like_a_slip_may_be_legal() -> None:
    rules = ruleset("enkeshui-wikipedia")
    before = Position.parse("1.4n.3.0.3.3.0.0.1.2.0.1/1.5.5s.1.3.0.1.1.0.1.6n.4 2-0 s 6")
    counts, marks = read_board("0.4.3.1.3.3.0.0.1.2.0.1/1.5.5.1.3.0.1.1.0.1.6.4 2-0", before)
    found = find(rules, Evidence(before=before, counts=counts, marks=marks))
    assert found.legal is None
    seeds = next(account for account in found.accounts if account.legal)
    assert seeds.move is not None
    assert rules.is_legal(before, seeds.move)


def test_all_seeds_laid_back_are_a_rearrangement() -> None:
    rules = ruleset("enkeshui-wikipedia", pits=8, setup="fours-right")
    start = rules.start()
    assert find(rules, Evidence(before=start, counts=counts_of(start))).legal is None


def test_a_claimed_rearrangement_that_changes_nothing_is_legal() -> None:
    start = REARRANGING[2].start()
    turn = REARRANGING[2].play(start, "ac@c4")  # of an empty pit, and one whose seeds are laid back
    assert turn.position.pits == start.pits
    found = find(REARRANGING[2], Evidence(before=start, counts=counts_of(start), claimed=turn.move))
    assert found.legal is True


def test_a_rearrangement_whose_two_lifts_were_seen_is_the_likeliest() -> None:
    rules = ruleset("enkeshui-wikipedia", pits=8, setup="fours-right")
    start = rules.start()
    after = rules.play(start, "ch@a3c1e4").position
    seen = (Seen("lift", 7), Seen("lift", 2))
    found = find(rules, Evidence(before=start, counts=counts_of(after), seen=seen[:1], seen_all=False), 1)
    assert found.accounts[0].legal


def test_a_search_that_is_cut_short_hides_no_legal_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["inkeek.records.findings.candidates"]
    monkeypatch.setattr(module, "ONE_SLIP_WORK", 10)
    monkeypatch.setattr(module, "MIN_WORK", 10)
    rules, rng = ruleset("anywoli"), Random(4)
    for _ in range(3):
        before = random_position(rng, rules)
        for turn in rules.turns(before, limit=20)[:4]:
            found = find(rules, Evidence(before=before, counts=counts_of(turn.position)), 1)
            assert found.legal is not False
            assert any(account.legal and account.board == counts_of(turn.position) for account in found.accounts)


def test_more_turns_than_are_considered_leave_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["inkeek.records.findings.candidates"], "MAX_TURNS", 2)
    rules = ruleset("oware")
    last = rules.turns(rules.start())[-1]
    assert find(rules, Evidence(before=rules.start(), counts=counts_of(last.position)), 1).legal is not False


def test_a_slip_that_looks_like_a_rearrangement_is_never_surely_legal() -> None:
    rules, rng = REARRANGING[0], Random(21)
    for before, after in cases(rng, rules, 8):
        if sum(abs(was - now) for was, now in zip(before.pits, after.pits, strict=True)) == 2:
            assert find(rules, Evidence(before=before, counts=counts_of(after)), 1).legal is None
