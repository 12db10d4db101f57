from __future__ import annotations

import pytest

from inkeek.firmware_sim.firmware.panel import (
    ALERT,
    BLINK_MS,
    DEBOUNCE_MS,
    ERROR_MS,
    LIT,
    LONG_MS,
    OFF,
    Buttons,
    LightPanel,
    contact,
)


def read(buttons: Buttons, *masks: int, start: int = 0) -> list[tuple[str, str]]:
    """Read the masks one after another, 10 ms apart."""
    return [press for i, mask in enumerate(masks) for press in buttons.read(mask, start + 10 * i)]


STEADY = DEBOUNCE_MS // 10 + 1  # readings, 10 ms apart


def test_a_press_counts_once_after_the_contact_has_settled() -> None:
    buttons = Buttons()
    mask = contact("n", "commit")
    assert read(buttons, *[mask] * (STEADY - 1)) == []
    assert read(buttons, *[mask] * 50, start=10 * STEADY - 10) == [("n", "commit")]


def test_bouncing_makes_one_press() -> None:
    mask = contact("s", "undo")
    bounced = [mask, 0, mask, 0, 0, mask, *[mask] * 10, 0, mask, 0, mask, *[0] * 10]
    assert read(Buttons(), *bounced) == [("s", "undo")]


def test_two_buttons_at_once_and_one_held_while_another_is_pressed() -> None:
    both = contact("s", "commit") | contact("n", "dispute")
    buttons = Buttons()
    assert read(buttons, *[both] * STEADY) == [("s", "commit"), ("n", "dispute")]
    more = both | contact("n", "trial")
    assert read(buttons, *[more] * STEADY, start=1000) == [("n", "trial")]


def test_a_contact_that_never_rests_does_not_block_another() -> None:
    loose, good = contact("n", "undo"), contact("s", "commit")
    masks = [(loose if number % 2 else 0) | (good if number > 3 else 0) for number in range(20)]
    assert read(Buttons(), *masks) == [("s", "commit")]


def test_a_commit_button_that_is_held_says_accept_once() -> None:
    buttons = Buttons()
    mask = contact("n", "commit") | contact("s", "undo")
    given = [(now, press) for now in range(0, 4000, 10) for press in buttons.read(mask, now)]
    assert given == [(30, ("s", "undo")), (30, ("n", "commit")), (30 + LONG_MS, ("n", "accept"))]


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


ALL = ["all", "7", "0123abcd", "4", "01be", "0b", "1"]


def test_one_line_sets_all_lights() -> None:
    lights = LightPanel(4)
    assert lights.apply_all([*ALL, "a later field"], 9)
    assert (lights.pits, lights.rows) == (["off", "on", "blink", "error"], {"s": "off", "n": "blink"})
    assert (lights.error, lights.alarms, lights.clears, lights.answers) == (True, 1, 1, True)


@pytest.mark.parametrize(("at", "field"), [(1, "x"), (3, "10"), (3, ""), (4, "01b"), (4, "01bx"), (5, "0"), (6, "2")])
def test_an_invalid_line_of_all_lights_changes_nothing(at: int, field: str) -> None:
    lights = LightPanel(4)
    assert not lights.apply_all([*ALL[:at], field, *ALL[at + 1 :]], 9)
    assert not lights.apply_all(ALL[:6], 9)
    assert vars(lights) == vars(LightPanel(4))


def test_a_host_of_version_1_0_answers_no_press() -> None:
    lights = LightPanel(4)
    lights.apply(["row", "n", "on"])
    lights.press("s", 1)
    assert not lights.waiting
    assert list(lights.lamps(0)) == [OFF, OFF, OFF, OFF, OFF, LIT, OFF]


def test_lamps_follow_state_and_time() -> None:
    lights = LightPanel(4)
    for order in (["pit", "1", "on"], ["pit", "2", "blink"], ["pit", "3", "error"], ["row", "n", "on"], ["error", "1"]):
        lights.apply(order)
    assert list(lights.lamps(0)) == [OFF, LIT, LIT, ALERT, OFF, LIT, ALERT]
    assert list(lights.lamps(ERROR_MS)) == [OFF, LIT, LIT, OFF, OFF, LIT, OFF]
    assert list(lights.lamps(BLINK_MS)) == [OFF, LIT, OFF, ALERT, OFF, LIT, ALERT]
    assert lights.lamps(2 * BLINK_MS) == lights.lamps(0)
