from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from records import Move
from service.games.write import Write
from service.http.access.caller import TOKEN
from service.http.api.events import follow
from service.live.publisher import Follower

SMALL = {"pits": 8}


@pytest.fixture
def game(parts):
    row = parts.games.create("enkeshui", SMALL, {}, Write("api"))
    for move in ("c",):
        parts.games.play(row.id, Move.parse(move), Write("api"))
    return row.id


def parse(message: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in message.strip().splitlines() if not line.startswith(":"))


class Time:
    """Time that passes as it is told."""

    def __init__(self):
        self.now = 0.0

    def clock(self):
        return self.now


def stream(parts, game, after=0, **changes):
    """A stream that waits no moment before it says that it is still there, and the follower it is for."""
    time = Time()
    settings = replace(parts.settings, **{"stream_heartbeat": 0.0, "stream_lifetime": 100.0, **changes})
    follower = Follower(game)
    parts.news.follow(follower, parts.games.row(game).seq)
    return time, follower, split(follow(parts.games, follower, after, settings, time.clock))


def split(chunks):
    """The messages, one by one."""
    return (message + "\n\n" for chunk in chunks for message in chunk.decode().removesuffix("\n\n").split("\n\n"))


def told(messages):
    """The next message that says something."""
    return parse(next(message for message in messages if not message.startswith(":")))


def test_a_stream_tells_what_is_stored_then_what_comes(parts, game):
    _, _, messages = stream(parts, game)
    assert next(messages) == "retry: 1000\n\n"
    first, second = parse(next(messages)), parse(next(messages))
    assert [(m["id"], m["event"]) for m in (first, second)] == [("1", "created"), ("2", "turn")]
    data = json.loads(second["data"])
    assert data["position"] == parts.games.row(game).position
    assert (data["seq"], data["data"]["turn"]["move"][0]) == (2, "c")
    assert data["source"] == "api"
    assert next(messages) == ": still here\n\n"
    parts.games.end(game, "agreement", None, Write("api"))
    assert told(messages)["event"] == "ended"


def test_a_stream_resumes_after_an_event(parts, game):
    _, _, messages = stream(parts, game, after=1)
    next(messages)
    assert parse(next(messages))["id"] == "2"


def test_a_stream_ends_when_its_time_is_over(parts, game):
    time, _, messages = stream(parts, game, after=2)
    assert [next(messages), next(messages)] == ["retry: 1000\n\n", ": still here\n\n"]
    time.now = 100.0
    assert set(messages) <= {": still here\n\n"}


def test_a_stream_ends_when_its_follower_is_let_go(parts, game):
    _, follower, messages = stream(parts, game, after=2)
    next(messages)
    follower.let_go()
    assert set(messages) <= {": still here\n\n"}


def test_a_stream_tells_what_the_board_says(parts, game, monkeypatch):
    monkeypatch.setattr("service.boards.bindings.registry.driver", lambda name: object())
    board = parts.boards.bind("/dev/fake", "inkeek", game)
    _, _, messages = stream(parts, game, after=2)
    next(messages)
    first = parse(next(messages))
    assert first["event"] == "board"
    assert "id" not in first
    assert json.loads(first["data"])["id"] == board.id
    parts.boards.report(board.id, {**board.status, "message": "hm"})
    assert json.loads(told(messages)["data"])["status"]["message"] == "hm"
    parts.boards.release(board.id)
    assert told(messages)["data"] == "null"


@pytest.mark.parametrize(
    ("headers", "query", "first"),
    [({}, "", 1), ({"Last-Event-ID": "1"}, "", 2), ({}, "?after=1", 2), ({"Last-Event-ID": "1"}, "?after=0", 2)],
)
def test_over_http(client, game, headers, query, first):
    with client.get(f"/api/v1/games/{game}/events{query}", headers=headers) as answer:
        assert answer.content_type == "text/event-stream"
        assert answer.headers["Cache-Control"] == "no-store"
        messages = split(answer.response)
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
    monkeypatch.setattr("service.http.api.events.BATCH", 1)
    answer = client.get(f"/api/v1/games/{game}/events?format=ndjson")
    assert len(answer.text.splitlines()) == 2


def test_turns_of_another_thread_arrive_in_order(parts, game):
    _, _, messages = stream(parts, game, after=2, stream_heartbeat=5.0, stream_lifetime=1e9)
    next(messages)

    def play():
        for _ in range(10):
            parts.games.play(game, parts.games.load(game).legal(1)[0], Write("api"))

    thread = threading.Thread(target=play)
    thread.start()
    seen = [int(told(messages)["id"]) for _ in range(10)]
    thread.join()
    assert seen == list(range(3, 13))


def test_what_comes_while_the_past_is_read_is_told_once(parts, game):
    _, _, messages = stream(parts, game)
    next(messages)
    parts.games.play(game, parts.games.load(game).legal(1)[0], Write("api"))
    parts.games.end(game, "agreement", None, Write("api"))
    assert [int(told(messages)["id"]) for _ in range(4)] == [1, 2, 3, 4]
    assert {next(messages) for _ in range(20)} == {": still here\n\n"}


def test_the_stream_of_a_revoked_token_ends(app, parts, game):
    key, secret = parts.keys.create(TOKEN, "a reader", ("read",), None)
    with app.test_client().get(f"/api/v1/games/{game}/events", headers={"Authorization": f"Bearer {secret}"}) as answer:
        messages = split(answer.response)
        next(messages)
        parts.keys.revoke(key.id)
        assert {parse(message).get("event") for message in messages} == {"created", "turn", None}
