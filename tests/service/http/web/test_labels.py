import re

import pytest

from inkeek.records import Move, Position, ruleset
from inkeek.records.language import load_language
from inkeek.service.games.write import Write
from inkeek.service.http.web import labels

pytestmark = pytest.mark.usefixtures("page_context")


def test_a_comment_is_split_from_its_commands():
    comment = labels.comment_view('A quiet  start [%clk 0:05:10] and [%by "A [b] \\"c\\""] on')
    assert comment.text == "A quiet start and on"
    assert len(comment.commands) == 2
    assert "0:05:10" in comment.commands[0]
    assert 'A [b] "c"' in comment.commands[1]


def test_brackets_that_are_not_a_command_stay():
    assert labels.comment_view("see [1] and [% 3]").text == "see [1] and [% 3]"


@pytest.mark.parametrize(("nag", "sign"), [(1, "!"), (6, "?!"), (139, "$139")])
def test_every_glyph_has_a_sign(nag, sign):
    assert labels.glyph(nag).sign == sign
    assert labels.glyph(nag).words


@pytest.mark.parametrize("language", ["en", "sw"])
def test_a_player_without_a_name_is_called_by_the_side(app, language):
    with app.test_request_context(f"/?lang={language}"):
        names = labels.player_names({"South": "?", "North": " Lemayian "})
    assert names == (load_language(language).sides[0], "Lemayian")


def test_unknown_tags_are_empty():
    tags = {"Event": "?", "Date": "????.??.??", "Round": "-", "Site": "Narok"}
    known = [labels.tag_value(tags, name) for name in ("Event", "Date", "Round", "Site", "Board")]
    assert known == ["", "", "", "Narok", ""]


def test_a_name_from_right_to_left_does_not_turn_the_text_around_it():
    assert labels.player_names({"South": "دانا", "North": "Ben"}, ("South", "North")) == ("\u2068دانا\u2069", "Ben")


def test_the_summary_of_a_turn():
    rules = ruleset("enkeshui", pits=8, setup="fours-right")
    capture = Position.parse("0.0.0.0.0.1.0.5/0.0.4.0.0.0.0.0 19-19 s 9")
    turn = rules.play(capture, Move.parse("f"))
    assert labels.turn_summary(turn, rules.info.terms) == "1 lap"
    bull = rules.play(Position.parse("1.3.0.0.0.0.0.0/0.0.4.0.0.0.0.0 20-20 s 9"), Move.parse("a"))
    assert labels.turn_summary(bull, rules.info.terms) == "1 lap, new bull: b"


def test_a_screen_reader_says_the_turn_and_who_is_to_move():
    rules = ruleset("enkeshui", pits=8, setup="fours-right")
    turn = rules.play(Position.parse("0.0.0.0.0.1.0.5/0.0.4.0.0.0.0.0 19-19 s 9"), Move.parse("f"))
    assert labels.spoken_turn(turn, ("Ann", "Ben"), "") == "Ann: f, 1 lap. Ben to move."
    assert labels.spoken_turn(turn, ("Ann", "Ben"), "Ann wins 29–19") == "Ann: f, 1 lap. Ann wins 29–19."


@pytest.mark.parametrize(("tag", "shown"), [("games 5", "5"), ("surplus", ""), ("Cup of Narok", "Cup of Narok")])
def test_the_length_of_a_match_is_no_raw_tag(tag, shown):
    words = labels.match_length({"Match": tag})
    assert words.startswith(shown)
    assert words != "games 5"
    assert bool(words) == bool(shown)


def test_the_summary_of_an_irregular_turn_is_not_that_of_a_rearrangement(games, new_game, page_context):
    game_id = new_game(0, "enkeshui", {"pits": 8, "setup": "fours-left"})
    snapshot = games.load(game_id)
    rearranged = snapshot.rules.play(snapshot.position, Move.parse("ab@a1b4h3"))
    games.play_irregular(game_id, Move.parse("~?"), "4.4.4.0.4.4.4.0/4.4.4.4.4.4.0.0 0-0 n 1", Write("api"))
    irregular = games.load(game_id).turn(1)
    terms = snapshot.rules.info.terms
    assert labels.turn_summary(irregular, terms) != labels.turn_summary(rearranged, terms)


@pytest.mark.parametrize(
    ("turns", "result", "score", "termination", "expected"),
    [
        (9, "1-0", (27, 21), "normal", "West wins 27–21"),
        (9, "0-1", (20, 28), "normal", "East wins 28–20"),
        (9, "0-1", None, "resignation", "East wins, by resignation, with 48 seeds left in the pits"),
        (9, "1/2-1/2", (24, 24), None, "Draw 24–24"),
        (9, "*", None, "abandoned", "No result, abandoned"),
        (0, "0-1", None, "adjudication", "East wins, without a record"),
        (0, "1/2-1/2", None, "agreement", "Draw, without a record"),
        (0, "1-0", None, "forfeit", "West wins, by forfeit"),
    ],
)
def test_results_in_words(games, turns, result, score, termination, expected):
    row = games.create("oware", {}, {}, Write("api"))
    row = row._replace(ply=turns, result=result, score=score, termination=termination)
    assert labels.result_words(("West", "East"), row) == expected


@pytest.mark.parametrize(
    ("result", "score", "numbers"),
    [
        ("1-0", (29, 19), "16–12 13–7"),
        ("0-1", (17, 31), "12–16 19–1"),
        ("1/2-1/2", (24, 24), "16–12 8–12"),
        ("1-0", (16, 12), ""),  # what is left counts for nobody
        ("1-0", (30, 10), ""),  # somebody's decision, not a count
    ],
)
def test_a_score_says_what_is_not_in_the_stores(games, result, score, numbers):
    row = games.create("oware", {}, {}, Write("api"))
    position = "3.0.0.0.5.5/7.0.0.0.0.0 16-12 s 40"
    words = labels.rest_words(row._replace(ply=40, result=result, score=score, position=position))
    assert " ".join(re.findall(r"\d+–\d+", words)) == numbers


@pytest.mark.parametrize(
    ("points", "expected"),
    [((1.0, 0.0), "West 1 – 0"), ((0.5, 1.5), "East 1.5 – ½"), ((0.5, 0.5), "½ – ½"), ((1.0,), "1")],
)
def test_points_name_the_winner(points, expected):
    assert labels.points_words(("West", "East"), points) == expected


def test_what_a_pit_can_be():
    terms = {"special": "uur"}
    english, swahili = load_language("en"), load_language("sw")
    assert [labels.mark_words(mark, terms, english) for mark in range(4)] == [
        "",
        "uur of South",
        "uur of North",
        "closed",
    ]
    assert labels.special_word({"special": "bull"}, swahili) == "fahali"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("600", "10"), ("300+5", "5 5"), ("40/7200:95", "120 40 95"), ("90/1", "1 90"), ("?", ""), ("", "")],
)
def test_a_time_limit_is_said_in_words(text, numbers):
    words = labels.time_limit(text)
    assert re.findall("[0-9]+", words) == numbers.split()
    assert words != text or not words


@pytest.mark.parametrize("text", ["ten minutes", "600:", "+5", "9999999"])
def test_a_time_limit_in_words_stays(text):
    assert labels.time_limit(text) == text
