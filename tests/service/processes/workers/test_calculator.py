"""Calls in processes of their own: bounded in number and time, with reports, and ended when nobody wants the answer."""

import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from multiprocessing.process import BaseProcess
from pathlib import Path

import psutil
import pytest

from inkeek.records import Move, PositionError, RecordsError, Rules, ruleset
from inkeek.records.findings import Evidence, find, find_since
from inkeek.service.errors import ServiceError, TooBusy, TookTooLong
from inkeek.service.processes.places import Sender
from inkeek.service.processes.workers.calculator import Calculator, reports
from tests.service.waiting import alive, until

RULES = ruleset("oware")
START = RULES.start()
SKIPPED = Evidence(before=START, counts=(4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0))
ANYBODY = Sender("a", True)
Report = Callable[[object], None]


@pytest.fixture(scope="module")
def calculator() -> Iterator[Calculator]:
    calculator = Calculator("Calls", 1, 60)
    yield calculator
    calculator.close()


def report_twice(report: Report, number: int) -> None:
    report(number)
    report(2 * number)


def report_without_end(report: Report) -> None:
    while True:
        report(None)


def report_and_stay(report: Report) -> None:
    report(os.getpid())
    time.sleep(60)


def stay() -> None:
    time.sleep(60)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail_unexpectedly(*arguments: object) -> None:
    raise KeyError("no such weights")


def seeds(rules: Rules) -> int:
    return rules.seeds


def test_reports_come_while_the_process_goes_on() -> None:
    assert list(reports(report_twice, 21, seconds=60)) == [21, 42]
    with closing(reports(report_and_stay, seconds=60)) as pids:
        assert alive(next(pids))


def test_what_nobody_wants_is_ended() -> None:
    with closing(reports(report_and_stay, seconds=60)) as pids:
        pid = next(pids)
    assert not alive(pid)

    def look() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        list(reports(report_and_stay, seconds=60, look=look))


def test_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    pids = reports(report_and_stay, seconds=60)
    pid, clock = next(pids), time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() + 61)
    with pytest.raises(TookTooLong):
        next(pids)
    assert not alive(pid)
    monkeypatch.undo()
    with pytest.raises(TookTooLong):
        list(reports(report_without_end, seconds=0.2))
    with closing(Calculator("Calls", 1, 0.2)) as calculator, pytest.raises(TookTooLong):
        calculator.call(stay, sender=ANYBODY)


def test_no_more_callers_wait_than_there_are_places(calculator: Calculator) -> None:
    with calculator.places.taken(ANYBODY), pytest.raises(TooBusy):
        calculator.call(seeds, RULES, sender=Sender("b", True))
    assert calculator.call(seeds, RULES, sender=ANYBODY) == 48


def test_errors_of_records_come_back(calculator: Calculator) -> None:
    with pytest.raises(PositionError):
        calculator.call(find, ruleset("enkeshui"), SKIPPED, sender=ANYBODY)


def test_the_cause_of_a_fault_comes_back(calculator: Calculator) -> None:
    with pytest.raises(ServiceError) as caught:
        calculator.call(fail_unexpectedly, sender=ANYBODY)
    told = "".join(traceback.format_exception(caught.value))
    assert "in fail_unexpectedly" in told
    assert "KeyError: 'no such weights'" in told


def test_a_process_that_died_is_an_error_and_the_next_call_has_another(calculator: Calculator) -> None:
    with pytest.raises(ServiceError) as caught:
        calculator.call(die, sender=ANYBODY)
    assert caught.value.status == 500
    assert calculator.call(seeds, RULES, sender=ANYBODY) == RULES.seeds


@pytest.mark.parametrize("error", [OSError("no process is left"), EOFError()])
def test_a_process_that_cannot_be_started_is_an_error(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(process: object) -> None:
        raise error

    calculator = Calculator("Calls", 1, 60)
    monkeypatch.setattr(BaseProcess, "start", start)
    with pytest.raises(ServiceError) as caught:
        calculator.call(seeds, RULES, sender=ANYBODY)
    assert caught.value.__cause__ is not None
    assert caught.value.__cause__.__cause__ is error
    with pytest.raises(ServiceError) as caught:
        list(reports(report_twice, 21, seconds=60))
    assert caught.value.__cause__ is error
    monkeypatch.undo()
    assert calculator.call(seeds, RULES, sender=ANYBODY) == RULES.seeds
    calculator.close()


def test_the_path_of_temporary_files_may_be_too_long_for_a_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 108)
    folder.mkdir()
    code = (
        "from inkeek.service.processes.workers.calculator import Calculator\n"
        "from tests.service.processes.workers.test_calculator import ANYBODY, RULES, seeds\n"
        "print(Calculator('Calls', 1, 60).call(seeds, RULES, sender=ANYBODY))\n"
    )
    environ = {**os.environ, "TMPDIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout == "48\n"


def test_findings_are_those_of_records(calculator: Calculator) -> None:
    assert calculator.call(find, RULES, SKIPPED, sender=ANYBODY) == find(RULES, SKIPPED)
    moves = [Move.parse("c"), Move.parse("c")]
    found = calculator.call(find_since, RULES, START, moves, SKIPPED, "sw", sender=ANYBODY)
    expected = find_since(RULES, START, moves, SKIPPED, "sw")
    assert (found.played, found.accounts) == (1, expected.accounts)
    assert isinstance(found.wrong, RecordsError)


def test_rules_keep_their_set_up(calculator: Calculator) -> None:
    rules = RULES.starting_from(START.replaced(pits=(3, *START.pits[1:])))
    assert calculator.call(seeds, rules, sender=ANYBODY) == 47


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[str]]:
    """A process that has one that calculates."""
    code = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job of a shell ignores it
        "from inkeek.service.processes.workers.calculator import reports\n"
        "from tests.service.processes.workers.test_calculator import report_and_stay\n"
        "for pid in reports(report_and_stay, seconds=60):\n"
        "    print(pid, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_all_processes_end_with_the_one_that_started_them(parent: subprocess.Popen[str], how: signal.Signals) -> None:
    assert parent.stdout is not None
    calculates = int(parent.stdout.readline())
    family = psutil.Process(parent.pid).children(recursive=True)
    assert calculates in [process.pid for process in family]
    parent.send_signal(how)
    parent.wait(60)
    until(lambda: not any(alive(process.pid) for process in family))
