"""Bodies of requests: how many large ones there may be at once, and how long one may take."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import IO, Any

from inkeek.service.errors import TooSlow
from inkeek.service.processes.places import Places, Sender

from .connection import SLOWEST

IN_MEMORY = 64 << 10  # bytes of a body; a larger one needs a place, and its rest goes to a temporary file
LARGE = 16  # bodies that are larger, at once
TIME = 60.0  # seconds that a body may take, unless `client_timeout` is longer

Receive = Callable[[], Awaitable[Any]]


class HungUp(Exception):
    """The client is gone: nobody waits for an answer."""


class Body:
    """The body of a request, which `receive` (of ASGI) receives. `length` is what the headers say; None: chunks."""

    def __init__(self, environ: dict[str, Any], receive: Receive, timeout: float) -> None:
        self.length = None if "HTTP_TRANSFER_ENCODING" in environ else int(environ.get("CONTENT_LENGTH") or 0)
        self.file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - `close` does
        self.size = 0
        self._receive = receive
        self._timeout = timeout
        self._give_back: Callable[[], None] | None = None

    async def read(self, most: int, places: Places, sender: Sender) -> bool:
        """Read a body of at most `most` bytes. Return whether that is all of it.

        :raises TooSlow: it takes too long. :raises TooManyRequests: the sender has its share of the places.
        :raises HungUp: the client is gone.
        """
        started, has_more = time.monotonic(), True
        while has_more:
            if self._give_back is None and max(self.length or 0, self.size) > IN_MEMORY:
                self._give_back = places.take(sender)
            left = min(self._timeout + self.size / SLOWEST, max(self._timeout, TIME)) + started - time.monotonic()
            try:
                async with asyncio.timeout(max(left, 0.0)):
                    message = await self._receive()
            except TimeoutError:
                raise TooSlow(
                    f"The body took more than {self._timeout:g} s and a second for each {SLOWEST >> 10} KiB, or "
                    f"{TIME:g} s."
                ) from None
            if message["type"] != "http.request":
                raise HungUp
            self.file.write(message["body"])
            self.size += len(message["body"])
            has_more = message["more_body"]
            if self.size > most:
                return False
        self.file.seek(0)
        return True

    def close(self) -> None:
        self.file.close()
        if self._give_back is not None:
            self._give_back()
