import logging
import signal
import subprocess

import pytest

from inkeek.service.processes import child_process
from inkeek.service.processes.supervisor import HEALTHY_AFTER, RESTART_AFTER, RestartedChild
from tests.service.waiting import alive, until


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Started:
    """Starts processes that run until they are killed, or exit with a status."""

    def __init__(self) -> None:
        self.children: list[subprocess.Popen[bytes]] = []
        self.code = "import signal; signal.pause()"

    def __call__(self) -> subprocess.Popen[bytes]:
        self.children.append(child_process.start(["-c", self.code], {}))
        return self.children[-1]

    def wait(self) -> None:
        """Wait until the last one is a zombie."""
        until(lambda: not alive(self.children[-1].pid))


@pytest.fixture
def started():
    started = Started()
    yield started
    child_process.stop(*started.children)


def delays(started: Started, kept: RestartedChild, clock: Clock, runs: int, seconds: float) -> list[float]:
    """How long it takes to start the process again after runs of so many seconds that end with SIGKILL."""
    found = []
    for _ in range(runs):
        clock.now += seconds
        started.children[-1].send_signal(signal.SIGKILL)
        started.wait()
        before, count = clock.now, len(started.children)
        while len(started.children) == count:
            assert kept.check() is None
            clock.now += 0.0625
        found.append(clock.now - before)
    return found


def test_a_process_that_ends_soon_again_and_again_is_started_later_each_time(started, caplog):
    clock = Clock()
    kept = RestartedChild("the desk", started, clock=clock)
    with caplog.at_level(logging.ERROR):
        found = delays(started, kept, clock, 9, 1.0)
    assert found == sorted(found)
    assert RESTART_AFTER[0] <= found[0] < 2 * RESTART_AFTER[0]
    assert RESTART_AFTER[1] <= found[-1] < RESTART_AFTER[1] + 1
    assert all("the desk" in line and "SIGKILL" in line for line in caplog.messages)
    assert "9 times" in caplog.messages[-1]
    assert max(delays(started, kept, clock, 2, HEALTHY_AFTER + 1)) < RESTART_AFTER[0]


def test_a_start_for_which_there_is_no_memory_is_tried_again(started, caplog):
    clock, errors = Clock(), []

    def start() -> subprocess.Popen[bytes]:
        if errors:
            raise errors.pop()
        return started()

    kept = RestartedChild("the desk", start, clock=clock)
    errors.append(OSError("Cannot allocate memory"))
    assert delays(started, kept, clock, 1, HEALTHY_AFTER + 1)[0] >= RESTART_AFTER[1]
    assert "Cannot allocate memory" in caplog.text


def test_a_process_that_never_works_is_reported_and_one_that_worked_is_not(started):
    clock = Clock()
    works = RestartedChild("the web server", started, clock=clock)
    delays(started, works, clock, 1, 1.0)
    started.code = "raise SystemExit(3)"
    delays(started, works, clock, 1, 1.0)
    started.wait()
    assert works.check() is None

    never = RestartedChild("the web server", started, clock=clock)
    started.wait()
    assert never.check() == 3


def test_what_a_killed_process_has_forked_is_killed_too(started):
    started.code = (
        "import os, signal\nr, w = os.pipe()\nif os.fork() == 0:\n    os.write(w, b'%d' % os.getpid())\n"
        "    signal.pause()\nprint(os.read(r, 20).decode(), flush=True)\nsignal.pause()"
    )
    child = child_process.start(["-c", started.code], {}, stdout=subprocess.PIPE)
    started.children.append(child)
    forked = int(child.stdout.readline())
    child.stdout.close()
    kept = RestartedChild("the web server", started, child)
    started.code = "import signal; signal.pause()"
    child.kill()
    started.wait()
    kept.check()
    until(lambda: not alive(forked))
