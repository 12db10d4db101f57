import re

import pytest

from inkeek.records import Move, Position, RecordsError, ruleset
from inkeek.records.rules.rearrangement import rearrangement_between
from inkeek.service.errors import Invalid
from inkeek.service.games.write import Write
from inkeek.service.http.web.drawing import fields_of, place_names
from inkeek.service.turns.pages import LAID, gap_fields, irregular_fields, lay_out_form, read_rearrangement
from tests.service.clients import signed_in

RULES = ruleset("enkeshui", pits=8, setup="fours-left")
START = RULES.start()


def laid(position: Position, **changes: str) -> dict[str, str]:
    """The form's fields for a position, with some of them changed."""
    words = fields_of(position)
    return {LAID + name: words[place] for place, name in place_names(position.row)} | {
        LAID + name: word for name, word in changes.items()
    }


@pytest.mark.parametrize("text", ["ab@c4d4", "ab@a1h7", "af@a8", "ab@a2b2c4", "bc@b8", "ah@h4"])
def test_a_rearrangement_is_known_from_the_boards_before_and_after(text: str) -> None:
    after = RULES.play(START, Move.parse(text)).position
    found = rearrangement_between(START, after)
    assert RULES.play(START, found).position == after


@pytest.mark.parametrize(
    ("changes", "quoted"),
    [
        ({}, "none"),
        ({"a": "3", "b": "3", "c": "3", "d": "7"}, "a b c"),
        ({"a": "3", "A": "5"}, "A"),
        ({"a": "3", "south": "1"}, "1"),
        ({"a": "4s"}, "a"),
    ],
)
def test_no_rearrangement_leads_to_other_boards(changes: dict[str, str], quoted: str) -> None:
    with pytest.raises(RecordsError, match=f"\\b{quoted}\\b"):
        read_rearrangement(laid(START, **changes), START)


def test_an_irregular_turn_has_the_next_number_and_the_side_that_was_chosen() -> None:
    form = laid(START, a="0", h="4s") | {"pit": "a", "next": "North"}
    fields = irregular_fields(form, START)
    assert fields["move"] == "~a"
    assert fields["position"] == "0.4.4.4.4.4.0.4s/4.4.4.4.4.4.0.0 0-0 n 1"


@pytest.mark.parametrize("wrong", [{"next": "East"}, {LAID + "c": ""}, {LAID + "north": "?"}, {LAID + "c": "1" * 99}])
def test_what_cannot_be_read_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises((Invalid, RecordsError)):
        irregular_fields(laid(START) | {"pit": "a", "next": "North"} | wrong, START)


@pytest.mark.parametrize(
    ("option", "moves", "may"),
    [
        ("none", [], False),
        ("initial", [], True),
        ("initial", ["ab@c8"], False),
        ("initial", ["a"], True),
        ("initial", ["a", "A"], False),
        ("any-turn", ["a", "A"], True),
    ],
)
def test_the_form_offers_a_rearrangement_where_the_rules_do(games, new_game, option, moves, may) -> None:
    game_id = new_game(0, options={"pits": 8, "setup": "fours-left", "rearrangement": option})
    for move in moves:
        games.play(game_id, Move.parse(move), Write("api"))
    loaded = games.load(game_id)
    form = lay_out_form(loaded, loaded.position, {})
    assert form.may_rearrange is may
    assert form.seeds == 48
    assert form.next_sides[0] is not loaded.position.to_move


def test_forms_without_a_script_store_what_was_laid_out(app, games, new_game) -> None:
    game_id = new_game(0, options={"pits": 8, "setup": "fours-left"})
    client = signed_in(app, "record")

    def post(**form: str):
        return client.post(f"/games/{game_id}/live/actions", data=form)

    assert post(action="rearrange", ply="1", **laid(START, a="0", b="0", h="8")).status_code == 303
    position = games.load(game_id).position
    assert position.pits[7] == 8
    refused = post(action="irregular", ply="2", pit="c", next="North", **laid(position, c="1"))
    assert refused.status_code == 422
    assert f'name="{LAID}c" value="1"' in refused.text
    form = {"action": "irregular", "ply": "2", "pit": "c", "next": "North", **laid(position, c="1", south="3")}
    assert post(**form).status_code == 303
    assert post(**form).status_code == 409
    assert str(games.load(game_id).record.plies[-1].move) == "~c"
    assert games.load(game_id).position.stores == (3, 0)


def test_what_was_missed_goes_on_from_a_board_that_nobody_knows_or_that_is_laid_out_in_part() -> None:
    assert gap_fields({"next": "North", "turns": "3"}, START)["position"] == str(START.after_unseen(3))
    form = laid(START, a="", h="?", south="") | {"next": "South", "turns": ""}
    position = gap_fields(form, START)["position"]
    assert position.startswith("?.")
    assert position.endswith("?-0 s 1")


def test_a_page_stores_and_shows_what_was_missed(client) -> None:
    game = client.post("/api/v1/games", json={"game": "bof", "tags": {"Date": "1974.??.??"}}).json["id"]
    browser = signed_in(client.application, "record")
    form = {"action": "gap", "next": "North", "turns": "1", "ply": "1"}
    assert browser.post(f"/games/{game}/live/actions", data=form).status_code == 303
    for path in (f"/games/{game}/live", f"/games/{game}/review", "/games", f"/games/{game}/review?ply=1"):
        assert "chip live" not in browser.get(path).text
        page = browser.get(path)
        assert page.status_code == 200, path
        assert "-10000" not in page.text, path
    assert "not complete" in browser.get("/games").text
    assert "1. ~~1" in browser.get(f"/games/{game}/analysis").text
    client.post(f"/api/v1/games/{game}/end", json={"termination": "abandoned"})
    assert "not complete" not in browser.get(f"/games/{game}/live").text


def test_what_was_missed_goes_on_from_what_a_board_measures(app, games, new_game, bind_board) -> None:
    game = new_game(0, game="kalah")
    counts = [0, *games.load(game).position.pits[1:], 3, 1]
    bind_board(game, counts=counts, buttons=True)
    browser = signed_in(app, "record")
    missed = browser.get(f"/games/{game}/live").text.partition('id="missed"')[2].partition("</form>")[0]
    form = dict(re.findall(r'name="(laid[.][^"]+)" value="([^"]*)"', missed))
    form |= {"action": "gap", "next": "North", "turns": "", "ply": "1"}
    assert browser.post(f"/games/{game}/live/actions", data=form).status_code == 303
    after = games.load(game).position
    assert [*after.pits, *after.stores] == counts
