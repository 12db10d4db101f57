import copy
import json
import pickle

import pytest
from hypothesis import given, settings

from inkeek.records import Game, Move, Ply, Variation
from inkeek.records.json_codec import JsonError, from_json, to_json
from inkeek.records.record import MAX_NESTING
from tests.records.notation.records_made import games

TAGS = {"Game": "bof"}


def nested(depth):
    ply = {"move": "a"}
    for _ in range(depth):
        ply = {"move": "a", "variations": [{"plies": [ply]}]}
    return ply


@settings(max_examples=80)
@given(games())
def test_json_keeps_everything(game):
    data = json.loads(json.dumps(game.to_json()))
    assert Game.from_json(data) == game
    assert Game.from_json(data).to_json() == data
    for ply in game.plies:
        assert from_json(to_json(ply), Ply) == ply
        assert to_json(from_json(to_json(ply), Ply)) == to_json(ply)


def test_json_has_its_fields_in_order():
    game = Game(TAGS, (Ply(Move("a"), variations=(Variation((Ply(Move("b")),)),)),), index=3)
    ply = {"move": "b", "nags": [], "comments": [], "variations": []}
    variation = {"comments": [], "plies": [ply]}
    expected = {
        "tags": TAGS,
        "comments": [],
        "plies": [{"move": "a", "nags": [], "comments": [], "variations": [variation]}],
        "ended": None,
    }
    assert json.dumps(game.to_json()) == json.dumps(expected)


def test_fields_with_a_default_may_be_missing():
    assert Game.from_json({"tags": TAGS}) == Game(TAGS)
    assert Game.from_json({"tags": TAGS, "plies": [{"move": "a"}], "ended": None}) == Game(TAGS, (Ply(Move("a")),))
    line = Variation((Ply(Move("b")),))
    assert from_json({"move": "a", "variations": [{"plies": [{"move": "b"}]}]}, Ply) == Ply(
        Move("a"), variations=(line,)
    )


def test_claims_and_the_order_of_tags_are_kept():
    game = Game.from_json({"tags": {"Zebra": "", "Game": "bof", "A": "\n"}, "plies": [{"move": "ax5,3=bC"}]})
    assert list(game.tags) == ["Zebra", "Game", "A"]
    assert (game.plies[0].move.captured, game.plies[0].move.special) == ((5, 3), "bC")


@pytest.mark.parametrize(
    ("ply", "path", "quoted"),
    [
        ("a", "", "'a'"),
        ({}, "move", "move, nags, comments, variations"),
        ({"move": None}, "move", "None"),
        ({"move": "9"}, "move", "'9'"),
        ({"move": "a", "nags": [256]}, "nags[0]", "256"),
        ({"move": "a", "nags": [-1]}, "nags[0]", "-1"),
        ({"move": "a", "nags": [True]}, "nags[0]", "True"),
        ({"move": "a", "glyph": "!"}, "glyph", "move, nags, comments, variations"),
        ({"move": "a", "variations": [{}]}, "variations[0].plies", "comments, plies"),
        ({"move": "a", "variations": [{"plies": []}]}, "variations[0].plies", "1"),
        ({"move": "a", "variations": [{"plies": [{"move": "b", "nags": 3}]}]}, "variations[0].plies[0].nags", "3"),
    ],
)
def test_json_of_a_wrong_ply_is_refused_with_its_path(ply, path, quoted):
    with pytest.raises(JsonError) as caught:
        Game.from_json({"tags": TAGS, "plies": [{"move": "a"}, ply]})
    assert caught.value.path == f"plies[1].{path}".rstrip(".")
    assert quoted in caught.value.reason
    with pytest.raises(JsonError) as caught:
        from_json(ply, Ply)
    assert caught.value.path == path


def test_variations_nest_as_deep_as_they_may_and_no_deeper():
    game = Game.from_json({"tags": TAGS, "plies": [nested(MAX_NESTING)]})
    assert Game.from_json(game.to_json()) == game
    with pytest.raises(JsonError, match=str(MAX_NESTING)):
        Game.from_json({"tags": TAGS, "plies": [nested(MAX_NESTING + 1)]})
    with pytest.raises(JsonError):
        Game.from_json({"tags": TAGS, "plies": [nested(5000)]})


@pytest.mark.parametrize(
    ("id", "tags", "expected"),
    [
        ("enkeshui-wikipedia", {}, 1),
        ("enkeshui-wikipedia", {"Options": "race=none"}, 0),
        ("enkeshui", {}, 0),
        ("enkeshui", {"Options": "race=right-hand"}, 1),
        ("enkeshui", {"Options": "race=right-hand race_keeps_position=false", "Race": "l L North"}, 0),
        ("bof", {}, 0),
    ],
)
def test_a_race_that_the_options_ask_for_is_missed(id, tags, expected):
    game = Game({"Game": id, **tags})
    assert game.errors == ()
    assert len(game.warnings()) == expected
    assert all("Race" in warning for warning in game.warnings())


def test_tags_do_not_change():
    game = Game({"Game": "bof"})
    for change in (lambda: game.tags.update(Result="1-0"), game.tags.clear, lambda: game.tags.pop("Game")):
        with pytest.raises(TypeError, match="with_tags"):
            change()
    assert game.with_tags(Result="1-0").errors
    for same in (pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game)):
        assert (same, hash(same)) == (game, hash(game))
