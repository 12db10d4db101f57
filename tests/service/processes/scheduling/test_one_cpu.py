"""Threads of a process that stay on one CPU, and the processes that it starts, which do not."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from service.processes import child_process
from service.processes.scheduling import one_cpu

GIVEN = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
pytestmark = pytest.mark.skipif(len(GIVEN) < 2, reason="needs two CPUs to choose from")


class Loop:
    """Calls nothing by itself."""

    def __init__(self) -> None:
        self.due: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, seconds: float, call: Callable[[], None]) -> None:
        self.due.append((seconds, call))

    def go_on(self) -> float:
        seconds, call = self.due.pop()
        call()
        return seconds


@pytest.fixture
def loop() -> Iterator[Any]:
    yield (loop := Loop())
    one_cpu._move(GIVEN)
    one_cpu._cpus = set()
    assert not loop.due[1:]


def test_all_threads_stay_on_one_cpu_which_is_chosen_again_and_again(loop: Any) -> None:
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        one_cpu.keep_on_one_cpu(loop)
        own = os.sched_getaffinity(0)
        assert len(own) == 1
        assert own < GIVEN
        assert os.sched_getaffinity(other.native_id or 0) == own
        assert loop.go_on() == one_cpu.EVERY
        assert os.sched_getaffinity(0) == os.sched_getaffinity(other.native_id or 0) == GIVEN
        assert loop.go_on() == one_cpu.FREE
        assert len(os.sched_getaffinity(0)) == 1
    finally:
        end.set()
        other.join()


def test_a_process_that_is_started_meanwhile_has_all_cpus(loop: Any) -> None:
    one_cpu.keep_on_one_cpu(loop)
    own = os.sched_getaffinity(0)
    child = child_process.start(
        ["-c", "import os; print(sorted(os.sched_getaffinity(0)))"], {}, stdout=subprocess.PIPE, text=True
    )
    assert child.communicate()[0] == f"{sorted(GIVEN)}\n"
    assert os.sched_getaffinity(0) == own
    loop.go_on()
    with one_cpu.every_cpu():
        loop.go_on()  # it moves no thread while one starts a process
        assert os.sched_getaffinity(0) == GIVEN


def test_what_somebody_else_gives_the_process_is_what_it_has(loop: Any) -> None:
    one_cpu.keep_on_one_cpu(loop)
    other = GIVEN - os.sched_getaffinity(0)
    os.sched_setaffinity(0, other)
    for _ in range(4):
        loop.go_on()
        assert os.sched_getaffinity(0) <= other
    with one_cpu.every_cpu():
        assert os.sched_getaffinity(0) == other
