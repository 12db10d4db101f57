from __future__ import annotations

import socket
import threading

import pytest

from records import Move
from service.errors import StorageError
from service.games.repository import Games
from service.games.write import Write
from service.http.sse import encode
from service.live.publisher import MAX_BEHIND, Publisher, Subscriber
from service.storage import Store
from tests.service.waiting import until


@pytest.fixture
def keys():
    """The ids of the valid keys."""
    return {"k1"}


@pytest.fixture
def stopping():
    return threading.Event()


@pytest.fixture
def publisher(store, keys, stopping, monkeypatch):
    monkeypatch.setattr("service.live.publisher.KEYS_EVERY", 0.0)
    publisher = Publisher(store, encode, lambda key_ids: keys.intersection(key_ids), 0.005, stopping)
    yield publisher
    publisher.close()


@pytest.fixture
def game(games):
    return games.create("enkeshui", {"pits": 8}, {}, Write("api")).id


def seqs(subscriber, count):
    """The numbers of the next `count` events."""
    found: list[int] = []
    while len(found) < count:
        messages = subscriber.wait(60)
        assert messages, "no message arrives"
        found += [message.seq for message in messages if message.seq is not None]
    return found


def wait_until_closed(subscriber):
    """Wait until the subscription is over."""
    return until(lambda: subscriber.wait(0.01) is None)


def test_all_subscribers_get_the_same_message(publisher, games, game):
    subscribers = [Subscriber(game) for _ in range(3)]
    for subscriber in subscribers:
        publisher.subscribe(subscriber, 1)
    event = games.play(game, Move.parse("c"), Write("api")).event

    def message(subscriber):
        return until(lambda: next((m for m in subscriber.wait(1) or () if m.seq == 2), None))

    first, *others = map(message, subscribers)
    assert first == encode(event)
    assert all(other is first for other in others)


def test_events_of_another_process_are_published(publisher, game, database):
    subscriber = Subscriber(game)
    publisher.subscribe(subscriber, 1)
    store = Store(database)
    Games(store, max_plies=100).play(game, Move.parse("c"), Write("api"))
    store.close()
    assert seqs(subscriber, 1) == [2]


def test_a_subscriber_misses_nothing_after_the_last_stored_event(publisher, games, game):
    games.play(game, Move.parse("c"), Write("api"))
    subscriber, later = Subscriber(game), Subscriber(game)
    publisher.subscribe(subscriber, 1)
    assert seqs(subscriber, 1) == [2]
    publisher.subscribe(later, 2)
    games.end(game, "agreement", None, Write("api"))
    assert seqs(later, 1) == [3]


def test_a_topic_carries_only_its_own_game(publisher, games, game):
    other = games.create("enkeshui", {"pits": 8}, {}, Write("api")).id
    subscriber, elsewhere = Subscriber(game), Subscriber(other)
    publisher.subscribe(subscriber, 1)
    publisher.subscribe(elsewhere, 1)
    games.play(game, Move.parse("c"), Write("api"))
    games.end(game, "agreement", None, Write("api"))
    games.end(other, "agreement", None, Write("api"))
    assert seqs(elsewhere, 1) == [2]
    assert seqs(subscriber, 2) == [2, 3]


def test_many_events_are_read_in_batches(publisher, games, game, monkeypatch):
    monkeypatch.setattr("service.live.topics.BATCH", 2)
    for _ in range(5):
        games.play(game, games.load(game).legal(1)[0], Write("api"))
    subscriber = Subscriber(game)
    publisher.subscribe(subscriber, 1)
    assert seqs(subscriber, 5) == [2, 3, 4, 5, 6]


def test_a_client_that_hangs_up_is_unsubscribed(publisher, game):
    here, there = socket.socketpair()
    with here:
        subscriber = Subscriber(game, connection=here)
        with there:
            publisher.subscribe(subscriber, 1)
            assert subscriber.wait(1) is not None
        wait_until_closed(subscriber)
        publisher.unsubscribe(subscriber)


def test_a_client_that_sends_data_stays_and_nothing_is_read(publisher, games, game):
    here, there = socket.socketpair()
    with here, there:
        subscriber = Subscriber(game, connection=here)
        publisher.subscribe(subscriber, 1)
        there.send(b"more")
        assert subscriber.wait(1) is not None
        games.end(game, "agreement", None, Write("api"))
        assert seqs(subscriber, 1) == [2]
        assert here.recv(10) == b"more"
        publisher.unsubscribe(subscriber)


def test_a_connection_is_not_watched_after_unsubscribing(publisher, game):
    here, there = socket.socketpair()
    with here, there:
        first, second = Subscriber(game, connection=here), Subscriber(game, connection=here)
        publisher.subscribe(first, 1)
        publisher.unsubscribe(first)
        publisher.unsubscribe(first)
        publisher.subscribe(second, 1)  # the same connection again
        there.close()
        wait_until_closed(second)
        publisher.unsubscribe(second)


def test_a_subscription_ends_with_its_key(publisher, keys, game):
    subscriber, nobody = Subscriber(game, "k1"), Subscriber(game)
    publisher.subscribe(subscriber, 1)
    publisher.subscribe(nobody, 1)
    assert subscriber.wait(1) is not None
    keys.clear()
    wait_until_closed(subscriber)
    assert nobody.wait(0) is not None


def test_a_slow_subscriber_is_closed():
    subscriber = Subscriber("g")
    for _ in range(MAX_BEHIND):
        subscriber.notify([])
    assert subscriber.wait(0) == []
    for _ in range(MAX_BEHIND + 1):
        subscriber.notify([])
    assert subscriber.wait(0) is None


def test_stopping_ends_all_subscriptions(publisher, game, stopping):
    subscriber = Subscriber(game)
    publisher.subscribe(subscriber, 1)
    stopping.set()
    wait_until_closed(subscriber)


def test_a_database_failure_ends_all_subscriptions_and_new_ones_work(publisher, games, game, monkeypatch, caplog):
    def fail(self):
        raise StorageError("the database failed: no disk")

    subscriber, later = Subscriber(game), Subscriber(game)
    with monkeypatch.context() as patched:
        patched.setattr("service.storage.changes.Changes.happened", fail)
        publisher.subscribe(subscriber, 1)
        wait_until_closed(subscriber)
        reconnected = Subscriber(game)
        publisher.subscribe(reconnected, 1)
        wait_until_closed(reconnected)
    assert caplog.text.count("no disk") == 1
    publisher.subscribe(later, 1)
    games.end(game, "agreement", None, Write("api"))
    assert seqs(later, 1) == [2]


def test_the_thread_runs_only_while_there_are_subscribers(publisher, game):
    before = set(threading.enumerate())
    subscriber = Subscriber(game)
    publisher.subscribe(subscriber, 1)
    (thread,) = set(threading.enumerate()) - before
    publisher.unsubscribe(subscriber)
    thread.join(60)
    assert not thread.is_alive()
