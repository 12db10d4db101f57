from __future__ import annotations

from random import Random

import pytest

from inkeek.drivers.detection.noise_estimate import WINDOW, WORK, NoiseEstimate
from inkeek.drivers.detection.noise_model import NoiseModel, SensorState
from inkeek.records import Move, ruleset
from tests.drivers.detection.weighing import ImperfectBoard, weighed_turns

RULES = ruleset("enkeshui", pits=8, setup="fours-right")


def played(games: int, board: ImperfectBoard, stone: float = 0.05) -> NoiseEstimate:
    """The estimate after random games on one board."""
    *_, (estimate, turn, before, counts) = weighed_turns(RULES, board, Random(7), stone, games)
    return estimate.with_turn(turn, before, counts)


@pytest.mark.parametrize(("stone", "sensor"), [(0.02, 0.02), (0.05, 0.1), (0.15, 0.03), (0.1, 0.05)])
def test_the_estimate_finds_the_noise_of_stones_and_sensors(stone: float, sensor: float) -> None:
    model = played(6, ImperfectBoard(noise=sensor), stone).model()
    assert model.stone == pytest.approx(stone, rel=0.25, abs=0.015)
    assert model.sensor == pytest.approx(sensor, rel=0.25, abs=0.02)
    assert (model.fit, model.clear, model.mistake) == (NoiseModel().fit, NoiseModel().clear, NoiseModel().mistake)


def test_without_readings_the_model_is_the_default() -> None:
    default = NoiseModel(sensor=0.03, stone=0.2, fit=5.0)
    assert NoiseEstimate(default).model() == default


def test_equal_seeds_give_the_smallest_deviation() -> None:
    start = RULES.start()
    estimate = NoiseEstimate()
    for _ in range(60):
        estimate = estimate.with_position(start, [float(count) for count in start.pits])
    model = estimate.model()
    assert 0 < model.stone < 0.02
    assert 0 < model.sensor < 0.05


def test_a_parameter_that_is_0_by_default_is_not_fitted() -> None:
    start = RULES.start()
    estimate = NoiseEstimate(NoiseModel(stone=0, gain=0, creep=0))
    for counts in (3.7, 4.2, 4.4):
        estimate = estimate.with_position(start, [counts if pit else 0.0 for pit in start.pits])
    model = estimate.model()
    assert (model.stone, model.gain, model.creep) == (0, 0, 0)
    assert model.sensor > NoiseModel().sensor


def test_the_gain_of_each_sensor_is_learned() -> None:
    board = ImperfectBoard(gain=0.06)
    model = played(1, board).model()
    assert 0.03 < model.gain < 0.12
    off = [abs(1 + state.gain - gain) for state, gain in zip(model.sensors, board.gains, strict=True)]
    assert sorted(off)[len(off) // 2] < 0.03
    assert max(off) < 0.07


def test_a_zero_that_walks_is_followed() -> None:
    board = ImperfectBoard(walk=0.03)
    model = played(1, board).model()
    assert model.drift > 0.005
    off = [abs(state.zero - zero) for state, zero in zip(model.sensors, board.zeros, strict=True) if zero > -0.1]
    assert sorted(off)[len(off) // 2] < 0.12


def test_creep_is_learned() -> None:
    assert 0.03 < played(1, ImperfectBoard(creep=0.07)).model().creep < 0.12
    assert played(1, ImperfectBoard()).model().creep < 0.02


def test_outliers_are_learned_and_do_not_widen_the_noise() -> None:
    exact, glitches = played(1, ImperfectBoard()).model(), played(1, ImperfectBoard(glitches=0.03)).model()
    assert exact.outliers < 0.005 < glitches.outliers
    assert glitches.sensor < 0.12


def test_an_outlier_hardly_changes_what_is_known_of_a_sensor() -> None:
    model = NoiseModel()
    state, _ = SensorState.unknown(model).after(4.05, 4, True, model)
    after, _ = state.after(5.9, 4, False, model)
    assert after.expected(4, False, model)[0] == pytest.approx(state.expected(4, False, model)[0], abs=0.05)


def test_a_reading_of_nothing_may_be_any_reading_below() -> None:
    model = NoiseModel()
    state = SensorState.unknown(model)._replace(zero=-0.5)
    after, _ = state.after(0.0, 0, True, model)
    assert after.zero == -0.5


def test_an_ignored_sensor_teaches_nothing() -> None:
    start = RULES.start()
    turn = RULES.play(start, Move.parse("e"))
    counts = [float(count) for count in (*turn.position.pits, *turn.position.stores)]
    before = [float(count) for count in (*start.pits, *start.stores)]
    found = []
    for reading in (0.0, 9.0, float("nan")):
        before[5] = counts[5] = reading
        found.append(NoiseEstimate().with_turn(turn, before, counts, frozenset({5})).model())
    assert str(found[0]) == str(found[1]) == str(found[2])
    assert found[0].sensors[5].gain == 0


def test_the_search_for_a_better_model_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    after, calls = SensorState.after, []
    monkeypatch.setattr(SensorState, "after", lambda *args: (calls.append(1), after(*args))[1])
    estimate, start, most = NoiseEstimate(), RULES.start(), 0
    for _ in range(2 * WINDOW):
        estimate = estimate.with_position(start, [4.0 if pit else 0.0 for pit in start.pits])
        most = max(most, len(calls))
        calls.clear()
    assert most <= 16 * (WORK + 3 * WINDOW + 1)
