from __future__ import annotations

import socket
import threading

import pytest

from records import Move
from service.errors import StorageError
from service.games.repository import Games
from service.games.write import Write
from service.live.publisher import MAX_BEHIND, Follower, Publisher
from service.live.topics import event_message
from service.storage import Store
from tests.service.waiting import until


@pytest.fixture
def store(database):
    store = Store(database)
    yield store
    store.close()


@pytest.fixture
def games(store):
    return Games(store, max_plies=100)


@pytest.fixture
def keys():
    """The ids of the keys that are good."""
    return {"k1"}


@pytest.fixture
def stopping():
    return threading.Event()


@pytest.fixture
def news(store, keys, stopping, monkeypatch):
    monkeypatch.setattr("service.live.publisher.KEYS_EVERY", 0.0)
    news = Publisher(store, lambda asked: keys.intersection(asked), 0.005, stopping)
    yield news
    news.close()


@pytest.fixture
def game(games):
    return games.create("enkeshui", {"pits": 8}, {}, Write("api")).id


def seqs(follower, count):
    """The numbers of the next so many events that he is told of."""
    found: list[int] = []
    while len(found) < count:
        come = follower.wait(15)
        assert come, "nothing comes"
        found += [message.seq for message in come if message.seq is not None]
    return found


def over(follower):
    """Wait until he is let go."""
    return until(lambda: follower.wait(0.01) is None)


def test_all_followers_are_told_the_same_bytes(news, games, game):
    followers = [Follower(game) for _ in range(3)]
    for follower in followers:
        news.follow(follower, 1)
    event = games.play(game, Move.parse("c"), Write("api")).event

    def message(follower):
        return until(lambda: next((m for m in follower.wait(1) or () if m.seq == 2), None))

    first, *others = map(message, followers)
    assert first == event_message(event)
    assert all(other is first for other in others)


def test_what_another_process_stores_is_told(news, game, database):
    follower = Follower(game)
    news.follow(follower, 1)
    store = Store(database)
    Games(store, max_plies=100).play(game, Move.parse("c"), Write("api"))
    store.close()
    assert seqs(follower, 1) == [2]


def test_who_follows_from_what_was_last_stored_misses_nothing(news, games, game):
    games.play(game, Move.parse("c"), Write("api"))
    follower, later = Follower(game), Follower(game)
    news.follow(follower, 1)
    assert seqs(follower, 1) == [2]
    news.follow(later, 2)
    games.end(game, "agreement", None, Write("api"))
    assert seqs(later, 1) == [3]


def test_a_game_tells_nothing_of_another(news, games, game):
    other = games.create("enkeshui", {"pits": 8}, {}, Write("api")).id
    follower, elsewhere = Follower(game), Follower(other)
    news.follow(follower, 1)
    news.follow(elsewhere, 1)
    games.play(game, Move.parse("c"), Write("api"))
    games.end(game, "agreement", None, Write("api"))
    games.end(other, "agreement", None, Write("api"))
    assert seqs(elsewhere, 1) == [2]
    assert seqs(follower, 2) == [2, 3]


def test_many_events_are_read_in_parts(news, games, game, monkeypatch):
    monkeypatch.setattr("service.live.topics.BATCH", 2)
    for _ in range(5):
        games.play(game, games.load(game).legal(1)[0], Write("api"))
    follower = Follower(game)
    news.follow(follower, 1)
    assert seqs(follower, 5) == [2, 3, 4, 5, 6]


def test_who_hangs_up_is_let_go(news, game):
    here, there = socket.socketpair()
    with here:
        follower = Follower(game, line=here)
        with there:
            news.follow(follower, 1)
            assert follower.wait(1) is not None
        over(follower)
        news.leave(follower)


def test_who_sends_more_stays_and_it_is_not_read(news, games, game):
    here, there = socket.socketpair()
    with here, there:
        follower = Follower(game, line=here)
        news.follow(follower, 1)
        there.send(b"more")
        assert follower.wait(1) is not None
        games.end(game, "agreement", None, Write("api"))
        assert seqs(follower, 1) == [2]
        assert here.recv(10) == b"more"
        news.leave(follower)


def test_a_line_is_not_watched_after_its_follower_left(news, game):
    here, there = socket.socketpair()
    with here, there:
        first, second = Follower(game, line=here), Follower(game, line=here)
        news.follow(first, 1)
        news.leave(first)
        news.leave(first)
        news.follow(second, 1)  # the same line again
        there.close()
        over(second)
        news.leave(second)


def test_who_shows_a_key_follows_as_long_as_it_is_good(news, keys, game):
    follower, nobody = Follower(game, "k1"), Follower(game)
    news.follow(follower, 1)
    news.follow(nobody, 1)
    assert follower.wait(1) is not None
    keys.clear()
    over(follower)
    assert nobody.wait(0) is not None


def test_who_takes_nothing_is_let_go():
    follower = Follower("g")
    for _ in range(MAX_BEHIND):
        follower.tell([])
    assert follower.wait(0) == []
    for _ in range(MAX_BEHIND + 1):
        follower.tell([])
    assert follower.wait(0) is None


def test_nobody_follows_in_a_process_that_stops(news, game, stopping):
    follower = Follower(game)
    news.follow(follower, 1)
    stopping.set()
    over(follower)


def test_all_are_let_go_when_the_database_fails_and_may_come_again(news, games, game, monkeypatch, caplog):
    def fail(self):
        raise StorageError("the database failed: no disk")

    follower, later = Follower(game), Follower(game)
    with monkeypatch.context() as patched:
        patched.setattr("service.storage.changes.Changes.happened", fail)
        news.follow(follower, 1)
        over(follower)
    assert "no disk" in caplog.text
    news.follow(later, 1)
    games.end(game, "agreement", None, Write("api"))
    assert seqs(later, 1) == [2]


def test_the_database_is_looked_at_only_while_somebody_follows(news, game):
    before = set(threading.enumerate())
    follower = Follower(game)
    news.follow(follower, 1)
    (thread,) = set(threading.enumerate()) - before
    news.leave(follower)
    thread.join(15)
    assert not thread.is_alive()
