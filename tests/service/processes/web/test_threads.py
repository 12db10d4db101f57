"""How long responses make room for requests that run."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from service.http.access import Caller
from service.http.context import CALLER
from service.processes.scheduling.call_threads import CallThreads, LoopCalls
from service.processes.scheduling.fair_queue import Sender
from service.processes.web.threads import BUSY_FOR, MAX_HOLDERS, MAX_REST, KeyHolders, WebThreads
from tests.service.waiting import run_coroutine


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


def test_streams_of_one_sender_do_not_hold_up_those_of_another() -> None:
    """The others begin with all that they read: a newcomer waits for the one that begins just now."""
    begun: list[str] = []
    go_on = threading.Event()

    async def open_all() -> None:
        threads = WebThreads.__new__(WebThreads)
        threads._running, threads._last_call, threads._opened_for = 0, 0.0, 0.0
        threads._holders = KeyHolders()
        threads._opening = CallThreads(1, LoopCalls(asyncio.get_running_loop()))

        def open_stream(name: str) -> None:
            go_on.wait(30)
            begun.append(name)

        many = [threads._run_opening({"REMOTE_ADDR": "192.0.2.9"}, open_stream, "many") for _ in range(20)]
        waiting = [asyncio.ensure_future(one) for one in many]
        await asyncio.sleep(0)
        waiting.append(asyncio.ensure_future(threads._run_opening({"REMOTE_ADDR": "::1"}, open_stream, "newcomer")))
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(*waiting)

    run_coroutine(open_all())
    assert begun.index("newcomer") <= 2


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
