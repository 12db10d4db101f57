"""A table in words, with turns in which its rows decide."""

from pathlib import Path

import pytest

from inkeek.records import IllegalMove, ruleset
from inkeek.records.rules import table
from inkeek.records.rules.ruleset import load_ruleset, read_ruleset, ruleset_ids
from inkeek.service.games import table_view as table_view_words
from inkeek.service.games.table_view import find_examples, pits_words, table_view

EXAMPLES = sorted(Path("docs/examples/rules").glob("*.toml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_each_row_has_an_example_in_which_it_decides(path):
    info = read_ruleset(path.read_text("utf-8"))
    rules, found = ruleset(info), find_examples(info)
    for number, row in enumerate(info.table["last"]):
        if row["if"]:
            continue  # of an option
        turn = found[number]
        events = rules.trace(turn.before, turn.move).events
        assert rules.play(turn.before, turn.move) == turn
        if row["then"] == "relay":
            assert turn.laps > 1
        elif row["then"] == "stop" and row["mark"]:
            assert events[-1].reason == "made-special", number


@pytest.mark.parametrize("game", ruleset_ids())
@pytest.mark.parametrize("language", ["en", "sw"])
def test_every_row_and_setting_of_our_games_has_words(app, game, language):
    info = load_ruleset(game)
    with app.test_request_context(f"/?lang={language}"):
        shown = table_view(info)
    assert len(shown.rows) == len(info.table["last"])
    assert all(row.when and row.does for row in shown.rows)
    assert len({row.when for row in shown.rows}) == len(shown.rows)
    assert shown.settings


def test_every_word_of_a_table_is_said():
    assert table_view_words.THEN.keys() == set(table.THEN)
    assert table_view_words.PLACES.keys() == set(table.PLACES)
    assert {*table_view_words.OWNERS, *table_view_words.MARKS} == table.WORDS.keys()
    assert table_view_words.COUNTS.keys() == table.COUNTS.keys()


def test_alternatives_of_one_kind_are_one_phrase(app):
    with app.test_request_context("/"):
        words = pits_words("theirs 2,theirs 3,own 4", "last")
        assert words.count("opponent") == 1
        assert [word for word in words.split() if word.isdigit()] == ["2", "3", "4"]


def test_a_hostile_table_is_searched_within_bounds(app):
    """Every lap goes on for ever."""
    info = read_ruleset(
        'id = "x:endless"\nname = "x"\nsources = ["x"]\npits = 16\neach = 9\n'
        '[[last]]\nlast = "0+"\nthen = "relay"\n[[last]]\nthen = "stop"\n'
    )
    with app.test_request_context("/"):
        assert [row.example for row in table_view(info).rows] == [None, None]
    with pytest.raises(IllegalMove):
        ruleset(info).play(ruleset(info).start(), "a")
