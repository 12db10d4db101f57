from __future__ import annotations

from service.http.web.forms import read_new_game


def test_what_is_left_empty_is_left_to_the_rule_set():
    form = read_new_game(
        {"game": "enkeshui", "option.pits": "8", "option.race": " ", "South": " Naisula ", "North": "", "position": ""}
    )
    assert form.game == "enkeshui"
    assert form.options == {"pits": "8"}
    assert form.tags == {"South": "Naisula"}
    assert form.setup is None


def test_fields_that_are_no_tags_are_not_taken_for_tags():
    assert read_new_game({"game": "bof", "Result": "1-0", "position": "4.4/4.4 0-0 s 0"}).tags == {}
