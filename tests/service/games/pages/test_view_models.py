import json
import random
from dataclasses import asdict

import pytest

from inkeek.records import NORTH, SOUTH, Move, Position, ruleset
from inkeek.records.language import load_language
from inkeek.service.boards import view_models as board_view_models
from inkeek.service.boards.status import Refusal
from inkeek.service.games import view_models
from inkeek.service.games.write import Write
from inkeek.service.http.web import labels

pytestmark = pytest.mark.usefixtures("page_context")


def view(games, game_id, ply=None):
    return view_models.game_view(games.load(game_id), ply)


def test_a_new_game_shows_its_start_and_offers_every_pit(games, new_game):
    shown = view(games, new_game())
    assert "South" in shown.picture.title
    assert [group.letter for group in shown.buttons] == list("abcdefgh")
    assert [group.letter for group in shown.buttons if group.moves] == list("cdefgh")
    assert shown.picture.highlights.legal == (2, 3, 4, 5, 6, 7)
    assert shown.may_enter
    assert (shown.last, shown.sentences) == (None, ())


def test_the_last_turn_is_explained_and_highlighted(games, new_game):
    game_id = new_game()
    games.play(game_id, Move.parse("f"), Write("api"))
    shown = view(games, game_id)
    turn = games.load(game_id).turn(1)
    assert shown.last.number == "1."
    assert shown.last.text == str(turn.move)
    assert shown.sentences == tuple(games.load(game_id).rules.explain(turn.before, turn.move))
    assert shown.picture.highlights.start == 5
    assert 5 in shown.picture.highlights.changed
    assert shown.to_move is NORTH


@pytest.mark.parametrize(("ply", "shown"), [(0, 0), (3, 3), (5, 5), (99, 5)])
def test_a_ply_is_brought_within_the_game(games, new_game, ply, shown):
    game_id = new_game(5)
    found = view(games, game_id, ply)
    assert found.ply == shown
    assert found.picture.position == games.load(game_id).record.replay().positions[shown]
    assert found.buttons == ()


def test_an_ended_game_shows_its_result_and_takes_no_turns(games, new_game):
    game_id = new_game(500)
    shown = view(games, game_id)
    assert shown.ended
    assert shown.to_move is None
    assert not shown.may_enter
    score = games.row(game_id).score
    assert f"{max(score)}–{min(score)}" in shown.result
    assert view(games, game_id, 1).to_move is not None


def test_every_own_pit_has_its_moves_or_says_why_not():
    rules = ruleset("enkeshui", pits=12)
    position, choice = rules.start(), random.Random(1)
    several = 0
    for _ in range(40):
        turns = rules.turns(position)
        groups = view_models.move_buttons(rules, position)
        assert [button.text for group in groups for button in group.moves] == [str(turn.move.choice) for turn in turns]
        assert [button.after for group in groups for button in group.moves] == [str(turn.position) for turn in turns]
        if not turns:
            break
        if groups[0].pit >= 0:
            assert [group.pit for group in groups] == list(position.pits_of(position.to_move))
        assert all(bool(group.moves) != bool(group.why) for group in groups)
        several += any(len(group.moves) > 1 for group in groups)
        position = choice.choice(turns).position
    assert several


def test_a_pass_is_a_button():
    rules = ruleset("anywoli")
    row = rules.start().row
    position = Position((0,) * row + (4,) + (0,) * (row - 1), (0,) * 2 * row, (rules.seeds - 4, 0), SOUTH, 9)
    (group,) = view_models.move_buttons(rules, position)
    assert (group.pit, [button.text for button in group.moves]) == (-1, ["--"])


POSITION = Position.parse("4.4.4s.4/4.4.4.4 2-0 s 5")


def seen(bind_board, services, game_id, **status):
    bind_board(game_id, **status)
    return board_view_models.board_view(services.games.load(game_id).board, POSITION)


def test_a_quiet_board_changes_nothing(bind_board, services, new_game):
    board = seen(bind_board, services, new_game(), counts=[4.02, 3.9, 4.4, 0.0, 4, 4, 4, 4])
    assert board.connected
    assert not board.wrong
    assert board.lying is None
    assert [pit.seen for pit in board.seen[SOUTH]] == ["4", "4", "4.4", "0"]


def test_a_refused_turn_shows_the_position_on_the_board(bind_board, services, new_game):
    counts = [0.1, 5, 4, 5, 5, 4, 4, 4, 2, 0]
    mend = {"2": 1, "4": -1, "9": 1}
    board = seen(
        bind_board, services, new_game(), counts=counts, mend=mend, message="No turn", sentences=["c is short."]
    )
    assert board.wrong
    assert not board.allows_entry
    assert board.lying == POSITION.replaced(pits=(0, 5, 4, 5, 5, 4, 4, 4), stores=(2, 0))
    assert board.mend == {2: 1, 4: -1}
    assert [(pit.wrong, pit.expected) for pit in board.seen[SOUTH]][2] == (True, "5")


@pytest.mark.parametrize("counts", [None, [], [4.0, 4.0]])
def test_a_board_without_all_its_counts_shows_none(bind_board, services, new_game, counts):
    board = seen(bind_board, services, new_game(), counts=counts, mend={"1": 1})
    assert board.seen is None
    assert board.lying is None


def test_a_game_on_a_board_takes_no_turns_from_the_page(bind_board, games, new_game):
    game_id = new_game(1)
    bind_board(game_id)
    assert not view(games, game_id).may_enter
    assert view(games, game_id).buttons == ()


AMBIGUOUS = Refusal(2, "1…", "North", "ambiguous", None, "More than one turn fits.", (), {})


@pytest.mark.parametrize("status", [{"state": "gone"}, {"refusal": asdict(AMBIGUOUS)}])
def test_turns_that_the_board_cannot_report_are_entered_on_the_page(bind_board, games, new_game, status):
    game_id = new_game(1)
    bind_board(game_id, **status)
    assert view(games, game_id).may_enter
    assert view(games, game_id).buttons


def test_the_words_for_marks_are_json():
    words = labels.mark_words_json({"special": "uur"}, load_language("en"))
    assert json.loads(words) == ["", "uur of South", "uur of North", "closed"]
