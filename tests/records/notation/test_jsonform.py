from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

from records import Game, Line, Move, Ply, RecordsError
from records.game import MAX_NESTING
from records.notation.jsonform import game_from_json, game_to_json, ply_from_json, ply_to_json
from records.notation.schemas import RecordPlySchema, RecordSchema, VariationSchema
from tests.records.notation.records_made import games

TAGS = {"Game": "bof"}


def nested(depth):
    ply = {"move": "a"}
    for _ in range(depth):
        ply = {"move": "a", "variations": [{"plies": [ply]}]}
    return ply


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(games())
def test_nothing_is_lost_either_way(game):
    plain = json.loads(json.dumps(game_to_json(game)))
    assert game_from_json(plain) == game
    assert game_to_json(game_from_json(plain)) == plain
    for ply in game.plies:
        assert ply_from_json(ply_to_json(ply)) == ply
        assert ply_to_json(ply_from_json(ply_to_json(ply))) == ply_to_json(ply)


def test_what_is_empty_may_be_left_out():
    assert game_from_json({"tags": TAGS}) == Game(TAGS)
    assert game_from_json({"tags": TAGS, "plies": [{"move": "a"}], "ended": None}) == Game(TAGS, (Ply(Move("a")),))
    line = Line((Ply(Move("b")),))
    assert ply_from_json({"move": "a", "variations": [{"plies": [{"move": "b"}]}]}) == Ply(
        Move("a"), variations=(line,)
    )


def test_claims_and_the_order_of_tags_are_kept():
    game = game_from_json({"tags": {"Zebra": "", "Game": "bof", "A": "\n"}, "plies": [{"move": "ax5,3=bC"}]})
    assert list(game.tags) == ["Zebra", "Game", "A"]
    assert (game.plies[0].move.captured, game.plies[0].move.special) == ((5, 3), "bC")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "the record: expected an object with tags, not []"),
        ({}, "tags: expected names and texts"),
        ({"tags": []}, "tags: expected names and texts, not []"),
        ({"tags": {"Site": 1}}, "tags.Site: expected a text, not 1"),
        ({"tags": TAGS, "moves": []}, "moves: unknown: expected tags, comments, plies, ended"),
        ({"tags": TAGS, "ended": 1}, "ended: expected a result, not 1"),
        ({"tags": TAGS, "comments": "x"}, "comments: expected a list of texts, not 'x'"),
        ({"tags": TAGS, "comments": None}, "comments: expected a list of texts, not None"),
        ({"tags": TAGS, "comments": ["x", 2]}, "comments: expected a list of texts, not ['x', 2]"),
        ({"tags": TAGS, "plies": {}}, "plies: expected a list of plies, not {}"),
        ({"tags": TAGS, "plies": ["a"]}, "plies[0]: expected an object with a move, not 'a'"),
        ({"tags": TAGS, "plies": [{"move": "a"}, {}]}, "plies[1].move: expected a move"),
    ],
)
def test_what_is_no_record_is_refused_with_its_place(data, says):
    with pytest.raises(RecordsError) as caught:
        game_from_json(data)
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("ply", "says"),
    [
        ({"move": None}, "move: expected a move, not None"),
        ({"move": "9"}, "move: not a move: '9'"),
        ({"move": "a", "nags": [256]}, "nags: expected numbers from 0 to 255, not [256]"),
        ({"move": "a", "nags": [-1]}, "nags: expected numbers from 0 to 255, not [-1]"),
        ({"move": "a", "nags": [True]}, "nags: expected numbers from 0 to 255, not [True]"),
        ({"move": "a", "nags": [1.0]}, "nags: expected numbers from 0 to 255, not [1.0]"),
        ({"move": "a", "nags": ["1"]}, "nags: expected numbers from 0 to 255, not ['1']"),
        ({"move": "a", "nags": {"0": 1}}, "nags: expected numbers from 0 to 255, not {'0': 1}"),
        ({"move": "a", "comments": "x"}, "comments: expected a list of texts, not 'x'"),
        ({"move": "a", "glyph": "!"}, "glyph: unknown: expected nags, comments, variations, move"),
        ({"move": "a", "variations": 1}, "variations: expected a list, not 1"),
        ({"move": "a", "variations": [1]}, "variations[0]: expected an object with plies, not 1"),
        ({"move": "a", "variations": [{}]}, "variations[0].plies: expected a list of plies"),
        ({"move": "a", "variations": [{"plies": []}]}, "variations[0].plies: expected at least 1, not []"),
        ({"move": "a", "variations": [{"plies": [{"move": "b", "nags": 3}]}]}, "variations[0].plies[0].nags: expected"),
    ],
)
def test_what_is_no_ply_is_refused_with_its_place(ply, says):
    with pytest.raises(RecordsError) as caught:
        game_from_json({"tags": TAGS, "plies": [{"move": "a"}, ply]})
    assert str(caught.value).startswith(f"plies[1].{says}")
    with pytest.raises(RecordsError) as caught:
        ply_from_json(ply)
    assert str(caught.value).startswith(f"ply.{says}")


def test_variations_nest_as_deep_as_they_may_and_no_deeper():
    game = game_from_json({"tags": TAGS, "plies": [nested(MAX_NESTING)]})
    assert game_from_json(game_to_json(game)) == game
    for depth in (MAX_NESTING + 1, 5000):
        with pytest.raises(RecordsError, match=f"nested more than {MAX_NESTING} deep"):
            game_from_json({"tags": TAGS, "plies": [nested(depth)]})


def test_the_schemas_load_by_themselves():
    ply = {"move": "a", "nags": [1], "comments": ["x"], "variations": [{"comments": [], "plies": [{"move": "b"}]}]}
    assert Ply(**RecordPlySchema().load(ply)) == ply_from_json(ply)
    assert Line(**VariationSchema().load({"plies": [ply]})).plies == (ply_from_json(ply),)
    assert RecordSchema().validate({"tags": TAGS, "plies": [{"move": 1}]}) == {
        "plies": {0: {"move": ["expected a move"]}}
    }
    deep = {"plies": [nested(MAX_NESTING)], "tags": TAGS}
    assert RecordSchema().dump(deep) == deep
