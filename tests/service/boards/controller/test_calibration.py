import pytest

from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import Calibrated, Disconnected
from inkeek.service.boards.controller.calibration import ANSWER_WITHIN, MAX_TRIES, REPEAT_AFTER
from tests.service.boards_double import FakeConnection, connected, snapshot

BOOT = "0000000a"


class Board(FakeConnection):
    """A board that can be calibrated."""

    def __init__(self):
        super().__init__()
        self.steps = []
        self.trouble = None

    def calibrate(self, pit, seeds=0):
        if self.trouble is not None:
            raise self.trouble
        self.steps.append((pit, seeds))


@pytest.fixture
def bench(table, monkeypatch):
    """A table whose board can be calibrated; `sit` is what a new desk does."""
    monkeypatch.setattr("tests.service.boards.controller.conftest.FakeConnection", Board)
    table.sit()
    connect(table)
    return table


def connect(table):
    table.hear(connected(can=("buttons", "leds", "cal")), snapshot(table.position))


def ask(table, kind="seeds", **data):
    """As the desk does with every request in the database."""
    table.boards.add_request(table.board, kind, data)
    hand_over(table)


def hand_over(table):
    known = vars(table.controller).setdefault("handed_over", set())
    for request in table.boards.poll()[1]:
        if request.number not in known:
            known.add(request.number)
            table.controller.add_request(request)
    table.step()


def waiting(table):
    return [request.kind for request in table.boards.poll()[1]]


def test_a_request_is_kept_until_the_board_has_answered(bench):
    ask(bench, pit=3, seeds=10)
    assert bench.connection.steps == [(3, 10)]
    assert waiting(bench) == ["seeds"]
    bench.hear(Calibrated(BOOT, 1, 0, 3, True))
    assert waiting(bench) == []
    assert bench.log()[-2:] == ["calibration-asked", "calibrated"]


def test_a_desk_that_dies_leaves_its_request_to_the_next_one(bench):
    ask(bench, pit=3, seeds=10)
    bench.sit()
    hand_over(bench)
    assert bench.connection.steps == []  # no board is connected yet
    connect(bench)
    bench.later(REPEAT_AFTER)
    assert bench.connection.steps == [(3, 10)]
    bench.hear(Calibrated(BOOT, 1, 0, 3, True))
    assert waiting(bench) == []


def test_an_answer_to_the_last_desk_is_enough(bench):
    ask(bench, pit=3, seeds=10)
    bench.sit()
    hand_over(bench)
    connect(bench)
    bench.hear(Calibrated(BOOT, 1, 0, 3, True))  # the board had kept it
    bench.later(REPEAT_AFTER)
    assert bench.connection.steps == []
    assert waiting(bench) == []


def test_steps_wait_for_each_other(bench):
    ask(bench, "tare")
    ask(bench, pit=0, seeds=5)
    assert bench.connection.steps == [(None, 0)]
    sensors = 18
    for pit in range(sensors):
        bench.hear(Calibrated(BOOT, pit + 1, 0, pit, True))
    bench.step()
    assert bench.connection.steps == [(None, 0), (0, 5)]
    assert waiting(bench) == ["seeds"]


def test_a_tare_is_not_repeated_once_people_have_gone_on(bench):
    """The pits may hold seeds by now."""
    ask(bench, "tare")
    ask(bench, pit=0, seeds=5)
    bench.sit()
    hand_over(bench)
    connect(bench)
    bench.later(REPEAT_AFTER)
    bench.step()
    assert (None, 0) not in bench.connection.steps
    assert "calibration-failed" in bench.log()


def test_a_board_that_does_not_answer_is_told(bench):
    ask(bench, pit=3, seeds=10)
    bench.hear(Disconnected("cable"))
    bench.later(ANSWER_WITHIN)
    assert waiting(bench) == []
    assert bench.log()[-1] == "calibration-failed"


def test_a_request_that_kills_the_desk_again_and_again_is_given_up(bench):
    ask(bench, pit=3, seeds=10)
    tries = 1
    while waiting(bench):
        bench.sit()
        connect(bench)
        hand_over(bench)
        bench.later(REPEAT_AFTER)
        tries += len(bench.connection.steps)
    assert tries == MAX_TRIES
    assert bench.log()[-1] == "calibration-failed"


def test_an_old_request_is_not_carried_out(bench, monkeypatch):
    """What people said about the seeds may not hold any more."""
    monkeypatch.setattr(type(bench.boards), "age", lambda self, request: 1000.0)
    ask(bench, "tare")
    assert bench.connection.steps == []
    assert (waiting(bench), bench.log()[-1]) == ([], "calibration-failed")


def test_a_step_that_the_board_refuses_is_told(bench):
    bench.connection.trouble = DriverError("no")
    ask(bench, pit=3, seeds=10)
    assert (waiting(bench), bench.log()[-1]) == ([], "calibration-failed")


def test_another_board_is_not_calibrated(bench):
    bench.hear(Disconnected("cable"), connected(serial="T-0002", can=("cal",)))
    ask(bench, "tare")
    assert bench.connection.steps == []
    assert bench.log()[-1] == "calibration-failed"
