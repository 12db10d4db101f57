"""Deliveries to an address that takes them, fails or is silent, in virtual time."""

import asyncio
import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import pytest

from service.games.write import Write
from service.http.access.caller import TOKEN
from service.http.access.keys import Keys
from service.jobs.process import encode_event
from service.jobs.webhooks import deliverer as delivering
from service.jobs.webhooks.deliverer import WAITS, Deliverer
from service.jobs.webhooks.webhooks import Wanted, Webhooks
from service.storage import FeedCursor, Limit
from tests.service.waiting import run_coroutine

HERE = "https://tally.example/inkeek"
START = datetime(2026, 11, 26, 18, 0, tzinfo=UTC)


class Time:
    """A clock that stands until it is moved."""

    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now


class Elsewhere:
    """What receives deliveries: `answers` are those to come, by default 204."""

    def __init__(self):
        self.bodies, self.headers, self.answers = [], [], []

    async def post(self, url, headers, body):
        assert url == HERE
        self.headers.append(headers)
        self.bodies.append(json.loads(body))
        self.raw = body
        answer = self.answers.pop(0) if self.answers else 204
        if isinstance(answer, BaseException):
            raise answer
        return answer

    @property
    def seqs(self):
        return [body["data"]["seq"] for body in self.bodies]


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def keys(store, database):
    store.upgrade()
    return Keys(store)


@pytest.fixture
def key(keys):
    return keys.create(TOKEN, "tally", ["read"], None)[0]


@pytest.fixture
def hooks(store, keys, time):
    return Webhooks(store, clock=time)


@pytest.fixture
def elsewhere():
    return Elsewhere()


@pytest.fixture
def step(store, elsewhere, time):
    """Delivers what is due until nothing is; a new deliverer, as after a crash, each time."""

    def step():
        one = Deliverer(store, encode_event, elsewhere.post, clock=time)

        async def run():
            while works := one.look():
                await asyncio.gather(*map(one.deliver, works))

        run_coroutine(run())

    return step


def states(hooks, hook):
    found = hooks.deliveries(None, hook.id, ("sent", "trying", "dead", "queued"), 100)
    return [(row.kind, row.state, row.tries, row.status) for row in found]


def play(games, game_id, turns=1):
    for _ in range(turns):
        games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))


def new_game(games, **tags):
    return games.create("oware", {}, tags, Write("api")).id


def test_events_from_now_on_arrive_once_in_order_and_signed(games, hooks, key, elsewhere, step):
    game = new_game(games)
    hook = hooks.create(key.id, Wanted(HERE))
    play(games, game, 2)
    step()
    step()
    assert [body["type"] for body in elsewhere.bodies] == ["turn", "turn"]
    assert elsewhere.seqs == [2, 3]
    last = elsewhere.bodies[-1]
    assert (last["data"]["game_id"], last["timestamp"]) == (game, last["data"]["time"])
    headers = elsewhere.headers[-1]
    assert headers["webhook-timestamp"] == str(int(START.timestamp()))
    secret = base64.b64decode(hook.secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + elsewhere.raw
    expected = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert states(hooks, hook) == [("turn", "sent", 1, 204)] * 2


def test_an_event_that_is_not_taken_is_tried_again_with_growing_waits_before_the_next_is_sent(
    games, hooks, key, elsewhere, step, time
):
    game = new_game(games)
    hook = hooks.create(key.id, Wanted(HERE))
    play(games, game, 2)
    elsewhere.answers = [500, OSError("refused"), RuntimeError("a fault of ours"), 302]
    for wait in WAITS[:4]:
        step()
        assert set(elsewhere.seqs) == {2}
        time.now += wait - timedelta(seconds=1)
        tried = len(elsewhere.bodies)
        step()
        assert len(elsewhere.bodies) == tried
        time.now += timedelta(seconds=1)
    assert states(hooks, hook) == [("turn", "trying", 4, 302)]
    step()
    assert elsewhere.seqs == [2, 2, 2, 2, 2, 3]
    assert len({headers["webhook-id"] for headers in elsewhere.headers}) == 2
    assert sorted(states(hooks, hook)) == [("turn", "sent", 1, 204), ("turn", "sent", 5, 204)]


def test_after_the_last_try_an_event_is_a_dead_letter_that_can_be_sent_again(games, hooks, key, elsewhere, step, time):
    game = new_game(games)
    hook = hooks.create(key.id, Wanted(HERE))
    play(games, game, 2)
    elsewhere.answers = [OSError("refused")] * (len(WAITS) + 1)
    for wait in (*WAITS, timedelta(0)):
        step()
        time.now += wait
    assert elsewhere.seqs == [2] * (len(WAITS) + 1) + [3]
    (dead,) = hooks.deliveries(None, hook.id, ["dead"], 10)
    assert (dead.tries, dead.status, dead.error) == (len(WAITS) + 1, None, "refused")
    assert hooks.send_again(key.id, hook.id, FeedCursor.of(dead.number)) == 1
    elsewhere.answers = [503]
    step()
    assert hooks.deliveries(None, hook.id, ["dead"], 10)[0].error == "the answer was 503"
    assert hooks.send_again(key.id, hook.id, None) == 1
    step()
    assert elsewhere.seqs[-2:] == [2, 2]
    assert hooks.deliveries(None, hook.id, ["dead", "queued"], 10) == []


def test_what_was_sent_before_a_crash_is_sent_again_and_nothing_is_lost(games, store, hooks, key, elsewhere, step):
    game = new_game(games)
    hooks.create(key.id, Wanted(HERE))
    play(games, game, 3)
    crashing = Deliverer(store, encode_event, elsewhere.post)
    (work,) = crashing.look()
    elsewhere.answers = [204, KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        run_coroutine(crashing.deliver(work))
    step()
    assert elsewhere.seqs == [2, 3, 2, 3, 4]
    assert elsewhere.headers[0]["webhook-id"] == elsewhere.headers[2]["webhook-id"]


def test_a_webhook_gets_what_its_filters_and_the_limit_of_its_key_let_through(games, keys, hooks, elsewhere, step):
    here, there = new_game(games, Event="Cup"), new_game(games, Event="Other")
    limited = keys.create(TOKEN, "tally", ["read"], None, Limit("event", "Cup"))[0]
    hooks.create(limited.id, Wanted(HERE, kinds=("turn", "ended")))
    games.retag(here, {"Round": "1"}, Write("api"))
    play(games, here)
    play(games, there)
    step()
    assert [(body["type"], body["data"]["game_id"]) for body in elsewhere.bodies] == [("turn", here)]


def test_a_webhook_ends_with_its_key(games, keys, hooks, key, elsewhere, step):
    game = new_game(games)
    hooks.create(key.id, Wanted(HERE))
    keys.revoke(key.id)
    play(games, game)
    step()
    assert elsewhere.bodies == []
    assert hooks.owned(None) == []


def test_what_left_the_limit_is_not_sent_again(games, keys, hooks, elsewhere, step, time, monkeypatch):
    monkeypatch.setattr(delivering, "WAITS", ())
    game = new_game(games, Event="Cup")
    limited = keys.create(TOKEN, "tally", ["read"], None, Limit("event", "Cup"))[0]
    hook = hooks.create(limited.id, Wanted(HERE))
    play(games, game)
    elsewhere.answers = [500]
    step()
    games.retag(game, {"Event": "Other"}, Write("api"))
    hooks.send_again(None, hook.id, None)
    step()
    assert elsewhere.seqs == [2]
    assert "outside" in hooks.deliveries(None, hook.id, ["dead"], 10)[0].error


def test_a_test_is_sent_once_also_while_an_event_waits(games, hooks, key, elsewhere, step):
    game = new_game(games)
    hook = hooks.create(key.id, Wanted(HERE))
    play(games, game)
    elsewhere.answers = [500, 200]
    step()
    hooks.test(key.id, hook.id)
    step()
    assert [body["type"] for body in elsewhere.bodies] == ["turn", "test"]
    assert states(hooks, hook)[0][:2] in (("test", "sent"), ("turn", "trying"))
