"""The forms of texts in the document are those that the code reads: neither is narrower than the other."""

import re

import pytest
from hypothesis import given, strategies as st
from jsonschema_rs import validator_for

from inkeek.records import Move, Position, PositionError, Rules
from inkeek.records.findings.evidence import PATTERN as BOARD, read_board
from inkeek.records.moves import PATTERN as MOVE
from inkeek.records.notation.tags import parse_options
from inkeek.records.position import MAX_SEEDS, MAX_TEXT as MAX_POSITION, PATTERN as POSITION
from inkeek.records.rules.ruleset import load_ruleset, ruleset_ids
from inkeek.records.text import LINE, NAME, NOTE
from inkeek.service.errors import Invalid
from inkeek.service.games.record_check import check_note, check_text
from inkeek.service.games.validation import check_name
from inkeek.service.http.api.constraints import options_field, options_text, whole


def texts(pattern: str) -> st.SearchStrategy[str]:
    return st.from_regex(re.compile(whole(pattern).replace("$", r"\Z"), re.ASCII), fullmatch=True)


@given(texts(POSITION).filter(lambda text: len(text) <= MAX_POSITION))
def test_a_text_of_the_form_of_positions_is_one_if_its_rows_and_seeds_can_be(text):
    rows = [row.split(".") for row in text.split(" ")[0].split("/")]
    seeds = sum(map(int, re.findall("[0-9]+", " ".join(text.split(" ")[:2]))))
    if len(rows[0]) == len(rows[1]) and seeds <= MAX_SEEDS:
        Position.parse(text)
    else:
        with pytest.raises(PositionError):
            Position.parse(text)


@given(texts(MOVE).filter(lambda text: len(text) <= 400))
def test_a_text_of_the_form_of_moves_is_one(text):
    Move.parse(text)


@given(st.text("abAB~?<>x=,-@0129 \n", max_size=8))
def test_a_text_of_another_form_is_no_move(text):
    if re.fullmatch(whole(MOVE).replace("$", r"\Z"), text) is None:
        with pytest.raises(Exception, match="not a move"):
            Move.parse(text)


@pytest.mark.parametrize("game", ruleset_ids())
def test_every_position_and_board_of_a_game_has_the_form(game):
    info = load_ruleset(game)
    start = Rules(info, info.resolve({})).start()
    assert re.fullmatch(whole(POSITION), str(start))
    board = " ".join(str(start).split(" ")[:2]).replace("4", "?")
    assert re.fullmatch(whole(BOARD), board)
    read_board(board, start)


def test_every_option_of_every_game_has_the_form_and_no_other_value():
    is_valid = validator_for(options_field().metadata).is_valid
    for game in ruleset_ids():
        for option in load_ruleset(game).options:
            for value in option.allowed:
                text = f"{option.name}={str(value).lower() if isinstance(value, bool) else value}"
                assert re.fullmatch(whole(options_text()), text)
                assert parse_options(text).keys() == {option.name}
                assert is_valid({option.name: value})
    for wrong in ({"pits": 99}, {"pits": None}, {"nothing": 1}, {"setup": "4 4/4 4"}, {"skip_origin": 1}):
        assert not is_valid(wrong), wrong


def accepts(check, *arguments) -> bool:
    try:
        check(*arguments)
    except Invalid:
        return False
    return True


def test_texts_names_and_notes_have_the_characters_that_are_checked():
    for code in (*range(0x300), *range(0x2000, 0x2100), 0x3000, 0xFEFF, 0x1F600):
        text = chr(code)
        for pattern, check in (
            (LINE, lambda text: check_text("it", text, 9)),
            (NOTE, lambda text: check_note("it", text)),
            (NAME, lambda text: check_name("it", text)),
        ):
            assert bool(re.fullmatch(pattern, text)) is accepts(check, text), (hex(code), pattern)
