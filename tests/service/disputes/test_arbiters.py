"""Who may rule, and who may speak for a side: names are compared as they look, keys by whose they are."""

from datetime import timedelta

import pytest

from inkeek.service.disputes.disputes import load_dispute
from inkeek.service.disputes.rulings import appeal, rule
from inkeek.service.disputes.terms import Terms
from inkeek.service.errors import Conflict
from inkeek.service.games.library.persons import join
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import LINK, SESSION, TOKEN
from tests.service.clients import with_token

HOUR = timedelta(hours=1)


@pytest.fixture
def opened(client, game):
    """The path of a dispute in a game of Nasieku and Lemayian."""
    client.patch(game, json={"tags": {"South": "Nasieku", "North": "Lemayian"}})
    answer = client.post(f"{game}/disputes", json={"side": "South", "claim": "not so", "by": "Nasieku"})
    return f"/api/v1/disputes/{answer.json['id']}"


def decide(client, path, by, outcome="stands"):
    return client.post(f"{path}/ruling", json={"outcome": outcome, "note": "seen", "by": by}).status_code


def test_who_ruled_does_not_rule_on_the_appeal_with_a_device_they_signed_in(client, services, opened):
    keys, games, dispute = services.keys, services.games, opened.rpartition("/")[2]
    link = keys.create(LINK, "Koinet", ("record", "arbiter"), HOUR)[1]
    first = keys.find(keys.sign_in(link, HOUR)[1], SESSION)
    device = keys.find(keys.sign_in(services.devices.add_link(first)[1], HOUR)[1], SESSION)
    with services.store.writing() as transaction:  # a key that the device lent
        lent = keys.add(transaction, TOKEN, "tally", ("arbiter",), None, None, lender=device.id)[0]
    rule(games, dispute, Terms("stands", "seen"), Write(first.source(), "Koinet"))
    appeal(games, dispute, "no", Write("api"), "South")
    for source in (device.source(), f"api:tally:{lent.id}"):
        with pytest.raises(Conflict):
            rule(games, dispute, Terms("stands", "seen"), Write(source, "Somebody"))
    other = keys.create(TOKEN, "Hawo", ("arbiter",), None)[0]
    rule(games, dispute, Terms("stands", "seen"), Write(f"api:Hawo:{other.id}", "Hawo"))
    assert load_dispute(games, dispute)[1].row.arbiter == "Hawo"


@pytest.mark.parametrize("by", ["KOINET", " koi net", "Kóinet", "Koi-net.", "Кoinet", "КОІNЕТ", "ꓗOINET", "KᴏɪɴET"])
def test_who_ruled_does_not_rule_on_the_appeal_in_other_letters(app, client, opened, by):
    assert decide(with_token(app, "arbiter"), opened, "Koinet") == 201
    client.post(f"{opened}/appeal", json={"reason": "no"})
    assert decide(with_token(app, "arbiter"), opened, by) in (409, 422)
    assert decide(with_token(app, "arbiter"), opened, "Hawo") == 201


def test_names_that_were_joined_to_a_person_are_theirs(app, client, services, game, opened):
    for name in ("Koinet", "K. ole Sankale"):
        client.post("/api/v1/games", json={"game": "bof", "tags": {"South": name}})
    join(services.events, services.store, "k. ole sankale", "Koinet", Write("api"))
    assert decide(with_token(app, "arbiter"), opened, "Koinet") == 201
    client.post(f"{opened}/appeal", json={"reason": "no"})
    assert decide(with_token(app, "arbiter"), opened, "K. ole Sankale") == 409


def test_a_player_of_the_game_does_not_rule(app, client, game, opened):
    for by in ("Nasieku", "LEMAYIAN", "Nasiéku"):
        assert decide(with_token(app, "arbiter"), opened, by) == 409, by
    assert decide(with_token(app, "arbiter", name="Nasieku"), opened, "Somebody") == 409
    left = {"side": "South", "name": "Hawo"}
    client.post(f"{game}/people", json={"action": "join", **left})
    client.post(f"{game}/people", json={"action": "leave", **left})
    assert decide(with_token(app, "arbiter"), opened, "Hawo") == 409  # played for a while
    assert decide(with_token(app, "arbiter"), opened, "Koinet") == 201


def test_a_player_is_no_arbiter_who_has_the_dispute_heard_again(app, client, opened):
    for by in ("Koinet", "Hawo"):
        assert decide(with_token(app, "arbiter"), opened, by) == 201
        again = {"reason": "no", "side": "South", "by": "Nasieku"}
        answer = with_token(app, "record", "arbiter").post(f"{opened}/appeal", json=again)
        assert answer.status_code == (201 if by == "Koinet" else 409)


def test_nobody_opens_changes_or_withdraws_a_dispute_of_the_other_side(client, game, opened):
    by = {"by": "LEMÁYIAN"}
    for path, body in (
        (f"{opened}/claim", {"claim": "all is well"}),
        (f"{opened}/withdrawal", {"note": "all is well"}),
        (f"{opened}/proposals", {"side": "South", "outcome": "stands", "note": "fair"}),
    ):
        assert client.post(path, json={**body, **by}).status_code == 409, path
    seen = client.get(game).json["position"]
    assert client.post(f"{opened}/claim", json={"claim": "", "seen": seen, **by}).status_code == 201
    proposed = client.post(
        f"{opened}/proposals", json={"side": "North", "outcome": "stands", "note": "fair", "by": "Ann"}
    )
    answer = {"side": "South", "accepts": True, "by": "ANN"}
    seq = proposed.json["proposals"][-1]["seq"]
    assert client.post(f"{opened}/proposals/{seq}/answer", json=answer).status_code == 409
    assert client.post(f"{opened}/withdrawal", json={"note": "a mistake", "by": "Nasieku"}).status_code == 201
    assert client.post(f"{game}/disputes", json={"side": "South", "claim": "no", **by}).status_code == 409


def test_the_name_of_a_key_counts_whatever_by_says(app, client, opened):
    north = with_token(app, "record", name="LEMÁYIAN")
    terms = {"outcome": "stands", "note": "fair"}
    for by in ({}, {"by": "Nasieku"}, {"by": "Somebody"}):
        for path, body in (
            (f"{opened}/claim", {"claim": "all is well"}),
            (f"{opened}/withdrawal", {"note": "all is well"}),
            (f"{opened}/proposals", {"side": "South", **terms}),
        ):
            assert north.post(path, json={**body, **by}).status_code == 409, (path, by)
    proposal = north.post(f"{opened}/proposals", json={"side": "North", **terms}).json["proposals"][0]["seq"]
    answer = f"{opened}/proposals/{proposal}/answer"
    assert north.post(answer, json={"side": "South", "accepts": True, "by": "Nasieku"}).status_code == 409
    assert client.post(answer, json={"side": "South", "accepts": True, "by": "Nasieku"}).status_code == 201


def test_an_arbiter_whose_key_has_the_name_does_not_rule_on_the_appeal_in_another(app, client, opened):
    assert decide(with_token(app, "arbiter"), opened, "Koinet") == 201
    client.post(f"{opened}/appeal", json={"reason": "no"})
    assert decide(with_token(app, "arbiter", name="Koinet"), opened, "Somebody") == 409
    assert decide(with_token(app, "arbiter", name="Hawo"), opened, "Somebody") == 201
