import re
from pathlib import Path

import pytest

from inkeek.service.http import web
from inkeek.service.http.web.forms import match_name, new_game_fields

SERVICE = Path(web.__file__).parents[2]


def test_what_is_left_empty_is_left_to_the_rule_set():
    fields = new_game_fields(
        {"game": "enkeshui", "option.pits": "8", "option.race": " ", "South": " Naisula ", "North": "", "position": ""}
    )
    assert fields == {"game": "enkeshui", "options": {"pits": "8"}, "tags": {"South": "Naisula"}, "setup": ""}


def test_fields_that_are_no_tags_are_not_taken_for_tags():
    assert new_game_fields({"game": "bof", "Result": "1-0", "position": "4.4/4.4 0-0 s 0"})["tags"] == {}


def test_a_day_of_the_form_is_written_as_records_have_it():
    assert new_game_fields({"game": "oware", "Date": "2026-11-20"})["tags"] == {"Date": "2026.11.20"}


@pytest.mark.parametrize(
    ("title", "name"),
    [("games 5", ""), ("games 5, at the well", "at the well"), ("surplus", ""), ("the cup", "the cup"), ("", "")],
)
def test_the_name_of_a_match_is_what_stands_behind_its_kind(title, name):
    assert match_name(title) == name


@pytest.mark.parametrize("path", sorted(SERVICE.rglob("templates/**/*.html")), ids=lambda path: path.name)
def test_no_keyboard_changes_the_letters_of_moves_and_positions(path):
    """A capital letter is another pit."""
    text = path.read_text()
    typed = re.findall(r'<(?:input|textarea)(?![^>]*type="hidden")[^>]*\bname="(?:move|position|closed)"[^>]*>', text)
    assert [one for one in typed if 'autocapitalize="off"' not in one or 'spellcheck="false"' not in one] == []
    fields = re.findall(r"{{\s*((?:field|entry)\((?:(?!}}).)*'(?:move|position|closed)'.*?)}}", text, re.DOTALL)
    assert [one for one in fields if "exact=true" not in one] == []
