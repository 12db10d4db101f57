from dataclasses import replace
from itertools import accumulate

import pytest

from inkeek.records import Move, Rules, ruleset, ruleset_ids
from inkeek.records.findings import Evidence, Reading, Seen, find
from inkeek.records.language import language_ids, load_language
from inkeek.service.findings import view as views
from inkeek.service.findings.view import FindingView, account_views, board_now, finding_view
from tests.records.findings.slipped_turns import counts_of

OWARE = ruleset("oware")
SKIPPED = (4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0)


def view_of(rules: Rules, counts: tuple[int | None, ...], **known: object) -> FindingView:
    before = rules.start()
    evidence = Evidence(before=before, counts=counts, **known)  # type: ignore[arg-type]
    return finding_view(rules, find(rules, evidence), evidence)


def test_the_slip_is_one_step_of_the_account() -> None:
    view = view_of(OWARE, SKIPPED)
    first = view.accounts[0]
    assert view.state == "wrong"
    assert first.account.kinds == ("skipped",)
    wrong = [step for lap in first.laps for step in lap.steps if step.is_wrong]
    assert [(step.kind, step.place, step.now) for step in wrong] == [("drop", "f", "5")]
    assert [step.due for step in wrong] == ["e"]
    assert [(lap.number, lap.pit, lap.seeds) for lap in first.laps] == [(1, "c", 4)]


@pytest.mark.parametrize(("game", "word"), [("enkeshui", "bull"), ("layli-goobalay", "uur")])
def test_a_title_has_the_word_of_the_game_for_a_special_pit(game: str, word: str) -> None:
    rules = ruleset(game)
    account = find(rules, Evidence(before=rules.start(), counts=counts_of(rules.start()))).accounts[0]
    for kind in ("special-emptied", "unmarked", "wrong-mark"):
        accounts = [replace(account, kinds=(kind,))]
        shown = account_views(accounts, rules.start(), account.board, load_language("en"), rules.info.terms)
        assert word in shown[0].title


def test_the_last_picture_says_what_to_mend() -> None:
    at_slip, mend = view_of(OWARE, SKIPPED).accounts[0].pictures
    assert mend.highlights.mend == {4: 1, 7: -1}
    assert counts_of(mend.position) == SKIPPED
    assert at_slip.highlights.start == 2
    assert at_slip.position.pits[4:7] == (4, 5, 4)


@pytest.mark.parametrize("game", ruleset_ids())
def test_a_legal_turn_is_legal_in_every_game(game: str) -> None:
    rules = ruleset(game)
    for turn in rules.turns(rules.start()):
        view = view_of(rules, counts_of(turn.position))
        assert view.state == "legal"
        assert view.accounts[0].pictures == ()


def test_another_turn_than_the_claimed_one_is_named() -> None:
    turn = OWARE.play(OWARE.start(), Move.parse("c"))
    right = view_of(OWARE, counts_of(turn.position), claimed=Move.parse("c"))
    wrong = view_of(OWARE, counts_of(turn.position), claimed=Move.parse("b"))
    assert right.verdict != wrong.verdict
    assert {"b", "c"} <= set(wrong.verdict.replace(",", "").split())


def test_a_board_that_the_account_does_not_leave_is_marked() -> None:
    view = view_of(OWARE, (9, *SKIPPED[1:11], 0, 0, 0))
    assert all(account.differences for account in view.accounts if account.laps)
    assert view_of(OWARE, SKIPPED).accounts[0].differences == ()


def test_the_likeliest_accounts_are_those_as_likely_as_the_first() -> None:
    before = OWARE.start()
    first, *others = find(OWARE, Evidence(before=before, counts=SKIPPED)).accounts
    assert others
    for equal in ([True, False, True], [False, True, True], [True, True, False]):
        accounts = [first, *(replace(others[0], equal=one) for one in equal)]
        shown = account_views(accounts, before, SKIPPED, load_language("en"), OWARE.info.terms)
        assert [account.account.equal for account in shown] == [False, *equal]
        assert [account.is_likeliest for account in shown] == [
            True,
            *accumulate(equal, lambda before, now: before and now),
        ]


def test_unknown_and_noisy_counts_are_drawn() -> None:
    evidence = Evidence(before=OWARE.start(), counts=(Reading(4.2, 0.3), None, *SKIPPED[2:13], None))
    drawn = board_now(evidence)
    assert drawn.highlights.unknown == {1, 13}
    assert drawn.position.pits[0] == 4


def test_a_long_turn_is_cut_around_its_slip(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ruleset("enkeshui")
    before = rules.start()
    turn = max(rules.turns(before), key=lambda turn: turn.laps)
    board = list(counts_of(turn.position))
    board[-2] += 1
    evidence = Evidence(before=before, counts=tuple(board))
    finding = find(rules, evidence)
    whole = finding_view(rules, finding, evidence).accounts[0]
    monkeypatch.setattr(views, "MAX_STEPS", 8)
    cut = finding_view(rules, finding, evidence).accounts[0]
    assert whole.cut == 0
    assert cut.cut > 0
    assert [step for lap in cut.laps for step in lap.steps if step.is_wrong] == [
        step for lap in whole.laps for step in lap.steps if step.is_wrong
    ]


@pytest.mark.parametrize("language", language_ids())
def test_a_finding_is_shown_in_every_language(language: str) -> None:
    before = OWARE.start()
    for counts in (SKIPPED, counts_of(OWARE.play(before, Move.parse("a")).position), (48, *[0] * 13)):
        evidence = Evidence(before=before, counts=counts, seen=(Seen("lift", 2),))
        view = finding_view(OWARE, find(OWARE, evidence, language=language), evidence, language)
        assert view.verdict
