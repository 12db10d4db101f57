import gc
import sys
import weakref
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from inkeek.records import Move
from inkeek.service.games.write import Write
from inkeek.service.http import sse
from inkeek.service.live.publisher import Subscriber
from inkeek.service.live.topics import BATCH, StreamMessage, Update


def test_a_stream_holds_no_message_that_it_has_sent(services, monkeypatch):
    made: list[weakref.ref[StreamMessage]] = []

    class CountedMessage(StreamMessage):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            made.append(weakref.ref(self))

    def held() -> int:
        """How many messages are in memory."""
        gc.collect()
        return sum(message() is not None for message in made)

    monkeypatch.setattr(sse, "StreamMessage", CountedMessage)
    row = services.games.create("bof", {}, {}, Write("api"))
    event = services.games.news(row.id, 0, 1)[0][0]
    stored = [event._replace(seq=seq) for seq in range(1, BATCH + 50)]

    def read(after: int) -> tuple[Iterable[Update], Iterable[Update]]:
        return stored[after : after + BATCH], [None]

    settings = replace(services.settings, stream_heartbeat=0.0)
    subscriber = Subscriber(row.id)
    live = iter(sse.LiveStream(read, subscriber, 0, settings, lambda: None))
    sent = b"".join(next(live) for _ in range(3))
    assert f"id: {len(stored)}\n".encode() in sent
    assert next(live) == b": still here\n\n"
    assert len(made) > len(stored)  # and the current state
    assert held() == 0
    subscriber.notify([sse.encode(event._replace(seq=len(stored) + 1))])
    assert f"id: {len(stored) + 1}\n".encode() in next(live)
    assert next(live) == b": still here\n\n"
    assert held() == 0


def test_games_and_streams_that_were_opened_leave_nothing_behind(app, services, client):
    """After the caches are full, no object is left of a game that was played and of a stream that followed it."""
    services.games._cache._max_size = 20

    def play_and_follow() -> None:
        row = services.games.create("bof", {}, {"Event": "Cup"}, Write("api"))
        for move in ("a", "B", "b"):
            services.games.play(row.id, Move.parse(move), Write("api"))
        for path in (f"/api/v1/games/{row.id}", f"/games/{row.id}/live", f"/api/v1/games/{row.id}/turns"):
            assert client.get(path).status_code == 200
        for path in (f"/api/v1/games/{row.id}/events", "/api/v1/feed", "/api/v1/games/export.ndjson"):
            response = client.get(path)
            assert next(iter(response.response))
            response.close()
        assert not services.publisher._feeds

    def growth(games: int) -> int:
        """How many blocks of memory more there are after so many games."""
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(games):
            play_and_follow()
        gc.collect()
        return sys.getallocatedblocks() - before

    growth(25)  # until drivers and libraries have filled their caches too
    games = 15
    # What games leave behind, each round leaves. Caches of libraries fill in some, and are pruned in others.
    assert any(growth(games) < 20 * games for _ in range(6))  # a game or a stream that stays leaves hundreds
