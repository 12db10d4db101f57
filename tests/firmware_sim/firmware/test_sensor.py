from __future__ import annotations

from firmware_sim.firmware.sensor import JUMP, MAX_COUNT, OPEN, OVERLOAD, SETTLE_MS, Sensor


class Bench:
    """A sensor that is read every 10 ms."""

    def __init__(self) -> None:
        self.sensor = Sensor()
        self.now = 0

    def load(self, *raw: int | None, ms: int = 2 * SETTLE_MS) -> list[int]:
        """Read the values in turn for so long; the counts that it settled on."""
        settled = []
        for i in range(ms // 10):
            self.now += 10
            if self.sensor.read(raw[i % len(raw)], self.now):
                settled.append(self.sensor.known)
        return settled


def test_what_lay_there_at_the_start_is_no_event() -> None:
    bench = Bench()
    assert bench.load(400) == []
    assert (bench.sensor.count, bench.sensor.confidence) == (400, "f")


def test_a_new_load_is_told_once_when_it_lies_still() -> None:
    bench = Bench()
    bench.load(400)
    assert bench.load(500, ms=SETTLE_MS) == []
    assert bench.sensor.confidence == "7"
    assert bench.load(500) == [500]
    assert not bench.sensor.lifted
    assert bench.load(500) == []


def test_noise_is_no_news() -> None:
    bench = Bench()
    bench.load(400)
    assert bench.load(394, 406, 400 + JUMP // 2 - 1, 400 - JUMP // 2 + 1, ms=5000) == []
    assert abs(bench.sensor.count - 400) < 15


def test_a_load_that_comes_while_it_settles_is_told_as_one() -> None:
    bench = Bench()
    bench.load(0)
    assert bench.load(100, ms=SETTLE_MS // 2) == []
    assert bench.load(200) == [200]


def test_a_slow_change_is_told_when_it_amounts_to_half_a_seed() -> None:
    bench = Bench()
    bench.load(400)
    told = [count for level in range(400, 500, 2) for count in bench.load(level, ms=50)]
    assert len(told) == 1
    assert 450 <= told[0] < 460


def test_an_emptied_pit_was_lifted() -> None:
    bench = Bench()
    bench.load(300)
    assert bench.load(2) == [2]
    assert bench.sensor.lifted


def test_counts_stay_in_bounds() -> None:
    bench = Bench()
    bench.load(-20)
    assert bench.sensor.count == 0
    bench.load(MAX_COUNT + 1)
    assert (bench.sensor.count, bench.sensor.fault, bench.sensor.confidence) == (MAX_COUNT, OVERLOAD, "0")
    bench.load(400)
    assert (bench.sensor.count, bench.sensor.fault, bench.sensor.confidence) == (400, "", "f")


def test_a_sensor_that_does_not_answer_is_open_until_it_does() -> None:
    bench = Bench()
    bench.load(400)
    assert bench.load(None) == []
    assert (bench.sensor.fault, bench.sensor.confidence) == (OPEN, "0")
    assert bench.load(200) == [200]
    assert bench.sensor.fault == ""


def test_tare_and_calibration() -> None:
    bench = Bench()
    bench.load(30)
    assert bench.sensor.tare()
    bench.load(30)
    assert bench.sensor.count == 0
    bench.load(30 + 1200)
    assert bench.sensor.calibrate(10)
    bench.load(30 + 600)
    assert bench.sensor.count == 500


def test_calibration_fails_on_a_moving_or_too_light_load() -> None:
    bench = Bench()
    bench.load(400)
    assert not bench.sensor.calibrate(20)
    assert not bench.sensor.calibrate(0)
    bench.load(600, ms=20)
    assert not bench.sensor.tare()
    assert not bench.sensor.calibrate(6)
    bench.load(600)
    assert bench.sensor.count == 600
