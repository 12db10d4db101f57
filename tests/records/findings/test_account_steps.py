"""The board at any step of an account is the one that the account tells."""

from __future__ import annotations

import pytest

from inkeek.records import Move, Position, Rules, ruleset
from inkeek.records.findings import Evidence, find
from inkeek.records.findings.account_steps import TWO_TURNS, AccountSteps, boards_during

from .slipped_turns import GAMES, counts_of, findings


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_every_account_begins_on_the_board_before_and_ends_on_its_own(rules: Rules) -> None:
    examined = 0
    for turn, found in findings(rules):
        before = turn.turn.before
        for account in found.accounts:
            if not account.steps:
                continue
            steps = AccountSteps(account, before)
            if "previous-unfinished" not in account.kinds:
                assert steps.board_after(0).board == counts_of(before)
            assert steps.board_after(len(account.steps)).board == account.board
            examined += 1
    assert examined > 50


def test_the_hand_holds_what_was_lifted_and_not_yet_sown() -> None:
    rules = ruleset("oware")
    before = rules.start()
    account = find(rules, Evidence(before=before, counts=(4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0))).accounts[0]
    assert account.kinds == ("skipped",)
    steps = AccountSteps(account, before)
    assert [steps.board_after(number).hand for number in range(6)] == [0, 4, 3, 2, 1, 0]
    assert steps.board_after(3).position(before).pits == (4, 4, 0, 5, 4, 5, 4, 4, 4, 4, 4, 4)


def test_a_second_turn_counts_its_laps_again() -> None:
    rules = ruleset("oware")
    before = rules.start()
    first = rules.play(before, rules.legal_moves(before)[0])
    again = rules.play(first.position.replaced(to_move=before.to_move), rules.legal_moves(before)[3])
    found = find(rules, Evidence(before=before, counts=counts_of(again.position)))
    account = next(account for account in found.accounts if account.kind in TWO_TURNS)
    steps = AccountSteps(account, before)
    assert steps.second_turn is not None
    assert steps.laps()[steps.second_turn] == steps.laps()[0] == 1


def test_the_boards_on_the_way_of_a_turn() -> None:
    rules = ruleset("enkeshui", pits=8, setup="fours-right")
    trace = rules.trace(rules.start(), Move.parse("e"))  # f g h A
    found = list(boards_during(trace, emptied=1))
    first, last = (
        Position.parse(f"{board} 0-0 s 0").pits
        for board in ("0.0.4.4.0.4.4.4/0.0.4.4.4.4.4.4", "0.0.4.4.0.5.5.5/0.0.4.4.4.4.4.4")
    )
    assert (found[0].counts, found[-1].counts) == ((*first, 0, 0), (*last, 0, 0))
    assert {board.emptied for board in found} == {1 | 1 << 4}
