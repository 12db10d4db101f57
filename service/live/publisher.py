"""Publishes changes of games and boards to live subscribers.

One thread per process checks whether the database changed, reads what is new once, and hands the same messages to all
subscribers of a topic. The thread runs only while there are subscribers.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from inkeek.service.errors import ServiceError
from inkeek.service.storage import GameEvent
from inkeek.service.storage.store import Store

from .topics import FEED, Heads, StreamMessage, Topic, Update, open_topic

log = logging.getLogger(__name__)

MAX_BEHIND = 1000  # batches of messages that a subscriber may have waiting; a slower one is closed
RIGHTS_EVERY = 1.0  # seconds between checks of the subscribers' rights
DATABASE = "the database"  # in the place of a topic: all of them failed


@dataclass(eq=False)
class Subscriber:
    """One subscriber of the topic with that key (see `topics`). `right` is what lets the caller follow it, None where
    everybody may."""

    topic: str
    right: Hashable = None
    is_closed: bool = False
    _queue: SimpleQueue[list[StreamMessage] | None] = field(default_factory=SimpleQueue)
    _wake: Callable[[], None] | None = None

    def wake_by(self, wake: Callable[[], None]) -> None:
        """From now on, call a function whenever something arrives, in any thread, and once now: something may be there.

        For subscribers that have no thread in which they could wait.
        """
        self._wake = wake
        wake()

    def notify(self, messages: list[StreamMessage]) -> None:
        """Queue messages; close a subscriber that is too far behind."""
        self._put(messages if self._queue.qsize() < MAX_BEHIND else None)

    def close(self) -> None:
        """End the subscription: `wait` returns None."""
        self.is_closed = True
        self._put(None)

    def _put(self, messages: list[StreamMessage] | None) -> None:
        self._queue.put(messages)
        if self._wake is not None:
            self._wake()

    def wait(self, seconds: float) -> list[StreamMessage] | None:
        """The messages that arrived, in order, waiting at most so long for the first; None once the subscription is
        over: the client hung up or was too slow, its right has ended, the process stops, or the database fails."""
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
    """The live topics of one process. `encode` turns an update into a message; `ended` returns those of the
    rights of subscribers that have ended. The database is checked every `poll` seconds; `stopping` ends all
    subscriptions."""

    def __init__(
        self,
        store: Store,
        encode: Callable[[Update], StreamMessage],
        ended: Callable[[Collection[Any]], Collection[Any]],
        poll: float,
        stopping: threading.Event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._encode = encode
        self._ended = ended
        self._poll = poll
        self._stopping = stopping
        self._clock = clock
        self._lock = threading.Lock()
        self._feeds: dict[str, _Feed] = {}
        self._thread: threading.Thread | None = None
        self._failing: set[str] = set()  # topics, or DATABASE; logged once, though clients reconnect

    def subscribe(self, subscriber: Subscriber, seq: int) -> None:
        """Notify a subscriber of everything after number `seq`. Call it before reading what is stored already: then
        nothing is missed, and some of it may arrive twice."""
        topic = open_topic(subscriber.topic, seq, self._store)
        with self._lock:
            feed = self._feeds.setdefault(subscriber.topic, _Feed(topic))
            feed.subscribers.add(subscriber)
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="publisher", daemon=True)
                thread.start()
                self._thread = thread

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Remove a subscriber, if it is still there."""
        with self._lock:
            feed = self._feeds.get(subscriber.topic)
            if feed is not None:
                feed.subscribers.discard(subscriber)
                if not feed.subscribers:
                    del self._feeds[subscriber.topic]

    def close(self) -> None:
        """End all subscriptions and wait for the thread to stop."""
        with self._lock:
            thread = self._thread
            self._close_all()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        try:
            with self._store.changes() as changes:
                checked = self._clock()
                while self._has_subscribers():
                    if changes.happened() or self._any_fresh():
                        self._publish()
                    if self._clock() - checked >= RIGHTS_EVERY:
                        with self._lock:
                            subscribers = self._subscribers()
                        self._check_rights(subscribers)
                        checked = self._clock()
                    self._failing.discard(DATABASE)
                    time.sleep(self._poll)
        except Exception as error:  # noqa: BLE001 - it is logged, and the streams end
            self._log(DATABASE, error)
            with self._lock:
                self._close_all()
                self._thread = None

    def _has_subscribers(self) -> bool:
        """Whether the thread goes on; if not, it has ended."""
        with self._lock:
            if self._stopping.is_set():
                self._close_all()
            if not self._feeds:
                self._thread = None
                return False
            return True

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
        """Read what is new and notify the subscribers. The subscriptions of a topic that fails end, and no others."""
        with self._lock:
            feeds = dict(self._feeds)
        try:
            if FEED in feeds:
                self._store.update_ledger()
        except ServiceError as error:
            self._end_topic(feeds.pop(FEED), error)
        left = list(feeds.values())
        while left:
            self._publish_until_failure(left)

    def _publish_until_failure(self, left: list[_Feed]) -> None:
        """Publish topics, and take them from the list, until one fails: the transaction may be of no use then."""
        feed = None
        try:
            with self._store.reading() as transaction:
                games = transaction.games.heads([feed.topic.key for feed in left])
                heads = Heads(games, transaction.boards.versions())
                while left:
                    feed = left.pop()
                    updates = feed.topic.read(transaction, heads)
                    if any(isinstance(update, GameEvent) and update.kind == "tags" for update in updates):
                        with self._lock:
                            subscribers = list(feed.subscribers)
                        self._check_rights(subscribers)  # the game may have moved out of their limits
                    self._notify(feed, [self._encode(update) for update in updates])
        except Exception as error:
            if feed is None:
                raise
            self._end_topic(feed, error)

    def _notify(self, feed: _Feed, messages: list[StreamMessage]) -> None:
        self._failing.discard(feed.topic.key)
        if messages:
            with self._lock:
                for subscriber in feed.subscribers:
                    subscriber.notify(messages)

    def _end_topic(self, feed: _Feed, error: Exception) -> None:
        self._log(feed.topic.key, error)
        with self._lock:
            for subscriber in feed.subscribers:
                subscriber.close()
            if self._feeds.get(feed.topic.key) is feed:
                del self._feeds[feed.topic.key]

    def _log(self, failing: str, error: Exception) -> None:
        """Log a failure of a topic or the database, with its trace if it is an error of the program."""
        if failing not in self._failing or not isinstance(error, ServiceError):
            trace = None if isinstance(error, ServiceError) else error
            log.error("Live streams (%s) ended; their clients will reconnect: %s", failing, error, exc_info=trace)
        self._failing.add(failing)

    def _check_rights(self, subscribers: Collection[Subscriber]) -> None:
        rights = {subscriber.right for subscriber in subscribers if subscriber.right is not None}
        if rights:
            over = self._ended(rights)
            for subscriber in subscribers:
                if subscriber.right in over:
                    subscriber.close()
