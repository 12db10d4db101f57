"""Which web servers run, and what happens when one ends."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator

import pytest

from service.processes import child_process
from service.processes.web_processes import SPARE_AFTER, WebProcesses
from tests.service.waiting import alive, until

WAITS = "import os, signal; os.read(0, 1); signal.pause()"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Web:
    """Processes that wait for their release, and what was said of those that ended."""

    def __init__(self, count: int) -> None:
        self.started: list[subprocess.Popen[bytes]] = []
        self.ended: list[int] = []
        self.clock = Clock()
        self.processes = WebProcesses(count, self._start, self.ended.append, self.clock)
        self.processes.release()

    def _start(self) -> subprocess.Popen[bytes]:
        self.started.append(child_process.start(["-c", WAITS], {}))
        return self.started[-1]

    def kill(self, child: subprocess.Popen[bytes]) -> None:
        child.send_signal(signal.SIGKILL)
        until(lambda: not alive(child.pid))

    def later(self) -> None:
        self.clock.now += SPARE_AFTER
        assert self.processes.check() is None


@pytest.fixture
def webs() -> Iterator[list[Web]]:
    webs: list[Web] = []
    yield webs
    for web in webs:
        child_process.stop(*web.started)


def test_the_spare_takes_the_place_of_the_only_web_server_and_gets_a_follower(webs: list[Web]) -> None:
    web = Web(1)
    webs.append(web)
    assert len(web.started) == 1
    web.processes.check()
    assert len(web.started) == 1  # the web server is busy with its start
    web.later()
    first, spare = web.started
    web.kill(first)
    until(lambda: (web.processes.check(), web.processes.children[0] is spare)[1])
    assert web.ended == [first.pid]
    web.later()
    assert len(web.started) == 3
    assert web.processes.children == [spare, web.started[2]]


def test_a_spare_that_ends_is_no_spare(webs: list[Web]) -> None:
    web = Web(1)
    webs.append(web)
    web.later()
    first, spare = web.started
    web.kill(spare)
    web.kill(first)
    until(lambda: (web.processes.check(), len(web.started) == 3)[1])
    assert web.processes.children[0] is web.started[2]


def test_several_web_servers_need_no_spare_and_each_is_started_again(webs: list[Web]) -> None:
    web = Web(2)
    webs.append(web)
    web.later()
    assert len(web.started) == 2
    web.kill(web.started[1])
    until(lambda: (web.processes.check(), len(web.started) == 3)[1])
    assert web.processes.children == [web.started[0], web.started[2]]
