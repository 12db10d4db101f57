"""How much stones and sensors vary, learned from readings of boards that are known: what makes a `Model` fit a board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from records import Position, Rules, Turn

from .readings import Model


@dataclass(frozen=True, slots=True)
class Tally:
    """What has been seen of one board and its seeds so far. Frozen: `at_rest` and `after` give a new one.

    `stone`, `sensor`: sums of squares, in seeds²; `stones`, `sensors`: of how many readings.
    """

    stone: float = 0.0
    stones: float = 0.0
    sensor: float = 0.0
    sensors: float = 0.0

    def at_rest(self, position: Position, counts: Sequence[float]) -> Tally:
        """With a board that was laid out as `position` and reads `counts`."""
        raise NotImplementedError

    def after(self, rules: Rules, turn: Turn, before: Sequence[float], counts: Sequence[float]) -> Tally:
        """With a turn that is known to have been played: the readings `before` it and after."""
        raise NotImplementedError

    def model(self) -> Model:
        """The model that fits what was seen; the default one as long as little was."""
        raise NotImplementedError
