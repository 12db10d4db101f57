from __future__ import annotations

from random import Random

import pytest

from firmware_sim.errors import SimulatorError
from firmware_sim.firmware.buttons import contact
from firmware_sim.world import Physics, World


def world(seed: int = 1, stores: bool = True, **physics: float) -> World:
    """A world without swinging scales, unless told otherwise."""
    return World(3, stores, Random(seed), Physics(**{"ring": 0.0, "creep": 0.0, **physics}))  # type: ignore[arg-type]


def test_stones_are_where_they_were_put() -> None:
    table = world()
    table.lay([4, 0, 2, 0, 0, 0, 1, 0])
    assert table.counts() == (4, 0, 2, 0, 0, 0, 1, 0)
    hand = table.lift(0)
    assert (len(hand), table.counts()[0]) == (4, 0)
    table.drop(1, hand.pop())
    table.carry(2, 2 * table.row + 1)
    assert table.counts() == (0, 1, 1, 0, 0, 0, 1, 1)


def test_nothing_is_carried_from_an_empty_pit() -> None:
    with pytest.raises(SimulatorError, match="place 0"):
        world().carry(0, 1)


def test_readings_are_weights_with_noise() -> None:
    table = world()
    table.lay([10, 0, 0, 0, 0, 0, 0, 20])
    found = [table.readings(0) for _ in range(200)]
    assert {len(reading) for reading in found} == {8}
    heavy = [reading[0] or 0 for reading in found]
    assert len(set(heavy)) > 3
    assert all(abs(count - 1000) < 100 for count in heavy)


def test_without_noise_and_spread_every_stone_weighs_one() -> None:
    table = world(stone_sd=0, noise_sd=0)
    table.lay([4, 0, 3])
    assert table.readings(0) == [400, 0, 300, 0, 0, 0, 0, 0]


def test_stores_may_lie_beside_the_scales() -> None:
    table = world(stores=False, noise_sd=0)
    table.add(2 * table.row, 5)
    assert table.readings(0) == [0] * 6


def test_a_broken_sensor_does_not_answer() -> None:
    table = world(noise_sd=0)
    table.broken.add(2)
    assert table.readings(0)[1:4] == [0, None, 0]


def test_the_seed_decides() -> None:
    first, again, other = world(7), world(7), world(8)
    for table in (first, again, other):
        table.add(0, 12)
    assert first.readings(0) == again.readings(0)
    assert first.readings(0) != other.readings(0)


def test_a_button_bounces_then_holds_then_bounces() -> None:
    table = world()
    table.press("n", "commit", 1000, 1400)
    mask = contact("n", "commit")
    seen = {now: table.contacts(now) for now in range(990, 1450)}
    assert {seen[now] for now in range(990, 1000)} == {0}
    assert {seen[now] for now in range(1000, 1015)} == {0, mask}
    assert {seen[now] for now in range(1015, 1400)} == {mask}
    assert {seen[now] for now in range(1400, 1415)} == {0, mask}
    assert {seen[now] for now in range(1415, 1450)} == {0}
