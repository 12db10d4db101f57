"""How much stones and sensors vary: a `NoiseModel`, fitted to readings of boards whose counts are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from records import Position, Rules, Turn

from .likelihood import NoiseModel
from .sowing_errors import emptied_in

ALIKE = 10  # as how many readings the default model counts, for stones and for sensors, beside what is seen
MOST_STONES = 16  # in one reading; more of them tell little of one
STEPS = 3  # of reckoning after each turn; the next one goes on from there
LEAST = 0.01  # of either standard deviation: the last digit of a count


@dataclass(frozen=True, slots=True)
class NoiseEstimate:
    """What has been seen of one board and its seeds so far; `at_rest` and `after` give a new one with more.

    `seen`: how often, and the sum of squared deviations from what was to be expected, of readings in which there is so
    often a sensor's noise (two, for the difference from an earlier reading) and so many stones not weighed before.
    `variances`: of a sensor and of a stone, in seeds², that follow; None: those of the default.
    """

    default: NoiseModel = field(default_factory=NoiseModel)
    seen: Mapping[tuple[int, int], tuple[int, float]] = field(default_factory=dict)
    variances: tuple[float, float] | None = None

    def at_rest(self, position: Position, counts: Sequence[float]) -> NoiseEstimate:
        """With a board that was laid out as `position` and reads `counts`, seeds of which nothing was known before."""
        held = (*position.pits, *position.stores)[: len(counts)]
        return self._with([(1, count, reading - count) for count, reading in zip(held, counts, strict=True)])

    def after(self, rules: Rules, turn: Turn, before: Sequence[float], counts: Sequence[float]) -> NoiseEstimate:
        """With a turn that is known to have been played: what its board read `before` it, and after it."""
        emptied = emptied_in(rules.trace(turn.before, turn.move))
        if emptied is None:
            return self
        held = (*turn.before.pits, *turn.before.stores)
        holds = (*turn.position.pits, *turn.position.stores)
        found = []
        for sensor, (was, reads) in enumerate(zip(before, counts, strict=True)):
            more = holds[sensor] - held[sensor]
            if emptied >> sensor & 1 or not held[sensor]:
                found.append((1, holds[sensor], reads - holds[sensor]))
            else:
                found.append((2, abs(more), reads - was - more))
        return self._with(found)

    def model(self) -> NoiseModel:
        """The default model with the standard deviations that fit what was seen."""
        if self.variances is None:
            return self.default
        sensor, stone = map(math.sqrt, self.variances)
        return replace(self.default, sensor=sensor, stone=stone)

    def _with(self, found: Sequence[tuple[int, int, float]]) -> NoiseEstimate:
        """With readings: how many sensors' noise is in them, how many stones', and their deviation.

        An empty pit tells nothing: what reads below nothing is told as nothing.
        """
        seen = dict(self.seen)
        for noises, stones, deviation in found:
            if (noises, stones) == (1, 0) or stones > MOST_STONES:
                continue
            often, squares = seen.get(key := (noises, stones), (0, 0.0))
            seen[key] = often + 1, squares + deviation**2
        if not seen:
            return self
        sensor, stone = self.variances or (self.default.sensor**2, self.default.stone**2)
        for _ in range(STEPS):
            sensor, stone = self._reckoned(seen, sensor, stone)
        return replace(self, seen=seen, variances=(sensor, stone))

    def _reckoned(
        self, seen: Mapping[tuple[int, int], tuple[int, float]], sensor: float, stone: float
    ) -> tuple[float, float]:
        """A step of expectation and maximisation: each deviation is shared out between sensor and stones as the
        variances so far have it, and then the variances are those of the shares."""
        sensors, stones = float(ALIKE), float(ALIKE)
        noise, spread = ALIKE * self.default.sensor**2, ALIKE * self.default.stone**2
        for (noises, many), (often, squares) in seen.items():
            own, others = noises * sensor, many * stone
            both = own + others
            left = often * own * others / both
            sensors += often
            noise += ((own / both) ** 2 * squares + left) / noises
            if many:
                stones += often
                spread += ((others / both) ** 2 * squares + left) / many
        return max(noise / sensors, LEAST**2), max(spread / stones, LEAST**2)
