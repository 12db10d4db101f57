"""Bodies of requests: how much of them each sender may have in the service at once, and how long one may take."""

from __future__ import annotations

import asyncio
import io
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import IO, Any

from werkzeug.exceptions import BadRequest

from service.errors import TooBusy, TooManyRequests, TooSlow

from .connection import SLOWEST, WebClient

IN_MEMORY = 64 << 10  # bytes of a body; the rest goes to a temporary file
AHEAD = 128 << 10  # bytes that the web server may hold besides, when it does not know how many come
MAX_FILES = 256 << 20  # bytes of all temporary files
SENDERS = 8  # that fill these
TIME = 60.0  # seconds that a body may take, unless `client_timeout` is longer
RETRY = 5  # seconds after which a refused sender may try again

Receive = Callable[[], Awaitable[Any]]


class HungUp(Exception):
    """The client is gone: nobody waits for an answer."""


class BodyShares:
    """Counts the bytes of bodies that were announced or have arrived, and belong to requests without an answer yet.

    Each sender has a share. All together have a bound for what goes to files, so no sender can keep others from sending
    small bodies.
    """

    def __init__(self, max_import: int) -> None:
        self._share = max(MAX_FILES // SENDERS, 2 * max_import)
        self._files = SENDERS * self._share
        self._senders: dict[Any, int] = {}
        self._in_files = 0

    def take(self, sender: Any, held: int, size: int) -> None:
        """Let a body that holds some bytes of its sender's share hold `size`.

        :raises TooManyRequests: the sender's share is too small. :raises TooBusy: the files are full.
        """
        more = size - held
        files = _in_file(size) - _in_file(held)
        if self._senders.get(sender, 0) + more > self._share:
            raise TooManyRequests(
                f"Your requests hold {self._share} bytes already. Send fewer large ones at once, or try again.", RETRY
            )
        if self._in_files + files > self._files:
            raise TooBusy("Too many large requests arrive. Try again.")
        self._senders[sender] = self._senders.get(sender, 0) + more
        self._in_files += files

    def give_back(self, sender: Any, held: int) -> None:
        self._senders[sender] -= held
        if not self._senders[sender]:
            del self._senders[sender]
        self._in_files -= _in_file(held)


def _in_file(size: int) -> int:
    return max(0, size - IN_MEMORY)


class Body:
    """The body of a request, which `receive` (of ASGI) receives. `length` is what the headers say; None: chunks."""

    def __init__(self, environ: dict[str, Any], receive: Receive, client: WebClient) -> None:
        self.length = None if "HTTP_TRANSFER_ENCODING" in environ else int(environ.get("CONTENT_LENGTH") or 0)
        self.file: IO[bytes] = io.BytesIO()
        self.size = 0
        self._receive = receive
        self._client = client
        self._shares: BodyShares | None = None
        self._sender: Any = None
        self._held = 0

    async def read_arrived(self) -> None:
        """Read a body that has arrived with the headers; the web server reads no more than little at once.

        :raises HungUp: the client is gone.
        """
        data, _ = await self._next()
        self.file, self.size = io.BytesIO(data), len(data)

    async def read(self, most: int, sender: Any, shares: BodyShares, timeout: float) -> bool:
        """Read a body of at most `most` bytes. Return whether that is all of it.

        :raises TooSlow: it takes too long. :raises TooManyRequests, TooBusy: see `BodyShares`.
        :raises BadRequest: it cannot be read. :raises HungUp: the client is gone.
        """
        self._shares, self._sender = shares, sender
        self._hold(min(AHEAD, most) if self.length is None else self.length)
        self.file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - `close` does
        started, has_more = time.monotonic(), True
        while has_more:
            left = started + min(timeout + self.size / SLOWEST, max(timeout, TIME)) - time.monotonic()
            try:
                async with asyncio.timeout(max(left, 0.0)):
                    data, has_more = await self._next()
            except TimeoutError:
                raise TooSlow(
                    f"The body took more than {timeout:g} s and a second for each {SLOWEST >> 10} KiB, or {TIME:g} s."
                ) from None
            self.file.write(data)
            self.size += len(data)
            if self.size > most:
                return False
            if self.length is None:
                self._hold(self.size + AHEAD)
        self.file.seek(0)
        return True

    def close(self) -> None:
        self.file.close()
        if self._shares is not None and self._held:
            self._shares.give_back(self._sender, self._held)
            self._held = 0

    async def _next(self) -> tuple[bytes, bool]:
        message = await self._receive()
        if message["type"] != "http.request":
            raise HungUp
        if message["more_body"] and self._client.is_broken:
            raise BadRequest("The body cannot be read: its chunks are wrong.")
        return message["body"], message["more_body"]

    def _hold(self, size: int) -> None:
        assert self._shares is not None
        if size > self._held:
            self._shares.take(self._sender, self._held, size)
            self._held = size
