import re
from dataclasses import replace

import pytest

from inkeek.drivers import events as board_events
from inkeek.drivers.base import Guidance
from inkeek.drivers.errors import DriverError
from inkeek.drivers.orientation import turn_values
from inkeek.records import NORTH, SOUTH, read_games
from inkeek.service.boards.controller.controller import DISAGREES, NOT_LAID_OUT
from inkeek.service.boards.controller.core import LOG_BURST, LOG_EVERY
from inkeek.service.boards.controller.game_view import AGREES
from inkeek.service.errors import Conflict
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from tests.service.boards.controller.conftest import BOOT, Table
from tests.service.boards_double import commit, connected, counts_of, press, snapshot


def test_a_board_that_answers_is_shown_whose_turn_it_is(playing):
    assert playing.status["state"] == "connected"
    assert playing.status["counts"] == list(counts_of(playing.position))
    assert (playing.stored.serial, playing.stored.boot, playing.stored.seq) == ("T-0001", BOOT, 0)
    assert playing.shown == Guidance(SOUTH)


def test_a_turn_is_stored_before_it_is_acknowledged(playing, monkeypatch):
    turn = playing.turn()
    order = []
    acknowledge = playing.connection.acknowledge

    def watched(event):
        order.append((playing.games.row(playing.game).ply, playing.stored.seq))
        acknowledge(event)

    monkeypatch.setattr(playing.connection, "acknowledge", watched)
    playing.hear(commit(turn, 7))
    assert order == [(1, 7)]
    assert playing.connection.acknowledged == [(BOOT, 7)]
    assert playing.position == turn.position
    event = playing.games.load(playing.game).events[-1]
    assert event.source == f"board:T-0001:{BOOT}:7"
    assert event.data["turn"]["comments"] == ['[%board "T-0001" seq=7]']
    assert playing.shown == Guidance(NORTH)
    assert playing.status["verdict"] == "clear"


def test_the_lights_tell_where_the_last_turn_began_and_ended(playing):
    turn = playing.turn("c")
    playing.hear(commit(turn, 7))
    events = playing.games.load(playing.game).rules.trace(turn.before, turn.move).events
    ended = [event.pit for event in events if event.kind in ("lift", "drop")][-1]
    assert playing.last_pits == {2, ended}
    playing.sit()
    playing.hear(connected())
    assert playing.last_pits == {2, ended}


@pytest.mark.parametrize(
    ("died_at", "stored"), [("commit_event", 0), ("acknowledge", 1)], ids=["before all is stored", "after it is stored"]
)
def test_a_desk_that_died_before_it_acknowledged_a_turn_goes_on(playing, monkeypatch, died_at, stored):
    turn = playing.turn()

    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(playing.connection if died_at == "acknowledge" else playing.boards, died_at, die)
        with pytest.raises(KeyboardInterrupt):
            playing.hear(commit(turn, 7))
    assert playing.connection.acknowledged == []
    assert playing.games.row(playing.game).ply == stored
    playing.sit()
    playing.hear(connected(), commit(turn, 7), snapshot(turn.position, 7))
    assert playing.games.row(playing.game).ply == 1
    assert playing.position == turn.position
    assert playing.connection.acknowledged == [(BOOT, 7)]
    assert (playing.stored.boot, playing.stored.seq) == (BOOT, 7)
    assert playing.shown == Guidance(NORTH)
    assert playing.status["refusal"] is None
    following = playing.turn()
    playing.hear(commit(following, 8))
    assert playing.position == following.position


def test_a_mistake_is_refused_explained_lit_and_mended(playing):
    turn = playing.turn()
    seeds = list(turn.position.pits)
    seeds[7], seeds[8] = seeds[7] - 1, seeds[8] + 1  # one seed lies a pit too far
    wrong = turn.position.replaced(pits=tuple(seeds))
    playing.hear(press(wrong, SOUTH, 5))
    assert playing.games.row(playing.game).ply == 0
    assert playing.connection.acknowledged == [(BOOT, 5)]
    status = playing.status
    assert status["refusal"]["ply"] == 1
    assert status["sentences"]
    assert status["mend"] == {"7": 1, "8": -1}
    assert playing.shown == Guidance(SOUTH, frozenset({7, 8}), refused=True)
    assert playing.log()[-1] == "refused"
    playing.hear(commit(turn, 6))
    assert playing.position == turn.position
    assert (playing.status["refusal"], playing.status["mend"], playing.status["refusals"]) == (None, {}, 1)
    assert playing.log()[-1] == "mended"
    assert playing.shown == Guidance(NORTH)


def test_a_turn_refused_twice_lights_up_twice(playing):
    wrong = playing.position.replaced(pits=(1, *playing.position.pits[1:]))
    playing.hear(press(wrong, SOUTH, 5))
    lit = len(playing.connection.shown)
    playing.hear(press(wrong, SOUTH, 6))
    assert len(playing.connection.shown) == lit + 1
    assert playing.status["refusals"] == 2


def test_a_refusal_outlives_the_desk(playing):
    wrong = playing.position.replaced(pits=(1, *playing.position.pits[1:]))
    playing.hear(press(wrong, SOUTH, 5))
    lit = playing.shown
    playing.sit()
    playing.hear(connected(), snapshot(wrong, 5))
    assert playing.shown == lit
    assert lit.refused
    assert playing.status["refusal"] is not None


def test_a_button_without_a_turn_records_nothing(playing):
    playing.hear(press(playing.position, NORTH, 5))
    assert playing.games.row(playing.game).ply == 0
    playing.hear(press(playing.position, SOUTH, 6))
    assert playing.games.row(playing.game).ply == 0
    assert playing.connection.acknowledged == [(BOOT, 5), (BOOT, 6)]


def test_a_button_that_is_not_known_is_logged(playing):
    playing.hear(press(playing.position, NORTH, 5, "sing"))
    assert playing.connection.acknowledged == [(BOOT, 5)]
    assert playing.log()[-2:] == ["unrecognised", "misfit"]
    (entry,) = [entry for entry in playing.boards.log(playing.board) if entry.kind == "misfit"]
    assert "'sing'" in entry.data["reason"]


def test_events_without_end_that_do_not_fit_take_a_share_of_the_log(playing):
    before = len(playing.log())
    for first in range(1, 2001, 10):
        playing.hear(*(board_events.Fault(BOOT, seq, 0, 33, "open") for seq in range(first, first + 10)))
    assert len(playing.log()) - before <= LOG_BURST
    playing.later()
    assert playing.status["misfits"] == 2000
    assert playing.connection.acknowledged[-1] == (BOOT, 2000)
    playing.play(seq=2001)
    assert playing.games.row(playing.game).ply == 1
    playing.now += 2 * LOG_EVERY
    playing.hear(board_events.Complaint("range", "LED"))
    assert playing.log()[-1] == "complaint"


def test_counts_are_stored_together_and_acknowledged_then(playing):
    before = playing.stored.version
    playing.hear(
        board_events.Lifted(BOOT, 1, 0, 2),
        board_events.PitChanged(BOOT, 2, 0, 2, 0.0),
        board_events.PitChanged(BOOT, 3, 0, 3, 5.02),
    )
    assert playing.connection.acknowledged == []
    playing.later()
    assert playing.connection.acknowledged == [(BOOT, 3)]
    assert playing.stored.seq == 3
    assert playing.stored.version == before + 1
    assert playing.status["counts"][2:4] == [0.0, 5.02]


def test_what_was_pressed_before_the_board_was_bound_is_no_turn(table):
    turn = table.turn()
    table.hear(connected(), commit(turn, 4), snapshot(turn.position, 4))
    assert table.games.row(table.game).ply == 0
    assert table.stored.seq == 4
    table.hear(commit(turn, 5))
    assert table.games.row(table.game).ply == 1


def test_what_is_told_of_before_the_binding_after_the_first_snapshot_is_no_turn_either(table):
    turn = table.turn()
    table.hear(connected(), snapshot(turn.position, 4), commit(turn, 3), press(turn.position, NORTH, 4))
    assert table.games.row(table.game).ply == 0
    assert table.connection.acknowledged == [(BOOT, 3), (BOOT, 4)]
    assert (table.stored.seq, table.status["refusal"]) == (4, None)
    table.hear(commit(turn, 5))
    assert table.games.row(table.game).ply == 1


def test_a_serial_number_cannot_end_the_comment_it_stands_in(table):
    table.hear(connected(serial='A"}] {' + "x" * 220), snapshot(table.position))
    turn = table.turn()
    table.hear(commit(turn, 1))
    assert table.position == turn.position
    written = "A__] {" + "x" * 94
    assert table.stored.serial == written
    loaded = table.games.load(table.game)
    assert loaded.record.plies[0].comments == (f'[%board "{written}" seq=1]',)
    (read,) = read_games(loaded.pmn().splitlines(keepends=True))
    assert read.plies[0].comments == loaded.record.plies[0].comments


def test_a_turn_that_cannot_be_stored_is_told_and_the_board_goes_on(services, drivers_installed):
    services = replace(services, games=Games(services.store, max_plies=1))
    table = Table(services)
    table.hear(connected(), snapshot(table.position))
    table.hear(commit(table.turn(), 1))
    table.hear(commit(table.turn(), 2))
    assert table.connection.acknowledged == [(BOOT, 1), (BOOT, 2)]
    assert table.log()[-1] == "unrecorded"


def test_turns_entered_all_the_while_are_no_end_of_the_game(playing, monkeypatch):
    def beaten(*_, **__):
        raise Conflict("another writer was first")

    monkeypatch.setattr(playing.games, "play", beaten)
    playing.hear(commit(playing.turn(), 1))
    assert playing.log()[-1] == "unrecorded"
    assert playing.connection.acknowledged == [(BOOT, 1)]


def test_a_board_of_another_size_is_not_played_on(table):
    table.hear(connected(row=6), commit(table.turn(), 1))
    assert table.status["state"] == "failed"
    assert re.findall(r"[0-9]+", table.status["message"]) == ["6", "8"]
    assert table.connection.shown == []
    assert table.connection.acknowledged == []
    assert table.games.row(table.game).ply == 0


def test_a_gap_is_told_and_a_board_that_lies_right_goes_on(playing):
    turn = playing.turn()
    playing.hear(commit(turn, 3))
    playing.hear(
        connected("0000000b"),
        board_events.Gap("the board restarted", "0000000b", 0),
        snapshot(turn.position, 0, "0000000b"),
    )
    assert "gap" in playing.log()
    assert "the board restarted" in playing.status["note"]
    assert playing.status["message"] == AGREES
    following = playing.turn()
    playing.hear(commit(following, 1, "0000000b"))
    assert playing.position == following.position
    assert (playing.stored.boot, playing.stored.seq) == ("0000000b", 1)


def test_a_gap_is_stored_with_where_the_board_goes_on(playing):
    """Else a desk that is killed before the next event would tell it again."""
    playing.hear(commit(playing.turn(), 3), board_events.PitChanged(BOOT, 4, 0, 2, 1.0))
    playing.hear(connected("0000000b"), board_events.Gap("restarted", "0000000b", 0))
    assert (playing.stored.boot, playing.stored.seq) == ("0000000b", 0)
    assert playing.connection.acknowledged[-1] == (BOOT, 4)
    assert playing.log().count("gap") == 1


def test_after_a_gap_a_board_that_has_gone_on_is_not_recorded_from_a_look(playing):
    turn = playing.turn()
    playing.hear(
        connected("0000000b"), board_events.Gap("restarted", "0000000b", 0), snapshot(turn.position, 0, "0000000b")
    )
    assert playing.games.row(playing.game).ply == 0
    assert f"1. {turn.move}" in playing.status["message"]


@pytest.mark.parametrize(("played", "message"), [(0, NOT_LAID_OUT), (1, DISAGREES)])
def test_a_board_that_lies_wrong_after_a_gap_is_told(playing, played, message):
    if played:
        playing.hear(press(playing.turn().position, SOUTH, 1))
    wrong = playing.position.replaced(pits=(3, 3, 3, 3, 3, 3, 3, 3, *playing.position.pits[8:]))
    playing.hear(board_events.Gap("restarted", BOOT, 0), snapshot(wrong))
    assert playing.games.row(playing.game).ply == played
    assert playing.status["message"] == message
    assert playing.status["sentences"]


def test_a_board_that_is_laid_right_after_a_look_is_told_without_a_button(playing):
    wrong = playing.position.replaced(pits=(3, 3, *playing.position.pits[2:]))
    playing.hear(board_events.Gap("restarted", BOOT, 0), snapshot(wrong))
    playing.hear(board_events.PitChanged(BOOT, 1, 0, 0, 2.0))
    playing.later()
    assert playing.status["message"] == NOT_LAID_OUT
    playing.lay(playing.position, 2)
    assert playing.status["message"] == AGREES
    assert playing.status["sentences"] == []


@pytest.mark.parametrize("again", [1, 3])
def test_a_button_pressed_again_by_who_has_just_moved_records_nothing(playing, again):
    """The cable was out when the turn was mended, and the error light of its refusal was still on when it was back."""
    turn = playing.turn()
    seeds = list(turn.position.pits)
    seeds[7], seeds[8] = seeds[7] - 1, seeds[8] + 1
    playing.hear(press(turn.position.replaced(pits=tuple(seeds)), SOUTH, 5))
    playing.hear(board_events.Disconnected("the port has vanished"))
    playing.hear(connected(), *(commit(turn, 6 + number) for number in range(1 + again)))
    assert playing.games.row(playing.game).ply == 1
    assert playing.position == turn.position
    assert playing.connection.acknowledged[-1] == (BOOT, 6 + again)
    assert playing.shown == Guidance(NORTH)
    assert playing.status["verdict"] == "unchanged"
    assert playing.log()[-1] == "unchanged"
    following = playing.turn()
    playing.hear(commit(following, 20))
    assert playing.position == following.position
    assert f"1… {following.move}" in playing.status["message"]


def test_a_button_pressed_again_while_the_other_side_sows_records_nothing(playing):
    turn = playing.turn()
    playing.hear(commit(turn, 1))
    pits = list(turn.position.pits)
    pits[12] = 0  # in the other's hand
    playing.hear(press(turn.position.replaced(pits=tuple(pits)), SOUTH, 2))
    assert playing.games.row(playing.game).ply == 1
    following = playing.turn()
    playing.hear(commit(following, 3))
    assert playing.position == following.position
    assert playing.status["refusal"] is None


def test_a_turn_entered_on_the_page_reaches_the_lights(playing):
    turn = playing.turn()
    playing.games.play(playing.game, turn.move, Write("page"))
    playing.step()
    assert playing.shown == Guidance(NORTH)
    assert f"1. {turn.move}" in playing.status["message"]
    playing.lay(turn.position, 1)
    assert playing.status["message"] == AGREES


def test_after_turns_that_nobody_saw_the_board_plays_on_from_where_it_lies(services, drivers_installed):
    table = Table(services, game="kalah")
    table.hear(connected(row=6), snapshot(table.position))
    later = table.turn().position
    table.games.add_gap(table.game, None, str(later), Write("api"))
    table.lay(later, 1)
    following = table.play(seq=99)
    assert table.position == following.position


def test_a_turn_on_page_and_board_at_once_is_recorded_once(playing):
    turn = playing.turn()
    playing.games.play(playing.game, turn.move, Write("page"))
    playing.hear(commit(turn, 9))
    assert playing.games.row(playing.game).ply == 1
    assert playing.connection.acknowledged == [(BOOT, 9)]


def test_the_end_is_shown_and_nothing_is_recorded_after_it(services, drivers_installed):
    table = Table(services, "0.1.1.0.0.0.0.0/0.0.0.0.0.0.0.0 29-17 s 10")
    table.hear(connected(), snapshot(table.position))
    turn = table.turn()
    table.hear(commit(turn, 1))
    assert table.games.row(table.game).state == "ended"
    assert table.shown == Guidance(None, over=True)
    table.hear(press(turn.position, NORTH, 2))
    assert table.log()[-1] == "after-end"
    assert table.connection.acknowledged == [(BOOT, 1), (BOOT, 2)]


def test_a_resignation_elsewhere_reaches_the_lights(playing):
    playing.games.end(playing.game, "resignation", "North", Write("api"))
    playing.step()
    assert playing.shown == Guidance(None, over=True)


@pytest.mark.parametrize("answer", ["turned", "dismiss"])
def test_a_board_that_was_turned_while_it_was_away_is_asked_about_though_it_looks_the_same(
    services, drivers_installed, answer
):
    table = Table(services, game="oware")
    start, rules = table.position, table.games.load(table.game).rules
    early = rules.play(start.replaced(to_move=NORTH), "C").position
    table.hear(connected(row=6), snapshot(start), press(early, NORTH, 1))
    again = board_events.Snapshot("0000000b", 0, turn_values(counts_of(early), 6), (15,) * 14)
    table.hear(connected("0000000b", row=6), board_events.Gap("it restarted", "0000000b", 0), again)
    question = table.status["ask"]["name"]
    for seq in (1, 2):
        table.hear(press(start, SOUTH, 2 * seq - 1, boot="0000000b"))
        table.hear(press(rules.play(start, "d").position, SOUTH, 2 * seq, boot="0000000b"))
        assert table.position == start
        assert table.status["ask"]["name"] == question
    table.ask_of_desk(answer, question=question)
    assert table.status["turned"] is (answer == "turned")
    table.hear(press(rules.play(start, "d").position, SOUTH, 5, boot="0000000b"))
    assert (table.position == start) is (answer == "turned")


def test_a_board_that_goes_and_comes_is_told(playing):
    playing.hear(board_events.Disconnected("the port has vanished"))
    assert playing.status["state"] == "gone"
    assert "vanished" in playing.status["message"]
    playing.hear(connected(), snapshot(playing.position))
    assert playing.status["state"] == "connected"


def test_faults_strangers_and_complaints_are_logged(playing):
    playing.hear(
        board_events.Fault(BOOT, 1, 0, 9, "stuck"),
        board_events.Unrecognized(BOOT, 2, 0, "SING", ("la",)),
        board_events.Complaint("range", "?"),
        board_events.Refused("protocol 9"),
    )
    assert playing.log()[-4:] == ["fault", "unrecognised", "complaint", "refused-board"]
    assert {"B", "stuck."} <= set(playing.status["note"].split())
    assert playing.connection.acknowledged == [(BOOT, 1), (BOOT, 2)]


def test_a_connection_that_fails_is_the_desks_business(playing):
    playing.connection.error = DriverError("closed")
    with pytest.raises(DriverError):
        playing.step()
