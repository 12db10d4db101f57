import json
from dataclasses import replace

import pytest

from inkeek.records import Move
from inkeek.service.games.write import Write
from inkeek.service.http import sse
from inkeek.service.live.api import reader
from inkeek.service.live.publisher import Subscriber
from inkeek.service.processes.places import Sender
from tests.service.boards_double import set_status

SMALL = {"pits": 8}


@pytest.fixture
def game(services):
    row = services.games.create("enkeshui", SMALL, {}, Write("api"))
    for move in ("c",):
        services.games.play(row.id, Move.parse(move), Write("api"))
    return row.id


def parse(message: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in message.strip().splitlines() if not line.startswith(":"))


class Time:
    """A clock that stands still until it is set."""

    def __init__(self):
        self.now = 0.0

    def clock(self):
        return self.now


def stream(services, game, after=0, **changes):
    """The clock, the subscriber and the messages of a stream that sends heartbeats without waiting."""
    time = Time()
    settings = replace(services.settings, **{"stream_heartbeat": 0.0, "stream_lifetime": 100.0, **changes})
    subscriber = Subscriber(game)
    services.publisher.subscribe(subscriber, services.games.row(game).seq)
    read = reader(services.games, game)
    return time, subscriber, split(sse.LiveStream(read, subscriber, after, settings, lambda: None, time.clock))


def split(chunks):
    """The messages, one by one."""
    return (message + "\n\n" for chunk in chunks for message in chunk.decode().removesuffix("\n\n").split("\n\n"))


def next_event(messages):
    """The next message that is not a heartbeat."""
    return parse(next(message for message in messages if not message.startswith(":")))


def test_a_stream_sends_stored_events_then_new_ones(services, game):
    _, _, messages = stream(services, game)
    assert next(messages) == "retry: 1000\n\n"
    first, second = parse(next(messages)), parse(next(messages))
    assert [(m["id"], m["event"]) for m in (first, second)] == [("1", "created"), ("2", "turn")]
    data = json.loads(second["data"])
    assert data["position"] == services.games.row(game).position
    assert (data["seq"], data["data"]["turn"]["move"][0]) == (2, "c")
    assert data["source"] == "api"
    assert next(messages) == ": still here\n\n"
    services.games.end(game, "agreement", None, Write("api"))
    assert next_event(messages)["event"] == "ended"


def test_a_stream_ends_after_its_lifetime(services, game):
    time, _, messages = stream(services, game, after=2)
    assert [next(messages), next(messages)] == ["retry: 1000\n\n", ": still here\n\n"]
    time.now = 100.0
    assert set(messages) <= {": still here\n\n"}


def test_a_stream_ends_with_its_subscription(services, game):
    _, subscriber, messages = stream(services, game, after=2)
    next(messages)
    subscriber.close()
    assert set(messages) <= {": still here\n\n"}


def test_a_stream_sends_the_state_of_the_board(services, game, monkeypatch):
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: object())
    board = services.boards.bind("/dev/fake", "inkeek", game)
    _, _, messages = stream(services, game, after=2)
    next(messages)
    first = parse(next(messages))
    assert first["event"] == "board"
    assert "id" not in first
    assert json.loads(first["data"])["id"] == board.id
    set_status(services.boards, board.id, message="hm")
    assert json.loads(next_event(messages)["data"])["status"]["message"] == "hm"
    services.boards.release(board.id)
    assert next_event(messages)["data"] == "null"


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


def test_the_number_of_streams_is_limited_and_closing_one_makes_room(client, services, game):
    url = f"/api/v1/games/{game}/events"
    while services.places.streams.free > 2:
        services.places.streams.take(Sender(str(services.places.streams.free), True))
    open_ones = [client.get(url) for _ in range(1)]
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
def test_stored_events_as_ndjson(client, game, headers, query):
    answer = client.get(f"/api/v1/games/{game}/events{query}", headers=headers)
    assert answer.content_type == "application/x-ndjson"
    events = [json.loads(line) for line in answer.text.splitlines()]
    assert [event["seq"] for event in events] == [1, 2]
    assert events[1]["prev_hash"] == events[0]["hash"]


def test_more_events_than_a_batch(client, services, game, monkeypatch):
    monkeypatch.setattr("inkeek.service.live.api.BATCH", 1)
    answer = client.get(f"/api/v1/games/{game}/events?format=ndjson")
    assert len(answer.text.splitlines()) == 2


def test_events_stored_while_reading_arrive_once(services, game):
    _, _, messages = stream(services, game)
    next(messages)
    services.games.play(game, services.games.load(game).legal(1)[0], Write("api"))
    services.games.end(game, "agreement", None, Write("api"))
    assert [int(next_event(messages)["id"]) for _ in range(4)] == [1, 2, 3, 4]
    assert {next(messages) for _ in range(20)} == {": still here\n\n"}


@pytest.mark.parametrize("form", ["sse", "ndjson"])
def test_a_client_that_is_ahead_of_the_service_gets_to_know(client, game, form):
    path = f"/api/v1/games/{game}/events"
    for answer in (
        client.get(path, query_string={"format": form}, headers={"Last-Event-ID": "3"}),
        client.get(path, query_string={"format": form, "after": 3}),
    ):
        assert (answer.status_code, answer.json["type"], answer.json["last"]) == (409, "/problems/ahead", 2)
    for text in ("", "x", "-1", "1.5", "9" * 10):
        answer = client.get(path, headers={"Last-Event-ID": text})
        assert (answer.status_code, answer.json["type"]) == (422, "/problems/invalid"), text


def test_a_client_that_is_ahead_of_a_boards_log_gets_to_know(client, services, game):
    board = services.boards.bind("/dev/ttyACM0", "inkeek", game).id
    answer = client.get(f"/api/v1/boards/{board}/events", headers={"Last-Event-ID": "1"})
    assert (answer.status_code, answer.json["type"], answer.json["last"]) == (409, "/problems/ahead", 0)
