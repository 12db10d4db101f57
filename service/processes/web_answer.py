"""What the application answers, computed in threads."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from service.http.sse import Stream


class AnswerParts:
    """What the application answers, in parts; all methods run in one of the threads.

    `part` is its beginning. `stream` is set instead if it is a live stream.
    """

    def __init__(self, app: Any, environ: dict[str, Any], resp: Any) -> None:
        self.is_over = False
        self.stream: Stream | None = None
        self.part = b""
        self._answer: Iterable[bytes] = app(environ, resp.start_response)
        if isinstance(self._answer, Stream):
            self.stream = self._answer
        else:
            self._parts: Iterator[bytes] = iter(self._answer)
            self.part = self.next_part(1 if resp.response_length is None else sys.maxsize)

    def next_part(self, least: int, rest: Callable[[float], None] = lambda worked: None) -> bytes:
        """The next bytes, at least so many or what is left. `rest` is called with the seconds that each piece took."""
        parts, size = [], 0
        try:
            began = time.monotonic()
            for part in self._parts:
                rest(time.monotonic() - began)
                parts.append(part)
                size += len(part)
                if size >= least:
                    return b"".join(parts)
                began = time.monotonic()
        except BaseException:
            self.close()
            raise
        self.close()
        return b"".join(parts)

    def close(self) -> None:
        if not self.is_over:
            self.is_over = True
            if hasattr(self._answer, "close"):
                self._answer.close()
