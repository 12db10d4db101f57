from __future__ import annotations

from random import Random

import pytest

from drivers.detection.noise_estimate import NoiseEstimate
from drivers.detection.noise_model import NoiseModel
from records import Move, Rules, Turn, ruleset

RULES = ruleset("enkeshui", pits=8, setup="fours-right")


class Seeds:
    """Seeds of different weight, moved as a trace says."""

    def __init__(self, rules: Rules, random: Random, stone: float, sensor: float) -> None:
        start = rules.start()
        self.random, self.sensor, self.size = random, sensor, len(start.pits)
        self.places = [[random.gauss(1, stone) for _ in range(count)] for count in (*start.pits, *start.stores)]

    def play(self, turn: Turn) -> None:
        hand: list[float] = []
        for event in RULES.trace(turn.before, turn.move).events:
            if event.kind == "lift":
                hand, self.places[event.pit] = self.places[event.pit], []
            elif event.kind == "drop":
                self.places[event.pit].append(hand.pop())
            elif event.kind == "take":
                source = self.places[event.pit] if event.pit >= 0 else hand
                self.places[self.size + event.other] += source
                source.clear()

    def readings(self) -> list[float]:
        return [max(0.0, round(sum(seeds) + self.random.gauss(0, self.sensor), 2)) for seeds in self.places]


@pytest.mark.parametrize(("stone", "sensor"), [(0.02, 0.02), (0.05, 0.1), (0.15, 0.03), (0.1, 0.05)])
def test_the_estimate_finds_the_noise_of_stones_and_sensors(stone: float, sensor: float) -> None:
    random, estimate = Random(4), NoiseEstimate()
    for _ in range(6):
        position, seeds = RULES.start(), Seeds(RULES, random, stone, sensor)
        before = seeds.readings()
        estimate = estimate.with_position(position, before)
        while moves := RULES.legal_moves(position):
            turn = RULES.play(position, random.choice(moves))
            seeds.play(turn)
            counts = seeds.readings()
            estimate = estimate.with_turn(turn, before, counts)
            before, position = counts, turn.position
    model = estimate.model()
    assert model.stone == pytest.approx(stone, rel=0.15, abs=0.01)
    assert model.sensor == pytest.approx(sensor, rel=0.15, abs=0.01)
    assert (model.fit, model.clear, model.mistake) == (NoiseModel().fit, NoiseModel().clear, NoiseModel().mistake)


def test_without_readings_the_model_is_the_default() -> None:
    default = NoiseModel(sensor=0.03, stone=0.2, fit=5.0)
    assert NoiseEstimate(default).model() == default


def test_one_turn_changes_the_default_only_a_little() -> None:
    turn = RULES.play(RULES.start(), Move.parse("e"))
    before, counts = (
        [float(count) for count in (*where.pits, *where.stores)] for where in (turn.before, turn.position)
    )
    model = NoiseEstimate().with_turn(turn, before, counts).model()
    assert 0.6 * NoiseModel().stone < model.stone < NoiseModel().stone
    assert 0.5 * NoiseModel().sensor < model.sensor < NoiseModel().sensor


def test_equal_seeds_give_the_smallest_deviation() -> None:
    start = RULES.start()
    estimate = NoiseEstimate()
    for _ in range(500):
        estimate = estimate.with_position(start, [float(count) for count in start.pits])
    model = estimate.model()
    assert MIN_DEVIATION <= model.stone < 0.02
    assert MIN_DEVIATION <= model.sensor < 0.05


def test_empty_pits_do_not_count() -> None:
    position = RULES.start().replaced(pits=(0,) * 16, stores=(24, 24))
    assert NoiseEstimate().with_position(position, [0.3] * 16) == NoiseEstimate()
