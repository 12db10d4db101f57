"""Boards that are not ideal: sensors with gain errors, heavy tails, creep and drift, and cameras that miscount.

Physics only, written from how such boards behave, apart from the detector and from the simulated device, so that
neither can share an assumption with it. Weights are in mean seeds, times in mean turns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from records import TraceEvent

LIGHTEST = 0.3  # of a seed
TARE_READINGS = 10  # averaged when the empty board is tared
SURE = 5  # seeds in a pit that a camera counts without fail
RESTING = 0.1  # turns that pass from the last seed to the button
THINKING = (0.3, 1.5)  # turns that pass before a hand moves: from, to


@dataclass(frozen=True, slots=True)
class Imperfections:
    """What is wrong with a board. Standard deviations, unless another unit is given.

    `stone`: of a seed's weight. `noise`: scale of a reading's noise, which has Student's t distribution with `tails`
    degrees of freedom, or is normal if that is 0. `gain`: of a sensor's gain, for the life of the board. `zero`: of a
    sensor's zero, after the tare. `creep`: the part of a load by which its reading grows while it lies there, and which
    lingers when it is gone; both follow an exponential with the time constant `creep_turns`. `walk`: of the step that a
    zero makes with every reading. `miscounts`: the probability that a camera misses a seed above `SURE` in a pit, or
    counts it twice; None: the board weighs.
    """

    stone: float = 0.05
    noise: float = 0.05
    tails: int = 0
    gain: float = 0.0
    zero: float = 0.0
    creep: float = 0.0
    creep_turns: float = 4.0
    walk: float = 0.0
    miscounts: float | None = None


KINDS = {
    "ideal": Imperfections(),
    "gain-3": Imperfections(gain=0.03),
    "gain-6": Imperfections(gain=0.06),
    "zero": Imperfections(zero=0.15),
    "tails": Imperfections(noise=0.08, tails=3),
    "creep": Imperfections(creep=0.07),
    "walk": Imperfections(walk=0.03),
    "camera": Imperfections(miscounts=0.01),
    "poor": Imperfections(noise=0.05, tails=3, gain=0.03, zero=0.05, creep=0.02, walk=0.01),
}


class ImperfectBoard:
    """Seeds on a board and the sensors under them: the pits in order of index, then the stores if they are weighed."""

    def __init__(self, places: int, sensors: int, faults: Imperfections, random: Random) -> None:
        self.faults = faults
        self._random = random
        self._seeds: list[list[float]] = [[] for _ in range(places)]
        self._gains = [1 + random.gauss(0, faults.gain) for _ in range(sensors)]
        self._zeros = [0.0] * sensors
        self._crept = [0.0] * sensors  # how much of the load each sensor has got used to
        self.tare()

    def counts(self) -> tuple[int, ...]:
        """The true number of seeds under each sensor."""
        return tuple(len(seeds) for seeds in self._seeds[: len(self._gains)])

    def tare(self) -> None:
        """Set the zeros of the empty board, as well as its noise allows."""
        for sensor in range(len(self._zeros)):
            readings = [self._noise() for _ in range(TARE_READINGS)]
            self._zeros[sensor] = self._random.gauss(0, self.faults.zero) - math.fsum(readings) / TARE_READINGS

    def lay(self, counts: Iterable[int]) -> None:
        """Lay out new seeds."""
        self._seeds = [[self._new_seed() for _ in range(count)] for count in counts]
        self._rest(self._random.uniform(*THINKING))

    def play(self, events: Iterable[TraceEvent]) -> None:
        """Carry out a turn after some thought."""
        self._rest(self._random.uniform(*THINKING))
        pits = len(self._seeds) - 2
        hand: list[float] = []
        for event in events:
            if event.kind == "lift":
                hand, self._seeds[event.pit] = self._seeds[event.pit], []
                self._random.shuffle(hand)
            elif event.kind == "drop":
                self._seeds[event.pit].append(hand.pop())
            elif event.kind == "store":
                self._seeds[pits + event.other].append(hand.pop())
            elif event.kind == "take":
                if event.pit < 0:
                    taken, hand = hand, []
                else:
                    taken, self._seeds[event.pit] = self._seeds[event.pit], []
                self._seeds[pits + event.other].extend(taken)
            elif event.kind == "shift":
                self.slip(event.pit, event.other)
        self._rest(RESTING)

    def slip(self, start: int, end: int) -> None:
        """Move any one seed from a place to another."""
        seeds = self._seeds[start]
        self._seeds[end].append(seeds.pop(self._random.randrange(len(seeds))))

    def lose(self, place: int) -> None:
        """Take any one seed off the board."""
        self._seeds[place].pop(self._random.randrange(len(self._seeds[place])))

    def add(self, place: int) -> None:
        """Add a seed that was not on the board."""
        self._seeds[place].append(self._new_seed())

    def seeds(self) -> list[list[float]]:
        """What lies where, for `restore`."""
        return [[*seeds] for seeds in self._seeds]

    def restore(self, seeds: Sequence[Sequence[float]]) -> None:
        """Put every seed back to where it was, and let the sensors settle."""
        self._seeds = [[*place] for place in seeds]
        self._rest(RESTING)

    def read(self) -> tuple[float, ...]:
        """The readings now: hundredths of a seed, never below zero; whole seeds if a camera counts them."""
        if self.faults.miscounts is not None:
            return tuple(self._count(len(seeds)) for seeds in self._seeds[: len(self._gains)])
        readings = []
        for sensor, gain in enumerate(self._gains):
            if self.faults.walk:
                self._zeros[sensor] += self._random.gauss(0, self.faults.walk)
            load = math.fsum(self._seeds[sensor]) + self.faults.creep * self._crept[sensor]
            readings.append(max(0.0, round(gain * load + self._zeros[sensor] + self._noise(), 2)))
        return tuple(readings)

    def _count(self, seeds: int) -> float:
        assert self.faults.miscounts is not None
        wrong = sum(self._random.random() < self.faults.miscounts for _ in range(seeds - SURE))
        return float(seeds + sum(self._random.choice((-1, 1)) for _ in range(wrong)))

    def _noise(self) -> float:
        """Normal noise, or the quotient that has Student's t distribution."""
        noise = self._random.gauss(0, self.faults.noise)
        if self.faults.tails:
            noise /= math.sqrt(self._random.gammavariate(self.faults.tails / 2, 2) / self.faults.tails)
        return noise

    def _rest(self, turns: float) -> None:
        """Let time pass: every sensor gets used to its load."""
        if self.faults.creep:
            kept = math.exp(-turns / self.faults.creep_turns)
            for sensor, crept in enumerate(self._crept):
                load = math.fsum(self._seeds[sensor])
                self._crept[sensor] = load + (crept - load) * kept

    def _new_seed(self) -> float:
        return max(LIGHTEST, self._random.gauss(1, self.faults.stone))
