"""How a board errs: the noise model, and what is known of each of its sensors.

A sensor with zero offset `z` and gain error `g`, over seeds that weigh `d` more than their number `n`, reads

    n + z + g·n + d + creep·u + noise

to first order. `z`, `g` and `d` are unknown: each sensor keeps their joint normal distribution, and each reading of a
known number of seeds changes it as in a Kalman filter (Bar-Shalom, Li and Kirubarajan, *Estimation with
Applications to Tracking and Navigation*, 5.2). `u` is the number of seeds that lay
there, smoothed over time: creep of a load cell.

The noise is normal with heavy tails: a mixture with a part of Student's t with three degrees of freedom (P. J. Huber,
*Robust Statistics*, 1.1, calls this contamination). A reading that is probably an outlier hardly changes the filter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from inkeek.drivers.errors import ReadingError

TAIL = 3.0  # the tails are wider than the noise: by so many variances of the sensor
T3 = 0.9213  # the density of Student's t with three degrees of freedom at 0, times sqrt(2π)
LAG = 0.35  # the part of the way that creep goes from one turn to the next
MAX_MISCOUNT = 0.6  # the highest probability of a miscounted pit


@dataclass(frozen=True, slots=True)
class NoiseModel:
    """How a board errs, and how sure the detector must be. The defaults suit sorted seeds on a calibrated board.

    `sensor`: standard deviation of a reading, in seeds, whatever the pit holds. `stone`: that of one seed's weight, in
    mean seeds. `gain` and `zero`: those of the sensors' gains (0.03: 3 %) and of their readings of nothing. `drift`:
    how far a zero walks from one turn to the next. `creep`: by how much more a load reads in the end than at first.
    `relative`: standard deviation of a reading in proportion to the seeds there, anew in every reading.
    `outliers`: the part of readings that come from the tails.

    `miscounts`: for cameras and counters: the probability that a seed beyond the first `countable` in a pit is
    miscounted, so that the reading is one too high or one too low.

    `fit`: standard deviations by which one sensor may be off before the board counts as a different one.
    `clear`: the probability, among all turns and mistakes, from which a turn counts as played.
    `mistake`: the probability, before looking at the board, that the players made a mistake.
    `sensors`: what is known of each sensor, in order of index; none: nothing.
    """

    sensor: float = 0.08
    stone: float = 0.08
    gain: float = 0.02
    zero: float = 0.03
    drift: float = 0.01
    creep: float = 0.003
    relative: float = 0.002
    outliers: float = 0.0003
    miscounts: float = 0.0
    countable: int = 5
    fit: float = 4.5
    clear: float = 0.99
    mistake: float = 0.02
    sensors: tuple[SensorState, ...] = ()

    def __post_init__(self) -> None:
        if not (self.sensor > 0 and self.stone >= 0 and self.fit > 0):
            raise ReadingError(f"{self}: sensor and fit must be more than 0, stone at least 0")
        if not min(self.gain, self.zero, self.drift, self.creep, self.relative, self.countable) >= 0:
            raise ReadingError(f"{self}: gain, zero, drift, creep, relative and countable must be at least 0")
        if not (0 < self.clear < 1 and 0 < self.mistake < 1):
            raise ReadingError(f"{self}: clear and mistake must be probabilities between 0 and 1")
        if not (0 <= self.outliers < 1 and 0 <= self.miscounts < 1):
            raise ReadingError(f"{self}: outliers and miscounts must be probabilities below 1")

    def density(self, value: float, mean: float, variance: float, count: int) -> tuple[float, float]:
        """The probability density of a reading over `count` seeds, and the part of it that is normal noise.

        Both are times sqrt(2π). Where nothing or less is expected, a reading of 0 may be any reading below: boards
        report those as zero.
        """
        off = 0.0 if value <= 0 and mean < 0 else value - mean
        height = 1 / math.sqrt(variance)
        wide = variance + TAIL * self.sensor * self.sensor
        normal = height * math.exp(max(-0.5 * off * off / variance, -600.0))
        density = self.outliers * T3 / (math.sqrt(wide) * (1 + off * off / (3 * wide)) ** 2)
        normal *= 1 - self.outliers
        if self.miscounts and count > self.countable:
            expected = min(self.miscounts * (count - self.countable), MAX_MISCOUNT)
            # As many too high as too low: two Poisson processes of half the rate each.
            for by, part in ((1, expected / 2), (2, expected * expected / 8)):
                for near in (off - by, off + by):
                    density += part * height * math.exp(max(-0.5 * near * near / variance, -600.0))
            normal *= 1 - expected - expected * expected / 4
        return normal + density + 1e-300, normal


class SensorState(NamedTuple):
    """What is known of one sensor, which last read `reading` over `held` seeds.

    `zero`, `gain` and `excess` (by how much those seeds weigh more than their number) are the means of their joint
    normal distribution; the rest is its covariance: `zg` that of `zero` and `gain`. `load`: the smoothed number of
    seeds, for creep.
    """

    zero: float
    gain: float
    excess: float
    zz: float
    zg: float
    ze: float
    gg: float
    ge: float
    ee: float
    load: float
    held: int = 0
    reading: float = 0.0

    @classmethod
    def unknown(cls, model: NoiseModel) -> SensorState:
        """A sensor of which nothing is known but the model."""
        return cls(0.0, 0.0, 0.0, model.zero**2, 0.0, 0.0, model.gain**2, 0.0, 0.0, 0.0)

    def filled(self, count: int, model: NoiseModel) -> SensorState:
        """The same sensor over `count` seeds of unknown weight."""
        return self._replace(excess=0.0, ze=0.0, ge=0.0, ee=model.stone**2 * count, held=count, reading=math.nan)

    def expected(self, count: int, emptied: bool, model: NoiseModel) -> tuple[float, float]:
        """Mean and variance of the next reading, over `count` seeds.

        `emptied`: they are other seeds than before. Otherwise the same seeds are among them; of fewer seeds than
        before, any may be left.
        """
        mean = count + self.zero + self.gain * count + model.creep * (self.load + LAG * (count - self.load))
        fixed = self.zz + count * (2 * self.zg + count * (self.gg + model.relative**2))
        fixed += model.drift**2 + model.sensor**2
        stone, held = model.stone**2, self.held
        if emptied or not held:
            return mean, fixed + stone * count
        if count >= held:
            cross = 2 * (self.ze + count * self.ge)
            return mean + self.excess, fixed + cross + self.ee + stone * (count - held)
        share = count / held
        cross = 2 * share * (self.ze + count * self.ge)
        return mean + self.excess * share, fixed + cross + self.ee * share**2 + stone * count * (1 - share)

    def after(self, value: float, count: int, emptied: bool, model: NoiseModel) -> tuple[SensorState, float]:
        """What is known after the sensor has read `value` over `count` seeds, and the log-likelihood of that.

        `value` not a number: the sensor was ignored.
        """
        zero, gain, excess, zz, zg, ze, gg, ge, ee, load, held, _ = self
        stone = model.stone**2
        if emptied or not held:
            excess, ze, ge, ee = 0.0, 0.0, 0.0, stone * count
        elif count >= held:
            ee += stone * (count - held)
        else:
            share = count / held
            excess, ze, ge = excess * share, ze * share, ge * share
            ee = ee * share**2 + stone * count * (1 - share)
        zz += model.drift**2
        load += LAG * (count - load)
        if value != value:
            return SensorState(zero, gain, excess, zz, zg, ze, gg, ge, ee, load, count, value), 0.0
        # The covariance of each unknown with the reading.
        cz, cg, ce = zz + count * zg + ze, zg + count * gg + ge, ze + count * ge + ee
        mean = count + zero + gain * count + excess + model.creep * load
        variance = cz + count * cg + ce + model.sensor**2 + (model.relative * count) ** 2
        density, normal = model.density(value, mean, variance, count)
        if value > 0 or mean > 0:
            # The filter of probabilistic data association (Bar-Shalom and others, 3.4): with the probability that the
            # noise is not normal, the reading tells nothing.
            off, sure = value - mean, normal / density
            step = sure * off / variance
            zero += step * cz
            gain += step * cg
            excess += step * ce
            known = sure * (1 - (1 - sure) * off * off / variance) / variance
            zz, zg, ze = zz - known * cz * cz, zg - known * cz * cg, ze - known * cz * ce
            gg, ge, ee = gg - known * cg * cg, ge - known * cg * ce, ee - known * ce * ce
        return SensorState(zero, gain, excess, zz, zg, ze, gg, ge, ee, load, count, value), math.log(density)
