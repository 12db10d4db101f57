"""Calls in child processes: bounded in number and time, with parts, and stopped when nobody wants the answer."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest

from records import PositionError, ruleset
from service.errors import ServiceError, TookTooLong
from service.processes import system
from service.processes.places import Sender
from service.processes.workers import calculator as calculator_module
from service.processes.workers.calculator import Calculator, Report, answer_calls

RULES = ruleset("oware")
ANYBODY = Sender("a", True)


def double(report: Report, stop: threading.Event, number: int) -> int:
    report(number)
    return 2 * number


def wait_for_stop(report: Report, stop: threading.Event) -> bool:
    report("begun")
    return stop.wait(60)


def fail(report: Report, stop: threading.Event) -> None:
    RULES.verify_position(ruleset("enkeshui").start())


def fail_unexpectedly(report: Report, stop: threading.Event, *arguments: object) -> None:
    raise KeyError("no such weights")


def get_seeds(report: Report, stop: threading.Event, rules: Any) -> int:
    return int(rules.seeds)


@pytest.fixture(scope="module", params=[system.PipeReader, system.ThreadedPipeReader])
def calculator(request: pytest.FixtureRequest) -> Iterator[Calculator]:
    """Calculators as on Unix, and as where nothing waits for a pipe."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(system, "pipe_reader", request.param)
        made = Calculator("Calls", 2)
        yield made
        made.close()


def call(calculator: Calculator, function: Any, *arguments: Any, **more: Any) -> Any:
    """A call that waits 20 seconds for a child, and as long for its answer."""
    with calculator.child(ANYBODY, patience=20) as child:
        return child.call(function, *arguments, deadline=time.monotonic() + more.pop("seconds", 20.0), **more)


def test_parts_come_before_the_answer(calculator: Calculator) -> None:
    parts: list[int] = []
    assert call(calculator, double, 21, on_part=parts.append) == 42
    assert parts == [21]


def test_what_nobody_wants_is_stopped_and_the_child_goes_on(calculator: Calculator) -> None:
    begun = threading.Event()
    assert call(calculator, wait_for_stop, on_part=lambda _: begun.set(), is_wanted=lambda: not begun.is_set())
    with calculator.child(ANYBODY, patience=20) as child:
        process = child.process
    assert call(calculator, double, 1) == 2
    assert child.process is process


def test_what_takes_too_long_is_ended(calculator: Calculator) -> None:
    with pytest.raises(TookTooLong):
        calculator.call(wait_for_stop, seconds=1.0, sender=ANYBODY)
    assert call(calculator, double, 2) == 4


def test_a_child_of_which_no_part_comes_is_ended(calculator: Calculator, monkeypatch: pytest.MonkeyPatch) -> None:
    with calculator.child(ANYBODY, patience=20) as child:
        parts = child.parts(wait_for_stop)
        assert next(parts) == "begun"
        process = child.process
        monkeypatch.setattr(calculator_module, "STALLED_AFTER", 0.2)
        with pytest.raises(TookTooLong):
            next(parts)
    assert process is not None
    assert process.poll() is not None
    assert call(calculator, double, 2) == 4


def test_errors_of_records_come_back(calculator: Calculator) -> None:
    with pytest.raises(PositionError):
        call(calculator, fail)


def test_the_cause_of_a_fault_comes_back_and_the_child_goes_on(calculator: Calculator) -> None:
    with pytest.raises(ServiceError) as caught:
        call(calculator, fail_unexpectedly)
    assert "in fail_unexpectedly" in str(caught.value.__cause__)
    assert "KeyError: 'no such weights'" in str(caught.value.__cause__)
    with calculator.child(ANYBODY, patience=20) as child:
        process = child.process
    assert call(calculator, double, 1) == 2
    assert child.process is process


def test_rules_keep_their_set_up(calculator: Calculator) -> None:
    rules = RULES.starting_from(RULES.start().replaced(pits=(3, *RULES.start().pits[1:])))
    assert call(calculator, get_seeds, rules) == 47


def test_a_child_that_died_is_an_error_and_is_replaced(calculator: Calculator) -> None:
    with calculator.child(ANYBODY, patience=20) as child:

        def kill(_: object) -> None:
            assert child.process is not None
            child.process.kill()

        with pytest.raises(ServiceError) as caught:
            child.call(wait_for_stop, deadline=time.monotonic() + 20, on_part=kill)
    assert caught.value.status == 500
    assert call(calculator, double, 3) == 6


@pytest.mark.parametrize("sent", [b"", pickle.dumps((double, (1,)))[:-5]], ids=["between calls", "within a call"])
def test_the_child_ends_when_there_are_no_more_calls(sent: bytes) -> None:
    answers, ended = BytesIO(), threading.Event()
    answer_calls(BytesIO(sent), answers, ended.set)
    assert answers.getvalue() == b""
    assert ended.wait(20)
