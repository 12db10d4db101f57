"""How likely it is that a sensor reads what it reads: the Gaussian model under the detector (`docs/detection.md`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from drivers.errors import ReadingError
from records import Position

EMPTIED_UNCHANGED = 0.05  # how likely it is that a pit was emptied that holds as many seeds as before
MOST = 10_000.0  # seeds: ten times what any board holds; beyond, arithmetic would only make infinities


@dataclass(frozen=True, slots=True)
class NoiseModel:
    """How a board weighs, and when its word is taken. The defaults suit sorted seeds on a calibrated board.

    `sensor`: standard deviation of a sensor's reading, in seeds, whatever lies there. `stone`: that of one seed's
    weight, in mean seeds. Together: a pit with `c` seeds reads `c` with variance ``sensor**2 + stone**2 * c``.
    `fit`: how many standard deviations a single sensor may be off before a board counts as another one.
    `clear`: how probable a turn must be, among all turns and mistakes, to be taken as played.
    `mistake`: how probable it is, before looking, that the players made a mistake.
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
            raise ReadingError(f"{self}: clear and mistake are probabilities between 0 and 1")


class Board(NamedTuple):
    """What may lie at the sensors: seeds, one count a sensor.

    `emptied`: the sensors that were emptied since the board lay as before, as bits: nothing of what lay there then is
    there now. None: not known of any.
    """

    counts: tuple[int, ...]
    emptied: int | None = None


class _Column(dict[int, float]):
    """By a count of seeds at a sensor: how likely the reading is then, as a logarithm. Worked out once for each.

    Of the seeds `held` are known to weigh `mean`, give or take the variance `known`; `noise` is the sensor's variance,
    `stone` that of a seed.
    """

    __slots__ = ("held", "known", "mean", "noise", "stone", "value")

    def __init__(self, value: float, noise: float, stone: float, held: int, mean: float, known: float) -> None:
        super().__init__()
        self.value, self.noise, self.stone, self.held, self.mean, self.known = value, noise, stone, held, mean, known

    def expected(self, count: int) -> tuple[float, float]:
        """Mean and variance of the reading."""
        more = count - self.held
        if more >= 0:
            return self.mean + more, self.noise + self.known + self.stone * more
        left = count / self.held  # of the stones, any
        return self.mean * left, self.noise + self.known * left**2 + self.stone * count * (1 - left)

    def __missing__(self, count: int) -> float:
        mean, variance = self.expected(count)
        self[count] = log = -0.5 * ((self.value - mean) ** 2 / variance + math.log(variance))
        return log


class Readings:
    """What all sensors read at one moment, ready to be compared with boards.

    `values` are seeds, one a sensor: ``2 * row`` pits, then the two stores if the board weighs them. `position` is what
    lay there `before`, when the sensors read that, if it is known. A pit that was not emptied since then holds
    the same stones and those that were added, so that only these are uncertain. An earlier reading that does not fit
    the position is not used.
    """

    def __init__(
        self, values: Sequence[float], position: Position, model: NoiseModel, before: Sequence[float] | None = None
    ) -> None:
        """:raises ReadingError: a wrong number of readings, or one that is no weight of seeds."""
        self.values = _checked(values, position.row)
        self.model = model
        self.position = position
        self.held = self.sensed(position)
        if before is not None and len(_checked(before, position.row)) != len(self.values):
            raise ReadingError(f"{len(before)} readings before, {len(self.values)} now: one board has always as many")
        noise, stone = model.sensor**2, model.stone**2
        self._fresh = [_Column(value, noise, stone, 0, 0.0, 0.0) for value in self.values]
        self._stayed = self._fresh if before is None else [self._rests(at, before[at]) for at in range(len(values))]
        self._columns = list(zip(self._fresh, self._stayed, strict=True))
        self._peak = -math.log(model.sensor)  # what the likelihood of one reading is at most

    @property
    def resting(self) -> bool:
        """Whether any sensor's earlier reading is known, so that it matters which were emptied since."""
        return any(fresh is not stayed for fresh, stayed in self._columns)

    def off(self, sensor: int, board: Board) -> float:
        """By how many standard deviations the sensor differs from what it should read with this board."""
        mean, variance = self._column(sensor, board).expected(board.counts[sensor])
        return abs(self.values[sensor] - mean) / math.sqrt(variance)

    def fits(self, board: Board) -> bool:
        """Whether every sensor is as near to `board` as `NoiseModel.fit` asks."""
        most = self.model.fit**2
        for sensor, (value, count) in enumerate(zip(self.values, board.counts, strict=True)):
            mean, variance = self._column(sensor, board).expected(count)
            if (value - mean) ** 2 > most * variance:
                return False
        return True

    def likelihood(self, board: Board) -> float:
        """The natural logarithm of the readings' probability density, if `board` lies there, up to a constant.

        Where it is not known which sensors were emptied, those that hold as much as before hardly were, of the others
        each was or was not.
        """
        counts, emptied = board
        if emptied is None:
            return sum([self._unsure(sensor, count) for sensor, count in enumerate(counts)])
        return sum(
            [
                (fresh if emptied >> sensor & 1 else stayed)[count]
                for sensor, (count, (fresh, stayed)) in enumerate(zip(counts, self._columns, strict=True))
            ]
        )

    def bounds(self, counts: Sequence[int]) -> tuple[float, float]:
        """What the likelihood is at most with `counts`, and with a single seed of them in a wrong place."""
        logs = sorted(self._loosely(counts))
        whole = sum(logs)
        return whole, whole - logs[0] - logs[1] + 2 * self._peak

    def changes(self, board: Board, by: int) -> list[tuple[float, int]]:
        """For each sensor that can, how much likelier the readings are with `by` seeds more there, and which it is."""
        found = []
        for sensor, count in enumerate(board.counts):
            if count + by >= 0:
                column = self._column(sensor, board)
                found.append((column[count + by] - column[count], sensor))
        return found

    def one_off(self, board: Board) -> float:
        """How much likelier, as a logarithm, the readings are if a single seed is not where `board` has it.

        Half of that is for a seed that lies in another pit, a quarter each for one too few and one too many.
        """
        sensors = len(self.values)
        fewer, more = [], []
        for sensor, count in enumerate(board.counts):
            column = self._column(sensor, board)
            here = column[count]
            more.append(column[count + 1] - here)
            fewer.append(column[count - 1] - here if count else -math.inf)
        # No seed is both missing and too much in one pit. To take that out of a sum is exact but for the largest part.
        won, lost, most = log_sum(more), log_sum(fewer), max(range(sensors), key=more.__getitem__)
        others = [won + math.log1p(-math.exp(gain - won)) if at != most else 0.0 for at, gain in enumerate(more)]
        others[most] = log_sum([*more[:most], *more[most + 1 :]])
        moved = log_sum([gain + other for gain, other in zip(fewer, others, strict=True)])
        return log_sum(
            [
                math.log(0.5 / (sensors * (sensors - 1))) + moved,
                math.log(0.25 / sensors) + lost,
                math.log(0.25 / sensors) + won,
            ]
        )

    def sensed(self, position: Position) -> tuple[int, ...]:
        """What of a position the sensors see."""
        return (*position.pits, *position.stores)[: len(self.values)]

    def cut(self, board: Board) -> Board:
        """What of a board, pits and stores, the sensors see."""
        return Board(board.counts[: len(self.values)], board.emptied)

    def seen(self) -> list[int]:
        """The nearest whole numbers of seeds."""
        return [max(0, round(value)) for value in self.values]

    def _rests(self, sensor: int, before: float) -> _Column:
        """The readings of what was not emptied, given what the sensor read before."""
        held, noise, stone = self.held[sensor], self.model.sensor**2, self.model.stone**2
        stones, astray = stone * held, before - held
        if not held or abs(astray) > self.model.fit * math.sqrt(stones + noise):
            return self._fresh[sensor]
        share = stones / (stones + noise)  # how much of what it was astray is the stones', and will be so again
        return _Column(self.values[sensor], noise, stone, held, held + astray * share, noise * share)

    def _loosely(self, counts: Sequence[int]) -> list[float]:
        """The likelihood of each reading, whether its sensor was emptied or not."""
        return [
            a if (a := fresh[count]) > (b := stayed[count]) else b
            for count, (fresh, stayed) in zip(counts, self._columns, strict=True)
        ]

    def _unsure(self, sensor: int, count: int) -> float:
        """How likely one reading is at least, when its sensor may have been emptied."""
        fresh, stayed = self._columns[sensor]
        if fresh is stayed:
            return fresh[count]
        emptied = EMPTIED_UNCHANGED if count == self.held[sensor] else 0.5
        return max(math.log(emptied) + fresh[count], math.log(1 - emptied) + stayed[count])

    def _column(self, sensor: int, board: Board) -> _Column:
        fresh, stayed = self._columns[sensor]
        if board.emptied is not None:
            return fresh if board.emptied >> sensor & 1 else stayed
        count = board.counts[sensor]
        return fresh if fresh[count] > stayed[count] else stayed


def _checked(values: Sequence[float], row: int) -> tuple[float, ...]:
    if len(values) not in (2 * row, 2 * row + 2):
        raise ReadingError(
            f"{len(values)} readings: a board with {row} pits a row has {2 * row}, or {2 * row + 2} with stores"
        )
    for sensor, value in enumerate(values):
        if not (math.isfinite(value) and abs(value) <= MOST):
            raise ReadingError(f"sensor {sensor} reads {value}: a number of seeds up to {MOST:g} is possible")
    return tuple(values)


def log_sum(logs: Iterable[float]) -> float:
    """The logarithm of the sum of what has these logarithms; minus infinity for none."""
    logs = list(logs)
    most = max(logs, default=-math.inf)
    if most == -math.inf:
        return most
    return most + math.log(sum([math.exp(log - most) for log in logs]))
