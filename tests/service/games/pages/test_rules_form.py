"""The form for the rules of a local game: its answers make a file."""

import html
import random
import re

import pytest

from inkeek.records import Position, ruleset
from inkeek.records.rules.ruleset import read_ruleset
from inkeek.service.games.rules import QUESTIONS, answered, write_file
from tests.service.clients import signed_in

NAMED = {"place": "Kilosa", "name": "mbao", "source": "Mzee Salum"}
ASKED = [question for questions in QUESTIONS.values() for question in questions]


def file_of(**answers):
    return read_ruleset(write_file(answered({**NAMED, **answers})))


def test_all_answers_together_make_files_that_are_rules():
    chance = random.Random(3)
    for _ in range(200):
        answers = {question.name: chance.choice(question.answers)[0] for question in ASKED if question.answers}
        file_of(**answers, makes=chance.choice(("", "4", "2 3")))


@pytest.mark.parametrize(
    ("game", "answers"),
    [
        (
            "oware",
            {
                "origin": "skipped",
                "feed": "first-lap",
                "makes": "2, 3",
                "chain": "back",
                "occupied": "stop",
                "own_empty": "stop",
                "majority": "true",
            },
        ),
        ("kalah", {"store": "own", "occupied": "stop", "own_empty": "both", "over": "row"}),
    ],
)
def test_games_that_are_known_can_be_answered(game, answers):
    ours, theirs = ruleset(game), ruleset(file_of(**answers))
    chance, position = random.Random(1), ours.start()
    for _ in range(60):
        turns = theirs.turns(position)
        assert [turn.move.pit for turn in turns] == [turn.move.pit for turn in ours.turns(position)]
        if not turns or ours.outcome(position):
            break
        turn = chance.choice(turns)
        other = ours.play(position, turn.move.choice)
        if game == "kalah" or other.captured == turn.captured:  # a grand slam of oware is a row by hand
            assert other.position == turn.position
        position = other.position


@pytest.mark.parametrize(
    ("place", "name", "id"),
    [
        ("Mara", "Ng'ombe", "mara:ngombe"),
        ("Côte d’Ivoire", "Awalé (2)", "cote-divoire:awale-2"),
        ("தமிழ்நாடு", "x" * 60, f"place:{'x' * 30}"),
    ],
)
def test_any_name_gives_an_id(place, name, id):
    info = file_of(place=place, name=f" {name} ")
    assert (info.id, info.name) == (id, name)


def test_a_start_with_an_empty_pit_and_what_a_slam_takes_can_be_answered():
    rules = ruleset(file_of(pits="3", each="2 0 2", makes="2", slam="nothing", occupied="stop"))
    assert str(rules.start()) == "2.0.2/2.0.2 0-0 s 0"
    position = Position.parse("0.0.1/1.0.0 3-3 s 9")
    assert rules.play(position, "c").captured == (0, 0)
    assert ruleset(file_of(pits="3", makes="2", occupied="stop"))


def test_each_answer_may_have_the_players_own_words():
    whys = {question.name: f"{question.name}, they say" for question in ASKED if question.name.endswith("_why")}
    rows = file_of(**whys, store="own", makes="3").table["last"]
    assert {row["why"] for row in rows} == {*whys.values(), None}  # without own words: where nothing lies opposite


@pytest.mark.parametrize(
    ("answers", "faults"),
    [
        ({"makes": "3 or more"}, ["makes"]),
        ({"pits": "seven", "each": "4 x", "own_empty_why": "so\x1b"}, ["pits", "each", "own_empty_why"]),
        ({"pits": "99", "each": "4 4 0"}, ["pits"]),
        ({"pits": "4", "each": "4 4 0"}, ["each"]),
        ({"name": "\u202e", "over": "never"}, ["name", "over"]),
    ],
)
def test_what_is_wrong_with_an_answer_is_said_at_its_field(app, answers, faults):
    answer = signed_in(app, "read").get("/rules/new", query_string={**NAMED, **answers})
    page = answer.text
    assert (answer.status_code, re.findall(r'<p class="warning" id="(\w+)-fault"', page)) == (422, faults)
    assert all(f'href="#{name}"' in page and f'aria-describedby="{name}-fault"' in page for name in faults)
    assert all(f'value="{text}"' in page for name, text in answers.items() if name not in ("over", "own_empty_why"))


def test_the_page_plays_each_row_and_the_file_is_changed_kept_and_sent(app):
    browser = signed_in(app, "record")
    assert browser.get("/rules/new").status_code == 200
    page = browser.get("/rules/new?place=Narok&name=Our+game&source=Ole&makes=4").text
    text = html.unescape(re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.S)[1])
    info = read_ruleset(text)
    assert info.id == "narok:our-game"
    assert page.count("data-trace=") == len(info.table["last"])
    changed = text.replace('"captured"', '"four"').replace("each = 4", "each = 5")
    for name in ("check", "download", "add"):
        answer = browser.post("/rules/new", data={"file": changed, name: "yes"})
        assert answer.status_code == (303 if name == "add" else 200)
        assert name != "download" or answer.text == changed
    assert browser.get(answer.location).text.count("data-turn=") == len(info.table["last"])
    assert browser.get("/rules/narok:our-game.toml").text == changed
    assert "narok:our-game" in browser.get("/games/new").text


def test_what_is_wrong_is_said_beside_the_file(app):
    browser = signed_in(app, "read")
    assert browser.get("/rules/new?pits=99").status_code == 422
    answer = browser.post("/rules/new", data={"file": "colour = 1", "check": "yes"})
    assert answer.status_code == 422
    assert "colour = 1" in answer.text
    text = write_file(answered(NAMED))
    assert browser.post("/rules/new", data={"file": text, "add": "yes"}).status_code == 403
