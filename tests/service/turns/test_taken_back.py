import pytest

from inkeek.records import Move
from inkeek.service.games.corrections import take_back
from inkeek.service.games.integrity import taken_back_faults
from inkeek.service.games.state import game_state
from inkeek.service.games.write import Write

API = Write("api")


@pytest.fixture
def events(games):
    """A start, three turns of which the last two are taken back, an irregular turn that is too, and another turn."""
    game = games.create("bof", {}, {}, API).id
    for _ in range(3):
        games.play(game, games.load(game).legal(1)[0], API)
    take_back(games, game, "agreement", API, count=2)
    after = games.load(game).position
    text = f"{str(after).rsplit(' ', 2)[0]} s 2"
    games.play_irregular(game, Move.parse("~?"), text, API)
    take_back(games, game, "illegal", API)
    games.play(game, games.load(game).legal(1)[0], API)
    return list(games.load(game).events)


def changed(events, seq, **data):
    return [event._replace(data={**event.data, **data}) if event.seq == seq else event for event in events]


def faults(events):
    return [seq for seq, _ in taken_back_faults(game_state(events))]


def test_turns_that_were_taken_back_were_played_by_the_rules(events):
    kinds = [event.kind for event in events]
    assert kinds == ["created", *["turn"] * 3, *["retraction"] * 2, "turn", "retraction", "turn"]
    assert faults(events) == []


def test_a_turn_that_the_rules_forbid_is_found_though_it_was_taken_back(events):
    assert faults(changed(events, 4, turn={"move": "dx9", "nags": [], "comments": [], "variations": []}))[0] == 4
    position = events[3].data["position"].replace(".", "0.", 1)
    assert faults(changed(events, 4, position=position)) == [4]
    assert faults(changed(events, 7, turn={**events[6].data["turn"], "comments": []})) == [7]


def test_wrong_numbers_and_moves_are_found(events):
    assert faults(changed(events, 9, ply=1)) == [9]
    assert faults(changed(events, 2, ply=2)) == [2]
    assert faults(changed(events, 5, move="d")) == [5]
