from __future__ import annotations

import json
import socket
import threading
import time
from dataclasses import replace

import pytest

from records import Move
from service.api.events import follow, gone_within

SMALL = {"pits": 8}


@pytest.fixture
def game(parts):
    row = parts.games.create("enkeshui", SMALL, {}, source="api")
    for move in ("c",):
        parts.games.play(row.id, Move.parse(move), source="api")
    return row.id


def parse(message: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in message.strip().splitlines() if not line.startswith(":"))


class Time:
    """Time that passes only when somebody waits."""

    def __init__(self):
        self.now = 0.0
        self.waited = 0
        self.patience = 10**6

    def clock(self):
        return self.now

    def wait(self, seconds):
        self.now += seconds
        self.waited += 1
        return self.waited > self.patience


def stream(parts, game, after=0, **changes):
    time = Time()
    settings = replace(
        parts.settings, **{"stream_poll": 1.0, "stream_heartbeat": 5.0, "stream_lifetime": 100.0, **changes}
    )
    return time, follow(parts.games, game, after, settings, time.clock, time.wait)


def test_a_stream_tells_what_is_stored_then_what_comes(parts, game):
    time, messages = stream(parts, game)
    assert next(messages) == "retry: 1000\n\n"
    first, second = parse(next(messages)), parse(next(messages))
    assert [(m["id"], m["event"]) for m in (first, second)] == [("1", "created"), ("2", "turn")]
    data = json.loads(second["data"])
    assert data["position"] == parts.games.row(game).position
    assert (data["seq"], data["data"]["turn"]["move"][0]) == (2, "c")
    assert data["source"] == "api"
    assert next(messages) == ": still here\n\n"
    assert time.now == 5.0
    parts.games.end(game, "agreement", source="api")
    assert parse(next(messages))["event"] == "ended"


def test_a_stream_resumes_after_an_event(parts, game):
    _, messages = stream(parts, game, after=1)
    next(messages)
    assert parse(next(messages))["id"] == "2"


def test_a_stream_ends_when_its_time_is_over(parts, game):
    _, messages = stream(parts, game, after=2, stream_lifetime=12.0)
    assert list(messages)[1:] == [": still here\n\n"] * 2


def test_a_stream_ends_when_its_reader_has_gone(parts, game):
    time, messages = stream(parts, game, after=2)
    time.patience = 2
    assert list(messages) == ["retry: 1000\n\n"]
    assert time.now == 3.0


def test_a_reader_who_hangs_up_is_noticed_at_once():
    here, there = socket.socketpair()
    with here:
        with there:
            wait = gone_within({"gunicorn.socket": here}, threading.Event())
            assert not wait(0.001)
            there.send(b"more")
            assert not wait(0.001)
            assert here.recv(10) == b"more"
        began = time.monotonic()
        assert wait(60)
        assert time.monotonic() - began < 30
    assert not gone_within({}, threading.Event())(0.001)


def test_a_process_that_is_to_stop_waits_for_no_reader():
    stopping = threading.Event()
    stopping.set()
    assert gone_within({}, stopping)(60)


def test_a_stream_tells_what_the_board_says(parts, game, monkeypatch):
    monkeypatch.setattr("service.boards.registry.driver", lambda name: object())
    board = parts.boards.bind("/dev/fake", "inkeek", game)
    _, messages = stream(parts, game, after=2)
    next(messages)
    told = parse(next(messages))
    assert told["event"] == "board"
    assert "id" not in told
    assert json.loads(told["data"])["id"] == board.id
    parts.boards.report(board.id, {**board.status, "message": "hm"})
    assert json.loads(parse(next(messages))["data"])["status"]["message"] == "hm"
    parts.boards.release(board.id)
    assert parse(next(messages))["data"] == "null"


@pytest.mark.parametrize(
    ("headers", "query", "first"),
    [({}, "", 1), ({"Last-Event-ID": "1"}, "", 2), ({}, "?after=1", 2), ({"Last-Event-ID": "1"}, "?after=0", 2)],
)
def test_over_http(client, game, headers, query, first):
    with client.get(f"/api/v1/games/{game}/events{query}", headers=headers) as answer:
        assert answer.content_type == "text/event-stream"
        assert answer.headers["Cache-Control"] == "no-store"
        messages = (chunk.decode() for chunk in answer.response)
        next(messages)
        assert parse(next(messages))["id"] == str(first)


@pytest.mark.parametrize(
    ("headers", "query"),
    [({"Last-Event-ID": "x"}, ""), ({}, "?after=-1"), ({}, "?before=1"), ({}, "?format=xml")],
)
def test_a_stream_that_cannot_be_is_a_problem(client, game, headers, query):
    answer = client.get(f"/api/v1/games/{game}/events{query}", headers=headers)
    assert answer.status_code == 422


def test_streams_are_bounded_and_a_closed_one_makes_room(client, parts, game):
    url = f"/api/v1/games/{game}/events"
    open_ones = [client.get(url) for _ in range(parts.settings.max_streams)]
    full = client.get(url)
    assert (full.status_code, full.json["type"]) == (503, "/problems/too-many-streams")
    assert full.headers["Retry-After"]
    open_ones.pop().close()
    with client.get(url) as again:
        assert again.status_code == 200
    for answer in open_ones:
        answer.close()


@pytest.mark.parametrize(
    ("headers", "query"),
    [({}, "?format=ndjson"), ({"Accept": "application/x-ndjson"}, ""), ({}, "?format=ndjson&after=0")],
)
def test_the_events_so_far_as_lines(client, game, headers, query):
    answer = client.get(f"/api/v1/games/{game}/events{query}", headers=headers)
    assert answer.content_type == "application/x-ndjson"
    told = [json.loads(line) for line in answer.text.splitlines()]
    assert [event["seq"] for event in told] == [1, 2]
    assert told[1]["prev_hash"] == told[0]["hash"]


def test_more_events_than_a_batch(client, parts, game, monkeypatch):
    monkeypatch.setattr("service.api.events.BATCH", 1)
    answer = client.get(f"/api/v1/games/{game}/events?format=ndjson")
    assert len(answer.text.splitlines()) == 2


def test_turns_of_another_thread_arrive_in_order(parts, game):
    _, messages = stream(parts, game, after=2, stream_poll=0.01, stream_heartbeat=1e6, stream_lifetime=1e9)
    next(messages)

    def play():
        for _ in range(10):
            parts.games.play(game, parts.games.load(game).legal(1)[0], source="api")

    thread = threading.Thread(target=play)
    thread.start()
    seen = [int(parse(next(messages))["id"]) for _ in range(10)]
    thread.join()
    assert seen == list(range(3, 13))
