"""The course of a dispute over the API, and in the record: finding, preview, agreement, rulings, appeals."""

import io

import pytest

from inkeek.records import read_games, write_game
from inkeek.records.notation.commands import Appeal, ClockChange, Penalty, Proposal, Response, Ruling, commands_in
from inkeek.service.disputes.event_data import DisputeData
from inkeek.service.disputes.steps import STEPS_BY_KIND
from inkeek.service.games.event_kinds import COURSE
from tests.service.clients import with_token
from tests.service.positions import moved

API = "/api/v1"


def test_each_event_of_a_course_has_its_words():
    assert {STEPS_BY_KIND[kind].words.__qualname__ for kind in (DisputeData.kind, *COURSE)}.isdisjoint(
        {"DisputeStep.words"}
    )


def dispute(client, game, **more):
    opened = client.post(f"{game}/disputes", json={"side": "South", "claim": "not so", "by": "Nasieku", **more})
    assert opened.status_code == 201, opened.text
    return f"{API}/disputes/{opened.json['id']}"


def rule(client, path, outcome, **more):
    return client.post(f"{path}/ruling", json={"outcome": outcome, "note": "so it was", "by": "Koinet", **more})


def moves(client, game):
    return [turn["move"][0] for turn in client.get(f"{game}/turns").json["items"]]


def positions(client, game):
    return [turn["position"] for turn in client.get(f"{game}/turns").json["items"]]


def record(client, game):
    """The record, which is whole and comes back from an import as it went."""
    text = client.get(f"{game}.pmn").text
    (read,) = read_games(io.StringIO(text))
    assert read.errors == ()
    assert write_game(read) == text
    assert client.get(f"{game}/integrity").json["faults"] == []
    said = client.post(
        f"{API}/games/import", data=text.replace("Narok", "Elsewhere").encode(), content_type="text/plain"
    )
    assert said.status_code == 200
    return read


def test_what_lies_there_is_said_later_and_gives_a_finding(client, game):
    path = dispute(client, game)
    assert client.get(f"{path}/finding").json["finding"] is None
    seen = moved(client.get(game).json["position"])
    said = client.post(f"{path}/claim", json={"claim": "one seed is astray", "seen": seen, "by": "Lemayian"})
    assert (said.status_code, said.json["claim"], said.json["seen"]) == (201, "one seed is astray", seen)
    answer = client.get(f"{path}/finding").json
    accounts = (answer["finding"] or answer["since"])["accounts"]
    assert accounts[0]["probability"] > 0.1
    assert not any(account["legal"] for account in accounts)
    assert answer["evidence"]["before"] == client.get(f"{game}/positions/3").json["position"]
    rule(client, path, "retracted")
    (ruling,) = client.get(f"{path}/course").json["rulings"]
    assert ruling["finding"]["accounts"][0]["sentence"]
    assert client.post(f"{path}/claim", json={"claim": "too late"}).status_code == 409
    assert f'[%claim "one seed is astray" by="Lemayian" seen="{seen}"]' in record(client, game).plies[2].comments


def test_an_earlier_turn_is_examined_with_those_that_followed(client, game):
    path = dispute(client, game, disputed=2, seen=moved(client.get(game).json["position"]))
    answer = client.get(f"{path}/finding").json
    assert answer["finding"] is None
    assert answer["since"]["accounts"]
    assert client.get(path).json["ply"] == 2


def test_a_preview_says_what_the_ruling_then_does(client, game):
    before = client.get(game).json
    path = dispute(client, game, disputed=2)
    terms = {"outcome": "corrected", "move": "E", "keeps": True, "note": "they meant E"}
    effects = client.post(f"{path}/preview", json=terms).json
    assert client.get(game).json["ply"] == before["ply"]
    assert (effects["keeps"], effects["now"]["position"]) == (1, before["position"])
    assert [turn["ply"] for turn in effects["later"]] == [3, 4]
    assert client.post(f"{path}/ruling", json={**terms, "by": "Koinet"}).status_code == 201
    after = client.get(game).json
    assert (after["ply"], after["position"]) == (effects["then"]["ply"], effects["then"]["position"])
    assert moves(client, game)[:2] == ["c", "E"]
    legal = [turn["then"] for turn in effects["later"] if turn["then"]]
    assert [turn["move"] for turn in client.get(f"{game}/turns").json["items"]][2:] == legal
    record(client, game)


def test_later_turns_that_are_not_legal_any_more_are_named_and_left_out(client, game):
    path = dispute(client, game, disputed=2)
    lying = "0.0.0.0.0.0.1.0/1.1.1.1.1.1.1.1 39-0 s 2"
    effects = client.post(f"{path}/preview", json={"outcome": "corrected", "position": lying}).json
    assert (effects["breaks"]["ply"], effects["breaks"]["move"]) == (
        3,
        client.get(f"{game}/turns").json["items"][2]["move"],
    )
    assert [turn["then"] for turn in effects["later"]] == [None, None]
    assert rule(client, path, "corrected", position=lying, keeps=True).status_code == 201
    assert (client.get(game).json["ply"], client.get(game).json["position"]) == (2, lying)
    assert str(record(client, game).plies[1].move) == "~C"


@pytest.mark.parametrize("to", [0, 1, 2])
def test_turns_are_retracted_to_the_last_certain_position(client, game, to):
    kept = positions(client, game)[:to]
    path = dispute(client, game, disputed=3)
    assert rule(client, path, "retracted", to=to).status_code == 201
    assert positions(client, game) == kept
    assert len(record(client, game).plies) == to


def test_a_ruling_ends_the_game(client, game):
    path = dispute(client, game)
    assert rule(client, path, "ended").status_code == 422
    answer = rule(
        client, path, "ended", termination="forfeit", winner="South", penalties=[{"side": "North", "kind": "game"}]
    )
    assert (answer.status_code, answer.json["game"]["result"], answer.json["game"]["dispute"]) == (201, "1-0", None)
    read = record(client, game)
    assert (read.tags["Result"], read.tags["Termination"]) == ("1-0", "forfeit")
    last = read.plies[-1].comments
    assert [text.split()[0] for text in last] == ["[%dispute", "[%ruling", "[%penalty", "[%end"]


def test_a_game_that_was_given_up_goes_on_when_a_turn_before_is_retracted(client, game):
    client.post(f"{game}/end", json={"termination": "resignation", "winner": "North"})
    path = dispute(client, game)
    assert client.post(f"{path}/ruling", json={"outcome": "retracted", "by": "Koinet"}).status_code == 422  # no reason
    assert rule(client, path, "retracted").status_code == 201
    assert (client.get(game).json["state"], client.get(game).json["ply"]) == ("live", 3)
    record(client, game)


def test_penalties_and_clocks_are_kept_with_the_ruling(client, game):
    path = dispute(client, game)
    penalties = [{"side": "North", "kind": "seeds", "seeds": 2, "note": "twice"}, {"side": "South", "kind": "warning"}]
    clocks = [{"side": "South", "add": 60}, {"side": "North", "to": 300}]
    assert rule(client, path, "stands", penalties=penalties, clocks=clocks).status_code == 201
    (ruling,) = client.get(f"{path}/course").json["rulings"]
    assert [(one["side"], one["kind"], one["seeds"]) for one in ruling["penalties"]] == [
        ("North", "seeds", 2),
        ("South", "warning", None),
    ]
    assert ruling["clocks"] == [{"side": "South", "to": None, "add": 60}, {"side": "North", "to": 300, "add": None}]
    (case,) = record(client, game).people().cases
    assert [type(one.command) for one in case.course] == [Ruling, Penalty, Penalty, ClockChange, ClockChange]


def propose(client, path, side, outcome="retracted", **more):
    answer = client.post(f"{path}/proposals", json={"side": side, "outcome": outcome, "note": "fair", **more})
    return answer, answer.json["proposals"][-1]["seq"] if answer.status_code == 201 else None


def test_both_sides_agree_without_an_arbiter(client, game):
    path = dispute(client, game)
    _, number = propose(client, path, "North", by="Lemayian")
    own = client.post(f"{path}/proposals/{number}/answer", json={"side": "North", "accepts": True})
    assert own.status_code == 409
    same = client.post(f"{path}/proposals/{number}/answer", json={"side": "South", "accepts": True, "by": "Lemayian"})
    assert same.status_code == 409
    other = client.post(f"{path}/proposals/{number + 1}/answer", json={"side": "South", "accepts": True})
    assert other.status_code == 409
    assert moves(client, game) == ["c", "C", "d", "D"]
    answer = client.post(f"{path}/proposals/{number}/answer", json={"side": "South", "accepts": True, "by": "Nasieku"})
    assert (answer.status_code, answer.json["ruling"]["by"]) == (201, "South and North")
    assert answer.json["proposals"][0]["answer"]["accepts"] is True
    assert moves(client, game) == ["c", "C", "d"]
    (case,) = record(client, game).people().cases
    assert [type(one.command) for one in case.course] == [Proposal, Response, Ruling]
    assert [command.reason for command in [one.command for one in record(client, game).people().retractions]] == [
        "agreement"
    ]


def test_a_refused_proposal_leaves_the_dispute_open_and_another_may_be_made(client, game):
    path = dispute(client, game)
    _, number = propose(client, path, "North", "stands")
    refused = client.post(f"{path}/proposals/{number}/answer", json={"side": "South", "accepts": False})
    assert (refused.status_code, refused.json["state"]) == (201, "open")
    _, second = propose(client, path, "South")
    _, third = propose(client, path, "South", "stands")
    late = client.post(f"{path}/proposals/{second}/answer", json={"side": "North", "accepts": True})
    assert late.status_code == 409  # the third is there in its place
    assert client.post(f"{path}/proposals/{third}/answer", json={"side": "North", "accepts": True}).status_code == 201
    assert moves(client, game) == ["c", "C", "d", "D"]
    assert record(client, game).people().faults == ()


def test_nobody_speaks_for_the_other_team(client, game):
    client.post(f"{game}/people", json={"action": "join", "side": "South", "name": "Nasieku"})
    path = dispute(client, game)
    refused, _ = propose(client, path, "North", by="Nasieku")
    assert refused.status_code == 409
    appealed = client.post(f"{path}/appeal", json={"reason": "no", "side": "North", "by": "Nasieku"})
    assert appealed.status_code == 409


def test_a_proposal_that_cannot_be_is_refused_and_only_so_many_are_taken(client, game):
    path = dispute(client, game)
    assert propose(client, path, "North", "reopened")[0].status_code == 422
    for _ in range(20):
        assert propose(client, path, "North", "stands")[0].status_code == 201
    assert propose(client, path, "North", "stands")[0].status_code == 409


def test_a_second_arbiter_brings_the_retracted_turns_back(client, second, game):
    before, path = positions(client, game), dispute(client, game, disputed=3)
    rule(client, path, "retracted")
    assert client.post(f"{game}/turns", json={"move": "e"}).status_code == 201
    assert client.post(f"{path}/appeal", json={"reason": ""}).status_code == 422
    appealed = client.post(f"{path}/appeal", json={"reason": "it was legal", "side": "North", "by": "Lemayian"})
    assert (appealed.status_code, appealed.json["state"]) == (201, "appealed")
    assert client.get(game).json["dispute"] == appealed.json["id"]
    assert client.post(f"{path}/appeal", json={"reason": "again"}).status_code == 409
    assert client.post(f"{game}/turns", json={"move": "E"}).json["type"] == "/problems/disputed"
    assert rule(client, path, "stands").status_code == 409  # the same arbiter
    assert rule(client, path, "stands", by="Hawo").status_code == 409  # with the same key
    assert rule(second, path, "stands").status_code == 409  # in the same name
    effects = client.post(f"{path}/preview", json={"outcome": "stands"}).json
    assert (effects["keeps"], effects["then"]["position"]) == (2, before[-1])
    assert rule(second, path, "stands", by="Hawo").status_code == 201
    assert positions(client, game) == before
    course = client.get(f"{path}/course").json
    assert [ruling["by"] for ruling in course["rulings"]] == ["Koinet", "Hawo"]
    (case,) = record(client, game).people().cases
    assert [type(one.command) for one in case.course] == [Ruling, Appeal, Ruling]
    assert case.ruling.command.by == "Hawo"


def test_turns_played_since_a_ruling_that_changed_nothing_count_in_the_appeal(app, client, second, game):
    path = dispute(client, game)
    rule(client, path, "stands")
    client.post(f"{game}/turns", json={"move": "e"})
    since = positions(client, game)
    client.post(f"{path}/appeal", json={"reason": "no"})
    assert rule(second, path, "stands", by="Hawo").status_code == 201
    assert positions(client, game) == since
    client.post(f"{path}/appeal", json={"reason": "no"})
    assert rule(client, path, "retracted", by="Abdi").status_code == 409  # ruled before, as Koinet
    assert rule(with_token(app, "arbiter"), path, "retracted", by="Abdi").status_code == 201
    assert positions(client, game) == since[:3]


def test_an_arbiter_records_an_appeal_for_a_side(client, second, game):
    path = dispute(client, game)
    rule(client, path, "stands")
    appealed = second.post(f"{path}/appeal", json={"reason": "six fell, not five", "side": "North", "by": "Hawo"})
    assert (appealed.status_code, appealed.json["state"]) == (201, "appealed")
    assert rule(second, path, "stands", by="Hawo").status_code == 201


def test_a_key_rules_on_another_dispute_and_on_what_the_sides_had_agreed_on_with_it(client, game):
    path = dispute(client, game)
    _, number = propose(client, path, "North", "stands")
    assert client.post(f"{path}/proposals/{number}/answer", json={"side": "South", "accepts": True}).status_code == 201
    client.post(f"{path}/appeal", json={"reason": "no"})
    assert rule(client, path, "stands").status_code == 201
    assert rule(client, dispute(client, game, disputed=3), "stands").status_code == 201


SLIPPED_IN_TURN_2 = "6.0.1.1.7.7/1.6.6.5.1.7 0-0 n 5"  # E dropped two seeds in F; then d, A and b as written


@pytest.mark.parametrize("disputed", [1, 2, 3, 4, 5])
def test_a_slip_is_found_in_the_turn_where_it_was_whichever_is_disputed(client, disputed):
    path = f"/api/v1/games/{client.post('/api/v1/games', json={'game': 'oware'}).json['id']}"
    for move in ("c", "E", "d", "A", "b"):
        assert client.post(f"{path}/turns", json={"move": move}).status_code == 201
    given = {"side": "North", "claim": "a seed too many in F", "seen": SLIPPED_IN_TURN_2, "disputed": disputed}
    opened = client.post(f"{path}/disputes", json=given)
    assert opened.status_code == 201, opened.json
    answer = client.get(f"/api/v1/disputes/{opened.json['id']}/finding").json
    account = answer["since"]["accounts"][0]
    assert answer["first"] - 1 + account["ply"] == 2
    assert account["kind"] == "doubled"
    assert account["probability"] > 0.5
    assert answer["examined"] == 1


def test_a_preview_forbids_only_what_the_match_forbids(client, second):
    first = client.post(f"{API}/matches", json={"game": "kalah", "title": "games 3"}).json["id"]
    client.post(f"{API}/games/{first}/end", json={"termination": "resignation", "winner": "North"})
    last = f"{API}/games/{client.post(f'{API}/matches/{first}/games', json={}).json['id']}"
    client.post(f"{last}/turns", json={"move": client.get(last).json["legal"][0]})
    path = dispute(client, last)
    assert rule(client, path, "ended", termination="forfeit", winner="South").status_code == 201
    assert client.post(f"{path}/appeal", json={"reason": "no touch"}).status_code == 201
    assert client.post(f"{path}/preview", json={"outcome": "stands"}).status_code == 200
    ruled = second.post(f"{path}/ruling", json={"outcome": "stands", "note": "goes on", "by": "Hawo"})
    assert (ruled.status_code, ruled.json["game"]["state"]) == (201, "live")


def test_a_preview_refuses_what_the_match_forbids(client):
    created = client.post(f"{API}/matches", json={"game": "enkeshui", "title": "surplus", "options": {"pits": 8}})
    game = f"{API}/games/{created.json['id']}"
    client.post(f"{game}/turns", json={"move": client.get(game).json["legal"][0]})
    path = dispute(client, game)
    terms = {"outcome": "ended", "termination": "forfeit", "winner": "South", "score": [12, 0], "note": "touched"}
    for action in ("preview", "ruling"):
        assert client.post(f"{path}/{action}", json=terms).status_code == 409


def test_a_ruling_takes_turns_back_for_no_side(client, game):
    path = dispute(client, game, disputed=2)
    rule(client, path, "retracted")
    taken_back = client.get(f"{game}/retractions").json["items"]
    assert [(one["side"], one["reason"]) for one in taken_back] == [(None, "ruling")] * 3
    assert record(client, game).plies[0].comments[0].endswith("ply=2]")


def test_the_record_tells_a_correction_and_a_withdrawal_from_an_appeal_and_a_ruling(client, game):
    path = dispute(client, game)
    rule(client, path, "stands")
    assert rule(client, path, "stands", corrects="the wrong side").status_code == 201
    path = dispute(client, game, disputed=3)
    assert client.post(f"{path}/withdrawal", json={"note": "a mistake"}).status_code == 201
    assert client.post(f"{path}/appeal", json={"reason": "no"}).status_code == 409
    comments = record(client, game).plies[-1].comments
    assert [(one.corrects, one.by) for one in commands_in(comments, Appeal)] == [("yes", "Koinet")]
    assert [one.withdrawn for one in commands_in(comments, Ruling)] == ["", "", "yes"]


def test_a_counted_board_tells_what_went_wrong_at_the_end(client):
    """South swept what belongs to North."""
    setup = "0.0.0.0.0.1/0.2.0.1.0.3 20-21 s 50"
    game = client.post("/api/v1/games", json={"game": "kalah", "setup": setup}).json["id"]
    path = f"/api/v1/games/{game}"
    assert client.post(f"{path}/turns", json={"move": "f"}).status_code == 201
    opened = client.post(f"{path}/disputes", json={"side": "North", "claim": "my seeds", "about": "end"}).json["id"]
    assert client.get(f"/api/v1/disputes/{opened}/finding").json["finding"] is None
    seen = "0.0.0.0.0.0/0.0.0.0.0.0 27-21 n 51"
    assert client.post(f"/api/v1/disputes/{opened}/claim", json={"seen": seen}).status_code == 201
    answer = client.get(f"/api/v1/disputes/{opened}/finding").json
    assert answer["finding"]["accounts"][0]["kind"] == "swept-wrongly"
