from __future__ import annotations

import pytest

from inkeek.firmware_sim.firmware.sensor import (
    FAULT_MS,
    JUMP,
    LIFT_BAND,
    MAX_COUNT,
    OPEN,
    OVERLOAD,
    SETTLE_MS,
    STUCK,
    ZERO_BAND,
    ZERO_MOST,
    ZERO_MS,
    Sensor,
)


class Bench:
    """A sensor that is read every 10 ms."""

    def __init__(self, unit: int = 100, calibrated: bool = True, stuck_ms: int = 0) -> None:
        self.sensor = Sensor(unit, calibrated, stuck_ms)
        self.now = 0

    def load(self, *raw: int | None, ms: int = 2 * SETTLE_MS) -> list[int]:
        """Read the values in turn for so long; return the counts that settled."""
        settled = []
        for i in range(ms // 10):
            self.now += 10
            if self.sensor.read(raw[i % len(raw)], self.now):
                settled.append(self.sensor.settled_count)
        return settled


def test_a_new_load_is_an_event_once_it_has_settled() -> None:
    bench = Bench()
    bench.load(400)
    assert bench.load(500, ms=SETTLE_MS) == []
    assert bench.sensor.confidence == "7"
    assert bench.load(500) == [500]
    assert not bench.sensor.lifted
    assert bench.load(500) == []


def test_noise_is_no_event() -> None:
    bench = Bench()
    bench.load(400)
    assert bench.load(394, 406, 400 + JUMP // 2 - 1, 400 - JUMP // 2 + 1, ms=5000) == []
    assert abs(bench.sensor.count - 400) < 15


def test_a_slow_change_is_an_event_from_half_a_seed_on() -> None:
    bench = Bench()
    bench.load(400)
    settled = [count for level in range(400, 500, 2) for count in bench.load(level, ms=50)]
    assert len(settled) == 1
    assert 450 <= settled[0] < 460


def test_counts_stay_in_bounds() -> None:
    bench = Bench()
    bench.load(-20)
    assert bench.sensor.count == 0
    bench.load(MAX_COUNT + 1)
    assert (bench.sensor.count, bench.sensor.fault, bench.sensor.confidence) == (MAX_COUNT, OVERLOAD, "0")
    bench.load(400)
    assert (bench.sensor.count, bench.sensor.fault, bench.sensor.confidence) == (400, "", "f")


def test_a_calibration_says_why_it_failed() -> None:
    bench = Bench()
    bench.load(400)
    assert bench.sensor.calibrate(20) == "too-light"
    assert bench.sensor.tare() == "not-empty"
    bench.load(600, ms=20)
    assert (bench.sensor.tare(), bench.sensor.calibrate(6)) == ("moving", "moving")
    bench.load(600)
    assert bench.sensor.count == 600
    bench.load(MAX_COUNT + 100)
    assert (bench.sensor.tare(), bench.sensor.calibrate(6)) == ("overload", "overload")
    bench.load(None)
    assert (bench.sensor.tare(), bench.sensor.calibrate(6)) == ("silent", "silent")
    new = Bench(unit=10700, calibrated=False)
    new.load(53500, 53501)
    assert new.sensor.calibrate(5) == "untared"


def test_a_missed_reading_is_no_fault() -> None:
    bench = Bench()
    bench.load(400)
    assert bench.load(None, ms=FAULT_MS) == []
    assert (bench.sensor.fault, bench.sensor.settled) == ("", True)
    bench.load(None, ms=10)
    assert (bench.sensor.fault, bench.sensor.settled) == (OPEN, False)


def test_a_converter_that_repeats_one_value_for_long_is_stuck() -> None:
    bench = Bench(stuck_ms=5000)
    bench.load(400, ms=4900)
    assert bench.sensor.fault == ""
    bench.load(400, ms=300)
    assert (bench.sensor.fault, bench.sensor.confidence) == (STUCK, "0")
    bench.load(401, 399)
    assert (bench.sensor.fault, bench.sensor.confidence) == ("", "f")
    bench.load(401, 399, ms=20000)
    assert bench.sensor.fault == ""


def test_an_empty_pit_that_drifts_slowly_stays_empty() -> None:
    bench = Bench()
    bench.load(0)
    assert [count for level in range(0, 200, 4) for count in bench.load(level, ms=4 * ZERO_MS)] == []
    assert bench.sensor.count <= 5
    assert [count for level in range(200, -100, -4) for count in bench.load(level, ms=4 * ZERO_MS)] == []
    assert bench.load(100 - 100) == [pytest.approx(100, abs=6)]  # a seed, on a scale that reads -100 when empty


def test_a_light_seed_is_not_taken_for_drift() -> None:
    bench = Bench()
    bench.load(0)
    bench.load(ZERO_BAND + 5, ms=20 * ZERO_MS)
    assert bench.sensor.count == ZERO_BAND + 5


def test_drift_of_a_full_pit_is_followed_once_it_is_emptied() -> None:
    bench = Bench()
    bench.load(400)
    assert bench.load(LIFT_BAND - 1) == [LIFT_BAND - 1]
    bench.load(LIFT_BAND - 1, ms=2 * LIFT_BAND * ZERO_MS)
    assert bench.sensor.count <= 1


def test_zero_tracking_has_a_limit() -> None:
    bench = Bench()
    bench.load(0)
    for level in range(0, ZERO_MOST + 20, 2):
        bench.load(level, ms=2 * ZERO_MS)
    assert (bench.sensor.drifted, bench.sensor.confidence) == (True, "b")
    assert bench.sensor.tare() == ""
    bench.load(ZERO_MOST + 20)
    assert (bench.sensor.drifted, bench.sensor.confidence) == (False, "f")


def test_a_scale_without_its_bowl_has_confidence_1() -> None:
    bench = Bench()
    bench.load(0)
    bench.load(-400, ms=20 * ZERO_MS)
    assert (bench.sensor.count, bench.sensor.confidence) == (0, "1")


def test_an_uncalibrated_scale_has_confidence_b() -> None:
    bench = Bench(unit=10700, calibrated=False)
    bench.load(-84000, -84020)
    assert bench.sensor.confidence == "b"
    assert bench.sensor.tare() == ""
    bench.load(-84000, -84020)
    assert (bench.sensor.count, bench.sensor.confidence) == (0, "b")
    assert bench.load(-84000 + 53500, -84020 + 53500) == [pytest.approx(500, abs=1)]
    assert bench.sensor.calibrate(5) == ""
    bench.load(-84000 + 53500, -84020 + 53500)
    assert (bench.sensor.count, bench.sensor.confidence) == (500, "f")


@pytest.mark.parametrize(("zero", "span", "seeds"), [(0, 0, 0), (0, 0, 1), (7, 24, 1), (7, 2500, 100), (7, -100, 1)])
def test_an_impossible_calibration_is_not_restored(zero: int, span: int, seeds: int) -> None:
    bench = Bench()
    assert not bench.sensor.restore(zero, span, seeds)
    bench.load(300)
    assert bench.sensor.count == 300
