"""Many followers of one game: each reads its stream, and goes on where it was when the connection breaks."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any

import httpx

RETRY_AFTER = 0.2  # seconds until a follower connects again
QUIET = 20.0  # seconds without a byte after which a connection is given up


class Follower:
    """`heard`: the number and kind of each event, in the order in which they came. `connected`: how often it was."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, str]] = []
        self.connected = 0

    @property
    def last(self) -> int:
        """The number of the last event, 0 before the first."""
        return self.heard[-1][0] if self.heard else 0


class Followers:
    """So many followers of the events at `url`, in one thread. They end with the context.

    Like a browser, each sends the number of its last event as ``Last-Event-ID`` when it connects again.
    """

    def __init__(self, url: str, count: int) -> None:
        self.all = [Follower() for _ in range(count)]
        self._url = url
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._run()], name="followers")

    def __enter__(self) -> Followers:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._loop.close()

    async def _run(self) -> None:
        async with httpx.AsyncClient(
            timeout=QUIET, trust_env=False, limits=httpx.Limits(max_connections=None)
        ) as client:
            tasks = [asyncio.create_task(self._follow(client, one)) for one in self.all]
            await self._stop.wait()
            for task in tasks:
                task.cancel()
            for ended in await asyncio.gather(*tasks, return_exceptions=True):
                if not isinstance(ended, asyncio.CancelledError):
                    raise AssertionError(f"a follower ended with {ended!r}")

    async def _follow(self, client: httpx.AsyncClient, one: Follower) -> None:
        while True:
            with contextlib.suppress(httpx.HTTPError):  # the service is away, or has just gone: connect again
                await self._read(client, one)
            await asyncio.sleep(RETRY_AFTER)

    async def _read(self, client: httpx.AsyncClient, one: Follower) -> None:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(one.last)}
        async with client.stream("GET", self._url, headers=headers) as answer:
            if answer.status_code != 200:
                return
            one.connected += 1
            event: dict[str, Any] = {}
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if line:
                    event[name] = value
                elif "id" in event:  # what a kill cut off has no empty line, and counts for nothing
                    one.heard.append((int(event["id"]), event["event"]))
                    event = {}
                else:
                    event = {}
