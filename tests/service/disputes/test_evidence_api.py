"""Evidence in disputes: witnesses, photographs and who sees them; penalties, the rules of an event, precedents."""

import hashlib
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from sqlalchemy import delete, update

from inkeek.service.disputes.evidence import MAX_BYTES, MAX_PHOTOGRAPHS
from inkeek.service.games.events import rules as event_rules
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import TOKEN
from inkeek.service.http.access.keys import csrf_token
from inkeek.service.maintenance.verify import rebuild
from inkeek.service.storage import DisputeRow, EventRules
from inkeek.service.storage.tables.disputes import disputes, photographs
from tests.service.clients import with_token
from tests.service.photographs import jpeg, png, webp

API = "/api/v1"
JPEG = jpeg()
AFAR = {"REMOTE_ADDR": "192.0.2.9"}
TAGS = {"Event": "Narok Open", "South": "Nasieku", "North": "Lemayian"}


def start(client, tags=TAGS, game="bof"):
    """A game with a turn that North disputes: their paths."""
    path = f"{API}/games/" + client.post(f"{API}/games", json={"game": game, "tags": tags}).json["id"]
    client.post(f"{path}/turns", json={"move": "a"})
    opened = client.post(f"{path}/disputes", json={"side": "North", "claim": "four, not five"})
    return path, f"{API}/disputes/{opened.json['id']}"


def photograph(client, dispute, data=JPEG, kind="image/jpeg", **headers):
    return client.post(f"{dispute}/photographs?witness=Hawo", data=data, content_type=kind, headers=headers)


def rule(client, dispute, by="Koinet", **more):
    answer = client.post(f"{dispute}/ruling", json={"outcome": "stands", "note": "so it was", "by": by, **more})
    assert answer.status_code == 201, answer.text


def test_what_a_witness_saw_stands_in_the_course(client):
    game, dispute = start(client)
    proposal = {"side": "South", "outcome": "stands", "by": "Nasieku"}
    client.post(f"{dispute}/proposals", json=proposal)
    said = client.post(f"{dispute}/evidence", json={"witness": " Hawo ", "text": "five  were lifted", "by": "Abdi"})
    assert said.status_code == 201
    (found,) = said.json["evidence"]
    assert (found["witness"], found["text"], found["by"], found["photograph"]) == (
        "Hawo",
        "five were lifted",
        "Abdi",
        None,
    )
    waits = said.json["proposals"][0]["seq"]  # still: evidence answers no proposal
    accepted = {"side": "North", "accepts": True, "by": "Lemayian"}
    assert client.post(f"{dispute}/proposals/{waits}/answer", json=accepted).status_code == 201
    late = client.post(f"{dispute}/evidence", json={"witness": "Hawo", "text": "late"})
    assert late.status_code == 409
    assert client.get(f"{game}/integrity").json["faults"] == []


def test_only_arbiters_see_a_photograph_until_one_releases_it(app, client):
    game, dispute = start(client)
    player, arbiter = with_token(app, "record"), with_token(app, "arbiter")
    player.environ_base.update(AFAR)
    added = photograph(player, dispute)
    assert added.status_code == 201
    (found,) = added.json["evidence"]
    hashed = hashlib.sha256(JPEG).hexdigest()
    assert found["photograph"] == {
        "sha256": hashed,
        "type": "image/jpeg",
        "bytes": len(JPEG),
        "released": None,
        "removed": None,
    }
    place = f"{dispute}/evidence/{found['seq']}"
    refused = player.get(f"{place}/photograph")
    assert refused.status_code == 403
    assert hashed in refused.json["detail"]
    shown = arbiter.get(f"{place}/photograph")
    assert (shown.data, shown.content_type) == (JPEG, "image/jpeg")
    assert shown.headers["X-Content-Type-Options"] == "nosniff"
    assert player.post(f"{place}/release", json={}).status_code == 403
    rule(client, dispute)
    released = arbiter.post(f"{place}/release", json={"by": "Koinet"})
    assert released.json["evidence"][0]["photograph"]["released"]["by"] == "Koinet"
    assert arbiter.post(f"{place}/release", json={"by": "Koinet"}).status_code == 409
    assert player.get(f"{place}/photograph").data == JPEG
    correction = {"outcome": "retracted", "note": "the picture shows four", "by": "Koinet", "corrects": "not seen"}
    assert client.post(f"{dispute}/ruling", json=correction).status_code == 201  # a release is no step between
    assert player.get(f"{dispute}/evidence/1/photograph").status_code == 404
    assert client.get(f"{game}/integrity").json["faults"] == []


@pytest.mark.parametrize(
    ("data", "kind", "status"),
    [
        (b"<svg onload='alert(1)'/>", "image/jpeg", 422),
        (b"GIF89a" + b"\0" * 20, "image/png", 422),
        (b"", "image/jpeg", 422),
        (JPEG[:12], "image/jpeg", 422),  # without a size
        (b"\xff\xd8\xff" + b"\xff" * 999, "image/jpeg", 422),
        (png(16_000, 16_000), "image/png", 422),
        (jpeg(16_000, 16_000), "image/jpeg", 422),
        (jpeg(65_535, 0), "image/jpeg", 422),
        *(
            (JPEG[:2] + before + JPEG[2:], "image/jpeg", 422)
            for before in (b"\xff\xd0", b"\xff\x01", b"\xff\xfe\0\0", b"x")
        ),
        (png().replace(b"IHDR", b"tEXt"), "image/png", 422),
        (webp(b"ALPH"), "image/webp", 422),
        *((webp(kind, 16_000, 16_000), "image/webp", 422) for kind in (b"VP8 ", b"VP8L", b"VP8X")),
        *((webp(kind, 8_000, 6_000), "image/webp", 201) for kind in (b"VP8 ", b"VP8L", b"VP8X")),
        (png(8_000, 6_000), "image/png", 201),
        (JPEG, "image/svg+xml", 415),
        (JPEG + b"\0" * MAX_BYTES, "image/jpeg", 413),
    ],
)
def test_what_is_no_photograph_is_refused(client, data, kind, status):
    _, dispute = start(client)
    assert photograph(client, dispute, data, kind).status_code == status


def test_a_photograph_is_served_as_what_it_is_whatever_was_said_of_it(client):
    _, dispute = start(client)
    shown = png(more=b"<script>alert(1)</script>")
    seq = photograph(client, dispute, shown, "image/jpeg").json["evidence"][0]["seq"]
    assert client.get(f"{dispute}/evidence/{seq}/photograph").content_type == "image/png"


def test_photographs_are_bounded_and_a_repeated_request_adds_none(client, monkeypatch):
    _, dispute = start(client)
    for number in range(MAX_PHOTOGRAPHS):
        for _ in range(2):
            again = photograph(client, dispute, JPEG + bytes([number]), **{"Idempotency-Key": f"p{number}"})
            assert len(again.json["evidence"]) == number + 1
    assert photograph(client, dispute).status_code == 409
    _, other = start(client)
    monkeypatch.setattr("inkeek.service.disputes.evidence.MAX_ALL", MAX_PHOTOGRAPHS * (len(JPEG) + 1))
    assert photograph(client, other).status_code == 409


def test_no_game_event_or_key_takes_the_room_of_all(app, client, monkeypatch):
    module, one = "inkeek.service.disputes.evidence", len(JPEG)
    monkeypatch.setattr(f"{module}.MAX_OF_GAME", 2 * one)
    monkeypatch.setattr(f"{module}.MAX_OF_EVENT", 3 * one)
    monkeypatch.setattr(f"{module}.MAX_OF_KEY", 3 * one)
    key, other = with_token(app, "record"), with_token(app, "record")
    stored = []
    for number in range(3):
        _, dispute = start(client, {"Event": f"Cup {number}"})
        stored += [photograph(key, dispute, JPEG[:-1] + bytes([at])).status_code for at in range(3 - number)]
    assert stored == [201, 201, 409, 201, 409, 409]  # two of the first game, three with the key
    for number in range(2):
        _, dispute = start(client, {"Event": "Cup 1"})
        stored = [photograph(other, dispute, JPEG[:-1] + bytes([at])).status_code for at in range(3)]
        assert stored == ([201, 201, 409] if number == 0 else [409, 409, 409])  # three of the event


def test_whom_one_key_invited_share_its_room(app, client, services, monkeypatch):
    monkeypatch.setattr("inkeek.service.disputes.evidence.MAX_OF_KIN", 2 * len(JPEG))
    organizer = services.keys.create(TOKEN, "Organizer", ("record", "arbiter", "invite"), None)[1]
    giver = services.keys.find(organizer, TOKEN)
    stored = []
    for number in range(3):
        _, dispute = start(client, {"Event": f"Cup {number}"})
        link = services.invitations.create("arbiter", f"Cup {number}", "", Write("page"), giver=giver)
        _, secret, _ = services.invitations.join(link.id, f"Guest {number}")
        guest = app.test_client()
        guest.set_cookie("inkeek_80", secret, domain="localhost")
        guest.environ_base["HTTP_X_CSRF_TOKEN"] = csrf_token(secret)
        stored.append(photograph(guest, dispute, JPEG[:-1] + bytes([number])).status_code)
    assert stored == [201, 201, 409]
    assert photograph(client, dispute).status_code == 201  # an administrator's own


def test_who_stored_a_photograph_or_an_administrator_removes_it_and_the_course_says_so(app, client, services):
    game, dispute = start(client)
    key, other, admin = with_token(app, "record"), with_token(app, "record", "arbiter"), with_token(app)
    place = f"{dispute}/evidence/{photograph(key, dispute).json['evidence'][0]['seq']}"
    again = f"{dispute}/evidence/{photograph(key, dispute).json['evidence'][1]['seq']}"
    assert other.post(f"{place}/removal", json={"by": "Koinet"}).status_code == 403
    answer = key.post(f"{place}/removal", json={"by": "Abdi"})
    removed = answer.json["evidence"][0]["photograph"]["removed"]
    assert (answer.status_code, removed["by"], bool(removed["time"])) == (201, "Abdi", True)
    assert admin.get(f"{place}/photograph").status_code == 404
    assert key.post(f"{place}/removal", json={}).status_code == 404
    assert admin.get(f"{again}/photograph").data == JPEG  # the same one, added twice
    assert admin.post(f"{again}/removal", json={"by": "Owner"}).status_code == 201
    with services.store.reading() as transaction:
        assert transaction.photographs.size() == 0
    assert client.get(f"{game}/integrity").json["faults"] == []


def test_a_check_notices_a_photograph_that_was_changed_or_is_missing(client, services):
    game, dispute = start(client)
    seq = photograph(client, dispute).json["evidence"][0]["seq"]
    hashed = hashlib.sha256(JPEG).hexdigest()
    for statement in (update(photographs).values(data=b"other"), delete(photographs)):
        with services.store.writing() as transaction:
            transaction._session.execute(statement)
        (fault,) = client.get(f"{game}/integrity").json["faults"]
        assert hashed in fault
        assert client.get(f"{dispute}/evidence/{seq}/photograph").status_code == 503


def test_penalties_of_a_player_in_the_event_lead_to_the_next_one(client):
    games = [start(client), start(client, {**TAGS, "South": "LEMAYIAN ", "North": "Hawo"})]
    elsewhere = start(client, {**TAGS, "Event": "Kajiado Cup"})
    for (_, dispute), side, kind in ((games[0], "North", "seeds"), (elsewhere, "North", "turn")):
        rule(client, dispute, penalties=[{"side": side, "kind": kind, **({"seeds": 2} if kind == "seeds" else {})}])
    answer = client.get(f"{games[1][1]}/penalties").json
    south, north = answer["players"]
    assert [(one["kind"], one["seeds"]) for one in south["given"]] == [("seeds", 2)]
    assert (south["next"], north["given"], north["next"]) == ("turn", [], "warning")
    event = next(item["id"] for item in client.get(f"{API}/events").json["items"] if item["name"] == "Narok Open")
    rules = {"ladder": ["warning", "seeds", "expulsion"], "appeal_minutes": 30}
    assert client.put(f"{API}/events/{event}/rules", json=rules).json == rules
    assert client.get(f"{API}/events/{event}/rules").json == rules
    assert client.get(f"{games[1][1]}/penalties").json["players"][0]["next"] == "expulsion"
    client.post(f"{games[0][1]}/appeal", json={"reason": "no"})  # the ruling stands no longer
    assert client.get(f"{games[1][1]}/penalties").json["players"][0]["given"] == []
    twice = {"ladder": ["warning", "warning"], "appeal_minutes": None}
    assert client.put(f"{API}/events/{event}/rules", json=twice).status_code == 422


def test_an_event_without_rules_has_the_penalties_that_there_were_first(client):
    """So a kind of penalty that is added changes no event."""
    ladder = ["warning", "time", "seeds", "turn", "game", "expulsion"]
    assert client.get(f"{start(client)[1]}/penalties").json["ladder"] == ladder
    (event,) = client.get(f"{API}/events").json["items"]
    rules = f"{API}/events/{event['id']}/rules"
    assert client.get(rules).json["ladder"] == ladder
    assert client.put(rules, json={}).json["ladder"] == ladder


def test_an_appeal_after_the_deadline_of_the_event_is_an_arbiters(app, client, services, monkeypatch):
    _, dispute = start(client)
    event_rules.set_rules(services.store, "narok open", EventRules(("warning",), 30))
    rule(client, dispute)
    until = client.get(f"{dispute}/penalties").json["appeal_until"]
    clock = services.games._clock
    monkeypatch.setattr(services.games, "_clock", lambda: clock() + timedelta(minutes=31))
    refused = with_token(app, "record").post(f"{dispute}/appeal", json={"reason": "no"})
    assert refused.status_code == 409
    assert until in refused.json["detail"]
    assert with_token(app, "arbiter").post(f"{dispute}/appeal", json={"reason": "no"}).status_code == 201


def test_an_appeal_is_possible_until_the_minutes_of_the_event_are_over():
    row = DisputeRow("g", 3, "", 1, 2, "South", "", None, "", ruled="2026-11-25T16:00:00.000000Z")
    assert event_rules.appeal_until(EventRules((), 30), row) == "2026-11-25T16:30:00.000000Z"
    assert event_rules.appeal_until(event_rules.DEFAULT, row) is None


def test_a_deadline_that_is_set_after_a_ruling_begins_then(services):
    row = DisputeRow("g", 3, "", 1, 2, "South", "", None, "", ruled="2026-11-25T16:00:00.000000Z")
    for hour in (17, 18):  # the second time, nothing changes
        clock = partial(datetime, 2026, 11, 25, hour, tzinfo=UTC)
        event_rules.set_rules(services.store, "narok open", EventRules(("warning",), 30), clock)
    rules = event_rules.load_rules(services.store, "narok open")
    assert event_rules.appeal_until(rules, row) == "2026-11-25T17:30:00.000000Z"


def test_earlier_rulings_on_the_same_slip_by_the_same_rules_are_found(client, services):
    """What they were about is worked out from their events."""

    def ruled(game, lost):
        path = f"{API}/games/" + client.post(f"{API}/games", json={"game": game}).json["id"]
        client.post(f"{path}/turns", json={"move": "a"})
        first, rest = client.get(path).json["position"].split("/")
        *pits, last = first.split(".")
        lies = f"{'.'.join([*pits, str(int(last) - lost)])}/{rest}"
        opened = client.post(f"{path}/disputes", json={"side": "North", "claim": "no", "seen": lies if lost else None})
        rule(client, f"{API}/disputes/{opened.json['id']}")
        return client.get(f"{API}/disputes/{opened.json['id']}").json

    first, other_rules, unknown = ruled("bof", 1), ruled("oware", 1), ruled("bof", 0)
    assert first["slip"] is not None
    assert unknown["slip"] is None
    found = client.get(f"{API}/disputes?state=ruled&slip={first['slip']}&game=bof").json["items"]
    assert [one["id"] for one in found] == [first["id"]]
    assert other_rules["id"] not in [one["id"] for one in found]
    with services.store.writing() as transaction:
        transaction._session.execute(update(disputes).values(slip=None))
    assert sum(report.rebuilt for report in rebuild(services.store)) == 2
    assert client.get(f"{API}/disputes/{first['id']}").json["slip"] == first["slip"]
