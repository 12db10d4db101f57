from __future__ import annotations

from service.http.web.forms import read_new_game


def test_what_is_left_empty_is_left_to_the_rule_set():
    asked = read_new_game(
        {"game": "enkeshui", "option.pits": "8", "option.race": " ", "South": " Naisula ", "North": "", "position": ""}
    )
    assert asked.game == "enkeshui"
    assert asked.options == {"pits": "8"}
    assert asked.tags == {"South": "Naisula"}
    assert asked.setup is None


def test_fields_that_are_no_tags_are_not_taken_for_tags():
    assert read_new_game({"game": "bof", "Result": "1-0", "position": "4.4/4.4 0-0 s 0"}).tags == {}
