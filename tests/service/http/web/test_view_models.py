from __future__ import annotations

import json

import pytest

from records import NORTH, SOUTH, Move, Position
from service.games.write import Write
from service.http.web import view_models


def view(games, game_id, ply=None):
    return view_models.game_view(games.load(game_id), ply)


def test_a_new_game_shows_its_set_up_and_offers_every_pit(games, new_game):
    shown = view(games, new_game())
    assert shown.board_title == "The set-up, South to move"
    assert [choice.letter for choice in shown.choices] == list("cdefgh")
    assert shown.highlights.legal == (2, 3, 4, 5, 6, 7)
    assert shown.may_enter
    assert (shown.last_move, shown.sentences) == ("", ())


def test_the_last_turn_is_told_and_pointed_out(games, new_game):
    game_id = new_game()
    games.play(game_id, Move.parse("f"), Write("api"))
    shown = view(games, game_id)
    turn = games.load(game_id).turn(1)
    assert shown.last_number == "1."
    assert shown.last_move == str(turn.move)
    assert shown.sentences == tuple(games.load(game_id).rules.explain(turn.before, turn.move))
    assert shown.highlights.start == 5
    assert 5 in shown.highlights.changed
    assert shown.to_move is NORTH


@pytest.mark.parametrize(("asked", "shown"), [(0, 0), (3, 3), (5, 5), (99, 5)])
def test_a_ply_is_brought_within_the_game(games, new_game, asked, shown):
    game_id = new_game(5)
    seen = view(games, game_id, asked)
    assert seen.ply == shown
    assert seen.position == games.load(game_id).record.replay().positions[shown]
    assert seen.choices == ()


def test_an_ended_game_tells_its_result_and_takes_no_turns(games, new_game):
    game_id = new_game(500)
    shown = view(games, game_id)
    assert shown.ended
    assert shown.to_move is None
    assert not shown.may_enter
    assert shown.result_words.startswith(("South wins", "North wins", "A draw"))
    assert view(games, game_id, 1).to_move is not None


def test_ways_from_one_pit_stand_together():
    moves = [Move.parse(text) for text in ("b", "d<x4", "d>=ab", "--")]
    choices = view_models.choices_of(moves, 8)
    assert [(choice.pit, choice.letter, len(choice.moves)) for choice in choices] == [
        (1, "b", 1), (3, "d", 2), (-1, "Pass", 1),
    ]  # fmt: skip
    first, second = choices[1].moves
    assert (first.text, first.shown, first.label) == ("d<", "d<x4", "d, clockwise, takes 4")
    assert second.label == "d, counter-clockwise, makes a and b special"
    assert choices[2].moves[0].text == "--"


POSITION = Position.parse("4.4.4s.4/4.4.4.4 2-0 s 5")
TERMS = {"special": "bull"}


def seen(bind_board, services, game_id, **status):
    bind_board(game_id, **status)
    return view_models.board_view(services.games.load(game_id).board, POSITION, TERMS)


def test_a_quiet_board_changes_nothing(bind_board, services, new_game):
    board = seen(bind_board, services, new_game(), counts=[4.02, 3.9, 4.4, 0.0, 4, 4, 4, 4])
    assert board.connected
    assert not board.wrong
    assert board.lying is None
    assert [cell.seen for cell in board.seen[SOUTH]] == ["4", "4", "4.4", "0"]


def test_a_refused_turn_shows_what_lies_on_the_table(bind_board, services, new_game):
    counts = [0.1, 5, 4, 5, 5, 4, 4, 4, 2, 0]
    mend = {"2": 1, "4": -1, "9": 1}
    board = seen(
        bind_board, services, new_game(), counts=counts, mend=mend, message="No turn", sentences=["c is short."]
    )
    assert board.wrong
    assert not board.leaves_entry
    assert board.lying == POSITION.replaced(pits=(0, 5, 4, 5, 5, 4, 4, 4), stores=(2, 0))
    assert board.mend == {2: 1, 4: -1}
    assert [(cell.wrong, cell.expected) for cell in board.seen[SOUTH]][2] == (True, "5")


@pytest.mark.parametrize("counts", [None, [], [4.0, 4.0]])
def test_a_board_that_has_not_told_all_its_counts_shows_none(bind_board, services, new_game, counts):
    board = seen(bind_board, services, new_game(), counts=counts, mend={"1": 1})
    assert board.seen is None
    assert board.lying is None


def test_a_game_on_a_board_takes_no_turns_from_the_page(bind_board, games, new_game):
    game_id = new_game(1)
    bind_board(game_id)
    assert not view(games, game_id).may_enter
    assert view(games, game_id).choices == ()


@pytest.mark.parametrize(
    "status", [{"state": "gone"}, {"refusal": {"cause": "ambiguous", "message": "More than one turn"}}]
)
def test_what_the_board_cannot_tell_is_entered_on_the_page(bind_board, games, new_game, status):
    game_id = new_game(1)
    bind_board(game_id, **status)
    assert view(games, game_id).may_enter
    assert view(games, game_id).choices


def test_the_words_for_marks_are_json():
    assert json.loads(view_models.mark_words_json({"special": "uur"})) == ["", "uur of South", "uur of North", "closed"]


@pytest.mark.parametrize(("name", "side"), [("north", NORTH), ("south", SOUTH), (None, SOUTH), ("<", SOUTH)])
def test_whose_side_the_board_is_seen_from(name, side):
    assert view_models.view_side(name) is side
