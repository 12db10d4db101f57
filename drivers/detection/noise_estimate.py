"""The noise model of one board, learned from readings of boards whose counts are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from inkeek.drivers.orientation import turn_values
from inkeek.records import Position, Turn

from .noise_model import NoiseModel, SensorState

WINDOW = 24  # boards to which the model is fitted; what earlier ones showed of each sensor is kept
WORK = 40  # boards passed through the filter after a turn, in search of a better model
RARELY = 3  # once the window is full, the search goes on after every third turn
# What is fitted, its least value, and how far from the default it may well be: the standard deviation of its logarithm.
FITTED = {
    "sensor": (0.01, 0.8),
    "stone": (0.01, 0.8),
    "gain": (0.002, 1.0),
    "zero": (0.005, 1.0),
    "drift": (0.001, 1.0),
    "creep": (0.001, 1.5),
    "relative": (0.0005, 1.0),
    "outliers": (1e-5, 2.0),
}
STEP = 0.5  # by how much the logarithm of a parameter is changed at first
LEAST_STEP = 0.1


class _Observation(NamedTuple):
    """A reading of one sensor over a known count; `emptied`: of other seeds than before. Not a number: ignored."""

    value: float
    held: int
    emptied: bool


_Boards = tuple[tuple[_Observation, ...], ...]
_Sensors = tuple[SensorState, ...]


@dataclass(frozen=True, slots=True)
class NoiseEstimate:
    """What one board and its seeds have shown so far; `with_position` and `with_turn` return an estimate with more.

    The parameters of the model maximize its posterior density: how likely the last readings are, each given those
    before it, times a log-normal distribution around the default. A parameter that is 0 by default is not fitted.

    `boards`: the last boards, each an observation of every sensor. `base`: what was known of the sensors before them.
    `fitted`: the model so far. `steps`: for each parameter the change of its logarithm that is tried next. `tries`: how
    many were tried. `number`: of all boards.
    """

    default: NoiseModel = field(default_factory=NoiseModel)
    boards: _Boards = ()
    base: _Sensors | None = None
    fitted: NoiseModel | None = None
    steps: tuple[float, ...] = (STEP,) * len(FITTED)
    tries: int = 0
    number: int = 0

    def with_position(
        self, position: Position, counts: Sequence[float], ignored: frozenset[int] = frozenset()
    ) -> NoiseEstimate:
        """Add the readings of a board that was set up as `position`, with seeds that were not weighed before."""
        return self._with(_board(position, counts, ignored, (1 << len(counts)) - 1))

    def with_turn(
        self, turn: Turn, before: Sequence[float], counts: Sequence[float], ignored: frozenset[int] = frozenset()
    ) -> NoiseEstimate:
        """Add a turn that is known to have been played: the readings `before` it, and after it."""
        held, last = _board(turn.before, before, ignored, 0), self.boards[-1] if self.boards else ()
        continues = len(last) == len(held) and all(
            one.held == other.held
            and (one.value == other.value or one.value != one.value or other.value != other.value)
            for one, other in zip(last, held, strict=True)
        )
        estimate = self if continues else self.with_position(turn.before, before, ignored)
        return estimate._with(_board(turn.position, counts, ignored, turn.emptied))

    def turned(self, row: int) -> NoiseEstimate:
        """The same for a board that is read the other way round, with `row` pits a row."""
        return replace(
            self,
            boards=tuple(turn_values(board, row) for board in self.boards),
            base=None if self.base is None else turn_values(self.base, row),
            fitted=None if self.fitted is None else replace(self.fitted, sensors=turn_values(self.fitted.sensors, row)),
        )

    def model(self) -> NoiseModel:
        """The model that fits the readings best; the default if there are none."""
        return self.fitted or self.default

    def _with(self, board: tuple[_Observation, ...]) -> NoiseEstimate:
        model, base = self.model(), self.base
        boards = (*self.boards, board)
        if len(boards[0]) != len(board):  # another board
            boards, base, model = (board,), None, self.default
        if len(boards) > WINDOW:
            base, _ = _filtered(model, boards[:1], base)
            boards = boards[1:]
        number, steps, tries = self.number + 1, self.steps, self.tries
        if len(boards) < WINDOW or number % RARELY == 0:
            model, steps, tries = _improved(self.default, model, boards, base, [*steps], tries)
        else:
            sensors, _ = _filtered(model, boards[-1:], model.sensors)
            model = replace(model, sensors=sensors)
        return NoiseEstimate(self.default, boards, base, model, steps, tries, number)


def _improved(
    default: NoiseModel, model: NoiseModel, boards: _Boards, base: _Sensors | None, steps: list[float], tries: int
) -> tuple[NoiseModel, tuple[float, ...], int]:
    """The model after a bounded search, one parameter after the other."""
    names = [name for name in FITTED if getattr(default, name)]
    sensors, fit = _filtered(model, boards, base)
    best, work = fit + _prior(default, model), WORK
    while work > 0 and names:
        at = tries % len(names)
        name, tries = names[at], tries + 1
        least, _ = FITTED[name]
        for direction in (1, -1):
            changed = max(least, getattr(model, name) * math.exp(direction * steps[at]))
            if name == "outliers":
                changed = min(changed, 0.5)
            candidate = replace(model, **{name: changed}, sensors=())
            found, fit = _filtered(candidate, boards, base)
            work -= len(boards)
            if (score := fit + _prior(default, candidate)) > best:
                model, sensors, best = candidate, found, score
                steps[at] *= 1.2 * direction
                break
        else:
            steps[at] = math.copysign(max(abs(steps[at]) * 0.6, LEAST_STEP), -steps[at])
    return replace(model, sensors=sensors), tuple(steps), tries


def _prior(default: NoiseModel, model: NoiseModel) -> float:
    """The logarithm of the prior density of a model."""
    return -0.5 * sum(
        [
            (math.log(getattr(model, name) / getattr(default, name)) / width) ** 2
            for name, (_, width) in FITTED.items()
            if getattr(default, name)
        ]
    )


def _filtered(model: NoiseModel, boards: _Boards, base: _Sensors | None) -> tuple[_Sensors, float]:
    """What is known of each sensor after these boards, and the log-likelihood of their readings."""
    whole, sensors = 0.0, []
    for at, observations in enumerate(zip(*boards, strict=True)):
        state = SensorState.unknown(model) if base is None else base[at]
        for value, count, emptied in observations:
            state, log = state.after(value, count, emptied, model)
            whole += log
        sensors.append(state)
    return tuple(sensors), whole


def _board(
    position: Position, counts: Sequence[float], ignored: frozenset[int], emptied: int
) -> tuple[_Observation, ...]:
    held = (*position.pits, *position.stores)[: len(counts)]
    return tuple(
        _Observation(math.nan if sensor in ignored else reading, count, bool(emptied >> sensor & 1))
        for sensor, (reading, count) in enumerate(zip(counts, held, strict=True))
    )
