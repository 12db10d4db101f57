import json
import random
import threading
from dataclasses import replace

import pytest
from jsonschema_rs import Draft202012Validator

from inkeek.service.errors import ServiceError, StorageFull
from inkeek.service.games.event_kinds import KINDS
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.http import sse
from inkeek.service.live.publisher import Publisher, Subscriber
from inkeek.service.live.topics import FEED
from inkeek.service.settings import Settings
from inkeek.service.storage import Limit
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.feed import FeedCursor, FeedFilter
from tests.service.clients import with_token
from tests.service.games.every_kind import store_every_kind
from tests.service.live.test_game_events import parse, split
from tests.service.waiting import until

WRITE = Write("api")


def lines(client, query=""):
    """The events of the feed in NDJSON, answer by answer, and the last cursor."""
    found, after = [], "0"
    while True:
        answer = client.get(f"/api/v1/feed?format=ndjson&after={after}{query}")
        assert answer.status_code == 200, answer.text
        *items, end = map(json.loads, answer.text.splitlines())
        found += items
        after = end["cursor"]
        if not end["more"]:
            return found, after


def play(services, game_id, count=1):
    for _ in range(count):
        row = services.games.play(game_id, services.games.load(game_id).legal(1)[0], WRITE).row
    return row


@pytest.fixture
def games(services):
    """Two games and the two of a match, each with events between those of the others."""
    tags = [{"Event": "Cup"}, {"Event": "ＣＵＰ "}]
    plain = [services.games.create("bof", {}, one, WRITE).id for one in tags[:1]]
    other = services.games.create("oware", {}, {"Event": "Other"}, WRITE).id
    match = services.matches.begin("oware", "games 2", {}, tags[1], WRITE).id
    play(services, plain[0], 3)
    services.games.end(match, "resignation", "South", WRITE)
    second = services.matches.go_on(match, "", {}, WRITE).id
    play(services, second)
    play(services, other)
    return [plain[0], other, match, second]


def test_the_feed_has_all_events_in_the_order_they_were_stored(client, services, games):
    found, last = lines(client)
    assert [(one["game_id"], one["seq"]) for one in found] == [
        *((games[0], 1), (games[1], 1), (games[2], 1), (games[0], 2), (games[0], 3), (games[0], 4)),
        *((games[2], 2), (games[3], 1), (games[3], 2), (games[1], 2)),
    ]
    assert [one["kind"] for one in found[5:8]] == ["turn", "ended", "created"]
    assert found[7]["match"] == games[2]
    assert (found[0]["game"], found[0]["match"], found[0]["data"]["tags"]) == ("bof", None, {"Event": "Cup"})
    for place, one in enumerate(found):
        rest = client.get(f"/api/v1/feed?format=ndjson&after={one['cursor']}").text.splitlines()
        assert [json.loads(line) for line in rest[:-1]] == found[place + 1 :]
    assert client.get(f"/api/v1/feed?format=ndjson&after={last}").text.count("\n") == 1


@pytest.mark.parametrize("limits", [(1, 1), (2, 3), (1000, 2)])
def test_a_filter_leaves_out_what_does_not_match(client, services, games, monkeypatch, limits):
    monkeypatch.setattr("inkeek.service.live.api.FEED_BATCH", limits[0])
    monkeypatch.setattr("inkeek.service.storage.tables.feed.WINDOW", limits[1])
    client.application.extensions["inkeek"] = replace(services, settings=replace(services.settings, max_feed=2))
    board = services.boards.bind("/dev/fake", "inkeek", games[1]).id
    for query, wanted in (
        ("event=CUP", {games[0], games[2], games[3]}),
        (f"match={games[2]}", {games[2], games[3]}),
        (f"game_id={games[0]}", {games[0]}),
        (f"board={board}", {games[1]}),
        ("game=oware", {games[1], games[2], games[3]}),
        (f"game=oware&event=cup&match={games[2]}", {games[2], games[3]}),
        ("player=nobody", set()),
    ):
        found, _ = lines(client, f"&{query}")
        everything, _ = lines(client)
        assert found == [one for one in everything if one["game_id"] in wanted], query


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ("after=1.2.3", {}, 422),
        ("after=-1", {}, 422),
        ("after=99", {}, 409),
        ("", {"Last-Event-ID": "99.1"}, 409),
        ("", {"Last-Event-ID": "x"}, 422),
        ("game_id=nothere", {}, 404),
        ("match=nothere", {}, 404),
        ("board=nothere", {}, 404),
    ],
)
def test_what_cannot_be_followed_is_a_problem(client, games, query, headers, status):
    answer = client.get(f"/api/v1/feed?{query}", headers=headers)
    assert answer.status_code == status
    if status == 409:
        assert (answer.json["type"], answer.json["last"]) == ("/problems/ahead", 10)


def test_a_stream_has_what_is_stored_and_what_comes_each_once(client, services, games):
    found, _ = lines(client)
    with client.get("/api/v1/feed", headers={"Last-Event-ID": found[3]["cursor"]}) as answer:
        messages = (parse(message) for message in split(answer.response))
        assert next(messages) == {"retry": "1000"}
        stored = [json.loads(next(messages)["data"]) for _ in found[4:]]
        assert stored == found[4:]
        play(services, games[0], 2)
        live = [next(one for one in messages if "data" in one) for _ in range(2)]
        assert [json.loads(one["data"])["seq"] for one in live] == [5, 6]
        assert [one["id"] for one in live] == [json.loads(one["data"])["cursor"] for one in live]
        assert lines(client)[0][len(found) :] == [json.loads(one["data"]) for one in live]


def test_a_stream_of_other_events_still_moves_its_cursor(client, services, games):
    """Who resumes need not look again at what did not match."""
    with client.get("/api/v1/feed?after=end&event=other") as answer:
        messages = (parse(message) for message in split(answer.response))
        next(messages)
        play(services, games[0])
        _, last = lines(client)
        reached = next(one for one in messages if "data" in one or one.get("id", "").partition(".")[0] == last)
        assert reached.keys() == {"id"}
        play(services, games[1])
        assert json.loads(next(one for one in messages if "data" in one)["data"])["game_id"] == games[1]


def afar(app, limit):
    """A client on another machine with a limited key."""
    client = with_token(app, "read", limit=limit)
    client.environ_base["REMOTE_ADDR"] = "192.0.2.9"
    return client


def test_a_key_with_a_limit_gets_its_games_only(app, client, services, games):
    for limit, wanted in (
        (Limit("event", "cup"), {games[0], games[2], games[3]}),
        (Limit("match", games[2]), {games[2], games[3]}),
        (Limit("game", games[1]), {games[1]}),
    ):
        limited = afar(app, limit)
        found, _ = lines(limited)
        assert {one["game_id"] for one in found} == wanted
    limited = afar(app, Limit("event", "cup"))
    assert limited.get("/api/v1/feed?format=ndjson&event=Other").status_code == 404


def test_the_schema_of_the_feed_has_every_kind_of_event(client, services):
    store_every_kind(services.store)
    found, _ = lines(client)  # held against the document
    schema = Draft202012Validator(client.get("/api/v1/feed/schema").json, validate_formats=True)
    assert {event["kind"] for event in found} == KINDS.keys()
    assert all(map(schema.is_valid, found))
    assert not any(schema.is_valid({**event, "kind": "sung"}) for event in found)
    turn, trial = (next(event for event in found if event["kind"] == kind) for kind in ("turn", "trial"))
    assert not schema.is_valid({**turn, "data": trial["data"]})


def writer(store, seed, errors):
    """Create, play, end and tag games, several in a transaction now and then, as others do the same."""
    chance = random.Random(seed)
    games, ids = Games(store, max_plies=100), []
    try:
        for _ in range(8):
            try:
                with store.together():
                    for _ in range(chance.randint(1, 3)):
                        if not ids or chance.random() < 0.3:
                            ids.append(games.create("bof", {}, {"Event": chance.choice(["A", "B"])}, WRITE).id)
                        game_id = chance.choice(ids)
                        legal = games.load(game_id).legal(3)
                        if legal and chance.random() < 0.8:
                            games.play(game_id, chance.choice(legal), WRITE)
                        else:
                            games.retag(game_id, {"Site": str(chance.random())}, WRITE)
                    if chance.random() < 0.2:
                        raise ServiceError("undone")
            except ServiceError as error:
                if error.message != "undone":
                    raise
                ids = [one for one in ids if store.version(one) is not None]
    except BaseException as error:
        errors.append(error)
        raise


def test_nothing_is_skipped_or_doubled_while_many_write_and_the_reader_is_killed(database, monkeypatch):
    """Four writers with stores of their own; a reader that is cut off at random and resumes where it was; a live stream
    of each reader's events by the publisher."""
    monkeypatch.setattr("inkeek.service.storage.tables.feed.WINDOW", 5)
    chance = random.Random(7)
    stores = [Store(database, 30.0) for _ in range(5)]
    errors = []
    threads = [threading.Thread(target=writer, args=(store, seed, errors)) for seed, store in enumerate(stores[1:])]
    publisher = Publisher(stores[0], sse.encode, lambda keys: keys, 0.002, threading.Event())
    streamed = []

    def follow(after, most):
        """Read the stream from a cursor on until `most` events have come, and be killed."""
        subscriber = Subscriber(FEED)
        store = stores[0]
        with store.reading() as transaction:
            last = transaction.ledger.head().position
        publisher.subscribe(subscriber, FeedCursor(last).number)

        def read(cursor):
            with store.reading() as transaction:
                return transaction.feed.read(cursor, 3, transaction.ledger.head().position, FeedFilter())

        settings = replace(Settings(), stream_heartbeat=0.05, stream_lifetime=60.0)
        try:
            for message in split(sse.FeedStream(read, FeedFilter(), subscriber, after, settings, lambda: None)):
                fields = parse(message)
                if "id" in fields:
                    position, _, seq = fields["id"].partition(".")
                    after = FeedCursor(int(position), int(seq)) if seq else FeedCursor(int(position))
                if "data" in fields:
                    streamed.append((json.loads(fields["data"])["game_id"], json.loads(fields["data"])["seq"]))
                    most -= 1
                is_idle = "id" in fields and "data" not in fields
                if most <= 0 or (is_idle and not any(thread.is_alive() for thread in threads)):
                    return after
        finally:
            publisher.unsubscribe(subscriber)
        raise AssertionError("the stream ended")

    for thread in threads:
        thread.start()
    after = FeedCursor(0)

    def stored():
        found = {}
        with stores[0].reading() as transaction:
            for row in transaction.games.page(1000)[0]:
                found[row.id] = row.seq
        return {(game_id, seq) for game_id, last in found.items() for seq in range(1, last + 1)}

    try:
        while any(thread.is_alive() for thread in threads):
            after = follow(after, chance.randint(1, 12))
        for thread in threads:
            thread.join()
        assert errors == []
        wanted = stored()
        stores[0].update_ledger()

        def all_came():
            nonlocal after
            if set(streamed) < wanted:
                after = follow(after, 50)
            return len(streamed) >= len(wanted)

        until(all_came, 60.0)
    finally:
        publisher.close()
        for store in stores:
            store.close()
    assert len(streamed) == len(set(streamed))
    assert set(streamed) == wanted
    for game_id in {one for one, _ in streamed}:
        seqs = [seq for one, seq in streamed if one == game_id]
        assert seqs == sorted(seqs)


@pytest.mark.parametrize("path", ["/feed", "/games?updated_since=2026-01-01"])
def test_a_ledger_that_cannot_be_extended_is_told(client, services, monkeypatch, path):
    def fail():
        raise StorageFull("nothing was stored: there is no room left for the database")

    monkeypatch.setattr(services.store, "update_ledger", fail)
    answer = client.get(f"/api/v1{path}")
    assert (answer.status_code, answer.json["type"]) == (507, "/problems/storage-full")
