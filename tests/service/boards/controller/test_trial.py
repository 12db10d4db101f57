from inkeek.drivers import events
from inkeek.drivers.base import Guidance
from inkeek.records import NORTH, SOUTH
from inkeek.service.boards.status import read_status
from tests.service.boards.controller.conftest import BOOT
from tests.service.boards_double import connected, press, snapshot


def trials(table):
    return [str(noted.command.move) for noted in table.games.load(table.game).record.people().trials]


def begin(table, seq=1):
    table.hear(press(table.position, SOUTH, seq, "trial"))


def test_a_move_that_was_tried_and_put_back_is_recorded_as_a_trial(playing):
    start, turn = playing.position, playing.turn()
    begin(playing)
    assert playing.shown == Guidance(SOUTH, trial=True)
    following = playing.lay(turn.position, 2)
    playing.still()
    playing.lay(start, following)
    assert trials(playing) == [str(turn.move)]
    event = playing.games.load(playing.game).events[-1]
    assert (event.kind, event.source) == ("trial", f"board:T-0001:{BOOT}:1")
    assert playing.position == start
    assert playing.shown == Guidance(SOUTH)
    assert playing.status["trial"] is None


def test_the_button_again_says_that_it_was_tried_and_what_to_put_back(playing):
    start, turn = playing.position, playing.turn()
    begin(playing)
    playing.hear(press(turn.position, SOUTH, 2, "trial"))
    assert playing.shown.trial
    assert playing.shown.errors
    playing.lay(start, 3)
    assert trials(playing) == [str(turn.move)]


def test_a_move_that_no_look_saw_is_known_by_where_it_began(playing):
    start = playing.position
    begin(playing)
    playing.hear(events.Lifted(BOOT, 2, 0, 9), events.Lifted(BOOT, 3, 0, 4), events.PitChanged(BOOT, 4, 0, 4, 0.0))
    playing.later()
    playing.lay(start, 5)
    assert trials(playing) == ["e"]


def test_what_the_board_did_not_see_is_asked_for(playing):
    start = playing.position
    begin(playing)
    following = playing.lay(start.replaced(pits=(1, *start.pits[1:])), 2)
    playing.still()
    playing.lay(start, following)
    assert trials(playing) == []
    assert playing.status["ask"]["kind"] == "trial"
    playing.ask_of_desk("dismiss", question=playing.status["ask"]["name"])
    assert playing.status["ask"] is None
    assert playing.boards.poll()[1] == []


def test_a_trial_that_stands_is_a_turn(playing):
    begin(playing)
    turn = playing.play(seq=2)
    assert playing.position == turn.position
    assert trials(playing) == []
    assert playing.status["trial"] is None
    assert playing.shown == Guidance(NORTH)


def test_only_the_side_to_move_tries(playing):
    playing.hear(press(playing.position, NORTH, 1, "trial"))
    assert playing.status["trial"] is None
    assert playing.log()[-1] == "button"


def test_a_trial_without_a_sowing_is_nothing(playing):
    begin(playing)
    playing.hear(press(playing.position, SOUTH, 2, "trial"))
    assert trials(playing) == []
    assert (playing.status["trial"], playing.status["ask"]) == (None, None)


def test_undo_is_the_way_out_of_a_trial_too(playing):
    start, turn = playing.position, playing.turn()
    begin(playing)
    playing.hear(press(turn.position, SOUTH, 2, "undo"))
    playing.lay(start, 3)
    assert trials(playing) == [str(turn.move)]


def test_a_trial_outlives_the_desk_and_is_recorded_once(playing):
    start, turn = playing.position, playing.turn()
    begin(playing)
    playing.hear(press(turn.position, SOUTH, 2, "trial"))
    playing.sit()
    playing.hear(connected(), snapshot(turn.position, 2))
    playing.lay(start, 3)
    assert trials(playing) == [str(turn.move)]
    playing.boards.commit_event(playing.board, "T-0001", BOOT, 0, read_status(playing.status))
    playing.sit()
    playing.hear(connected(), press(start, SOUTH, 1, "trial"))
    assert (playing.status["trial"], playing.log()[-1]) == (None, "button")
    assert trials(playing) == [str(turn.move)]
