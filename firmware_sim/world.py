"""The things on the table: stones in pits, sensors under them, buttons beside them.

A place is the index of a pit or, after the pits, of a store (South's, North's). Every stone has its own weight, near 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from .errors import SimulatorError
from .firmware.panel import contact

LIGHTEST = 0.2  # weight of a stone: a normal distribution has tails, stones do not
SHAKE_MS = 400  # how long a bumped table swings
SHAKE_SD = 60.0  # of a reading meanwhile, in hundredths of a seed
DRIFT_MS = 1000  # between two steps of the drift
_NOISE = 4096  # readings after which the noise repeats; a power of two
_FELT = 0.5  # hundredths of a seed: a smaller oscillation has ended

Readings = list[int | None]  # hundredths of a seed by sensor; None: the sensor does not answer


@dataclass(frozen=True, slots=True)
class Physics:
    """How the table weighs. Weights are in hundredths of a seed unless another unit is given."""

    stone_sd: float = 0.03  # standard deviation of a stone's weight, in seeds
    noise_sd: float = 3.0  # that of a reading
    drift: float = 0.0  # random walk of a sensor's zero: that after an hour
    ring: float = 0.1  # overshoot of a scale, as a part of the change
    ring_ms: float = 20.0  # its decay
    creep: float = 0.002  # part of a change that comes late
    creep_ms: float = 3000.0  # how late
    bounce_ms: int = 15  # bouncing of a contact


class World:
    """Stones, sensors and buttons. Times are milliseconds from the caller's clock."""

    def __init__(self, row: int, stores: bool, random: Random, physics: Physics = Physics()) -> None:
        self.row = row
        self.physics = physics
        self._sensors = 2 * row + (2 if stores else 0)
        self._random = random
        self._places: list[list[float]] = [[] for _ in range(2 * row + 2)]
        self._loads = [0] * len(self._places)  # hundredths of a seed
        self._noise = [round(random.gauss(0, physics.noise_sd)) for _ in range(_NOISE)]
        self._noise_at = 0
        self._now = 0
        self._pressed: dict[int, tuple[int, int]] = {}  # contact: (closed at, opened at)
        self._changes: dict[int, list[tuple[int, float]]] = {}  # place: when its load changed, and by how much
        self._zeros = [0.0] * len(self._places)  # random walk of each sensor's zero
        self._rounded_zeros = [0] * len(self._places)
        self._drifted_at = 0
        self._faulty: dict[int, int | None] = {}  # sensors that repeat this reading, or do not answer (None)
        self._shaken_until = self._low_until = 0
        self._supply_factor = 1.0

    @property
    def supply(self) -> int:
        """The board's supply in millivolts."""
        return round(5000 * self._supply_factor) if self._now < self._low_until else 5000

    def counts(self) -> tuple[int, ...]:
        """Return the number of stones in each place, stores included, weighed or not."""
        return tuple(len(stones) for stones in self._places)

    def add(self, place: int, count: int) -> None:
        """Add new stones to a place."""
        for _ in range(count):
            self._places[place].append(max(LIGHTEST, self._random.gauss(1, self.physics.stone_sd)))
        self._weigh(place)

    def lay(self, counts: Sequence[int]) -> None:
        """Add new stones to every place."""
        for place, count in enumerate(counts):
            self.add(place, count)

    def lift(self, place: int) -> list[float]:
        """Take all stones out of a place."""
        stones = self._places[place]
        self._places[place] = []
        self._weigh(place)
        return stones

    def drop(self, place: int, stone: float) -> None:
        """Drop one stone into a place."""
        self._places[place].append(stone)
        self._weigh(place)

    def carry(self, place: int, to: int) -> None:
        """Carry one stone from one place to another.

        :raises SimulatorError: the place is empty.
        """
        if not self._places[place]:
            raise SimulatorError(f"cannot carry a stone from place {place} to place {to}: place {place} is empty")
        self.drop(to, self._places[place].pop())
        self._weigh(place)

    def press(self, side: str, action: str, start: int, end: int) -> None:
        """Hold a button (side ``s`` or ``n``) from `start` to `end`."""
        self._pressed[contact(side, action)] = (start, end)

    def shake(self, now: int) -> None:
        """Bump the table: every scale swings for a while."""
        self._shaken_until = now + SHAKE_MS

    def dip(self, now: int, duration: int) -> None:
        """Lower the supply for `duration`: readings are too low or missing."""
        self._low_until = now + duration
        self._supply_factor = self._random.uniform(0.5, 0.97)

    def fail(self, sensor: int, how: str) -> None:
        """Make a sensor ``stuck`` (it repeats its reading) or ``open`` (it does not answer)."""
        self._faulty[sensor] = self._loads[sensor] if how == "stuck" else None

    def repair(self, sensor: int) -> None:
        """Make a faulty sensor work again."""
        self._faulty.pop(sensor, None)

    def readings(self, now: int) -> Readings:
        """Return what each sensor reads now, with noise."""
        self._now = now
        self._noise_at = at = (self._noise_at + 61) % _NOISE
        noise = self._noise
        readings: Readings = [self._loads[i] + noise[(at + 7 * i) % _NOISE] for i in range(self._sensors)]
        if self._changes:
            self._add_swing(readings, now)
        if self.physics.drift:
            self._add_drift(readings, now)
        if now < self._shaken_until:
            readings = [None if raw is None else raw + round(self._random.gauss(0, SHAKE_SD)) for raw in readings]
        if now < self._low_until:
            readings = [self._weaken(raw) for raw in readings]
        for sensor, raw in self._faulty.items():
            if sensor < len(readings):
                readings[sensor] = raw
        return readings

    def contacts(self, now: int) -> int:
        """Return the mask of closed contacts. While a contact bounces, chance decides."""
        if not self._pressed:
            return 0
        mask = 0
        bounce = self.physics.bounce_ms
        for button, (start, end) in list(self._pressed.items()):
            if now >= end + bounce:
                del self._pressed[button]
            elif start <= now < start + bounce or now >= end:
                mask |= button * self._random.getrandbits(1)
            elif now >= start:
                mask |= button
        return mask

    def _weigh(self, place: int) -> None:
        load = round(100 * sum(self._places[place]))
        change = load - self._loads[place]
        self._loads[place] = load
        if change and (self.physics.ring or self.physics.creep):
            self._changes.setdefault(place, []).append((self._now, float(change)))

    def _add_swing(self, readings: Readings, now: int) -> None:
        """A scale whose load has changed oscillates, and creeps to the new weight."""
        physics = self.physics
        for place, changes in list(self._changes.items()):
            off = 0.0
            felt = False
            for since, change in changes:
                age = now - since
                ring = change * physics.ring * math.exp(-age / physics.ring_ms)
                late = change * physics.creep * math.exp(-age / physics.creep_ms)
                off += ring * math.cos(age / 8) - late
                felt = felt or abs(ring) + abs(late) > _FELT
            if not felt:
                del self._changes[place]
            elif place < len(readings):
                raw = readings[place]
                readings[place] = None if raw is None else raw + round(off)

    def _add_drift(self, readings: Readings, now: int) -> None:
        step = self.physics.drift * math.sqrt(DRIFT_MS / 3_600_000)
        while self._drifted_at + DRIFT_MS <= now:
            self._drifted_at += DRIFT_MS
            self._zeros = [zero + self._random.gauss(0, step) for zero in self._zeros]
            self._rounded_zeros = [round(zero) for zero in self._zeros]
        zeros = self._rounded_zeros
        readings[:] = [None if raw is None else raw + zero for raw, zero in zip(readings, zeros, strict=False)]

    def _weaken(self, raw: int | None) -> int | None:
        if raw is None or self._random.random() < 0.1:
            return None
        return round(raw * self._supply_factor * self._random.uniform(0.9, 1.1))
