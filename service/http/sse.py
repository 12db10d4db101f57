"""Server-Sent Events: how updates are encoded, and what one client of a stream is sent."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from typing import Any

from inkeek.service.boards.answers import BoardJson, FreePortsJson, LogEntryJson
from inkeek.service.games.answers import EventJson, FeedEventJson
from inkeek.service.live.publisher import Subscriber
from inkeek.service.live.topics import BATCH, StreamMessage, Update
from inkeek.service.settings import Settings
from inkeek.service.storage import BoardRow, GameEvent, LogRow
from inkeek.service.storage.tables.feed import FeedCursor, FeedEvent, FeedFilter, FeedPage

from .shape import encode as encode_json

MEDIA_TYPE = "text/event-stream"
RETRY_MS = 1000  # after which a browser reconnects

Read = Callable[[int], tuple[Iterable[Update], Iterable[Update]]]
"""At most `BATCH` events or log entries after a number, and the current state."""


def encode(update: Update) -> StreamMessage:
    """Encode an update as a message of a stream."""
    match update:
        case GameEvent():
            return StreamMessage(_text(update.kind, EventJson.of(update), f"id: {update.seq}\n"), seq=update.seq)
        case FeedEvent():
            text = _text(update.event.kind, FeedEventJson.of(update), f"id: {update.cursor}\n")
            return StreamMessage(text, seq=update.cursor.number, item=update)
        case LogRow():
            return StreamMessage(_text("log", LogEntryJson.of(update), f"id: {update.number}\n"), seq=update.number)
        case BoardRow():
            return StreamMessage(_text("board", BoardJson.of(update)), board=(update.id, update.version))
        case tuple():
            return StreamMessage(_text("ports", FreePortsJson.of(items=update)), board=("ports", hash(update)))
        case None:
            return StreamMessage(_text("board", None))


def _text(kind: str, data: object, number: str = "") -> bytes:
    return b"%sevent: %s\ndata: %s\n\n" % (number.encode(), kind.encode(), encode_json(data))


Step = bytes | float | Callable[[], Any]
"""Of a stream: bytes to send; or seconds to wait at most for messages, which the stream gets back; or what may wait for
the database, of which it gets back the result."""


class Stream:
    """A response for one client that is sent as the messages of `subscriber` arrive. `close` is called when it is over.

    A web server that gives the stream no thread takes its `steps` itself.
    """

    def __init__(self, subscriber: Subscriber, close: Callable[[], None]) -> None:
        self.subscriber = subscriber
        self.close = close

    def steps(self) -> Generator[Step, Any, None]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[bytes]:
        """The bytes to send, in a thread that waits."""
        steps, result = self.steps(), None
        with contextlib.suppress(StopIteration):
            while True:
                step, result = steps.send(result), None
                if isinstance(step, bytes):
                    yield step
                else:
                    result = self.subscriber.wait(step) if isinstance(step, float) else step()


class LiveStream(Stream):
    """A stream for one client: what is stored after number `after`, then the current state, then the messages of
    `subscriber`, each once. It ends with the subscription or after ``stream_lifetime``.

    `subscriber` must have subscribed already; `end` is called when the client is gone. `shows_heartbeats`: a heartbeat
    follows whatever is sent, and is an event: scripts of pages see nothing else.
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
        super().__init__(subscriber, end)
        self._read = read
        self._after = after
        self._shown: tuple[str, int] | None = None  # the board state that was sent last
        self._settings = settings
        self._clock = clock
        self.shows_heartbeats = False

    def steps(self) -> Generator[Step, Any, None]:
        started = self._clock()
        heartbeat, lifetime = self._settings.stream_heartbeat, self._settings.stream_lifetime
        yield self._chunk(f"retry: {RETRY_MS}\n\n".encode())
        yield from self._stored_messages()
        sent = self._clock()
        while (left := started + lifetime - self._clock()) > 0:
            messages = yield float(min(left, heartbeat))
            if messages is None:
                return
            text = self._new_text(messages)
            if text or not messages or self._clock() - sent >= heartbeat:
                yield self._chunk(text)
                sent = self._clock()
            del messages, text  # the next ones may be hours away, and thousands of clients may wait for them

    def _stored_messages(self) -> Generator[Step, Any, None]:
        more = True
        while more and not self.subscriber.is_closed:  # which `wait` does not say before all of them were sent
            messages, reached, more = yield partial(self._next_stored, self._after)
            text = self._new_text(messages)
            if more:
                self._after = reached
            yield self._chunk(text)

    def _new_text(self, messages: list[StreamMessage]) -> bytes:
        """The text of those messages that the client does not have."""
        new = []
        for message in messages:
            if message.seq is not None:
                is_new = message.seq > self._after and self._wants(message)
                self._after = max(message.seq, self._after)
            else:
                is_new, self._shown = message.board != self._shown, message.board
            if is_new:
                new.append(message.text)
        return b"".join(new)

    def _next_stored(self, after: int) -> tuple[list[StreamMessage], int, bool]:
        """What is stored after a number, the number that this reaches to, and whether there is more. The current state
        follows what is stored last."""
        stored, state = self._read(after)
        messages = list(map(encode, stored))
        if len(messages) >= BATCH:
            return messages, messages[-1].seq or after, True
        return [*messages, *map(encode, state)], after, False

    def _wants(self, message: StreamMessage) -> bool:
        return True

    def _chunk(self, text: bytes) -> bytes:
        """What to send: a text if there is one, and a heartbeat."""
        if self.shows_heartbeats:
            return text + self._idle(self._after) + b"event: heartbeat\ndata:\n\n"
        return text or self._idle(self._after)

    def _idle(self, after: int) -> bytes:
        """What is sent when there is nothing to send; the client has everything up to `after`."""
        return b": still here\n\n"


class FeedStream(LiveStream):
    """The feed of those events that `where` matches. `read` reads a page of them after a cursor."""

    def __init__(
        self,
        read: Callable[[FeedCursor], FeedPage],
        where: FeedFilter,
        subscriber: Subscriber,
        after: FeedCursor,
        settings: Settings,
        end: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(lambda _after: ((), ()), subscriber, after.number, settings, end, clock)
        self._page = read
        self._where = where

    def _next_stored(self, after: int) -> tuple[list[StreamMessage], int, bool]:
        page = self._page(FeedCursor.of(after))
        return list(map(encode, page.items)), page.after.number, page.more

    def _wants(self, message: StreamMessage) -> bool:
        return message.item is not None and self._where.matches(message.item)

    def _idle(self, after: int) -> bytes:
        """The cursor, from which the client resumes: events that do not match are behind it."""
        return f"id: {FeedCursor.of(after)}\n\n".encode()
