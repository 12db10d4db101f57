"""How likely it is that a sensor reads what it reads: the Gaussian model under the detector (`docs/drivers.md`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from records import Position

from .errors import ReadingError

MOST = 10_000.0  # seeds: ten times what any board holds; beyond, arithmetic would only make infinities


@dataclass(frozen=True, slots=True)
class Model:
    """How a board weighs, and when its word is taken. The defaults suit sorted seeds on a calibrated board.

    `sensor`: standard deviation of a sensor's reading, in seeds, whatever lies there. `stone`: that of one seed's
    weight, in mean seeds. Together: a pit with `c` seeds reads `c` with variance ``sensor**2 + stone**2 * c``.
    `fit`: how many standard deviations a single sensor may be off before a board counts as another one.
    `clear`: how probable a turn must be, among all turns and mistakes, to be taken as played.
    `mistake`: how probable it is, before looking, that the players made a mistake.
    """

    sensor: float = 0.08
    stone: float = 0.08
    fit: float = 4.0
    clear: float = 0.99
    mistake: float = 0.02

    def __post_init__(self) -> None:
        if not (self.sensor > 0 and self.stone >= 0 and self.fit > 0):
            raise ReadingError(f"{self}: sensor and fit must be more than 0, stone at least 0")
        if not (0 < self.clear < 1 and 0 < self.mistake < 1):
            raise ReadingError(f"{self}: clear and mistake are probabilities between 0 and 1")


class Readings:
    """What all sensors read at one moment, ready to be compared with boards.

    `values` are seeds, one a sensor: ``2 * row`` pits, then the two stores if the board weighs them.
    """

    def __init__(self, values: Sequence[float], row: int, model: Model) -> None:
        """:raises ReadingError: a wrong number of readings, or one that is no weight of seeds."""
        if len(values) not in (2 * row, 2 * row + 2):
            raise ReadingError(
                f"{len(values)} readings: a board with {row} pits a row has {2 * row}, or {2 * row + 2} with stores"
            )
        for sensor, value in enumerate(values):
            if not (math.isfinite(value) and abs(value) <= MOST):
                raise ReadingError(f"sensor {sensor} reads {value}: a number of seeds up to {MOST:g} is possible")
        self.values = tuple(values)
        self.model = model
        self._known: dict[tuple[int, int], float] = {}

    def off(self, sensor: int, count: int) -> float:
        """By how many standard deviations the sensor differs from `count` seeds."""
        return abs(self.values[sensor] - count) / self._sd(count)

    def fits(self, board: Sequence[int]) -> bool:
        """Whether every sensor is as near to `board` as `Model.fit` asks."""
        return all(self.off(sensor, board[sensor]) <= self.model.fit for sensor in range(len(self.values)))

    def likelihood(self, board: Sequence[int]) -> float:
        """The natural logarithm of the readings' probability density, if `board` lies there, up to a constant."""
        return sum(self.one(sensor, board[sensor]) for sensor in range(len(self.values)))

    def one(self, sensor: int, count: int) -> float:
        """The same of one sensor alone."""
        key = (sensor, count)
        if key not in self._known:
            sd = self._sd(count)
            self._known[key] = -0.5 * ((self.values[sensor] - count) / sd) ** 2 - math.log(sd)
        return self._known[key]

    def changes(self, board: Sequence[int], by: int) -> list[tuple[float, int]]:
        """For each sensor that can, how much likelier the readings are with `by` seeds more there, and which it is."""
        return [
            (self.one(sensor, board[sensor] + by) - self.one(sensor, board[sensor]), sensor)
            for sensor in range(len(self.values))
            if board[sensor] + by >= 0
        ]

    def one_off(self, board: Sequence[int]) -> float:
        """How much likelier, as a logarithm, the readings are if a single seed is not where `board` has it.

        Half of that is for a seed that lies in another pit, a quarter each for one too few and one too many.
        """
        sensors = len(self.values)
        fewer = log_sum(gain for gain, _ in self.changes(board, -1)) - math.log(sensors)
        more = log_sum(gain for gain, _ in self.changes(board, 1)) - math.log(sensors)
        return log_sum((math.log(0.5) + fewer + more, math.log(0.25) + fewer, math.log(0.25) + more))

    def sensed(self, position: Position) -> tuple[int, ...]:
        """What of a position the sensors see."""
        return (*position.pits, *position.stores)[: len(self.values)]

    def seen(self) -> list[int]:
        """The nearest whole numbers of seeds."""
        return [max(0, round(value)) for value in self.values]

    def _sd(self, count: int) -> float:
        return math.sqrt(self.model.sensor**2 + self.model.stone**2 * count)


def log_sum(logs: Iterable[float]) -> float:
    """The logarithm of the sum of what has these logarithms; minus infinity for none."""
    logs = list(logs)
    most = max(logs, default=-math.inf)
    if most == -math.inf:
        return most
    return most + math.log(sum(math.exp(log - most) for log in logs))
