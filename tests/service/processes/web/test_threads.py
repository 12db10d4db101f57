"""How long responses make room for requests that run."""

from __future__ import annotations

import time

import pytest

from service.http.access import Caller
from service.http.context import CALLER
from service.processes.scheduling.fair_queue import Sender
from service.processes.web.threads import BUSY_FOR, MAX_HOLDERS, MAX_REST, KeyHolders, WebThreads


@pytest.fixture
def rested(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each rest."""
    rested: list[float] = []
    monkeypatch.setattr("service.processes.web.threads.time.sleep", rested.append)
    return rested


@pytest.fixture
def threads() -> WebThreads:
    threads = WebThreads.__new__(WebThreads)
    threads._running, threads._last_call, threads._opened_for = 0, time.monotonic() + 60, 0.0
    return threads


def test_a_long_response_makes_room_for_requests_that_run_and_for_no_others(
    threads: WebThreads, rested: list[float]
) -> None:
    threads._rest(0.004)
    threads._running, threads._last_call = 1, time.monotonic() - 2 * BUSY_FOR  # it waits for something
    threads._rest(0.004)
    assert rested == []
    threads._last_call = time.monotonic() + 60  # now, however slow this machine is
    threads._rest(0.004)
    threads._rest(9.0)
    assert rested == [0.004, MAX_REST]


def test_between_the_beginnings_of_two_long_responses_there_is_room_for_requests(
    threads: WebThreads, rested: list[float]
) -> None:
    threads._running, threads._opened_for = 1, 0.004
    assert threads._open(pow, 2, 3) == 8
    assert threads._opened_for != 0.004
    threads._opened_for = 9.0
    threads._open(pow, 2, 3)
    assert rested == [0.004, MAX_REST]


def test_the_holder_of_a_key_is_known_once_it_was_checked_and_few_are_kept() -> None:
    holders, caller = KeyHolders(), Caller(kind="token", id="k3f9wm2p", name="Nasieku", scopes=frozenset())
    environ = {"REMOTE_ADDR": "192.0.2.9", "HTTP_AUTHORIZATION": "Bearer ink_t_x"}
    holders.note(environ)
    assert holders.sender(environ) == Sender("192.0.2.9", False)
    holders.note({**environ, CALLER: caller})
    assert holders.sender(environ) == Sender("k3f9wm2p", True)
    for number in range(MAX_HOLDERS):
        holders.note({**environ, "HTTP_AUTHORIZATION": f"Bearer {number}", CALLER: caller})
    assert holders.sender(environ) == Sender("192.0.2.9", False)
