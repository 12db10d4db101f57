"""What the application answers, computed in threads."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from inkeek.service.http.sse import Stream

Headers = list[tuple[bytes, bytes]]


class AnswerParts:
    """What the application answers, in parts; all methods run in one of the threads.

    `part` is its beginning. `stream` is set instead if it is a live stream. `status` is 0 if it gave no answer.
    """

    def __init__(self, app: Any, environ: dict[str, Any]) -> None:
        self.is_over = False
        self.stream: Stream | None = None
        self.part = b""
        self.status = 0
        self.headers: Headers = []
        self._answer: Iterable[bytes] = app(environ, self._start)
        if isinstance(self._answer, Stream):
            self.stream = self._answer
        else:
            self._parts: Iterator[bytes] = iter(self._answer)
            self.part = self.next_part(sys.maxsize if self.has_length else 1)

    @property
    def has_length(self) -> bool:
        """Whether the headers say how long it is."""
        return any(name == b"content-length" for name, _ in self.headers)

    @property
    def says_later(self) -> bool:
        """Whether it is a refusal that names a time after which to try again."""
        return any(name == b"retry-after" for name, _ in self.headers)

    def next_part(self, least: int) -> bytes:
        """The next bytes, at least so many or what is left."""
        parts, size = [], 0
        try:
            for part in self._parts:
                parts.append(part)
                size += len(part)
                if size >= least:
                    return b"".join(parts)
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

    def _start(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> None:
        self.status = int(status[:3])
        self.headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
