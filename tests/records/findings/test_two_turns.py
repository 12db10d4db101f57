"""The next turn is on the board too: that is no slip of the turn before."""

from __future__ import annotations

import pytest

from inkeek.records import Move, Rules, ruleset
from inkeek.records.findings import Evidence, find

from .slipped_turns import GAMES, counts_of


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_two_legal_turns_in_order_are_no_slip(rules: Rules) -> None:
    first = rules.turns(rules.start())[0]
    second = rules.turns(first.position)[-1]
    found = find(rules, Evidence(before=rules.start(), counts=counts_of(second.position), claimed=first.move.choice))
    account = next(account for account in found.accounts if account.kinds == ("two-turns",))
    assert (account.legal, account.move, account.mend, account.rule) == (True, first.move.choice, {}, None)
    assert account.first_wrong_step is None
    assert str(second.move.choice) in account.sentences[0]
    assert found.legal is not False


def test_a_slip_in_the_second_of_two_turns_is_mended_for_that_turn() -> None:
    rules = ruleset("oware")
    first = rules.play(rules.start(), Move.parse("c"))
    second = rules.play(first.position, Move.parse("D"))
    board = list(counts_of(second.position))
    board[0], board[2] = board[0] - 1, 1
    found = find(rules, Evidence(before=rules.start(), counts=tuple(board), claimed=Move.parse("c")))
    account = next(account for account in found.accounts if account.kinds[:1] == ("two-turns",))
    assert (account.target, account.legal) == (second.position, False)
    assert account.rule == rules.info.rules["sowing"]
    assert account.first_wrong_step is not None
    assert account.first_wrong_step > len(rules.trace(first.before, first.move).events)
