"""The form of findings: what it asks, and what it shows of what was typed."""

from collections.abc import Iterator
from random import Random
from urllib.parse import parse_qsl, urlsplit

import pytest
from flask import Flask

from inkeek.records import Move, ruleset, ruleset_ids
from inkeek.records.errors import ErrorText
from inkeek.records.findings import Seen
from inkeek.service.errors import Invalid
from inkeek.service.findings.pages import FindingForm, read_form
from inkeek.service.games.view_models import finding_address, rules_query, turn_before, turn_query
from inkeek.service.http.web.drawing import total_words
from tests.records.findings.slipped_turns import random_position

OWARE = ruleset("oware")
START = OWARE.start()
SKIPPED = "4.4.0.5.4.5/5.5.4.4.4.4 0-0"


@pytest.fixture(autouse=True)
def in_application(app: Flask) -> Iterator[None]:
    with app.test_request_context():
        yield


def form_of(**query: str) -> FindingForm:
    return read_form({"game": "oware", **query}, "en")


def fields(prefix: str, form: FindingForm) -> dict[str, str]:
    board = next(board for board in form.boards if board.prefix == prefix)
    return {place.name: place.text for place in (*board.north, *board.south)}


def test_a_game_alone_asks_nothing() -> None:
    form = form_of()
    assert (form.question, form.error) == (None, None)
    assert form.before == START
    assert fields("now.", form)["now.c"] == "4"


def test_the_board_in_the_query_is_asked_about() -> None:
    form = form_of(board=SKIPPED, claimed="c", lifted="c, d A", all_lifted="1", hand="2")
    assert form.question is not None
    evidence = form.question.evidence
    assert evidence.counts[:4] == (4, 4, 0, 5)
    assert (evidence.claimed, evidence.hand, evidence.seen_all) == (Move.parse("c"), 2, True)
    assert evidence.seen == (Seen("lift", 2), Seen("lift", 3), Seen("lift", 6))


def test_fields_of_pits_become_one_short_question() -> None:
    first = form_of(board=SKIPPED, claimed="c")
    typed = {**fields("was.", first), **fields("now.", first), "to_move": "South", "ply": "0", "claimed": "c"}
    typed["now.F"] = ""
    form = form_of(**typed)
    assert form.is_piecemeal
    assert form.query["board"] == "4.4.0.5.4.5/5.5.4.4.4.? 0-0"
    again = read_form(dict(parse_qsl(urlsplit(form.address).query)), "en")
    assert not again.is_piecemeal
    assert again.question == form.question or again.query == form.query


def test_a_claimed_turn_fills_in_the_board() -> None:
    form = form_of(claimed="c")
    assert form.question is None
    assert [fields("now.", form)[f"now.{pit}"] for pit in "cde"] == ["0", "5", "5"]


def test_what_is_wrong_keeps_what_was_typed() -> None:
    typed = {**fields("was.", form_of()), **fields("now.", form_of()), "now.c": "zz", "now.d": "7"}
    form = form_of(**typed)
    assert form.question is None
    assert "'zz'" in str(form.error)
    assert fields("now.", form)["now.c"] == "zz"
    assert fields("now.", form)["now.d"] == "7"
    assert form.boards[1].picture.position.pits[3] == 7


def test_another_number_of_seeds_is_offered_and_then_taken() -> None:
    typed = {**fields("was.", form_of()), **fields("now.", form_of()), "was.a": "3", "now.a": "3"}
    form = form_of(**typed)
    assert form.error
    assert form.seeds_offered == 47
    taken = form_of(**typed, seeds="47")
    assert taken.error is None
    assert taken.query["seeds"] == "47"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hand", "x"),
        ("hand", "49"),
        ("lifted", "z"),
        ("lifted", ", ,"),
        ("lifted", "c " * 300),
        ("claimed", "!"),
        ("claimed", "c>"),
        ("position", "zz"),
        ("seeds", "-1"),
        ("seeds", "47"),
        ("moves", "c !"),
        ("moves", "c z"),
        ("board", "4.4.x.5.4.5/5.5.4.4.4.4 0-0"),
    ],
)
def test_the_field_that_is_wrong_is_named(name: str, text: str) -> None:
    query = {"board": SKIPPED, name: text}
    if name == "seeds":
        query["position"] = str(START)
    form = form_of(**query)
    assert form.question is None
    assert name in str(form.error).split(": ")[0]


def test_all_lifts_without_any_are_refused_at_the_field_for_lifts() -> None:
    assert str(form_of(board=SKIPPED, all_lifted="1").error).startswith("lifted")


def test_seeds_of_an_earlier_position_of_the_form_are_forgotten() -> None:
    typed = {**fields("was.", form_of()), **fields("now.", form_of())}
    form = form_of(**typed, seeds="47")
    assert form.error is None
    assert "seeds" not in form.query


def test_an_unknown_game_or_option_is_refused() -> None:
    with pytest.raises(Invalid):
        read_form({"game": "chess"}, "en")
    form = form_of(**{"option.pits": "99"})
    assert "99" in str(form.error)


@pytest.mark.parametrize("game", ruleset_ids())
def test_turns_of_every_game_lead_to_their_question(game: str) -> None:
    rules = ruleset(game)
    position = random_position(Random(9), rules)
    for turn in rules.turns(position)[:3]:
        query = dict(parse_qsl(urlsplit(finding_address(turn_query(rules, turn, None))).query))
        form = read_form(query, "en")
        assert (form.before, form.error) == (position, None)
        if "claimed" in query:
            assert form.boards[1].picture.position.pits == turn.position.pits
            assert form.boards[1].picture.position.marks == turn.position.marks


def test_the_turn_before_goes_along_until_the_position_is_changed() -> None:
    first = OWARE.play(START, Move.parse("c"))
    second = OWARE.play(first.position, Move.parse("D"))
    query = turn_query(OWARE, second, first)
    asked = read_form({**query, "board": SKIPPED}, "en").question
    assert asked is not None
    assert asked.evidence.previous == first
    other = read_form({**query, "position": str(first.position.replaced(ply=3)), "board": SKIPPED}, "en").question
    assert other is not None
    assert other.evidence.previous is None
    assert turn_before(first, START) == {}


def test_several_turns_are_asked_about_as_they_are_written() -> None:
    asked = form_of(board="0.6.2.6.6.6/5.4.4.0.5.4 0-0", moves="c D a").question
    assert asked is not None
    assert [str(move) for move in asked.moves] == ["c", "D", "a"]


def test_a_claim_does_not_fit_several_turns_and_both_fields_stay() -> None:
    form = form_of(board="0.6.2.6.6.6/5.4.4.0.5.4 0-0", moves="c D a", claimed="c")
    assert form.question is None
    assert isinstance(form.error.message, ErrorText)
    assert form.error.message.values == {"claimed": "c", "moves": 3}
    assert (form.value("claimed"), form.value("moves")) == ("c", "c D a")


def test_rules_with_other_seeds_and_options_are_named() -> None:
    rules = ruleset("enkeshui", pits=8, setup="fours-right", rearrange_into_bulls=True)
    query = rules_query(rules)
    assert (query["option.pits"], query["option.rearrange_into_bulls"]) == ("8", "true")
    assert rules_query(OWARE.starting_from(START.replaced(pits=(3, *START.pits[1:]))))["seeds"] == "47"


def test_totals_say_what_is_missing() -> None:
    assert "2" in total_words(46, 48, 0).split(":")[1]
    assert ":" not in total_words(48, 48, 0)
    assert "3" in total_words(40, 48, 3).split(",")[1]
