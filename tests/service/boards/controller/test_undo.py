from dataclasses import replace

import pytest

from inkeek.drivers import events as board_events
from inkeek.drivers.base import Guidance
from inkeek.records import NORTH, SOUTH
from inkeek.records.notation.commands import Retraction
from inkeek.service.boards.controller.game_view import AGREES
from inkeek.service.boards.status import read_status
from inkeek.service.games.corrections import take_back
from inkeek.service.games.write import Write
from tests.service.boards.controller.conftest import BOOT, Table
from tests.service.boards_double import connected, press, snapshot


def kinds(table):
    return [event.kind for event in table.games.load(table.game).events]


def test_the_side_that_played_takes_its_turn_back_when_the_stones_lie_as_before(playing):
    before = playing.position
    playing.play(seq=1)
    playing.hear(press(before, SOUTH, 2, "undo"))
    assert playing.position == before
    (retraction,) = playing.games.load(playing.game).record.people().retractions
    assert isinstance(retraction.command, Retraction)
    assert (retraction.command.side, retraction.command.reason) == (SOUTH, "team")
    assert playing.games.load(playing.game).events[-1].source == f"board:T-0001:{BOOT}:2"
    assert playing.shown == Guidance(SOUTH)
    assert "1. " in playing.status["message"]
    assert playing.connection.acknowledged[-1] == (BOOT, 2)


def test_until_the_stones_are_back_it_is_said_and_lit_what_to_mend(playing):
    before = playing.position
    turn = playing.play(seq=1)
    playing.hear(press(turn.position, SOUTH, 2, "undo"))
    assert kinds(playing) == ["created", "turn"]
    wrong = {pit for pit in range(16) if before.pits[pit] != turn.position.pits[pit]}
    assert {int(pit) for pit in playing.status["mend"] if int(pit) < 16} == wrong
    assert playing.shown.errors >= wrong
    half = turn.position.replaced(pits=(before.pits[0], *turn.position.pits[1:]))
    following = playing.lay(half, 3)
    assert kinds(playing) == ["created", "turn"]
    playing.lay(before, following)
    assert kinds(playing) == ["created", "turn", "retraction"]
    assert playing.games.load(playing.game).events[-1].source == f"board:T-0001:{BOOT}:2"
    assert playing.shown == Guidance(SOUTH)
    assert playing.status["mend"] == {}


def test_what_was_asked_outlives_the_desk(playing):
    before = playing.position
    turn = playing.play(seq=1)
    playing.hear(press(turn.position, SOUTH, 2, "undo"))
    playing.sit()
    playing.hear(connected(), snapshot(turn.position, 2))
    playing.lay(before, 3)
    assert kinds(playing)[-1] == "retraction"


def test_the_same_press_again_takes_nothing_more_back(playing):
    start = playing.position
    playing.play(seq=1)
    middle = playing.position
    playing.play(seq=2)
    playing.hear(press(middle, NORTH, 3, "undo"))
    assert playing.position == middle
    playing.sit()
    playing.boards.commit_event(playing.board, "T-0001", BOOT, 2, read_status(playing.status))
    playing.sit()
    playing.hear(connected(), press(middle, NORTH, 3, "undo"))
    assert playing.position == middle
    assert middle != start
    assert playing.log()[-1] == "button"


def test_the_other_side_takes_nothing_back_that_it_did_not_play(playing):
    turn = playing.play(seq=1)
    playing.hear(press(turn.position, NORTH, 2, "undo"))
    assert playing.position == turn.position
    assert f"1. {turn.move}" in playing.status["message"]
    assert playing.status["undo"] is None
    assert playing.shown == Guidance(NORTH)


def test_before_the_first_turn_there_is_nothing_to_take_back(playing):
    playing.hear(press(playing.position, SOUTH, 1, "undo"))
    assert (playing.log()[-1], playing.status["undo"], kinds(playing)) == ("button", None, ["created"])


def test_what_was_begun_is_put_back_and_is_no_event(playing):
    turn = playing.turn()
    start = playing.position
    playing.hear(press(turn.position, SOUTH, 1, "undo"))
    assert kinds(playing) == ["created"]
    assert playing.shown.errors
    playing.lay(start, 2)
    assert playing.status["message"] == AGREES
    assert playing.shown == Guidance(SOUTH)
    assert kinds(playing) == ["created"]


def test_a_commit_says_that_the_turn_stands_after_all(playing):
    turn = playing.play(seq=1)
    playing.hear(press(turn.position, SOUTH, 2, "undo"))
    playing.hear(press(turn.position, SOUTH, 3))
    assert playing.status["undo"] is None
    assert playing.shown == Guidance(NORTH)
    assert kinds(playing) == ["created", "turn"]


def test_a_turn_entered_elsewhere_ends_the_wish(playing):
    turn = playing.play(seq=1)
    playing.hear(press(turn.position, SOUTH, 2, "undo"))
    playing.games.play(playing.game, playing.turn().move, Write("page"))
    playing.step()
    assert playing.status["undo"] is None
    assert playing.status["mend"] == {}


@pytest.mark.parametrize("action", ["undo", "dispute", "trial"])
@pytest.mark.parametrize("heard", ["late", "once the board is back", "by the next desk"])
def test_a_button_is_not_about_turns_that_its_lights_never_showed(playing, action, heard):
    start, other = playing.position, playing.turn(str(playing.games.load(playing.game).legal(2)[1]))
    playing.play(seq=1)
    if heard == "once the board is back":
        playing.hear(board_events.Disconnected("the cable is out"))
    take_back(playing.games, playing.game, "agreement", Write("page", expected_ply=1))
    playing.games.play(playing.game, other.move, Write("page"))
    if heard == "by the next desk":
        playing.sit()
    button = press(start, SOUTH, 2, action)
    if heard == "late":
        playing.hear(button)
    else:
        playing.step()
        playing.hear(connected(), button, snapshot(start, 2))
    game = playing.games.load(playing.game)
    assert (game.row.position, game.row.dispute) == (str(other.position), None)
    assert (playing.status["undo"], playing.status["trial"]) == (None, None)
    playing.hear(replace(button, seq=3))
    game = playing.games.load(playing.game)
    assert {"undo": game.row.ply == 0, "dispute": game.row.dispute is not None}.get(action, True)


def test_an_end_by_the_rules_is_taken_back_with_its_turn(services, drivers_installed):
    table = Table(services, "0.1.1.0.0.0.0.0/0.0.0.0.0.0.0.0 29-17 s 10")
    table.hear(connected(), snapshot(table.position))
    before = table.position
    table.play(seq=1)
    assert table.games.row(table.game).state == "ended"
    table.hear(press(before, SOUTH, 2, "undo"))
    assert table.games.row(table.game).state == "live"
    assert table.shown == Guidance(SOUTH)


def test_an_end_by_hand_stands(playing):
    before = playing.position
    playing.play(seq=1)
    playing.games.end(playing.game, "agreement", None, Write("api"))
    playing.hear(press(before, SOUTH, 2, "undo"))
    assert playing.games.row(playing.game).ply == 1
    assert playing.status["undo"] is None
    assert playing.shown == Guidance(None, over=True)
