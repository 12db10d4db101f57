"""What a ruling settled is opened again in its own course only: by an appeal, or by the arbiter who made a slip."""

import pytest

from tests.service.clients import with_token

API = "/api/v1"
END = {"termination": "time", "winner": "South"}


def dispute(client, game, **more):
    return client.post(f"{game}/disputes", json={"side": "South", "claim": "not so", **more})


def opened(client, game, **more):
    return f"{API}/disputes/{dispute(client, game, **more).json['id']}"


def rule(client, path, outcome, by="Koinet", **more):
    return client.post(f"{path}/ruling", json={"outcome": outcome, "note": "so it was", "by": by, **more})


def appeal(client, path):
    return client.post(f"{path}/appeal", json={"reason": "the video shows five"})


def kinds(client, path):
    course = client.get(f"{path}/course").json
    return [(ruling["outcome"], ruling["withdrawn"]) for ruling in course["rulings"]], course["appeals"]


@pytest.mark.parametrize(
    ("outcome", "more"),
    [("stands", {}), ("corrected", {"move": "E"}), ("corrected", {"move": "E", "keeps": True}), ("ended", END)],
)
def test_a_turn_that_was_ruled_on_is_not_disputed_again(client, game, outcome, more):
    path = opened(client, game, disputed=2)
    assert rule(client, path, outcome, **more).status_code == 201
    assert dispute(client, game, disputed=2).status_code == 409
    assert dispute(client, game, disputed=1).status_code == 201  # nobody ruled on that one


def test_a_turn_played_in_place_of_one_taken_back_may_be_disputed(client, game):
    assert rule(client, opened(client, game), "retracted").status_code == 201
    assert client.post(f"{game}/turns", json={"move": "D"}).status_code == 201
    assert dispute(client, game).status_code == 201


def test_what_an_appeal_put_back_is_not_taken_back_by_a_new_dispute(client, game, second):
    path = opened(client, game)
    assert rule(client, path, "retracted").status_code == 201
    assert appeal(client, path).status_code == 201
    assert rule(second, path, "stands", by="Hawo").status_code == 201
    assert dispute(client, game).status_code == 409
    assert client.get(game).json["ply"] == 4


@pytest.mark.parametrize("outcome", ["stands", "corrected", "turn ended"])
def test_an_end_that_was_ruled_on_is_neither_disputed_nor_changed_beside_the_course(client, game, outcome):
    if outcome == "turn ended":
        path = opened(client, game)
        assert rule(client, path, "ended", **END).status_code == 201
    else:
        assert client.post(f"{game}/end", json={"termination": "resignation", "winner": "North"}).status_code == 200
        path = opened(client, game, about="end")
        assert rule(client, path, outcome, **(END if outcome == "corrected" else {})).status_code == 201
    before = client.get(game).json
    assert dispute(client, game, about="end").status_code == 409
    change = {"termination": "agreement", "reason": "they agreed"}
    assert client.post(f"{game}/end/correction", json=change).status_code == 409
    assert client.post(f"{game}/end/reopening", json={"reason": "go on"}).status_code == 409
    assert client.get(game).json == before


def test_after_an_appeal_only_an_arbiter_has_it_heard_again(app, client, game, second):
    player, third = with_token(app, "record"), with_token(app, "arbiter")
    path = opened(client, game)
    rule(client, path, "stands")
    assert appeal(player, path).status_code == 201
    assert rule(second, path, "retracted", by="Hawo").status_code == 201
    assert appeal(player, path).status_code == 409
    assert appeal(third, path).status_code == 201
    assert rule(third, path, "stands", by="Lemayian").status_code == 201


def test_an_arbiter_corrects_a_slip_of_their_own_and_the_first_word_stays(client, game, second):
    path = opened(client, game, disputed=2)
    assert rule(client, path, "retracted").status_code == 201
    assert client.get(game).json["ply"] == 1
    assert rule(client, path, "stands").status_code == 409
    assert rule(second, path, "stands", by="Hawo", corrects="wrong button").status_code == 409
    assert rule(client, path, "stands", by="Hawo", corrects="wrong button").status_code == 409
    assert rule(client, path, "stands", corrects="I pressed the wrong button").status_code == 201
    assert client.get(game).json["ply"] == 4
    rulings, appeals = kinds(client, path)
    assert rulings == [("retracted", False), ("stands", False)]
    assert [(one["reason"], one["corrects"]) for one in appeals] == [("I pressed the wrong button", True)]
    assert client.get(f"{game}/integrity").json["faults"] == []


def test_a_correction_does_not_use_up_the_appeal(app, client, game, second):
    path = opened(client, game)
    rule(client, path, "retracted")
    rule(client, path, "stands", corrects="wrong button")
    assert appeal(with_token(app, "record"), path).status_code == 201
    assert rule(client, path, "retracted", corrects="again").status_code == 409  # it waits for another arbiter
    assert rule(second, path, "retracted", by="Hawo").status_code == 201


def test_a_dispute_opened_by_mistake_is_withdrawn_and_the_turn_may_be_disputed(app, client, game):
    keeper = with_token(app, "record")
    path = opened(keeper, game)
    assert keeper.post(f"{path}/withdrawal", json={"note": ""}).status_code == 422
    withdrawn = keeper.post(f"{path}/withdrawal", json={"note": "the wrong game", "by": "Naisula"})
    assert (withdrawn.status_code, withdrawn.json["state"]) == (201, "ruled")
    assert kinds(client, path) == ([("stands", True)], [])
    assert client.get(game).json["dispute"] is None
    steps = {
        "appeal": {"reason": "no"},
        "withdrawal": {"note": "again"},
        "claim": {"claim": "six"},
        "evidence": {"witness": "Hawo", "text": "six"},
        "proposals": {"side": "South", "outcome": "stands"},
        "ruling": {"outcome": "stands", "by": "Judge"},
    }
    late = [client.post(f"{path}/{step}", json=body) for step, body in steps.items()]
    late.append(client.post(f"{path}/ruling", json={"outcome": "stands", "by": "Judge", "corrects": "no"}))
    assert {one.status_code for one in late} == {409}
    assert len({one.json["detail"] for one in late}) == 1, "all say that it was withdrawn"
    again = opened(keeper, game)
    rule(client, again, "stands")
    appeal(keeper, again)
    assert keeper.post(f"{again}/withdrawal", json={"note": "never mind"}).status_code == 409
    assert client.get(f"{game}/integrity").json["faults"] == []
