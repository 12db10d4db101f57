import threading

import pytest

from inkeek.records import Move
from inkeek.service.errors import StorageError
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.http.sse import encode
from inkeek.service.live.publisher import MAX_BEHIND, Publisher, Subscriber
from inkeek.service.live.topics import FEED
from inkeek.service.storage.store import Store
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
    monkeypatch.setattr("inkeek.service.live.publisher.RIGHTS_EVERY", 0.0)
    publisher = Publisher(store, encode, lambda rights: set(rights) - keys, 0.005, stopping)
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
    monkeypatch.setattr("inkeek.service.live.topics.BATCH", 2)
    for _ in range(5):
        games.play(game, games.load(game).legal(1)[0], Write("api"))
    subscriber = Subscriber(game)
    publisher.subscribe(subscriber, 1)
    assert seqs(subscriber, 5) == [2, 3, 4, 5, 6]


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
        patched.setattr("inkeek.service.storage.database.machines.Changes.happened", fail)
        publisher.subscribe(subscriber, 1)
        wait_until_closed(subscriber)
        reconnected = Subscriber(game)
        publisher.subscribe(reconnected, 1)
        wait_until_closed(reconnected)
    assert caplog.text.count("no disk") == 1
    publisher.subscribe(later, 1)
    games.end(game, "agreement", None, Write("api"))
    assert seqs(later, 1) == [2]


@pytest.mark.parametrize("error", [ValueError("no text"), StorageError("the page is torn")])
def test_a_topic_that_fails_ends_alone_and_works_again_later(publisher, games, game, monkeypatch, error):
    """One game cannot be read or encoded; it is neither the first nor the last that is read."""
    others = [games.create("bof", {}, {}, Write("api")).id for _ in range(2)]
    before, failing, after = (Subscriber(topic) for topic in (others[0], game, others[1]))

    def fail(update):
        if getattr(update, "game", None) == game:
            raise error
        return encode(update)

    with monkeypatch.context() as patched:
        patched.setattr(publisher, "_encode", fail)
        for subscriber in (before, failing, after):
            publisher.subscribe(subscriber, 1)
        games.play(game, Move.parse("c"), Write("api"))
        for other in others:
            games.end(other, "agreement", None, Write("api"))
        wait_until_closed(failing)
        assert seqs(before, 1) == seqs(after, 1) == [2]
    publisher.unsubscribe(failing)
    again = Subscriber(game)
    publisher.subscribe(again, 1)
    assert seqs(again, 1) == [2]


def test_a_ledger_that_cannot_be_extended_ends_the_feed_alone(publisher, games, game, monkeypatch):
    def fail(self):
        raise StorageError("the database is locked")

    monkeypatch.setattr(Store, "update_ledger", fail)
    feed, other = Subscriber(FEED), Subscriber(game)
    publisher.subscribe(other, 1)
    publisher.subscribe(feed, 0)
    wait_until_closed(feed)
    monkeypatch.undo()
    games.play(game, Move.parse("c"), Write("api"))
    assert seqs(other, 1) == [2]


def test_the_thread_runs_only_while_there_are_subscribers(publisher, game):
    before = set(threading.enumerate())
    subscriber = Subscriber(game)
    publisher.subscribe(subscriber, 1)
    (thread,) = set(threading.enumerate()) - before
    publisher.unsubscribe(subscriber)
    thread.join(60)
    assert not thread.is_alive()
