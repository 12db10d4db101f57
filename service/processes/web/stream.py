"""Live streams as coroutines: they need a thread only while they read what is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

from inkeek.service.http.sse import Stream

Run = Callable[..., Awaitable[Any]]


async def parts(stream: Stream, run: Run) -> AsyncIterator[bytes]:
    """The bytes to send. `run` runs in a thread what may wait for the database."""
    loop, arrived = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed: the process ends
            loop.call_soon_threadsafe(arrived.set)

    stream.subscriber.wake_by(wake)
    steps, result = stream.steps(), None
    while True:
        try:
            step, result = steps.send(result), None
        except StopIteration:
            return
        if isinstance(step, bytes):
            yield step
        elif isinstance(step, float):
            with suppress(TimeoutError):
                async with asyncio.timeout(step):
                    await arrived.wait()
            arrived.clear()  # before looking: what arrives from now on sets it again
            result = stream.subscriber.wait(0.0)
        else:
            result = await run(step)
        del step  # the next one may be hours away, and thousands of clients may wait for it
