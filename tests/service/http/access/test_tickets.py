"""Tickets, with which a browser opens live streams, through the Flask client."""

from datetime import timedelta

import pytest

from service.http.access.keys import ANYONE_HASH
from service.http.sse import MEDIA_TYPE
from service.storage import Limit
from service.storage.clock import moment, utc_now
from tests.service.clients import signed_in, with_token

API = "/api/v1"
AFAR = {"REMOTE_ADDR": "192.0.2.9"}  # where reading needs a key


@pytest.fixture
def game(client):
    return client.post(f"{API}/games", json={"game": "oware", "tags": {"Event": "Narok Open"}}).json["id"]


def remote(client):
    client.environ_base.update(AFAR)
    return client


@pytest.fixture
def reader(app):
    return remote(with_token(app, "read"))


def ticket_of(client):
    answer = client.post(f"{API}/tickets")
    assert answer.status_code == 201
    return answer.json["ticket"]


def status(app, path, ticket, **more):
    with app.test_client().get(
        path, query_string={"ticket": ticket}, environ_base=AFAR, buffered=False, **more
    ) as answer:
        assert answer.status_code != 200 or answer.mimetype == MEDIA_TYPE
        return answer.status_code


def test_a_ticket_opens_every_stream_and_again(app, client, reader, game):
    board = client.post(f"{API}/boards", json={"port": "far:bench", "driver": "far", "game": game}).json["id"]
    ticket = ticket_of(reader)
    for path in (f"/games/{game}/events", "/feed", f"/boards/{board}/events", f"/boards/{board}/events"):
        assert status(app, API + path, ticket) == 200
        assert app.test_client().get(API + path, environ_base=AFAR).status_code == 401


def test_a_ticket_opens_nothing_else(app, reader, game):
    ticket = ticket_of(reader)
    for path in (f"{API}/games", f"{API}/games/{game}", f"{API}/tokens/current", f"{API}/openapi.json", "/"):
        assert status(app, path, ticket) == 401, path
    sent = {"query_string": {"ticket": ticket}, "environ_base": AFAR}
    assert app.test_client().post(f"{API}/tickets", **sent).status_code == 401
    header = {"headers": {"Authorization": f"Bearer {ticket}"}, "environ_base": AFAR}
    assert app.test_client().get(f"{API}/games/{game}/events", **header).status_code == 401


def test_who_has_no_key_gets_no_ticket(app):
    assert app.test_client().post(f"{API}/tickets").status_code == 401


@pytest.mark.parametrize("place", [0, 12, -2])
def test_a_changed_ticket_is_refused(app, reader, place):
    ticket = ticket_of(reader)
    changed = list(ticket)
    changed[place] = "b" if changed[place] != "b" else "c"
    assert status(app, f"{API}/feed", "".join(changed)) == 401


@pytest.mark.parametrize("ticket", ["", "no", "\0.a." + "a" * 43, "a" * 5000, "ü" * 60])
def test_what_is_no_ticket_is_refused(app, ticket):
    assert status(app, f"{API}/feed", ticket) == 401


def test_a_ticket_expires(app, services, reader, monkeypatch):
    answer = reader.post(f"{API}/tickets").json
    lifetime = moment(answer["expires"]) - utc_now()
    assert timedelta(seconds=50) < lifetime <= timedelta(minutes=1)
    for seconds, expected in ((58, 200), (62, 401)):
        monkeypatch.setattr(services.keys, "_clock", lambda seconds=seconds: utc_now() + timedelta(seconds=seconds))
        assert status(app, f"{API}/feed", answer["ticket"]) == expected


def test_a_ticket_ends_with_its_token(app, services, reader):
    ticket = ticket_of(reader)
    services.keys.revoke(reader.get(f"{API}/tokens/current").json["id"])
    assert status(app, f"{API}/feed", ticket) == 401


def test_a_ticket_of_an_old_secret_ends_with_its_grace(app, services, reader):
    ticket, key_id = ticket_of(reader), reader.get(f"{API}/tokens/current").json["id"]
    services.keys.rotate(key_id, timedelta(hours=1))
    assert status(app, f"{API}/feed", ticket) == 200
    services.keys.rotate(key_id)
    assert status(app, f"{API}/feed", ticket) == 401


def test_a_stream_that_a_ticket_opened_ends_with_the_token(app, services, reader, game, monkeypatch):
    monkeypatch.setattr("service.live.publisher.RIGHTS_EVERY", 0.0)
    sent = {"query_string": {"ticket": ticket_of(reader)}, "environ_base": AFAR, "buffered": False}
    with app.test_client().get(f"{API}/games/{game}/events", **sent) as answer:
        lines = iter(answer.response)
        next(lines)
        services.keys.revoke(reader.get(f"{API}/tokens/current").json["id"])
        for _ in lines:  # ends
            pass


def test_a_ticket_has_the_limit_of_its_key(app, client, game):
    other = client.post(f"{API}/games", json={"game": "oware"}).json["id"]
    ticket = ticket_of(remote(with_token(app, "read", limit=Limit("event", "Narok Open"))))
    assert status(app, f"{API}/games/{game}/events", ticket) == 200
    assert status(app, f"{API}/games/{other}/events", ticket) == 404


def test_a_ticket_counts_for_its_key(app, services, reader):
    sent = {"query_string": {"ticket": ticket_of(reader)}, "environ_base": AFAR, "buffered": False}
    with app.test_client().get(f"{API}/feed", **sent):
        held = [sender.name for sender in services.streams._held]
    assert held == [reader.get(f"{API}/tokens/current").json["id"]]


def test_a_ticket_is_known_where_the_secret_is(make):
    one, same, other = (make(ticket_secret=secret) for secret in ("a", "a", ""))
    ticket = ticket_of(with_token(one, "read"))
    assert [status(app, f"{API}/feed", ticket) for app in (one, same, other)] == [200, 200, 401]


def test_the_key_of_anyone_signs_no_ticket(app, services):
    services.keys.let_anyone_watch(True)
    anyone = services.store.key(ANYONE_HASH)
    forged = services.keys._tickets.sign(anyone.id, anyone.hash, utc_now())
    assert services.keys.find_by_ticket(forged) is None


def test_a_session_that_gets_a_ticket_may_only_read_with_it(app, game):
    ticket = ticket_of(signed_in(app, "record"))
    assert status(app, f"{API}/games/{game}/events", ticket) == 200
    sent = {"query_string": {"ticket": ticket}, "environ_base": AFAR}
    assert app.test_client().post(f"{API}/games/{game}/turns", json={"move": "a"}, **sent).status_code == 401


def test_a_ticket_is_not_logged(app, reader, caplog):
    caplog.set_level("DEBUG")
    ticket = ticket_of(reader)
    status(app, f"{API}/feed", ticket)
    status(app, f"{API}/games", ticket)
    assert "/feed" in caplog.text
    assert ticket not in caplog.text
