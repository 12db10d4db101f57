"""How likely readings are when given seeds lie on the board: the Gaussian model of `docs/detection.md`."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from inkeek.drivers.errors import ReadingError
from inkeek.records import Position, Side
from inkeek.records.findings import BoardCounts, Evidence
from inkeek.records.findings.drafts import log_sum
from inkeek.records.findings.evidence import WatchedBoard
from inkeek.records.kernel.codes import COUNT_LIMIT

from .noise_model import NoiseModel, SensorState

EMPTIED_UNCHANGED = 0.05  # probability that a pit that holds as many seeds as before was emptied meanwhile
OUTLIER = 4.0  # a sensor is no outlier if another number of seeds is likelier by this much, as a logarithm
FAR_OFF = 12  # seeds by which no reading is wrong
MAX_READING = 10_000.0  # seeds: ten times what any board holds; beyond, arithmetic would only produce infinities


class _Logs(dict[int, float]):
    """The log-likelihood of one sensor's reading by the number of seeds there, computed when first asked for.

    `emptied`: the seeds there are others than before.
    """

    __slots__ = ("emptied", "model", "state", "value")

    def __init__(self, value: float, state: SensorState, emptied: bool, model: NoiseModel) -> None:
        super().__init__()
        self.value, self.state, self.emptied, self.model = value, state, emptied, model

    def __missing__(self, count: int) -> float:
        mean, variance = self.state.expected(count, self.emptied, self.model)
        density, _ = self.model.density(self.value, mean, variance, count)
        self[count] = log = math.log(density)
        return log

    def deviation(self, count: int) -> float:
        """By how many standard deviations a normal reading that is as unlikely would be off."""
        mean, variance = self.state.expected(count, self.emptied, self.model)
        highest, _ = self.model.density(mean, mean, variance, count)
        return math.sqrt(2 * max(0.0, math.log(highest) - self[count]))

    def off(self, count: int) -> float:
        """How far the reading is from the expected one, in seeds."""
        return abs(self.value - self.state.expected(count, self.emptied, self.model)[0])


class _Ignored(_Logs):
    """A sensor that is no evidence: every number of seeds is as likely."""

    __slots__ = ()

    def __missing__(self, count: int) -> float:
        return 0.0

    def deviation(self, count: int) -> float:
        return 0.0


class Readings:
    """The readings of all sensors at one moment.

    `values` are seeds, one a sensor: the pits, then the two stores if the board weighs them. `before` are the readings
    when the board held `position`. A pit that was not emptied since then holds the same stones and those that were
    added, so only the added ones are uncertain. An earlier reading that does not fit the position is ignored.
    The sensors in `ignored` are no evidence: any number of seeds is equally likely there.
    """

    def __init__(
        self,
        values: Sequence[float],
        position: Position,
        model: NoiseModel,
        before: Sequence[float] | None = None,
        ignored: frozenset[int] = frozenset(),
    ) -> None:
        """:raises ReadingError: a wrong number of readings, or one that cannot be a weight of seeds."""
        self.values = _checked(values, position.row, ignored)
        self.model = model
        self.ignored = ignored
        self.position = position
        self.held = self.sensed(position)
        if before is not None and len(_checked(before, position.row, ignored)) != len(self.values):
            raise ReadingError(f"{len(before)} earlier readings but {len(self.values)} now: a board has one number")
        states = self._states(before)
        self._emptied: list[_Logs] = []
        self._kept: list[_Logs] = []
        for sensor, (value, state) in enumerate(zip(self.values, states, strict=True)):
            emptied = kept = (_Ignored if sensor in ignored else _Logs)(value, state, True, model)
            if before is not None and state.held and sensor not in ignored:
                kept = _Logs(value, state, False, model)
            self._emptied.append(emptied)
            self._kept.append(kept)
        self._sensors = list(zip(self._emptied, self._kept, strict=True))
        self._peak = -math.log(model.sensor)  # the highest log-likelihood of one reading

    def deviation(self, sensor: int, board: BoardCounts) -> float:
        """By how many standard deviations the sensor is off if `board` is there."""
        return self._sensor(sensor, board).deviation(board.counts[sensor])

    def fits(self, board: BoardCounts) -> bool:
        """Whether no sensor is off by more than `NoiseModel.fit`."""
        return all(self.deviation(sensor, board) <= self.model.fit for sensor in range(len(self.values)))

    def is_nearest(self, board: BoardCounts) -> bool:
        """Whether no sensor speaks for another board, and each that does not fit may be an outlier.

        No sensor is far likelier with one seed more or less; one that does not fit is off by less than a seed.
        """
        for sensor, count in enumerate(board.counts):
            logs = self._sensor(sensor, board)
            others = logs[count + 1], logs[count - 1] if count > 0 else -math.inf
            if max(others) > logs[count] + OUTLIER:
                return False
            if logs.deviation(count) > self.model.fit and logs.off(count) >= 1:
                return False
        return True

    def likelihood(self, board: BoardCounts) -> float:
        """The natural logarithm of the readings' probability density if `board` is there, up to a constant.

        Where it is unknown which sensors were emptied, those with as many seeds as before hardly were, and each of the
        others was or was not.
        """
        counts, emptied = board
        if emptied is None:
            return sum([self._unsure(sensor, count) for sensor, count in enumerate(counts)])
        return sum(
            [
                (if_emptied if emptied >> sensor & 1 else if_kept)[count]
                for sensor, (count, (if_emptied, if_kept)) in enumerate(zip(counts, self._sensors, strict=True))
            ]
        )

    def bounds(self, boards: Collection[tuple[int, ...]]) -> dict[tuple[int, ...], tuple[float, float]]:
        """For each of these counts, upper bounds of the likelihood with them, and with a single seed in a wrong place.

        There may be thousands of boards, but no sensor sees more than a few dozen numbers of seeds.
        """
        tables = [
            {count: max(if_emptied[count], if_kept[count]) for count in set(column)}
            for column, (if_emptied, if_kept) in zip(zip(*boards, strict=True), self._sensors, strict=True)
        ]
        found = {}
        for board in boards:
            logs = sorted([table[count] for count, table in zip(board, tables, strict=True)])
            whole = sum(logs)
            found[board] = whole, whole - logs[0] - logs[1] + 2 * self._peak
        return found

    def one_off(self, board: BoardCounts) -> float:
        """By how much the log-likelihood grows if a single seed is not where `board` has it.

        Half of that is for a seed in another pit, a quarter each for one too few and one too many.
        """
        sensors = len(self.values)
        fewer, more = [], []
        for sensor, count in enumerate(board.counts):
            logs = self._sensor(sensor, board)
            here = logs[count]
            more.append(logs[count + 1] - here)
            fewer.append(logs[count - 1] - here if count else -math.inf)
        # No pit has both a seed too few and one too many. Subtracting a part from a sum is exact but for the largest.
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
        """The counts of a position that the sensors see."""
        return (*position.pits, *position.stores)[: len(self.values)]

    def visible(self, board: BoardCounts) -> BoardCounts:
        """The part of a whole board that the sensors see."""
        return BoardCounts(board.counts[: len(self.values)], board.emptied)

    def as_evidence(self, earlier: Sequence[Position], pressed_by: Side | None) -> Evidence:
        """What findings need to know. A sensor that is ignored, or that the board lacks, is unknown."""
        places = 2 * self.position.row + 2
        counts: list[dict[int, float] | None] = [None] * places
        kept: list[dict[int, float] | None] = [None] * places
        for sensor, (value, (if_emptied, if_kept)) in enumerate(zip(self.values, self._sensors, strict=True)):
            if sensor in self.ignored:
                continue
            middle = min(max(0, round(value)), COUNT_LIMIT - 1)
            near = range(max(0, middle - FAR_OFF), min(COUNT_LIMIT, middle + FAR_OFF + 1))
            most = max(logs[count] for logs in (if_emptied, if_kept) for count in near)
            counts[sensor] = {count: if_emptied[count] - most for count in near}
            kept[sensor] = {count: if_kept[count] - most for count in near}
        watch = WatchedBoard(pressed_by, self.model.mistake)
        earlier = tuple(earlier)
        return Evidence(before=self.position, counts=tuple(counts), kept=tuple(kept), earlier=earlier, watch=watch)

    def evidence(self, counts: Sequence[int]) -> tuple[int, ...]:
        """The counts without those of ignored sensors: two boards of which these are equal look the same."""
        if not self.ignored:
            return tuple(counts)
        return tuple([-1 if sensor in self.ignored else count for sensor, count in enumerate(counts)])

    def rounded(self) -> list[int]:
        """The nearest whole numbers of seeds; where a sensor is ignored, as many as before.

        No turn empties a store, so what its seeds weigh more than their number is known: half a seed is not rare.
        """
        found = [
            held if sensor in self.ignored else max(0, round(self.values[sensor]))
            for sensor, held in enumerate(self.held)
        ]
        for store in range(2 * self.position.row, len(found)):
            if self._kept[store] is not self._emptied[store]:
                near = range(max(0, found[store] - 1), found[store] + 2)
                found[store] = max(near, key=self._kept[store].__getitem__)
        return found

    def _states(self, before: Sequence[float] | None) -> list[SensorState]:
        """What is known of each sensor over the position, after it read `before`."""
        model = self.model
        learned: Sequence[SensorState] = model.sensors
        if len(learned) != len(self.values):
            learned = [SensorState.unknown(model)] * len(self.values)
        if before is None:
            return [*learned]
        states = []
        for sensor, (state, held, value) in enumerate(zip(learned, self.held, before, strict=True)):
            known = state.held == held and (state.reading == value or state.reading != state.reading)
            if sensor in self.ignored or known:
                states.append(state)
            else:
                states.append(state.after(value, held, True, model)[0])
        return states

    def _unsure(self, sensor: int, count: int) -> float:
        """A lower bound for one reading when it is unknown whether its pit was emptied."""
        if_emptied, if_kept = self._sensors[sensor]
        if if_emptied is if_kept:
            return if_emptied[count]
        emptied = EMPTIED_UNCHANGED if count == self.held[sensor] else 0.5
        return max(math.log(emptied) + if_emptied[count], math.log(1 - emptied) + if_kept[count])

    def _sensor(self, sensor: int, board: BoardCounts) -> _Logs:
        if_emptied, if_kept = self._sensors[sensor]
        if board.emptied is not None:
            return if_emptied if board.emptied >> sensor & 1 else if_kept
        count = board.counts[sensor]
        return if_emptied if if_emptied[count] > if_kept[count] else if_kept


def _checked(values: Sequence[float], row: int, ignored: frozenset[int]) -> tuple[float, ...]:
    if len(values) not in (2 * row, 2 * row + 2):
        raise ReadingError(
            f"{len(values)} readings: a board with {row} pits a row has {2 * row}, or {2 * row + 2} with stores"
        )
    for sensor, value in enumerate(values):
        if sensor not in ignored and not (math.isfinite(value) and abs(value) <= MAX_READING):
            raise ReadingError(f"sensor {sensor} reads {value}: expected a number of seeds up to {MAX_READING:g}")
    return tuple(values)
