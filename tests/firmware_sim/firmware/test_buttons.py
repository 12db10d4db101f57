from __future__ import annotations

from inkeek.firmware_sim.firmware.buttons import ACTIONS, DEBOUNCE_MS, LONG_MS, SIDES, Buttons, contact


def read(buttons: Buttons, *masks: int, start: int = 0) -> list[tuple[str, str]]:
    """Read the masks one after another, 10 ms apart."""
    return [press for i, mask in enumerate(masks) for press in buttons.read(mask, start + 10 * i)]


STEADY = DEBOUNCE_MS // 10 + 1  # readings, 10 ms apart


def test_every_button_has_its_own_contact() -> None:
    assert len({contact(side, action) for side in SIDES for action in ACTIONS}) == 8


def test_a_press_counts_once_after_the_contact_has_settled() -> None:
    buttons = Buttons()
    mask = contact("n", "commit")
    assert read(buttons, *[mask] * (STEADY - 1)) == []
    assert read(buttons, *[mask] * 50, start=10 * STEADY - 10) == [("n", "commit")]


def test_bouncing_makes_one_press() -> None:
    mask = contact("s", "undo")
    bounced = [mask, 0, mask, 0, 0, mask, *[mask] * 10, 0, mask, 0, mask, *[0] * 10]
    assert read(Buttons(), *bounced) == [("s", "undo")]


def test_a_short_contact_is_no_press() -> None:
    mask = contact("s", "commit")
    assert read(Buttons(), mask, mask, 0, 0, 0, 0, 0, 0) == []


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


def test_a_commit_button_that_is_let_go_in_time_does_not_say_accept() -> None:
    buttons = Buttons()
    given = []
    for now in range(0, 6000, 10):
        held = now % 2000 < LONG_MS - 100
        given += buttons.read(contact("s", "commit") if held else 0, now)
    assert given == [("s", "commit")] * 3
