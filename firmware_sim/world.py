"""The things on the table: stones in pits, sensors under them, buttons beside them.

A place is a pit index or, after the pits, a store (South's, North's). Every stone has its own weight, near 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from .errors import SimulatorError
from .firmware.buttons import contact

LIGHTEST = 0.2  # of a stone: a normal distribution has tails, a stone has none
SHAKE_MS = 400  # a bumped table swings for so long
SHAKE_SD = 60.0  # of a reading meanwhile, in hundredths of a seed
DRIFT_MS = 1000  # between two steps of the drift
DAY_MS = 3_600_000  # of a swing of the temperature there and back: an evening under a lamp
_NOISE = 4096  # readings after which the noise comes round again; a power of two
_FELT = 0.5  # hundredths of a seed: what rings less is still


@dataclass(frozen=True, slots=True)
class Physics:
    """How the table weighs. Weights in hundredths of a seed unless said otherwise.

    `stone_sd`: standard deviation of a stone's weight, in seeds (0.03: sorted pebbles). `noise_sd`: of a reading.
    `drift`: of a sensor's zero after an hour; it wanders. `swing`: degrees Celsius by which the temperature rises and
    falls within an hour; `per_degree`: what a sensor's zero and (a thousandth of it) its slope follow, differing from
    sensor to sensor. `ring`: how far a scale swings over when its load changes, as a part of the change; it dies away
    with `ring_ms`. `creep`: what part of a change comes late, with `creep_ms`. `bounce_ms`: how long contacts chatter.
    """

    stone_sd: float = 0.03
    noise_sd: float = 3.0
    drift: float = 0.0
    swing: float = 0.0
    per_degree: float = 0.5
    ring: float = 0.1
    ring_ms: float = 20.0
    creep: float = 0.002
    creep_ms: float = 3000.0
    bounce_ms: int = 15


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
        self._at = 0
        self._now = 0
        self._pressed: dict[int, tuple[int, int]] = {}  # contact: (closed at, opened at)
        self._moving: dict[int, list[tuple[int, float]]] = {}  # place: when it changed, and by how much
        self._wander = [0.0] * len(self._places)  # of each zero
        self._follows = [random.gauss(0, physics.per_degree) for _ in self._places]
        self._wandered = 0
        self._shaken_until = self._low_until = 0
        self._low = 1.0
        self.broken: set[int] = set()  # sensors that do not answer
        self.stuck: dict[int, int] = {}  # sensors that go on saying this

    @property
    def temperature(self) -> float:
        """Degrees Celsius."""
        return 20.0 + self.physics.swing * 0.5 * (1 - math.cos(2 * math.pi * self._now / DAY_MS))

    @property
    def supply(self) -> int:
        """Of the board, in millivolts."""
        return round(5000 * self._low) if self._now < self._low_until else 5000

    def counts(self) -> tuple[int, ...]:
        """How many stones lie in each place, stores included, weighed or not."""
        return tuple(len(stones) for stones in self._places)

    def add(self, place: int, count: int) -> None:
        """Bring `count` new stones to a place."""
        for _ in range(count):
            self._places[place].append(max(LIGHTEST, self._random.gauss(1, self.physics.stone_sd)))
        self._weigh(place)

    def lay(self, counts: Sequence[int]) -> None:
        """Bring new stones to every place."""
        for place, count in enumerate(counts):
            self.add(place, count)

    def lift(self, place: int) -> list[float]:
        """Take all stones of a place into the hand."""
        stones = self._places[place]
        self._places[place] = []
        self._weigh(place)
        return stones

    def drop(self, place: int, stone: float) -> None:
        """Let one stone fall."""
        self._places[place].append(stone)
        self._weigh(place)

    def carry(self, place: int, to: int) -> None:
        """Carry one stone from a place to another.

        :raises SimulatorError: there is none.
        """
        if not self._places[place]:
            raise SimulatorError(f"there is no stone in place {place} to carry to place {to}")
        self.drop(to, self._places[place].pop())
        self._weigh(place)

    def press(self, side: str, action: str, start: int, end: int) -> None:
        """Hold a button (side ``s`` or ``n``) from `start` to `end`."""
        self._pressed[contact(side, action)] = (start, end)

    def shake(self, now: int) -> None:
        """Somebody bumps the table: every scale swings for a while."""
        self._shaken_until = now + SHAKE_MS

    def dip(self, now: int, duration: int) -> None:
        """The supply is low for so long: readings fall short, or do not come."""
        self._low_until = now + duration
        self._low = self._random.uniform(0.5, 0.97)

    def stick(self, sensor: int) -> None:
        """From now on the sensor says what it says now."""
        self.stuck[sensor] = self._loads[sensor]

    def heal(self, sensor: int) -> None:
        """The sensor works again."""
        self.broken.discard(sensor)
        self.stuck.pop(sensor, None)

    def readings(self, now: int) -> list[int | None]:
        """What each sensor says now: hundredths of a seed with noise, None when it is broken."""
        self._now = now
        self._at = at = (self._at + 61) % _NOISE
        noise = self._noise
        found: list[int | None] = [self._loads[i] + noise[(at + 7 * i) % _NOISE] for i in range(self._sensors)]
        if self._moving:
            self._swing(found, now)
        if self.physics.drift or self.physics.swing:
            self._drift(found, now)
        if now < self._shaken_until:
            found = [None if said is None else said + round(self._random.gauss(0, SHAKE_SD)) for said in found]
        for sensor, said in self.stuck.items():
            if sensor < len(found):
                found[sensor] = said
        if now < self._low_until:
            found = [self._weak(said) for said in found]
        for sensor in self.broken:
            if sensor < len(found):
                found[sensor] = None
        return found

    def contacts(self, now: int) -> int:
        """The mask of closed contacts; just after a movement a contact is open or closed by chance."""
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
            self._moving.setdefault(place, []).append((self._now, float(change)))

    def _swing(self, found: list[int | None], now: int) -> None:
        """A scale whose load has changed rings, and creeps to the new weight."""
        physics = self.physics
        for place, changes in list(self._moving.items()):
            off = 0.0
            felt = False
            for since, change in changes:
                age = now - since
                ring = change * physics.ring * math.exp(-age / physics.ring_ms) * math.cos(age / 8)
                late = change * physics.creep * math.exp(-age / physics.creep_ms)
                off += ring - late
                felt = felt or abs(change) * physics.ring * math.exp(-age / physics.ring_ms) + abs(late) > _FELT
            if not felt:
                del self._moving[place]
            elif place < len(found):
                said = found[place]
                found[place] = None if said is None else said + round(off)

    def _drift(self, found: list[int | None], now: int) -> None:
        step = self.physics.drift * math.sqrt(DRIFT_MS / 3_600_000)
        while self._wandered + DRIFT_MS <= now:
            self._wandered += DRIFT_MS
            if step:
                self._wander = [zero + self._random.gauss(0, step) for zero in self._wander]
        warmer = self.temperature - 20.0
        for sensor, said in enumerate(found):
            if said is not None:
                slope = 1 + 0.001 * self._follows[sensor] * warmer
                found[sensor] = round(said * slope + self._wander[sensor] + self._follows[sensor] * warmer)

    def _weak(self, said: int | None) -> int | None:
        if said is None or self._random.random() < 0.1:
            return None
        return round(said * self._low * self._random.uniform(0.9, 1.1))
