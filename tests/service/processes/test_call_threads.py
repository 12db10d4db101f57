"""Functions that greenlets run in threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import gevent
import pytest

from service.processes.call_threads import CallThreads

WITHIN = 20  # seconds


class Gate:
    """A function that waits in its thread until it may return; `entered` says how many have begun."""

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self.opened = threading.Event()

    def __call__(self, value: object) -> tuple[object, str]:
        self.entered.release()
        assert self.opened.wait(WITHIN)
        return value, threading.current_thread().name


@pytest.fixture(autouse=True)
def event_loop() -> Iterator[None]:
    """An event loop that always has something to wait for, as that of a server."""
    greenlet = gevent.spawn(gevent.sleep, 10 * WITHIN)
    yield
    greenlet.kill()


def has_entered(gate: Gate) -> None:
    """Wait in this greenlet, so that others run, until one more call has begun."""
    with gevent.Timeout(WITHIN):
        while not gate.entered.acquire(blocking=False):
            gevent.sleep(0.001)


def test_a_call_returns_in_another_thread_or_raises() -> None:
    threads = CallThreads(2)
    assert threads.run(threading.current_thread) is not threading.main_thread()
    assert threads.run(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        threads.run(divmod, 7, 0)
    assert threads.run(divmod, 9, 2) == (4, 1)


def test_calls_after_one_another_use_one_thread() -> None:
    threads = CallThreads(3)
    assert len({threads.run(threading.current_thread) for _ in range(20)}) == 1


def test_calls_at_once_have_a_thread_each_and_the_next_one_waits() -> None:
    threads, gate = CallThreads(2), Gate()
    calls = [gevent.spawn(threads.run, gate, number) for number in range(3)]
    has_entered(gate)
    has_entered(gate)
    gevent.sleep(0)  # a third thread would have been started by now
    assert len(threads._threads) == 2
    gate.opened.set()
    assert len(gevent.joinall(calls, timeout=WITHIN, raise_error=True)) == 3
    assert [call.value[0] for call in calls] == [0, 1, 2]
    assert len({call.value[1] for call in calls}) == 2


def test_a_greenlet_that_is_killed_costs_no_thread() -> None:
    threads, gate = CallThreads(1), Gate()
    call = gevent.spawn(threads.run, gate, None)
    has_entered(gate)
    call.kill()
    gate.opened.set()
    with gevent.Timeout(WITHIN):
        assert threads.run(divmod, 7, 2) == (3, 1)
    assert threads._given == 0
