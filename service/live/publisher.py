"""News of games and boards for those who follow them live. One thread of the process looks whether the database has
changed, reads what is new once, and hands the same bytes to all followers of a topic; they only wait.

It looks while somebody follows, and is not there otherwise.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import socket
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from service.errors import ServiceError
from service.storage import Store

from .topics import Heads, Message, Topic, open_channel

log = logging.getLogger(__name__)

MAX_BEHIND = 1000  # times that something was new which a follower may not have taken yet; a slower one is let go
KEYS_EVERY = 1.0  # seconds between looks whether the followers' keys are still good


@dataclass(eq=False)
class Follower:
    """Somebody who follows a topic (`channels`): a game, by its id, a board, or all boards. `key` is the id of the key
    that he showed, empty without one; `line` the socket on which he may hang up, where the server shows it."""

    topic: str
    key: str = ""
    line: socket.socket | None = None
    _come: SimpleQueue[list[Message] | None] = field(default_factory=SimpleQueue)

    def tell(self, messages: list[Message]) -> None:
        """Hand him messages; let him go if he has not taken those before."""
        self._come.put(messages if self._come.qsize() < MAX_BEHIND else None)

    def let_go(self) -> None:
        """He gets no more messages."""
        self._come.put(None)

    def wait(self, seconds: float) -> list[Message] | None:
        """What has come, in order, after at most so many seconds (then it may be nothing); None when it is over: he
        hung up, his key was revoked, he was too slow, the process stops, or the database fails."""
        come: list[Message] = []
        with contextlib.suppress(Empty):
            while True:
                messages = self._come.get(timeout=seconds)
                if messages is None:
                    return None
                come += messages
                seconds = 0
        return come


class Publisher:
    """The news of a process. `good` tells which of some keys (by id) may still be used; every `poll` seconds it looks
    for something new; all are let go when it is `stopping`."""

    def __init__(
        self,
        store: Store,
        good: Callable[[Collection[str]], Collection[str]],
        poll: float,
        stopping: threading.Event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._good = good
        self._poll = poll
        self._stopping = stopping
        self._clock = clock
        self._lock = threading.Lock()
        self._channels: dict[str, Topic] = {}
        self._running: tuple[threading.Thread, selectors.BaseSelector] | None = None

    def follow(self, follower: Follower, seq: int) -> None:
        """From now on tell him what comes after event `seq`, which the game has (or the board's log). What is stored
        by then he reads himself, after this call: so he misses nothing, and may be told again what he has read."""
        with self._lock:
            self._channels.setdefault(follower.topic, open_channel(follower.topic, seq)).followers.add(follower)
            if self._running is None:
                thread = threading.Thread(target=self._run, name="news", daemon=True)
                self._running = thread, selectors.DefaultSelector()
                thread.start()
            if follower.line is not None:
                self._running[1].register(follower.line, selectors.EVENT_READ, follower)

    def leave(self, follower: Follower) -> None:
        """He follows no more; call it before his line is closed. Of one who left already nothing is changed."""
        with self._lock:
            channel = self._channels.get(follower.topic)
            if channel is not None:
                channel.followers.discard(follower)
                if not channel.followers:
                    del self._channels[follower.topic]
            if self._running is not None and follower.line is not None:
                with contextlib.suppress(KeyError):  # he hung up: his line is watched no more
                    self._running[1].unregister(follower.line)

    def close(self) -> None:
        """Let all go, and return when the database is not looked at any more."""
        with self._lock:
            running = self._running
            self._let_go(self._followers())
            self._channels.clear()
        if running is not None:
            running[0].join()

    def _run(self) -> None:
        try:
            with self._store.changes() as changes:
                checked = self._clock()
                while self._goes_on():
                    if changes.happened() or self._any_fresh():
                        self._publish()
                    if self._clock() - checked >= KEYS_EVERY:
                        self._check_keys()
                        checked = self._clock()
                    self._wait()
        except Exception as error:
            trace = None if isinstance(error, ServiceError) else error
            log.error("live streams end, and their readers resume: %s", error, exc_info=trace)
            with self._lock:
                self._let_go(self._followers())
                self._channels.clear()
                self._end()

    def _goes_on(self) -> bool:
        """Whether anybody follows; if not, it has ended."""
        with self._lock:
            if self._stopping.is_set():
                self._let_go(self._followers())
                self._channels.clear()
            if not self._channels:
                self._end()
                return False
            return True

    def _end(self) -> None:
        assert self._running is not None
        self._running[1].close()
        self._running = None

    def _followers(self) -> list[Follower]:
        return [follower for channel in self._channels.values() for follower in channel.followers]

    @staticmethod
    def _let_go(followers: Collection[Follower]) -> None:
        for follower in followers:
            follower.let_go()

    def _any_fresh(self) -> bool:
        with self._lock:
            return any(channel.fresh for channel in self._channels.values())

    def _publish(self) -> None:
        """Read what is new, and tell it."""
        with self._lock:
            channels = dict(self._channels)
        told: list[tuple[Topic, list[Message]]] = []
        with self._store.reading() as transaction:
            heads = Heads(transaction.games.heads(list(channels)), transaction.boards.versions())
            for channel in channels.values():
                messages = channel.read(transaction, heads)
                if messages:
                    told.append((channel, messages))
        with self._lock:
            for channel, messages in told:
                for follower in channel.followers:
                    follower.tell(messages)

    def _check_keys(self) -> None:
        """Let those go whose keys were revoked or have expired."""
        with self._lock:
            followers = self._followers()
        shown = {follower.key for follower in followers if follower.key}
        if shown:
            over = shown.difference(self._good(shown))
            self._let_go([follower for follower in followers if follower.key in over])

    def _wait(self) -> None:
        """Wait until it is time to look again; who has hung up meanwhile is let go."""
        assert self._running is not None
        selector = self._running[1]
        if not selector.get_map():
            time.sleep(self._poll)
            return
        for key, _ in selector.select(self._poll):
            follower: Follower = key.data
            with self._lock, contextlib.suppress(KeyError):  # he left in this moment
                selector.unregister(key.fileobj)  # gone, or he has sent more, which nobody will read
                if _hung_up(follower.line):
                    follower.let_go()


def _hung_up(line: socket.socket | None) -> bool:
    try:
        return line is not None and not line.recv(1, socket.MSG_PEEK)
    except (OSError, ValueError):  # he went without a word; or it is TLS, where what comes now is a farewell
        return True
