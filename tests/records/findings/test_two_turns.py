"""The next turn is on the board too: that is no slip of the turn before."""

from __future__ import annotations

import pytest

from inkeek.records import NORTH, Move, Rules, ruleset
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


@pytest.mark.parametrize("game", ["bof", "anywoli", "enkeshui"])
def test_a_turn_that_is_not_completed_and_the_next_one_are_told_together(game: str) -> None:
    rules = ruleset(game)
    start = rules.start()
    pits = [*start.pits]
    seeds, pits[1] = pits[1], 0  # South sows b, and stops where the next lap is due
    for pit in range(2, 2 + seeds):
        pits[pit] += 1
    left = start.replaced(pits=tuple(pits), to_move=NORTH, ply=1)
    second = rules.turns(left)[-1]
    found = find(rules, Evidence(before=start, counts=counts_of(second.position), claimed=Move.parse("b")))
    account = next(account for account in found.best if account.kinds == ("two-turns", "unfinished"))
    assert account.move is not None
    assert (account.legal, account.move.pit, account.board) == (False, "b", counts_of(second.position))
    assert account.first_wrong_step is not None
    assert account.steps[account.first_wrong_step].kind == "end"
    assert account.rule == rules.info.rules.get("relay", rules.info.rules["end"])
