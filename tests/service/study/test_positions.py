"""What the rules say of a position that belongs to no game."""

import pytest

from inkeek.records import Move, ruleset
from inkeek.records.notation.tags import format_options


def ask(client, what="turns", status=200, **query):
    answer = client.get(f"/api/v1/positions/{what}", query_string=query)
    assert answer.status_code == status, answer.text
    return answer.json


@pytest.mark.parametrize("game", ["oware", "bof", "anywoli", "layli-goobalay", "kalah"])
def test_the_legal_turns_are_those_of_the_rules(client, game):
    rules = ruleset(game)
    position = rules.start()
    for _ in range(6):
        found = ask(client, game=game, position=str(position))
        turns = rules.turns(position)
        assert [(one["move"], one["position"]) for one in found["turns"]] == [
            (str(turn.move), str(turn.position)) for turn in turns
        ]
        assert found["complete"]
        assert found["to_move"] == str(position.to_move)
        assert ask(client, game=game, position=str(position))["outcome"] is None
        position = turns[-1].position


def test_options_and_another_number_of_seeds_count(client):
    rules = ruleset("enkeshui", pits=8, setup="fours-right")
    found = ask(client, game="enkeshui", options=format_options(rules.changed))
    assert found["position"] == str(rules.start())
    few = ask(client, game="kalah", position="1.0.2/0.3.0 0-0 s 0")
    assert [turn["move"][0] for turn in few["turns"]] == ["a", "c"]


def test_where_the_game_is_over_no_turn_is_listed(client):
    found = ask(client, game="kalah", position="0.0.0/0.3.0 4-5 s 9")
    assert found["turns"] == []
    assert found["to_move"] is None
    assert found["outcome"]["score"] == [4, 8]


def test_a_trace_leads_to_the_position_of_the_turn(client):
    rules = ruleset("oware")
    turn = rules.play(rules.start(), Move.parse("c"))
    found = ask(client, "trace", game="oware", move="c")
    assert (found["move"], found["position"]) == (str(turn.move), str(turn.position))
    assert [event["kind"] for event in found["events"]].count("drop") == 4
    assert found["sentences"]


def test_options_that_are_none_are_refused(client):
    assert ask(client, "turns", 422, game="oware", options="pits")["type"] == "/problems/record"
