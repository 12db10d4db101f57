"""How much seeds and sensors vary: the noise model, and its estimate from readings of boards whose counts are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from drivers.errors import ReadingError
from records import Position, Turn

DEFAULT_READINGS = 10  # the weight of the default model in an estimate, in readings
MAX_STONES = 16  # stones in one reading; more of them tell little about one
STEPS = 3  # of expectation and maximization after each turn; the next turn continues from there
MIN_DEVIATION = 0.01  # seeds: the last digit of a count


@dataclass(frozen=True, slots=True)
class NoiseModel:
    """How a board weighs, and how sure the detector must be. The defaults suit sorted seeds on a calibrated board.

    `sensor`: standard deviation of a reading, in seeds, whatever the pit holds. `stone`: that of one seed's weight, in
    mean seeds. A pit with `c` seeds reads `c` with variance ``sensor**2 + stone**2 * c``.
    `fit`: standard deviations by which one sensor may be off before the board counts as a different one.
    `clear`: the probability, among all turns and mistakes, from which a turn counts as played.
    `mistake`: the probability, before looking at the board, that the players made a mistake.
    """

    sensor: float = 0.08
    stone: float = 0.08
    fit: float = 4.5
    clear: float = 0.99
    mistake: float = 0.02

    def __post_init__(self) -> None:
        if not (self.sensor > 0 and self.stone >= 0 and self.fit > 0):
            raise ReadingError(f"{self}: sensor and fit must be more than 0, stone at least 0")
        if not (0 < self.clear < 1 and 0 < self.mistake < 1):
            raise ReadingError(f"{self}: clear and mistake must be probabilities between 0 and 1")


@dataclass(frozen=True, slots=True)
class NoiseEstimate:
    """What one board and its seeds have shown so far; `with_position` and `with_turn` return an estimate with more.

    `deviations`: the number of readings, and the sum of their squared deviations from what was expected, by how many
    sensors' noise is in them (two in the difference of two readings) and how many stones of unknown weight.
    `variances`: of a sensor and of a stone, in seeds², that fit best; None: nothing was learned yet.
    """

    default: NoiseModel = field(default_factory=NoiseModel)
    deviations: Mapping[tuple[int, int], tuple[int, float]] = field(default_factory=dict)
    variances: tuple[float, float] | None = None

    def with_position(self, position: Position, counts: Sequence[float]) -> NoiseEstimate:
        """Add the readings of a board that was set up as `position`, with seeds that were not weighed before."""
        held = (*position.pits, *position.stores)[: len(counts)]
        return self._with([(1, count, reading - count) for count, reading in zip(held, counts, strict=True)])

    def with_turn(self, turn: Turn, before: Sequence[float], counts: Sequence[float]) -> NoiseEstimate:
        """Add a turn that is known to have been played: the readings `before` it, and after it."""
        held_before = (*turn.before.pits, *turn.before.stores)
        held = (*turn.position.pits, *turn.position.stores)
        found = []
        for sensor, (earlier, reading) in enumerate(zip(before, counts, strict=True)):
            added = held[sensor] - held_before[sensor]
            if turn.emptied >> sensor & 1 or not held_before[sensor]:
                found.append((1, held[sensor], reading - held[sensor]))
            else:
                found.append((2, abs(added), reading - earlier - added))
        return self._with(found)

    def model(self) -> NoiseModel:
        """The default model with the standard deviations that fit the readings."""
        if self.variances is None:
            return self.default
        sensor, stone = map(math.sqrt, self.variances)
        return replace(self.default, sensor=sensor, stone=stone)

    def _with(self, found: Sequence[tuple[int, int, float]]) -> NoiseEstimate:
        """Add readings: how many sensors' noise and how many stones are in each, and its deviation.

        Empty pits do not count: a board reports readings below zero as zero.
        """
        deviations = dict(self.deviations)
        for sensors, stones, deviation in found:
            if (sensors, stones) == (1, 0) or stones > MAX_STONES:
                continue
            number, squares = deviations.get(key := (sensors, stones), (0, 0.0))
            deviations[key] = number + 1, squares + deviation**2
        if not deviations:
            return self
        sensor, stone = self.variances or (self.default.sensor**2, self.default.stone**2)
        for _ in range(STEPS):
            sensor, stone = self._maximized(deviations, sensor, stone)
        return replace(self, deviations=deviations, variances=(sensor, stone))

    def _maximized(
        self, deviations: Mapping[tuple[int, int], tuple[int, float]], sensor: float, stone: float
    ) -> tuple[float, float]:
        """One step of expectation and maximization: split each deviation between sensor and stones as their variances
        suggest; the new variances are those of the parts."""
        sensors, stones = float(DEFAULT_READINGS), float(DEFAULT_READINGS)
        noise, spread = DEFAULT_READINGS * self.default.sensor**2, DEFAULT_READINGS * self.default.stone**2
        for (sensors_in, stones_in), (number, squares) in deviations.items():
            own, others = sensors_in * sensor, stones_in * stone
            both = own + others
            left = number * own * others / both
            sensors += number
            noise += ((own / both) ** 2 * squares + left) / sensors_in
            if stones_in:
                stones += number
                spread += ((others / both) ** 2 * squares + left) / stones_in
        return max(noise / sensors, MIN_DEVIATION**2), max(spread / stones, MIN_DEVIATION**2)
