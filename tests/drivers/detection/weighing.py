"""Boards of seeds that differ in weight, on scales that are not quite true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from inkeek.drivers.detection.noise_estimate import NoiseEstimate
from inkeek.records import Position, Rules, Turn


def places(position: Position, stores: bool = False) -> tuple[int, ...]:
    return (*position.pits, *(position.stores if stores else ()))


def weigh(board: Sequence[int], random: Random, stone: float = 0.03, noise: float = 0.03) -> list[float]:
    """Readings of a board, to the hundredth, as a line carries them."""
    return [
        round(max(0.0, sum(random.gauss(1, stone) for _ in range(count)) + random.gauss(0, noise)), 2)
        for count in board
    ]


class Seeds:
    """Seeds of different weight, moved as a trace says."""

    def __init__(self, rules: Rules, random: Random, stone: float) -> None:
        start = rules.start()
        self.rules, self.size = rules, len(start.pits)
        self.places = [[random.gauss(1, stone) for _ in range(count)] for count in (*start.pits, *start.stores)]

    def play(self, turn: Turn) -> None:
        hand: list[float] = []
        for event in self.rules.trace(turn.before, turn.move).events:
            if event.kind == "lift":
                hand, self.places[event.pit] = self.places[event.pit], []
            elif event.kind == "drop":
                self.places[event.pit].append(hand.pop())
            elif event.kind == "take":
                source = self.places[event.pit] if event.pit >= 0 else hand
                self.places[self.size + event.other] += source
                source.clear()


class ImperfectBoard:
    """Sensors with noise, and with gain errors, zeros that walk, creep, or readings far off."""

    def __init__(
        self, gain: float = 0.0, walk: float = 0.0, creep: float = 0.0, glitches: float = 0.0, noise: float = 0.05
    ) -> None:
        self.random = Random(3)
        self.gains = [1 + self.random.gauss(0, gain) for _ in range(18)]
        self.zeros = [0.0] * 18
        self.loads = [0.0] * 18
        self.walk, self.creep, self.glitches, self.noise = walk, creep, glitches, noise

    def readings(self, seeds: Seeds) -> list[float]:
        found = []
        for sensor, place in enumerate(seeds.places):
            self.zeros[sensor] += self.random.gauss(0, self.walk)
            self.loads[sensor] += 0.3 * (sum(place) - self.loads[sensor])
            glitch = self.random.gauss(0, 0.5) if self.random.random() < self.glitches else 0.0
            weight = self.gains[sensor] * sum(place) + self.creep * self.loads[sensor]
            found.append(max(0.0, round(self.zeros[sensor] + weight + glitch + self.random.gauss(0, self.noise), 2)))
        return found


def random_turns(rules: Rules, random: Random, most: int = 500) -> list[Turn]:
    """A game of turns chosen at random."""
    position, turns = rules.start(), list[Turn]()
    while len(turns) < most and (legal := rules.turns(position)):
        turns.append(random.choice(legal))
        position = turns[-1].position
    return turns


def turns_that_differ_in_one_pit(rules: Rules) -> Iterator[tuple[Turn, Turn, int]]:
    """Legal turns of random games that leave the same pits but for one, with that pit."""
    for seed in range(6):
        for position in [turn.before for turn in random_turns(rules, Random(seed))]:
            legal = rules.turns(position)
            for number, one in enumerate(legal):
                for other in legal[:number]:
                    pits = zip(one.position.pits, other.position.pits, strict=True)
                    differ = [pit for pit, (seeds, others) in enumerate(pits) if seeds != others]
                    if len(differ) == 1:
                        yield one, other, differ[0]


def weighed_turns(
    rules: Rules, board: ImperfectBoard, random: Random, stone: float, games: int
) -> Iterator[tuple[NoiseEstimate, Turn, list[float], list[float]]]:
    """The turns of random games, each with what is known of the noise before it, and the readings before and after."""
    estimate = NoiseEstimate()
    for _ in range(games):
        seeds = Seeds(rules, random, stone)
        before = board.readings(seeds)
        estimate = estimate.with_position(rules.start(), before)
        for turn in random_turns(rules, random):
            seeds.play(turn)
            counts = board.readings(seeds)
            yield estimate, turn, before, counts
            estimate = estimate.with_turn(turn, before, counts)
            before = counts
