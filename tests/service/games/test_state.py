import pytest

from inkeek.service.errors import StorageError
from inkeek.service.games.state import changed_tags, game_state
from inkeek.service.storage import GENESIS, seal

START = "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4 0-0 s 0"
CREATED = {"game": "enkeshui", "options": {"pits": 8}, "setup": None, "tags": {"South": "A"}, "comments": ["hm"]}


def events(*contents):
    made = []
    for kind, data in (("created", {**CREATED, "position": START}), *contents):
        prev = made[-1].hash if made else GENESIS
        made.append(seal("g", len(made) + 1, f"t{len(made)}", "", "api", kind, data, prev))
    return made


def test_a_game_without_turns():
    state = game_state(events())
    assert (state.row.state, state.row.result, state.row.ply, state.row.position) == ("live", "*", 0, START)
    assert state.record.tags == {"South": "A", "Game": "enkeshui", "Options": "pits=8", "Result": "*"}
    assert state.record.comments == ("hm",)


def test_turns_tags_and_the_end_add_up():
    turn = {"ply": 1, "turn": {"move": "c", "nags": [1], "comments": ["x"], "variations": []}, "position": "p"}
    end = {"termination": "time", "winner": "South", "result": "1-0", "score": [3, 4], "by": ""}
    state = game_state(events(("turn", turn), ("tags", {"tags": {"South": None, "Site": "S"}}), ("ended", end)))
    row = state.row
    assert (row.ply, row.position, row.seq, row.created, row.updated) == (1, "p", 4, "t0", "t3")
    assert (row.state, row.result, row.score, row.termination, row.winner) == ("ended", "1-0", (3, 4), "time", "South")
    assert state.record.tags == {
        "Site": "S",
        "Game": "enkeshui",
        "Options": "pits=8",
        "Result": "1-0",
        "Score": "3-4",
        "Termination": "time",
    }
    assert [ply.nags for ply in game_state(events(("turn", turn))).record.plies] == [(1,)]


def test_events_that_are_no_game_are_refused():
    with pytest.raises(StorageError, match="'created'"):
        game_state([])
    with pytest.raises(StorageError, match="'created'"):
        game_state(events(("turn", {}))[1:])
    with pytest.raises(StorageError, match="'sung'"):
        game_state(events(("sung", {})))


def test_none_takes_a_tag_away():
    assert changed_tags({"A": "1", "B": "2"}, {"A": None, "C": "3", "D": None}) == {"B": "2", "C": "3"}
