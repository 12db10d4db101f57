"""Publishes changes of games and boards to live subscribers.

One thread per process checks whether the database changed, reads what is new once, and hands the same messages to all
subscribers of a topic. The thread runs only while there are subscribers.
"""

from __future__ import annotations

import contextlib
import logging
import select
import selectors
import socket
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Protocol

from service.errors import ServiceError
from service.storage import Store

from .topics import FEED, Heads, StreamMessage, Topic, Update, open_topic

log = logging.getLogger(__name__)

MAX_BEHIND = 1000  # batches of messages that a subscriber may have waiting; a slower one is closed
KEYS_EVERY = 1.0  # seconds between checks of the subscribers' keys


class Wakeup(Protocol):
    """What a subscriber waits for that has no thread of its own: like `threading.Event`."""

    def set(self) -> None: ...

    def clear(self) -> None: ...

    def wait(self, seconds: float) -> object: ...


@dataclass(eq=False)
class Subscriber:
    """One subscriber of the topic with that key (see `topics`). `key_hash` is the hash of the caller's secret, empty
    without one; `connection` is the client's socket where the web server exposes it, to notice a hang-up."""

    topic: str
    key_hash: str = ""
    connection: socket.socket | None = None
    _queue: SimpleQueue[list[StreamMessage] | None] = field(default_factory=SimpleQueue)
    _wakeup: Wakeup | None = None

    def wake_by(self, wakeup: Wakeup) -> None:
        """From now on, let `wait` wait for `wakeup`, which is set when something arrives, and block no thread."""
        wakeup.set()  # something may have arrived already
        self._wakeup = wakeup

    def notify(self, messages: list[StreamMessage]) -> None:
        """Queue messages; close a subscriber that is too far behind."""
        self._put(messages if self._queue.qsize() < MAX_BEHIND else None)

    def close(self) -> None:
        """End the subscription: `wait` returns None."""
        self._put(None)

    def _put(self, messages: list[StreamMessage] | None) -> None:
        self._queue.put(messages)
        if self._wakeup is not None:
            self._wakeup.set()

    def wait(self, seconds: float) -> list[StreamMessage] | None:
        """The messages that arrived, in order, waiting at most so long for the first; None once the subscription is
        over: the client hung up or was too slow, its key was revoked, the process stops, or the database fails."""
        if self._wakeup is not None:
            self._wakeup.wait(seconds)
            self._wakeup.clear()  # before looking: what arrives now sets it again
            seconds = 0.0
        received: list[StreamMessage] = []
        with contextlib.suppress(Empty):
            while True:
                messages = self._queue.get(seconds > 0, seconds)
                if messages is None:
                    return None
                received += messages
                seconds = 0
        return received


@dataclass(eq=False)
class _Feed:
    """A topic and its subscribers."""

    topic: Topic
    subscribers: set[Subscriber] = field(default_factory=set)


class Publisher:
    """The live topics of one process. `encode` turns an update into a message; `valid_keys` returns those of some
    hashes of secrets that are still valid. The database is checked every `poll` seconds; `stopping` ends all
    subscriptions."""

    def __init__(
        self,
        store: Store,
        encode: Callable[[Update], StreamMessage],
        valid_keys: Callable[[Collection[str]], Collection[str]],
        poll: float,
        stopping: threading.Event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._encode = encode
        self._valid_keys = valid_keys
        self._poll = poll
        self._stopping = stopping
        self._clock = clock
        self._lock = threading.Lock()
        self._feeds: dict[str, _Feed] = {}
        self._running: tuple[threading.Thread, selectors.BaseSelector] | None = None
        self._failing = False  # the database; logged once, though clients reconnect

    def subscribe(self, subscriber: Subscriber, seq: int) -> None:
        """Notify a subscriber of everything after number `seq`. Call it before reading what is stored already: then
        nothing is missed, and some of it may arrive twice."""
        with self._lock:
            feed = self._feeds.get(subscriber.topic)
            if feed is None:
                feed = self._feeds[subscriber.topic] = _Feed(open_topic(subscriber.topic, seq))
            feed.subscribers.add(subscriber)
            if self._running is None:
                thread = threading.Thread(target=self._run, name="publisher", daemon=True)
                self._running = thread, selectors.DefaultSelector()
                thread.start()
            if subscriber.connection is not None:
                self._running[1].register(subscriber.connection, selectors.EVENT_READ, subscriber)

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Remove a subscriber, if it is still there. Call it before its connection is closed."""
        with self._lock:
            feed = self._feeds.get(subscriber.topic)
            if feed is not None:
                feed.subscribers.discard(subscriber)
                if not feed.subscribers:
                    del self._feeds[subscriber.topic]
            if self._running is not None and subscriber.connection is not None:
                with contextlib.suppress(KeyError):  # the client hung up: not watched any more
                    self._running[1].unregister(subscriber.connection)

    def close(self) -> None:
        """End all subscriptions and wait for the thread to stop."""
        with self._lock:
            running = self._running
            self._close_all()
        if running is not None:
            running[0].join()

    def _run(self) -> None:
        try:
            with self._store.changes() as changes:
                checked = self._clock()
                while self._has_subscribers():
                    if changes.happened() or self._any_fresh():
                        self._publish()
                        self._failing = False
                    if self._clock() - checked >= KEYS_EVERY:
                        self._check_keys()
                        checked = self._clock()
                    self._wait()
        except Exception as error:
            if not self._failing or not isinstance(error, ServiceError):
                trace = None if isinstance(error, ServiceError) else error
                log.error("Live streams ended; their clients will reconnect: %s", error, exc_info=trace)
            self._failing = True
            with self._lock:
                self._close_all()
                self._end()

    def _has_subscribers(self) -> bool:
        """Whether the thread goes on; if not, it has ended."""
        with self._lock:
            if self._stopping.is_set():
                self._close_all()
            if not self._feeds:
                self._end()
                return False
            return True

    def _end(self) -> None:
        assert self._running is not None
        self._running[1].close()
        self._running = None

    def _close_all(self) -> None:
        for subscriber in self._subscribers():
            subscriber.close()
        self._feeds.clear()

    def _subscribers(self) -> list[Subscriber]:
        return [subscriber for feed in self._feeds.values() for subscriber in feed.subscribers]

    def _any_fresh(self) -> bool:
        with self._lock:
            return any(feed.topic.fresh for feed in self._feeds.values())

    def _publish(self) -> None:
        """Read what is new and notify the subscribers."""
        with self._lock:
            feeds = dict(self._feeds)
        found: list[tuple[_Feed, list[StreamMessage]]] = []
        if FEED in feeds:
            self._store.update_ledger()
        with self._store.reading() as transaction:
            heads = Heads(transaction.games.heads(list(feeds)), transaction.boards.versions())
            for feed in feeds.values():
                updates = feed.topic.read(transaction, heads)
                if updates:
                    found.append((feed, [self._encode(update) for update in updates]))
        with self._lock:
            for feed, messages in found:
                for subscriber in feed.subscribers:
                    subscriber.notify(messages)

    def _check_keys(self) -> None:
        """Close subscribers whose key was revoked or has expired."""
        with self._lock:
            subscribers = self._subscribers()
        hashes = {subscriber.key_hash for subscriber in subscribers if subscriber.key_hash}
        if hashes:
            over = hashes.difference(self._valid_keys(hashes))
            for subscriber in subscribers:
                if subscriber.key_hash in over:
                    subscriber.close()

    def _wait(self) -> None:
        """Wait until the next check; close subscribers that hang up meanwhile."""
        assert self._running is not None
        selector = self._running[1]
        if not selector.get_map():
            time.sleep(self._poll)
            return
        for key, _ in selector.select(self._poll):
            subscriber: Subscriber = key.data
            with self._lock, contextlib.suppress(KeyError):  # it unsubscribed in this moment
                selector.unregister(key.fileobj)  # hung up, or sent more, which nobody will read
                if _hung_up(subscriber.connection):
                    subscriber.close()


def is_gone(connection: socket.socket | None) -> bool:
    """Whether the client has hung up. Never waits."""
    try:
        return connection is not None and bool(select.select([connection], [], [], 0)[0]) and _hung_up(connection)
    except (OSError, ValueError):  # closed
        return True


def _hung_up(connection: socket.socket | None) -> bool:
    try:
        return connection is not None and not connection.recv(1, socket.MSG_PEEK)
    except (OSError, ValueError):  # reset; or TLS, where the only thing that comes now is a close notification
        return True
