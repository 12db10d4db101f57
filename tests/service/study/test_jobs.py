import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from inkeek.records.analysis import Limits
from inkeek.records.analysis.annotation import annotate
from inkeek.service.http.access.caller import LINK, TOKEN
from inkeek.service.http.access.keys import csrf_token
from inkeek.service.jobs.runner import Runner
from inkeek.service.storage import Limit
from tests.service.clients import with_token

API = "/api/v1"


@pytest.fixture
def game(client) -> str:
    return new_game(client)


def new_game(client: Any, event: str = "Cup") -> str:
    game = client.post(f"{API}/games", json={"game": "oware", "tags": {"Event": event}}).json["id"]
    for move in ("c", "D", "a"):
        assert client.post(f"{API}/games/{game}/turns", json={"move": move}).status_code == 201
    return str(game)


def work(services: Any, client: Any, job: str) -> dict[str, Any]:
    """Work on jobs until this one is over."""
    with ThreadPoolExecutor(1) as threads:
        runner = Runner(services.store, services.games, lambda: threads, 1)
        deadline = time.monotonic() + 60
        while (found := client.get(f"{API}/jobs/{job}").json)["state"] in ("queued", "running"):
            assert time.monotonic() < deadline
            runner.look_soon()
            runner.step()
        return dict(found)


def test_a_game_is_analyzed_in_the_background(client, services, game):
    nothing = client.get(f"{API}/games/{game}/analysis").json
    assert (nothing["state"], nothing["job"], nothing["turns"]) == ("none", None, [])
    answer = client.post(f"{API}/games/{game}/analysis", json={"depth": 3})
    assert (answer.status_code, answer.json["state"], answer.json["total"]) == (202, "queued", 4)
    assert answer.headers["Location"] == f"{API}/jobs/{answer.json['id']}"
    job = work(services, client, answer.json["id"])
    assert (job["state"], job["done"]) == ("done", 4)
    found = client.get(f"{API}/games/{game}/analysis").json
    assert (found["state"], found["job"], found["current"]) == ("done", job["id"], True)
    expected = annotate(services.games.load(game).record, Limits(depth=3, nodes=100_000))
    assert [turn["loss"] for turn in found["turns"]] == [turn.loss for turn in expected.turns]
    assert [turn["before"] for turn in found["turns"]] == [turn.before for turn in expected.turns]
    assert [turn["best"]["moves"] for turn in found["turns"]] == [
        list(map(str, turn.best.moves)) for turn in expected.turns
    ]
    assert found["accuracy"] == {"south": expected.accuracy[0], "north": expected.accuracy[1]}


def test_all_games_of_an_event_are_one_job(client, services):
    games = [new_game(client) for _ in range(3)]
    new_game(client, "Another")
    job = client.post(f"{API}/jobs", json={"event": "cup", "depth": 1}).json
    assert sorted(job["games"]) == sorted(games)
    assert work(services, client, job["id"])["done"] == 12
    assert all(client.get(f"{API}/games/{game}/analysis").json["current"] for game in games)


def test_a_job_can_be_cancelled(client, game):
    job = client.post(f"{API}/games/{game}/analysis", json={}).json["id"]
    assert client.delete(f"{API}/jobs/{job}").json["state"] == "cancelled"
    again = client.delete(f"{API}/jobs/{job}")
    assert (again.status_code, again.json["type"]) == (409, "/problems/conflict")
    assert client.get(f"{API}/jobs/{job}").json["state"] == "cancelled"


def test_only_the_owner_cancels_and_lists(app, client, game):
    owner, other = with_token(app, "read"), with_token(app, "read")
    job = owner.post(f"{API}/games/{game}/analysis", json={}).json["id"]
    assert [one["id"] for one in owner.get(f"{API}/jobs").json["items"]] == [job]
    assert other.get(f"{API}/jobs").json["items"] == []
    assert [one["id"] for one in client.get(f"{API}/jobs").json["items"]] == [job]  # an admin
    assert other.delete(f"{API}/jobs/{job}").status_code == 403
    assert owner.delete(f"{API}/jobs/{job}").status_code == 200


def test_a_limited_key_analyzes_only_its_games(app, client, game):
    limited = with_token(app, "read", limit=Limit("game", game))
    other = new_game(client)
    job = limited.post(f"{API}/jobs", json={"games": [game]})
    assert job.status_code == 202
    assert limited.get(f"{API}/jobs/{job.json['id']}").status_code == 200
    theirs = client.post(f"{API}/games/{other}/analysis", json={}).json["id"]
    for answer in (
        limited.post(f"{API}/jobs", json={"games": [other]}),
        limited.post(f"{API}/games/{other}/analysis", json={}),
        limited.get(f"{API}/jobs/{theirs}", environ_base={"REMOTE_ADDR": "192.0.2.7"}),
    ):
        assert (answer.status_code, answer.json["type"]) == (404, "/problems/not-found")


def test_a_key_may_have_so_many_jobs(client, services):
    games = [new_game(client) for _ in range(services.settings.max_jobs + 1)]
    answers = [client.post(f"{API}/games/{game}/analysis", json={}) for game in games]
    assert [answer.status_code for answer in answers] == [202] * services.settings.max_jobs + [429]
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_whom_one_key_invited_share_its_jobs(client, app, services, monkeypatch):
    monkeypatch.setattr("inkeek.service.jobs.queue.MAX_ACTIVE", 8)
    token = services.keys.create(TOKEN, "Organizer", ("record", "invite"), None)[1]
    giver, hour = services.keys.find(token, TOKEN), timedelta(hours=1)

    def analyze():
        link = services.keys.create(LINK, "Guest", ("record",), hour, giver=giver)[1]
        guest, secret = app.test_client(), services.keys.sign_in(link, hour)[1]
        guest.set_cookie("inkeek_80", secret, domain="localhost")
        guest.environ_base["HTTP_X_CSRF_TOKEN"] = csrf_token(secret)
        return guest.post(f"{API}/games/{new_game(client)}/analysis", json={}).status_code

    most = services.settings.max_jobs
    assert [analyze() for _ in range(most + 1)] == [202] * most + [429]
    assert client.post(f"{API}/games/{new_game(client)}/analysis", json={}).status_code == 202


def test_all_keys_together_may_have_so_many_jobs(client, app, monkeypatch):
    monkeypatch.setattr("inkeek.service.jobs.queue.MAX_ACTIVE", 1)
    assert client.post(f"{API}/games/{new_game(client)}/analysis", json={}).status_code == 202
    full = with_token(app).post(f"{API}/games/{new_game(client)}/analysis", json={})
    assert (full.status_code, full.json["type"]) == (503, "/problems/too-busy")
