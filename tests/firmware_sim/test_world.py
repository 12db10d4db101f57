from __future__ import annotations

from random import Random

from inkeek.firmware_sim.firmware.panel import contact
from inkeek.firmware_sim.world import Physics, World


def world(seed: int = 1, stores: bool = True, **physics: float) -> World:
    """A world whose scales do not swing by default."""
    return World(3, stores, Random(seed), Physics(**{"ring": 0.0, "creep": 0.0, **physics}))  # type: ignore[arg-type]


def test_without_noise_and_spread_every_stone_weighs_one() -> None:
    table = world(stone_sd=0, noise_sd=0)
    table.lay([4, 0, 3])
    assert table.readings(0) == [400, 0, 300, 0, 0, 0, 0, 0]


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


def test_a_scale_swings_when_its_load_changes_and_settles() -> None:
    table = world(stone_sd=0, noise_sd=0, ring=0.2, ring_ms=20)
    table.readings(1000)
    table.add(1, 10)
    swings = [(table.readings(1000 + ms)[1] or 0) - 1000 for ms in range(0, 300, 5)]
    assert max(swings) > 150
    assert min(swings) < -20
    assert swings[-20:] == [0] * 20


def test_a_scale_creeps_to_a_heavy_load() -> None:
    table = world(stone_sd=0, noise_sd=0, creep=0.01, creep_ms=1000)
    table.add(0, 40)
    assert [table.readings(ms)[0] for ms in (0, 1000, 9000)] == [3960, 3985, 4000]


def test_zeros_wander() -> None:
    drifting = world(stone_sd=0, noise_sd=0, drift=60)
    assert drifting.readings(0) == [0] * 8
    after = drifting.readings(3_600_000)
    assert 10 < max(abs(raw or 0) for raw in after) < 250


def test_a_bumped_table_swings_for_a_while_and_loses_nothing() -> None:
    table = world(stone_sd=0, noise_sd=0)
    table.add(0, 4)
    table.shake(1000)
    swings = [table.readings(ms)[0] or 0 for ms in range(1000, 1400, 10)]
    assert max(swings) - min(swings) > 80
    assert table.readings(1400)[0] == 400


def test_readings_at_low_supply_are_too_low_or_missing() -> None:
    table = world(stone_sd=0, noise_sd=0)
    table.add(0, 10)
    table.dip(1000, 500)
    low = [table.readings(ms)[0] for ms in range(1000, 1500, 5)]
    assert None in low
    assert all(raw is None or raw < 1100 for raw in low)
    assert table.supply < 5000
    assert (table.readings(1500)[0], table.supply) == (1000, 5000)


def test_a_stuck_sensor_repeats_its_reading() -> None:
    table = world(stone_sd=0, noise_sd=0)
    table.add(0, 2)
    table.fail(0, "stuck")
    table.add(0, 3)
    assert table.readings(0)[0] == 200
    table.repair(0)
    assert table.readings(0)[0] == 500
