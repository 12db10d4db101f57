"""Stones of different weight on a board that is weighed: a fast replacement for the simulated world."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from random import Random

from inkeek.records import Position, TraceEvent

LIGHTEST = 0.2  # of a stone: a normal distribution has tails


class Stones:
    """Every stone of a game with its place and its weight, which stays the same when it moves.

    `stone`, `sensor`: standard deviations, in mean stones.
    """

    def __init__(self, position: Position, random: Random, stone: float, sensor: float) -> None:
        self._random = random
        self._stone, self._sensor = stone, sensor
        self._size = len(position.pits)
        self._places = [[self._new() for _ in range(count)] for count in (*position.pits, *position.stores)]

    def counts(self) -> tuple[int, ...]:
        return tuple(map(len, self._places))

    def follow(self, events: Iterable[TraceEvent]) -> None:
        """Carry out a trace."""
        places, size = self._places, self._size
        hand: list[float] = []
        for event in events:
            kind = event.kind
            if kind == "drop":
                places[event.pit].append(hand.pop())
            elif kind == "lift":
                hand, places[event.pit] = places[event.pit], []
                self._random.shuffle(hand)
            elif kind == "take":
                taken = hand
                if event.pit >= 0:
                    taken, places[event.pit] = places[event.pit], []
                else:
                    hand = []
                places[size + event.other] += taken
            elif kind == "store":
                places[size + event.other].append(hand.pop())
            elif kind == "shift":
                self.carry(event.pit, event.other)

    def copy(self) -> Stones:
        """The same stones, to be moved separately; randomness is shared."""
        other = copy(self)
        other._places = [[*stones] for stones in self._places]
        return other

    def carry(self, start: int, end: int) -> None:
        """Carry any one stone from a place to another."""
        stones = self._places[start]
        self._places[end].append(stones.pop(self._random.randrange(len(stones))))

    def lose(self, place: int) -> None:
        """One stone falls off the board."""
        self._places[place].pop(self._random.randrange(len(self._places[place])))

    def add(self, place: int) -> None:
        """A stone that was on no pit falls there."""
        self._places[place].append(self._new())

    def readings(self, stores: bool) -> list[float]:
        """The readings of the sensors, in hundredths and never below zero, as in the protocol."""
        gauss, sensor = self._random.gauss, self._sensor
        places = self._places if stores else self._places[: self._size]
        return [max(0.0, round(sum(stones) + gauss(0, sensor), 2)) for stones in places]

    def _new(self) -> float:
        return max(LIGHTEST, self._random.gauss(1, self._stone))
