from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from inkeek.drivers.detection.likelihood import EMPTIED_UNCHANGED, Readings, log_sum
from inkeek.drivers.detection.noise_model import NoiseModel
from inkeek.drivers.errors import ReadingError
from inkeek.records import Position
from inkeek.records.findings import BoardCounts
from inkeek.records.findings.evidence import log_likelihoods

# Sensors that are exact but for normal noise.
PLAIN = NoiseModel(gain=0, zero=0, drift=0, creep=0, relative=0, outliers=0)
EMPTY = Position((0, 0, 0, 0), (0, 0, 0, 0))


def holding(*pits: int, stores: tuple[int, int] = (0, 0)) -> Position:
    return Position(pits, (0,) * len(pits), stores)


def test_a_board_fits_within_a_number_of_standard_deviations() -> None:
    model = replace(PLAIN, sensor=0.1, stone=0.05)
    sd = math.sqrt(0.1**2 + 0.05**2 * 4)
    board = BoardCounts((4, 0, 0, 0))
    assert Readings([4 + 4.4 * sd, 0, 0, 0], EMPTY, model).fits(board)
    assert not Readings([4 + 4.6 * sd, 0, 0, 0], EMPTY, model).fits(board)
    assert Readings([4 + 2 * sd, 0, 0, 0], EMPTY, model).deviation(0, board) == pytest.approx(2)


def test_the_likelihood_is_that_of_independent_normal_readings() -> None:
    model = replace(PLAIN, sensor=0.1, stone=0.05)
    values, board = [3.9, 0.05, 1.2, 7.5], (4, 0, 1, 8)
    expected = 0.0
    for value, count in zip(values, board, strict=True):
        variance = 0.1**2 + 0.05**2 * count
        expected += -((value - count) ** 2) / (2 * variance) - math.log(math.sqrt(variance))
    assert Readings(values, EMPTY, model).likelihood(BoardCounts(board)) == pytest.approx(expected)
    assert Readings(values, EMPTY, model).likelihood(BoardCounts(board, 0b1010)) == pytest.approx(expected)


def test_evidence_for_findings_weighs_every_board_like_the_readings() -> None:
    readings = Readings([3.9, 0.05, 1.2, 7.5], EMPTY, NoiseModel(), [0.1, 0.0, 0.0, 0.1])
    evidence = readings.as_evidence([], None)
    assert evidence.kept is not None
    assert evidence.counts[4:] == (None, None)  # this board does not weigh the stores
    offsets = []
    for counts in ((4, 0, 1, 8), (4, 0, 1, 7), (3, 1, 2, 7)):
        for emptied in (0, 0b1111):
            tables = evidence.counts if emptied else evidence.kept
            found = sum(log_likelihoods(table)[count] for table, count in zip(tables, counts, strict=False))
            offsets.append(readings.likelihood(BoardCounts(counts, emptied)) - found)
    assert offsets == pytest.approx(offsets[:1] * len(offsets))


def test_a_full_store_is_read_by_what_its_seeds_weighed_before() -> None:
    before = [0.0, 4.0, 4.0, 0.0, 48.6, 20.0]
    position = holding(0, 4, 4, 0, stores=(48, 20))
    after = [0.0, 4.0, 0.0, 0.0, 52.55, 20.0]
    assert Readings(after, position, NoiseModel(), before).rounded() == [0, 4, 0, 0, 52, 20]
    assert Readings(after, position, NoiseModel()).rounded() == [0, 4, 0, 0, 53, 20]


def test_an_ignored_sensor_is_no_evidence_for_findings() -> None:
    readings = Readings([3.9, 99.0, 1.2, 7.5], EMPTY, NoiseModel(), ignored=frozenset({1}))
    evidence = readings.as_evidence([EMPTY], None)
    assert evidence.counts[1] is None
    assert evidence.earlier == (EMPTY,)


def test_one_off_is_the_sum_over_all_boards_with_a_misplaced_seed() -> None:
    readings, board = Readings([1.4, 0.3, 0.6, 2.1], EMPTY, NoiseModel(sensor=0.3)), (2, 0, 0, 2)
    found = []
    for less in range(4):
        for more in range(4):
            if board[less] and less != more:
                moved = tuple(count - (i == less) + (i == more) for i, count in enumerate(board))
                found.append(math.log(0.5 / 12) + readings.likelihood(BoardCounts(moved)))
        for by in (1, -1):
            changed = tuple(count + by * (i == less) for i, count in enumerate(board))
            if min(changed) >= 0:
                found.append(math.log(0.25 / 4) + readings.likelihood(BoardCounts(changed)))
    assert readings.one_off(BoardCounts(board)) == pytest.approx(
        log_sum(found) - readings.likelihood(BoardCounts(board))
    )


@given(
    st.lists(st.integers(0, 12), min_size=6, max_size=6),
    st.lists(st.floats(-3, 3), min_size=6, max_size=6),
    st.integers(0, 63),
)
def test_bounds_hold_for_a_board_and_for_it_with_a_misplaced_seed(
    pits: list[int], off: list[float], emptied: int
) -> None:
    held = holding(*pits)
    values = [max(0.0, count + by) for count, by in zip(pits, off, strict=True)]
    readings = Readings(values, held, NoiseModel(), [count + 0.1 for count in pits])
    board = BoardCounts(tuple(round(value) for value in values), emptied)
    exact, mistaken = readings.bounds([board.counts])[board.counts]
    assert readings.likelihood(board) <= exact + 1e-9
    assert readings.likelihood(BoardCounts(board.counts)) <= exact + 1e-9
    assert readings.likelihood(board) + readings.one_off(board) <= mistaken + 1e-9


BEFORE = holding(8, 0, 3, 12)
MODEL = replace(PLAIN, sensor=0.05, stone=0.1)


def test_stones_that_did_not_move_weigh_the_same() -> None:
    readings = Readings([8.6, 0.0, 3.0, 12.0], BEFORE, MODEL, [8.6, 0.0, 3.0, 12.0])
    assert readings.deviation(0, BoardCounts((8, 0, 3, 12), 0)) < 0.5
    assert readings.deviation(0, BoardCounts((8, 0, 3, 12), 1)) == pytest.approx(0.6 / math.sqrt(0.05**2 + 0.1**2 * 8))


def test_only_added_stones_are_uncertain() -> None:
    readings = Readings([8.0, 0.0, 3.0, 13.4], BEFORE, MODEL, [8.0, 0.0, 3.0, 12.3])
    stones = 0.1**2 * 12
    known = stones / (stones + 0.05**2)
    sd = math.sqrt(known * 0.05**2 + 0.05**2 + 0.1**2)
    assert readings.deviation(3, BoardCounts((8, 0, 3, 13), 0)) == pytest.approx((13.4 - (13 + 0.3 * known)) / sd)


def test_the_mean_weight_of_remaining_stones_is_known() -> None:
    readings = Readings([8.0, 0.0, 3.0, 3.3], BEFORE, MODEL, [8.0, 0.0, 3.0, 12.6])
    share = 0.1**2 * 12 / (0.1**2 * 12 + 0.05**2)
    sd = math.sqrt(0.05**2 * share * (3 / 12) ** 2 + 0.05**2 + 0.1**2 * 3 * (9 / 12))
    assert readings.deviation(3, BoardCounts((8, 0, 3, 3), 0)) == pytest.approx(
        (3.3 - (12 + 0.6 * share) * 3 / 12) / sd
    )


def test_a_pit_that_may_have_been_emptied_probably_was_not_if_its_count_is_unchanged() -> None:
    values = [8.6, 0.0, 2.0, 12.0]
    readings = Readings(values, BEFORE, MODEL, [8.6, 0.0, 3.0, 12.0])
    board = (8, 0, 2, 12)
    sure = readings.likelihood(BoardCounts(board, 0b0100))
    assert readings.likelihood(BoardCounts(board)) == pytest.approx(
        max(sure, readings.likelihood(BoardCounts(board, 0))) + 2 * math.log(1 - EMPTIED_UNCHANGED) + math.log(0.5)
    )


def test_an_earlier_reading_that_does_not_fit_the_position_is_ignored() -> None:
    model = replace(MODEL, outliers=0.001)
    readings = Readings([8.0, 0.0, 3.0, 12.0], BEFORE, model, [6.0, 0.0, 3.0, 12.0])
    assert readings.deviation(0, BoardCounts((8, 0, 3, 12), 0)) < 0.1


def test_earlier_readings_must_be_as_many() -> None:
    with pytest.raises(ReadingError, match=r"6 .* 4 "):
        Readings([0.0] * 4, EMPTY, MODEL, [0.0] * 6)
    with pytest.raises(ReadingError, match=r"sensor 1 .*nan"):
        Readings([0.0] * 4, EMPTY, MODEL, [0.0, math.nan, 0.0, 0.0])


def test_stores_count_only_where_they_are_weighed() -> None:
    position = Position((1, 2, 3, 4), (0, 0, 0, 0), (5, 6))
    assert Readings([0] * 4, position, NoiseModel()).held == (1, 2, 3, 4)
    assert Readings([0] * 6, position, NoiseModel()).held == (1, 2, 3, 4, 5, 6)
    assert Readings([0] * 4, EMPTY, NoiseModel()).visible(BoardCounts((1, 2, 3, 4, 5, 6), 3)) == BoardCounts(
        (1, 2, 3, 4), 3
    )


def test_rounded() -> None:
    assert Readings([-0.7, 0.4, 0.6, 3.5], EMPTY, NoiseModel()).rounded() == [0, 0, 1, 4]


@pytest.mark.parametrize("count", [0, 3, 5, 7])
def test_a_wrong_number_of_readings_is_refused(count: int) -> None:
    with pytest.raises(ReadingError, match=f"{count} .*2 .*4.*6"):
        Readings([1.0] * count, EMPTY, NoiseModel())


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
def test_an_impossible_reading_is_refused(value: float) -> None:
    with pytest.raises(ReadingError, match="sensor 2"):
        Readings([0, 0, value, 0], EMPTY, NoiseModel())


@pytest.mark.parametrize(
    "wrong", [{"sensor": 0}, {"stone": -1}, {"fit": 0}, {"clear": 1.0}, {"clear": 0.0}, {"mistake": 0.0}]
)
def test_an_impossible_model_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ReadingError, match=next(iter(wrong))):
        NoiseModel(**wrong)


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=10))
def test_log_sum(logs: list[float]) -> None:
    assert log_sum(logs) == pytest.approx(math.log(math.fsum(math.exp(log) for log in logs)), abs=1e-9)


def test_log_sum_of_extremes() -> None:
    assert log_sum([]) == -math.inf
    assert log_sum([-math.inf, -math.inf]) == -math.inf
    assert log_sum([-5000.0, -5000.0]) == pytest.approx(-5000 + math.log(2))
