from __future__ import annotations

import pytest

from firmware_sim.firmware.lights import ALERT, BLINK_MS, ERROR_MS, LIT, OFF, LightPanel


def test_led_fields_set_the_lights() -> None:
    lights = LightPanel(4)
    assert lights.apply(["pit", "3", "error"])
    assert lights.apply(["row", "n", "blink", "a later field"])
    assert lights.apply(["error", "1"])
    assert (lights.pits, lights.rows) == (["off", "off", "off", "error"], {"s": "off", "n": "blink"})
    assert (lights.error, lights.alarms) == (True, 1)


def test_clear_turns_off_every_light() -> None:
    lights = LightPanel(2)
    for order in (["pit", "0", "on"], ["row", "s", "on"], ["error", "1"], ["clear"]):
        assert lights.apply(order)
    assert (lights.pits, lights.rows, lights.error) == (["off", "off"], {"s": "off", "n": "off"}, False)


@pytest.mark.parametrize(
    "fields",
    [
        [],
        ["pit"],
        ["pit", "4", "on"],
        ["pit", "x", "on"],
        ["pit", "0", "red"],
        ["row", "e", "on"],
        ["row", "s"],
        ["error"],
        ["error", "2"],
        ["dance"],
    ],
)
def test_invalid_fields_change_nothing(fields: list[str]) -> None:
    lights = LightPanel(4)
    assert not lights.apply(fields)
    assert vars(lights) == vars(LightPanel(4))


def test_lamps_follow_state_and_time() -> None:
    lights = LightPanel(4)
    for order in (["pit", "1", "on"], ["pit", "2", "blink"], ["pit", "3", "error"], ["row", "n", "on"], ["error", "1"]):
        lights.apply(order)
    assert list(lights.lamps(0)) == [OFF, LIT, LIT, ALERT, OFF, LIT, ALERT]
    assert list(lights.lamps(ERROR_MS)) == [OFF, LIT, LIT, OFF, OFF, LIT, OFF]
    assert list(lights.lamps(BLINK_MS)) == [OFF, LIT, OFF, ALERT, OFF, LIT, ALERT]
    assert lights.lamps(2 * BLINK_MS) == lights.lamps(0)
