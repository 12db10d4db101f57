"""Two turns at once, what the board learns, and how often turns are sown; single turns are in `test_controller`."""

from dataclasses import replace
from functools import partial

import pytest

from inkeek.drivers import events
from inkeek.drivers.base import Guidance
from inkeek.drivers.detection.courses import find_courses
from inkeek.drivers.detection.evidence import lifts
from inkeek.drivers.detection.noise_model import NoiseModel
from inkeek.drivers.orientation import is_symmetric
from inkeek.records import NORTH, SOUTH, Move, Rules
from inkeek.records.kernel.loader import kernel_module
from inkeek.service.boards.controller.turns import READ_WITHIN
from inkeek.service.boards.status import read_status
from inkeek.service.games import snapshot as snapshot_module
from inkeek.service.games.corrections import take_back
from inkeek.service.games.write import Write
from tests.service.boards.controller.conftest import BOOT, Table
from tests.service.boards_double import FakeConnection, commit, connected, counts_of, press, snapshot


def two(table):
    """Two turns that follow, of which nothing else leaves the board or nearly so."""
    rules, start = table.games.load(table.game).rules, table.position
    for first in rules.turns(start):
        for second in rules.turns(first.position):
            counts = tuple(map(int, counts_of(second.position)))
            found = find_courses(rules, start, counts)
            if len(found.exact) == 1 and all(len(near) > 2 for near in found.near):
                return first, second
    raise AssertionError("no such turns")


def sources(table):
    return [event.source for event in table.games.load(table.game).events[1:]]


def test_two_turns_and_the_second_players_button_are_both_recorded(playing):
    first, second = two(playing)
    playing.hear(press(second.position, NORTH, 5))
    assert playing.position == second.position
    assert sources(playing) == [f"board:T-0001:{BOOT}:5:1", f"board:T-0001:{BOOT}:5"]
    assert f"1. {first.move} and 1… {second.move}" in playing.status["message"]
    assert playing.shown == Guidance(SOUTH)
    playing.hear(snapshot(second.position, 5))  # the board agrees with the record
    assert playing.status["note"].startswith("2 ")
    playing.sit()
    playing.boards.commit_event(playing.board, "T-0001", BOOT, 4, read_status(playing.status))
    playing.sit()
    playing.hear(connected(), press(second.position, NORTH, 5))
    assert playing.games.row(playing.game).ply == 2


@pytest.mark.parametrize(("off", "plies"), [(0.4, 2), (0.6, 0), (None, 0)])
def test_two_turns_are_recorded_only_if_a_board_that_can_be_read_again_reads_the_same(playing, off, plies):
    _, second = two(playing)
    playing.connection.request_snapshot = lambda: True
    playing.hear(press(second.position, NORTH, 5))
    assert playing.games.row(playing.game).ply == 0
    if off is None:
        playing.later(READ_WITHIN)
    else:
        again = snapshot(second.position, 5)
        playing.hear(replace(again, counts=(again.counts[0] + off, *again.counts[1:])))
    assert playing.games.row(playing.game).ply == plies
    assert (read_status(playing.status).refusal is None) is bool(plies)


@pytest.mark.parametrize("action", ["undo", "trial"])
def test_two_turns_are_asked_about_while_something_else_is_open(playing, action):
    if action == "undo":
        playing.play(seq=1)
    side = playing.position.to_move.other if action == "undo" else playing.position.to_move
    playing.hear(press(playing.position, side, 2, action))
    ply = playing.games.row(playing.game).ply
    _, second = two(playing)
    playing.hear(press(second.position, second.before.to_move, 3))
    assert (playing.games.row(playing.game).ply, read_status(playing.status).refusal.cause) == (ply, "unanswered")


def test_of_two_turns_the_first_players_button_records_the_first(playing):
    first, second = two(playing)
    lifted = lifts(playing.games.load(playing.game).rules, (first, second))
    playing.hear(*(events.Lifted(BOOT, 1 + at, 0, pit) for at, pit in enumerate(lifted)))
    playing.hear(press(second.position, SOUTH, 100))
    assert playing.position == first.position
    assert f"1. {first.move}." in playing.status["message"]
    assert "North" in playing.status["note"]
    assert playing.status["before"] is None
    playing.hear(press(second.position, NORTH, 101))
    assert playing.position == second.position


class TwoTurns:
    """A table where South and then North play, and other turns of both, and a slip, leave the same board."""

    def __init__(self, services, game="oware", setup="1.0.1.7.0.3/3.0.2.16.3.0 2-10 s 40", moves="cD", others="ad"):
        self.table = Table(services, game=game, setup=setup)
        self.start = self.table.position
        self.rules = rules = self.table.games.load(self.table.game).rules
        self.first = rules.play(self.start, moves[0]).position
        self.second = rules.play(self.first, moves[1]).position
        self.others = [rules.play(self.start, move).position for move in others]
        self.seq, self.lying, self.boot = 0, self.start, BOOT
        self.table.hear(connected(row=6), snapshot(self.start))

    def lay(self, position, ms):
        """The pits that change settle, at the board's time `ms`."""
        pairs = enumerate(zip(counts_of(self.lying), counts_of(position), strict=True))
        for pit, count in [(pit, now) for pit, (then, now) in pairs if now != then]:
            self.seq += 1
            self.table.hear(events.PitChanged(self.boot, self.seq, ms, pit, count))
        self.lying = position

    def restart(self, boot, position):
        """Events are lost, and now `position` lies there."""
        self.seq, self.lying, self.boot = 0, position, boot
        gap = events.Gap("it restarted", boot, 0)
        self.table.hear(connected(boot, row=6), gap, snapshot(position, 0, boot))

    def press(self, side=NORTH):
        """A side presses; what is recorded."""
        self.table.hear(press(self.lying, side, self.seq + 1, boot=self.boot))
        return self.table.position


def test_a_board_that_lay_between_two_turns_tells_what_was_played(services, drivers_installed):
    table = TwoTurns(services)
    table.lay(table.first, 10_000)
    table.lay(table.second, 11_000)
    assert table.press() == table.second


def test_a_desk_that_starts_again_knows_the_board_that_lay_between_two_turns(services, drivers_installed):
    table = TwoTurns(services)
    table.lay(table.first, 10_000)
    table.lay(table.second, 11_000)
    table.table.later()
    table.table.sit()
    table.table.hear(connected(row=6))
    assert table.press() == table.second


@pytest.mark.parametrize(
    "times",
    [(10_000, 10_200), (None, 11_000), (10_000, 9_000), (0, 11_000)],
    ids=["passed", "unseen", "clock-went-back", "no-clock"],
)
def test_a_board_that_only_passed_tells_nothing(services, drivers_installed, times):
    table = TwoTurns(services)
    between, end = times
    if between is not None:
        table.lay(table.first, between)
    table.lay(table.second, end)
    assert table.press() == table.start
    assert table.table.status["refusal"]["cause"] == "several"


def test_a_turn_out_of_turn_is_asked_about_however_soon_the_other_one_follows(services, drivers_installed):
    table = TwoTurns(services, "kalah", "4.4.4.0.5.5/5.4.4.4.4.4 1-0 n 1", "Ac", "")
    table.lay(table.rules.play(table.start.replaced(to_move=SOUTH), "c").position, 10_000)
    table.lay(table.second, 10_200)
    assert table.press(SOUTH) == table.start
    assert table.table.status["refusal"]["cause"] == "several"


def test_turns_that_a_press_finds_taken_back_elsewhere_are_asked_about(services, drivers_installed):
    table = TwoTurns(services, "oware", "4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0", "aC", "")
    desk = table.table
    table.lay(table.first, 10_000)
    assert table.press(SOUTH) == table.first
    table.seq += 1
    table.lay(table.second, 12_000)
    take_back(desk.games, desk.game, "agreement", Write("page"))
    assert table.press() == table.start
    assert desk.status["refusal"]["cause"] == "several"


@pytest.mark.parametrize("change", ["elsewhere", "restart", "trial"])
def test_who_had_pressed_is_said_when_the_question_is_given_up(services, drivers_installed, change):
    table = TwoTurns(services)
    table.lay(table.second, 11_000)
    assert table.press() == table.start  # North's turn may be on the board besides South's
    desk = table.table
    if change == "trial":
        desk.hear(press(table.lying, SOUTH, table.seq + 2, "trial"))
    else:
        desk.games.play(desk.game, Move.parse("c"), Write("page"))
        if change == "restart":
            desk.sit()
        desk.hear(connected(row=6))
    assert desk.status["refusal"] is None
    assert "was pressed by North:" in desk.status["note"]


def test_nothing_is_said_of_the_press_of_whoever_played_the_turn_that_is_entered(services, drivers_installed):
    table = TwoTurns(services)
    table.table.hear(events.Button(BOOT, 1, 0, SOUTH, "commit", (*counts_of(table.first)[:-3], 0.0, 0.0, 0.0)))
    assert table.table.status["refusal"] is not None
    table.table.games.play(table.table.game, Move.parse("c"), Write("page"))
    table.table.step()
    assert table.table.status["refusal"] is None
    assert table.table.status["note"] is None


def test_a_board_from_before_events_were_lost_tells_nothing(services, drivers_installed):
    """The board's new clock says nothing of how long the earlier one lay there."""
    table = TwoTurns(services)
    table.lay(table.first, 10_000)
    table.restart("0000000b", table.start)
    table.lay(table.second, 200)
    assert table.press() == table.start
    assert table.table.status["refusal"]["cause"] == "several"


@pytest.mark.parametrize(("kind", "is_known"), [("PIT", True), ("LIFT", True), ("LATER", False)])
def test_a_report_that_could_not_be_read_is_missing(services, drivers_installed, kind, is_known):
    table = TwoTurns(services)
    table.lay(table.first, 10_000)
    table.seq += 1
    table.table.hear(events.Unrecognized(BOOT, table.seq, 0, kind, ("x",)))
    table.lay(table.second, 11_000)
    assert table.press() == (table.start if is_known else table.second)


def test_boards_of_other_turns_that_lay_there_are_asked_about(services, drivers_installed):
    table = TwoTurns(services)
    for number, position in enumerate((table.others[0], table.first, table.second)):
        table.lay(position, 10_000 + 1000 * number)
    assert table.press() == table.start


def test_a_turn_that_was_put_back_is_forgotten(services, drivers_installed):
    table = TwoTurns(services)
    for number, position in enumerate((table.others[0], table.start, table.first, table.second)):
        table.lay(position, 10_000 + 1000 * number)
    assert table.press() == table.second


def test_a_turn_begun_before_the_last_was_committed_does_not_hide_it(playing):
    first = playing.turn()
    rules = playing.games.load(playing.game).rules
    begun = next(m for m in rules.legal_moves(first.position) if first.position.pits[m.pit_index(8)] > 1)
    second = rules.play(first.position, begun)
    pits = list(first.position.pits)
    start = begun.pit_index(8)
    pits[start], pits[(start + 1) % 16] = 0, pits[(start + 1) % 16] + 1  # the rest is in the hand
    playing.hear(press(first.position.replaced(pits=tuple(pits)), SOUTH, 5))
    assert playing.position == first.position
    assert playing.shown == Guidance(NORTH)
    playing.hear(press(second.position, NORTH, 6))
    assert playing.position == second.position


def test_two_turns_on_a_board_without_buttons(services, drivers_installed):
    table = Table(services, buttons=False)
    table.hear(connected(), snapshot(table.position))
    _, second = two(table)
    table.lay(second.position, 1)
    table.still()
    assert table.position == second.position


def test_what_the_board_read_last_is_kept_for_the_next_turn(playing):
    assert playing.status["before"] == list(map(float, (*playing.position.pits, *playing.position.stores)))
    turn = playing.play(seq=1)
    assert playing.status["before"] == [float(count) for count in (*turn.position.pits, *turn.position.stores)]
    playing.hear(events.PitChanged(BOOT, 2, 0, 0, 3.0))
    assert playing.status["before"][0] == float(turn.position.pits[0])


@pytest.mark.parametrize("game", ["enkeshui", "oware"])
def test_a_commit_sows_each_legal_turn_once_and_one_more(services, monkeypatch, game):
    """One to see whether the game is over, one for the lights, which show where the turn ended.

    In Enkeshui a turn that needs a choice of direction is also sown without one.
    """
    kernel = kernel_module("interpreted").Kernel
    sown = []

    def count(self, pit, sow=kernel._play):
        sown.append(pit)
        return sow(self, pit)

    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: object())
    monkeypatch.setattr(kernel, "_play", count)
    monkeypatch.setattr(snapshot_module, "Rules", partial(Rules, kernel="interpreted"))
    snapshot_module._rules.cache_clear()
    table = Table(services, game=game)
    table.hear(connected(row=table.position.row), snapshot(table.position))
    for seq in range(1, 9):
        turn = table.turn()
        sown.clear()
        legal = table.games.load(table.game).rules.turns(turn.before)
        once = len(sown)
        assert once == len(legal) or game == "enkeshui"
        sown.clear()
        table.hear(commit(turn, seq))
        assert table.games.row(table.game).ply == seq
        assert once <= len(sown) <= once + 1 or is_symmetric(turn.before)  # there the board may lie turned
    snapshot_module._rules.cache_clear()


@pytest.mark.parametrize("declares", [False, True])
def test_a_connection_declares_how_its_board_errs(declares, table, monkeypatch):
    """A camera that now and then counts one seed too many: nobody is asked about it."""
    if declares:
        noise = NoiseModel(sensor=0.02, stone=0.01, gain=0.002, miscounts=0.05, countable=2)
        monkeypatch.setattr(FakeConnection, "noise", noise, raising=False)
    table.sit()
    table.hear(connected(), snapshot(table.position))
    turn = table.turn("e")
    button = commit(turn, 1)
    off = tuple(count + (pit == turn.last_pit - 1) for pit, count in enumerate(button.counts))
    assert button.counts[turn.last_pit - 1] > 2
    table.hear(replace(button, counts=off))
    assert table.games.row(table.game).ply == declares


@pytest.mark.parametrize("undo", [False, True])
def test_another_turn_in_place_of_one_that_was_put_back_without_a_word_is_asked_about(playing, undo):
    start, rules = playing.position, playing.games.load(playing.game).rules
    first, other = (rules.play(start, move) for move in playing.games.load(playing.game).legal(2))
    playing.hear(commit(first, 1))
    assert playing.games.row(playing.game).ply == 1
    if undo:  # and played on before the board had reported the seeds that were put back
        playing.hear(press(first.position, SOUTH, 2, "undo"))
    playing.hear(commit(other, 3))
    assert playing.games.row(playing.game).ply == 1
    ask = read_status(playing.status).ask
    assert (ask.kind, ask.plies, playing.shown.refused) == ("taken-back", 1, True)
    write = Write("page", expected_ply=1, expected_seq=ask.at)
    take_back(playing.games, playing.game, "agreement", write, count=ask.plies)
    playing.step()
    playing.hear(commit(other, 4))
    assert playing.games.load(playing.game).state.record.plies[-1].move == other.move


@pytest.mark.parametrize("others", [(), (SOUTH,)])
def test_a_board_that_is_put_right_answers_whether_a_turn_was_taken_back_unless_both_sides_pressed(playing, others):
    start, rules = playing.position, playing.games.load(playing.game).rules
    first, other = (rules.play(start, move) for move in playing.games.load(playing.game).legal(2))
    playing.hear(commit(first, 1))
    playing.hear(press(other.position, NORTH, 2))  # a slip that looks like another turn of South's
    assert read_status(playing.status).ask.kind == "taken-back"
    reply = rules.play(first.position, playing.games.load(playing.game).legal(1)[0])
    for seq, side in enumerate((*others, NORTH), 3):
        playing.hear(press(reply.position, side, seq))
    assert playing.games.row(playing.game).ply == (1 if others else 2)


@pytest.mark.parametrize("slipped", [False, True])
def test_what_was_lifted_is_no_evidence_any_more_once_a_board_that_fitted_nothing_was_put_right(playing, slipped):
    """South begins in another pit than the seeds say in the end: a person is asked, but not who mends as told."""
    turn, other = playing.games.load(playing.game).rules.turns(playing.position)[:2]
    playing.hear(events.Lifted(BOOT, 1, 0, other.move.pit_index(playing.position.row)))
    if slipped:
        pits = list(turn.position.pits)
        full = pits.index(max(pits))
        pits[full], pits[-1] = pits[full] - 1, pits[-1] + 1
        playing.hear(press(turn.position.replaced(pits=tuple(pits)), SOUTH, 2))
        assert read_status(playing.status).refusal.cause == "dropped-elsewhere"
    playing.hear(press(turn.position, SOUTH, 3))
    assert playing.games.row(playing.game).ply == slipped
