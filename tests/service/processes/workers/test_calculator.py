"""Calls in processes of their own: bounded in number and time, with reports, and ended when nobody wants the answer."""

import os
import signal
import subprocess
import sys
import time
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
from inkeek.service.processes.workers.calculator import Calculator, calculate, reports
from tests.service.waiting import alive, until

RULES = ruleset("oware")
START = RULES.start()
SKIPPED = Evidence(before=START, counts=(4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0))
ANYBODY = Sender("a", True)
Report = Callable[[object], None]


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
        calculate(stay, seconds=60, look=look)


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
    with pytest.raises(TookTooLong):
        Calculator("Calls", 1, 0.2).call(stay, sender=ANYBODY)


def test_no_more_callers_wait_than_there_are_places() -> None:
    calculator = Calculator("Calls", 1, 60)
    with calculator.places.taken(ANYBODY), pytest.raises(TooBusy):
        calculator.call(seeds, RULES, sender=Sender("b", True))
    assert calculator.call(seeds, RULES, sender=ANYBODY) == 48


def test_errors_of_records_come_back() -> None:
    with pytest.raises(PositionError):
        calculate(find, ruleset("enkeshui"), SKIPPED, seconds=60)


def test_the_cause_of_a_fault_comes_back() -> None:
    with pytest.raises(ServiceError) as caught:
        calculate(fail_unexpectedly, seconds=60)
    assert "in fail_unexpectedly" in str(caught.value.__cause__)
    assert "KeyError: 'no such weights'" in str(caught.value.__cause__)


def test_a_process_that_died_is_an_error() -> None:
    with pytest.raises(ServiceError) as caught:
        calculate(die, seconds=60)
    assert caught.value.status == 500


@pytest.mark.parametrize("error", [OSError("no process is left"), EOFError()])
def test_a_process_that_cannot_be_started_is_an_error(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(process: object) -> None:
        raise error

    monkeypatch.setattr(BaseProcess, "start", start)
    with pytest.raises(ServiceError) as caught:
        calculate(seeds, RULES, seconds=60)
    assert caught.value.__cause__ is error


def test_the_path_of_temporary_files_may_be_too_long_for_a_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 108)
    folder.mkdir()
    code = (
        "from inkeek.service.processes.workers.calculator import calculate\n"
        "from tests.service.processes.workers.test_calculator import RULES, seeds\n"
        "print(calculate(seeds, RULES, seconds=60))\n"
    )
    environ = {**os.environ, "TMPDIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout == "48\n"


def test_findings_are_those_of_records() -> None:
    assert calculate(find, RULES, SKIPPED, seconds=60) == find(RULES, SKIPPED)
    moves = [Move.parse("c"), Move.parse("c")]
    found = calculate(find_since, RULES, START, moves, SKIPPED, "sw", seconds=60)
    expected = find_since(RULES, START, moves, SKIPPED, "sw")
    assert (found.played, found.accounts) == (1, expected.accounts)
    assert isinstance(found.wrong, RecordsError)


def test_rules_keep_their_set_up() -> None:
    rules = RULES.starting_from(START.replaced(pits=(3, *START.pits[1:])))
    assert calculate(seeds, rules, seconds=60) == 47


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[str]]:
    """A process that has one that calculates."""
    code = (
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
