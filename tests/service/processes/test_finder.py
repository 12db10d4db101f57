"""Findings in a child process: the same answers, bounded in number and time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest

from records import Move, PositionError, RecordsError, ruleset
from records.findings import Evidence, find, find_since
from service.errors import ServiceError, TooBusy, TookTooLong
from service.processes.finder import FindingProcess, answer_questions
from tests.service.waiting import until

RULES = ruleset("oware")
START = RULES.start()
SKIPPED = Evidence(before=START, counts=(4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0))


@pytest.fixture
def finder() -> Iterator[FindingProcess]:
    made = FindingProcess(2, 20.0)
    yield made
    made.close()


def test_the_answers_are_those_of_records(finder: FindingProcess) -> None:
    assert finder.find(RULES, SKIPPED) == find(RULES, SKIPPED)
    moves = [Move.parse("c"), Move.parse("D")]
    found, expected = (answer(RULES, START, moves, SKIPPED, "sw") for answer in (finder.find_since, find_since))
    assert (found.agreed, found.accounts) == (expected.agreed, expected.accounts)


def test_moves_that_cannot_be_played_come_back_with_the_reason(finder: FindingProcess) -> None:
    found = finder.find_since(RULES, START, [Move.parse("c"), Move.parse("c")], SKIPPED)
    assert found.played == 1
    assert isinstance(found.wrong, RecordsError)


def test_a_position_of_another_game_is_refused(finder: FindingProcess) -> None:
    with pytest.raises(PositionError):
        finder.find(ruleset("enkeshui"), SKIPPED)


def test_a_game_that_was_set_up_otherwise_keeps_its_seeds(finder: FindingProcess) -> None:
    before = START.replaced(pits=(3, *START.pits[1:]))
    rules = RULES.starting_from(before)
    turn = rules.turns(before)[2]
    evidence = Evidence(before=before, counts=(*turn.position.pits, *turn.position.stores))
    assert finder.find(rules, evidence).accounts[0].move == turn.move


def test_a_child_that_ended_is_replaced(finder: FindingProcess) -> None:
    first = finder.find(RULES, SKIPPED)
    finder.close()
    assert finder.find(RULES, SKIPPED) == first


def test_what_takes_too_long_is_ended() -> None:
    finder = FindingProcess(2, 0.0001)
    try:
        with pytest.raises((TookTooLong, TooBusy)):
            finder.find(RULES, SKIPPED)
    finally:
        finder.close()


def test_unknown_callers_leave_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    finder, going_on, begun = FindingProcess(2, 20.0), threading.Event(), threading.Event()

    def answer(*_: object) -> None:
        begun.set()
        going_on.wait(20)

    monkeypatch.setattr(finder, "_answer", answer)
    with ThreadPoolExecutor(3) as threads:
        waiting = [threads.submit(finder.find, RULES, SKIPPED, known=False)]
        assert begun.wait(20)
        with pytest.raises(TooBusy) as caught:
            finder.find(RULES, SKIPPED, known=False)
        assert caught.value.headers["Retry-After"]
        waiting.append(threads.submit(finder.find, RULES, SKIPPED, known=True))
        until(lambda: _is_full(finder))
        going_on.set()
        assert [one.result(20) for one in waiting] == [None, None]
        assert finder.find(RULES, SKIPPED, known=False) is None


def _is_full(finder: FindingProcess) -> bool:
    """Whether a caller with a key is refused."""
    return not finder._places._value


def test_a_broken_answer_is_an_error_of_the_service(finder: FindingProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bytes:
        raise EOFError

    with monkeypatch.context() as patched:
        patched.setattr("service.processes.finder._read", broken)
        with pytest.raises(ServiceError) as caught:
            finder.find(RULES, SKIPPED)
    assert caught.value.status == 500
    assert finder.find(RULES, SKIPPED).accounts


def test_the_child_ends_when_there_are_no_more_questions() -> None:
    answers = BytesIO()
    answer_questions(BytesIO(), answers)
    assert answers.getvalue() == b""
