"""Findings in a child process: the same answers, bounded in number and time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from records import Move, PositionError, RecordsError, ruleset
from records.findings import Evidence, find, find_since
from service.errors import TooBusy, TookTooLong
from service.processes.places import Sender
from service.processes.workers.finder import FindingProcess

ANYBODY = Sender("a", True)
RULES = ruleset("oware")
START = RULES.start()
SKIPPED = Evidence(before=START, counts=(4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0))


@pytest.fixture(scope="module")
def finder() -> Iterator[FindingProcess]:
    made = FindingProcess(2, 20.0)
    yield made
    made.close()


def test_the_answers_are_those_of_records(finder: FindingProcess) -> None:
    assert finder.find(RULES, SKIPPED, sender=ANYBODY) == find(RULES, SKIPPED)
    moves = [Move.parse("c"), Move.parse("D")]
    found = finder.find_since(RULES, START, moves, SKIPPED, "sw", sender=ANYBODY)
    expected = find_since(RULES, START, moves, SKIPPED, "sw")
    assert (found.agreed, found.accounts) == (expected.agreed, expected.accounts)


def test_moves_that_cannot_be_played_come_back_with_the_reason(finder: FindingProcess) -> None:
    found = finder.find_since(RULES, START, [Move.parse("c"), Move.parse("c")], SKIPPED, sender=ANYBODY)
    assert found.played == 1
    assert isinstance(found.wrong, RecordsError)


def test_a_position_of_another_game_is_refused(finder: FindingProcess) -> None:
    with pytest.raises(PositionError):
        finder.find(ruleset("enkeshui"), SKIPPED, sender=ANYBODY)


def test_a_game_that_was_set_up_otherwise_keeps_its_seeds(finder: FindingProcess) -> None:
    before = START.replaced(pits=(3, *START.pits[1:]))
    rules = RULES.starting_from(before)
    turn = rules.turns(before)[2]
    evidence = Evidence(before=before, counts=(*turn.position.pits, *turn.position.stores))
    assert finder.find(rules, evidence, sender=ANYBODY).accounts[0].move == turn.move


def test_a_child_that_ended_is_replaced(finder: FindingProcess) -> None:
    first = finder.find(RULES, SKIPPED, sender=ANYBODY)
    finder.close()
    assert finder.find(RULES, SKIPPED, sender=ANYBODY) == first


def test_what_takes_too_long_is_ended() -> None:
    finder = FindingProcess(2, 0.0001)
    try:
        with pytest.raises((TookTooLong, TooBusy)):
            finder.find(RULES, SKIPPED, sender=ANYBODY)
    finally:
        finder.close()
