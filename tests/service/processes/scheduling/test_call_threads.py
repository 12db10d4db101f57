"""Functions that coroutines run in threads."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from service.processes.scheduling import call_threads
from service.processes.scheduling.call_threads import CallThreads, LoopCalls
from tests.service.waiting import run_coroutine, until

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

    async def has_entered(self) -> None:
        """Wait, so that other coroutines run, until one more call has begun."""
        async with asyncio.timeout(WITHIN):
            while not self.entered.acquire(blocking=False):
                await asyncio.sleep(0.001)


def in_loop(test: Callable[[LoopCalls], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with asyncio.timeout(WITHIN):
            return await test(LoopCalls(asyncio.get_running_loop()))

    return run_coroutine(run())


def test_a_call_returns_in_another_thread_or_raises() -> None:
    async def test(loop_calls: LoopCalls) -> None:
        threads = CallThreads(2, loop_calls)
        assert await threads.run(threading.current_thread) is not threading.main_thread()
        assert await threads.run(divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            await threads.run(divmod, 7, 0)
        assert await threads.run(divmod, 9, 2) == (4, 1)

    in_loop(test)


def test_calls_after_one_another_use_one_thread() -> None:
    async def test(loop_calls: LoopCalls) -> None:
        threads, used = CallThreads(3, loop_calls), set()
        for _ in range(20):
            used.add(await threads.run(threading.current_thread))
            until(lambda: threads._turns.busy == 0)
        assert len(used) == 1

    in_loop(test)


def test_calls_at_once_have_a_thread_each_and_the_next_one_waits() -> None:
    async def test(loop_calls: LoopCalls) -> None:
        threads, gate = CallThreads(2, loop_calls), Gate()
        calls = [asyncio.create_task(threads.run(gate, number)) for number in range(3)]
        await gate.has_entered()
        await gate.has_entered()
        assert len(threads._threads) == 2
        gate.opened.set()
        results = await asyncio.gather(*calls)
        assert [value for value, _ in results] == [0, 1, 2]
        assert len({name for _, name in results}) == 2

    in_loop(test)


def test_one_more_runs_if_those_that_run_wait_and_none_if_they_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []

    def compute_all_the_time() -> float:
        looks.append(time.monotonic())
        return looks[-1]

    async def test(loop_calls: LoopCalls) -> None:
        threads, gate = CallThreads(2, loop_calls, running=1), Gate()
        calls = [asyncio.create_task(threads.run(gate, number)) for number in range(2)]
        await gate.has_entered()
        while len(looks) < 5:
            await asyncio.sleep(0.001)
        assert len(threads._threads) == 1
        clocks.process_time = lambda: 0.0
        await gate.has_entered()
        gate.opened.set()
        await asyncio.gather(*calls)

    clocks = SimpleNamespace(monotonic=time.monotonic, process_time=compute_all_the_time)
    monkeypatch.setattr(call_threads, "time", clocks)
    monkeypatch.setattr(call_threads, "PATIENCE", 0.001)
    in_loop(test)


def test_a_coroutine_that_is_cancelled_costs_no_thread() -> None:
    async def test(loop_calls: LoopCalls) -> None:
        threads, gate = CallThreads(1, loop_calls), Gate()
        call = asyncio.create_task(threads.run(gate, None))
        await gate.has_entered()
        call.cancel()
        gate.opened.set()
        assert await threads.run(divmod, 7, 2) == (3, 1)
        until(lambda: threads._turns.busy == 0)

    in_loop(test)


def test_calls_of_many_threads_run_all_and_each_thread_s_in_order() -> None:
    ran: list[tuple[int, int]] = []

    async def test(loop_calls: LoopCalls) -> None:
        def add(thread: int) -> None:
            for number in range(250):
                loop_calls.add(ran.append, (thread, number))

        threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        while len(ran) < 1000:
            await asyncio.sleep(0.001)

    in_loop(test)
    for thread in range(4):
        assert [number for one, number in ran if one == thread] == list(range(250))


def test_a_call_that_fails_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    async def test(loop_calls: LoopCalls) -> None:
        done = asyncio.Event()
        loop_calls.add(divmod, 7, 0)
        loop_calls.add(done.set)
        await done.wait()

    in_loop(test)
    assert "ZeroDivisionError" in caplog.text
