"""Server-Sent Events: how updates are encoded, and what one client of a stream is sent."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from service.live.publisher import Subscriber
from service.live.topics import BATCH, StreamMessage, Update
from service.settings import Settings
from service.storage import BoardRow, GameEvent, InboxRow, LogRow

from .serializers import board_json, event_json, log_json

MEDIA_TYPE = "text/event-stream"
RETRY_MS = 1000  # after which a browser reconnects

Read = Callable[[int], tuple[Iterable[Update], Iterable[Update]]]
"""At most `BATCH` events or log entries after a number, and the current state."""


def encode(update: Update) -> StreamMessage:
    """Encode an update as a message of a stream."""
    match update:
        case GameEvent():
            return StreamMessage(_text(update.kind, event_json(update), f"id: {update.seq}\n"), seq=update.seq)
        case LogRow():
            return StreamMessage(_text("log", log_json(update), f"id: {update.number}\n"), seq=update.number)
        case BoardRow():
            return StreamMessage(_text("board", board_json(update)), board=(update.id, update.version))
        case InboxRow():
            return StreamMessage(_text("lights", [update.version, update.dealt]))
        case None:
            return StreamMessage(_text("board", None))


def _text(kind: str, data: object, number: str = "") -> bytes:
    return f"{number}event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


class LiveStream:
    """A stream for one client: what is stored after number `after`, then the current state, then the messages of
    `subscriber`, each once. It ends with the subscription or after ``stream_lifetime``.

    `subscriber` must have subscribed already; `end` is called when the client is gone. A web server that gives the
    stream no thread sets `run`, which calls what may wait for the database.
    """

    def __init__(
        self,
        read: Read,
        subscriber: Subscriber,
        after: int,
        settings: Settings,
        end: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.subscriber = subscriber
        self.close = end
        self.run: Callable[..., Any] = lambda call, *arguments: call(*arguments)
        self._read = read
        self._after = after
        self._settings = settings
        self._clock = clock

    def __iter__(self) -> Iterator[bytes]:
        started = self._clock()
        after = self._after
        shown: tuple[str, int] | None = None  # the board state that was sent last
        yield f"retry: {RETRY_MS}\n\n".encode()
        while True:
            stored, state = self.run(self._read_encoded, after)
            if len(stored) < BATCH:
                break
            yield b"".join(message.text for message in stored)
            after = stored[-1].seq or after
        messages: list[StreamMessage] | None = [*stored, *state]
        while messages is not None:
            new = []
            for message in messages:
                if message.seq is not None:
                    is_new, after = message.seq > after, max(message.seq, after)
                else:
                    is_new, shown = message.board != shown, message.board
                if is_new:
                    new.append(message.text)
            if new:
                yield b"".join(new)
            elif not messages:
                yield b": still here\n\n"
            left = started + self._settings.stream_lifetime - self._clock()
            if left <= 0:
                return
            messages = self.subscriber.wait(min(left, self._settings.stream_heartbeat))

    def _read_encoded(self, after: int) -> tuple[list[StreamMessage], list[StreamMessage]]:
        stored, state = self._read(after)
        return list(map(encode, stored)), list(map(encode, state))
