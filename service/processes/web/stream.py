"""Live streams as coroutines: they need a thread only while they read what is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from service.http.sse import Stream
from service.processes.scheduling.call_threads import LoopCalls

from .threads import Run


class Wakeup:
    """What any thread may set, and one coroutine waits for."""

    def __init__(self, loop_calls: LoopCalls) -> None:
        self._loop_calls = loop_calls
        self._is_set = False
        self._waiting: asyncio.Future[None] | None = None

    def set(self) -> None:
        self._is_set = True
        if self._waiting is not None:
            self._loop_calls.add(self._wake)

    async def wait(self, seconds: float) -> None:
        """Wait until it is set, at most so long, and unset it: what arrives from now on sets it again."""
        loop = asyncio.get_running_loop()
        waiting = self._waiting = loop.create_future()
        timer = loop.call_later(seconds, self._wake)
        try:
            if not self._is_set:  # looked at after `_waiting` is there: what sets it later wakes this
                await waiting
        finally:
            timer.cancel()
            self._waiting, self._is_set = None, False

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


async def parts(stream: Stream, run: Run, loop_calls: LoopCalls) -> AsyncIterator[bytes]:
    """The bytes to send. `run` runs in a thread what may wait for the database."""
    wakeup = Wakeup(loop_calls)
    stream.subscriber.wake_by(wakeup.set)
    steps, result = stream.steps(), None
    while True:
        try:
            step, result = steps.send(result), None
        except StopIteration:
            return
        if isinstance(step, bytes):
            yield step
        elif isinstance(step, float):
            await wakeup.wait(step)
            result = stream.subscriber.wait(0.0)
        else:
            result = await run(step)
        del step  # the next one may be hours away, and thousands of clients may wait for it
