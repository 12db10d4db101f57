from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.errors import ReadingError
from drivers.readings import Model, Readings, log_sum
from records import Position


def test_a_board_fits_within_so_many_standard_deviations() -> None:
    model = Model(sensor=0.1, stone=0.05, fit=4.5)
    sd = math.sqrt(0.1**2 + 0.05**2 * 4)
    assert Readings([4 + 4.4 * sd, 0, 0, 0], 2, model).fits((4, 0, 0, 0))
    assert not Readings([4 + 4.6 * sd, 0, 0, 0], 2, model).fits((4, 0, 0, 0))
    assert Readings([4 + 2 * sd, 0, 0, 0], 2, model).off(0, 4) == pytest.approx(2)


def test_the_likelihood_is_that_of_independent_normal_readings() -> None:
    model = Model(sensor=0.1, stone=0.05)
    values, board = [3.9, 0.05, 1.2, 7.5], (4, 0, 1, 8)
    expected = 0.0
    for value, count in zip(values, board, strict=True):
        variance = 0.1**2 + 0.05**2 * count
        expected += -((value - count) ** 2) / (2 * variance) - math.log(math.sqrt(variance))
    assert Readings(values, 2, model).likelihood(board) == pytest.approx(expected)


def test_what_changes_when_a_seed_is_added_or_taken() -> None:
    readings = Readings([3.9, 0.05, 1.2, 7.5], 2, Model())
    board = (4, 0, 1, 8)
    more, fewer = readings.changes(board, 1), readings.changes(board, -1)
    assert [sensor for _, sensor in more] == [0, 1, 2, 3]
    assert [sensor for _, sensor in fewer] == [0, 2, 3]  # nothing can be taken from an empty pit
    gain = next(gain for gain, sensor in fewer if sensor == 3)
    assert readings.likelihood((4, 0, 1, 7)) == pytest.approx(readings.likelihood(board) + gain)


def test_a_seed_in_the_wrong_place_is_worth_as_much_as_all_such_boards_together() -> None:
    readings, board = Readings([1.4, 0.3, 0.6, 2.1], 2, Model(sensor=0.3)), (2, 0, 0, 2)
    found = []
    for less in range(4):
        for more in range(4):
            if board[less] and less != more:  # a seed put back where it was is next to nothing in the model
                moved = [count - (i == less) + (i == more) for i, count in enumerate(board)]
                found.append(math.log(0.5 / 16) + readings.likelihood(moved))
        for by in (1, -1):
            changed = [count + by * (i == less) for i, count in enumerate(board)]
            if min(changed) >= 0:
                found.append(math.log(0.25 / 4) + readings.likelihood(changed))
    assert readings.one_off(board) == pytest.approx(log_sum(found) - readings.likelihood(board), abs=0.05)


def test_stores_are_seen_only_where_they_are_weighed() -> None:
    position = Position((1, 2, 3, 4), (0, 0, 0, 0), (5, 6))
    assert Readings([0] * 4, 2, Model()).sensed(position) == (1, 2, 3, 4)
    assert Readings([0] * 6, 2, Model()).sensed(position) == (1, 2, 3, 4, 5, 6)


def test_seen() -> None:
    assert Readings([-0.7, 0.4, 0.6, 3.5], 2, Model()).seen() == [0, 0, 1, 4]


@pytest.mark.parametrize("count", [0, 3, 5, 7])
def test_a_wrong_number_of_readings(count: int) -> None:
    with pytest.raises(ReadingError, match=f"{count} readings: a board with 2 pits a row has 4, or 6 with stores"):
        Readings([1.0] * count, 2, Model())


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
def test_what_no_sensor_reads(value: float) -> None:
    with pytest.raises(ReadingError, match="sensor 2 reads"):
        Readings([0, 0, value, 0], 2, Model())


@pytest.mark.parametrize(
    "wrong", [{"sensor": 0}, {"stone": -1}, {"fit": 0}, {"clear": 1.0}, {"clear": 0.0}, {"mistake": 0.0}]
)
def test_a_model_that_makes_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(ReadingError, match=next(iter(wrong))):
        Model(**wrong)


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=10))
def test_log_sum(logs: list[float]) -> None:
    assert log_sum(logs) == pytest.approx(math.log(math.fsum(math.exp(log) for log in logs)), abs=1e-9)


def test_log_sum_of_extremes() -> None:
    assert log_sum([]) == -math.inf
    assert log_sum([-math.inf, -math.inf]) == -math.inf
    assert log_sum([-5000.0, -5000.0]) == pytest.approx(-5000 + math.log(2))
