from __future__ import annotations

from drivers.base import Guidance
from records import NORTH, SOUTH
from service.boards.remote.lights import GRACE, Lamps, Lights


class Desk:
    """Lamps whose clock the test moves."""

    def __init__(self, button: int = 0) -> None:
        self.now = 0.0
        self.lamps = Lamps(button, lambda: self.now)

    def told(self, version: int, answers: int, guidance: Guidance | None, dealt: int | None = None) -> Guidance | None:
        self.lamps.told(Lights(version, answers, answers if dealt is None else dealt, guidance))
        return self.lamps.due()


def test_what_the_service_says_is_shown_once() -> None:
    desk = Desk()
    assert desk.told(1, 0, Guidance(SOUTH)) == Guidance(SOUTH)
    assert desk.told(1, 0, Guidance(SOUTH)) is None
    assert desk.told(2, 0, Guidance(NORTH)) == Guidance(NORTH)
    assert desk.lamps.heard == 2


def test_an_older_answer_that_comes_late_is_passed_over() -> None:
    desk = Desk()
    desk.told(2, 0, Guidance(NORTH))
    assert desk.told(1, 0, Guidance(SOUTH)) is None
    assert desk.lamps.heard == 2


def test_a_button_blinks_until_it_is_answered() -> None:
    desk = Desk()
    desk.told(1, 0, Guidance(SOUTH))
    desk.lamps.pressed(5, SOUTH)
    assert desk.lamps.awaited == 5
    assert desk.lamps.due() == Guidance(SOUTH, pending=True)
    assert desk.lamps.due() is None
    assert desk.told(2, 4, Guidance(NORTH)) is None  # it answers something before the button
    assert desk.told(3, 5, Guidance(NORTH)) == Guidance(NORTH)
    assert desk.lamps.awaited is None


def test_the_side_that_is_to_mend_blinks_when_it_presses_again() -> None:
    desk = Desk()
    desk.told(1, 3, Guidance(NORTH, frozenset({9}), refused=True))
    desk.lamps.pressed(8, NORTH)
    assert desk.lamps.due() == Guidance(NORTH, frozenset({9}), refused=True, pending=True)


def test_the_same_lights_are_shown_anew_after_a_button() -> None:
    desk = Desk()
    desk.told(1, 0, Guidance(SOUTH))
    desk.lamps.pressed(5, NORTH)
    desk.lamps.due()
    assert desk.told(2, 5, Guidance(SOUTH)) == Guidance(SOUTH)


def test_a_button_that_sets_no_lights_blinks_no_longer_than_it_must() -> None:
    desk = Desk()
    desk.told(1, 0, Guidance(SOUTH))
    desk.lamps.pressed(5, SOUTH)
    desk.lamps.due()
    assert desk.told(1, 0, Guidance(SOUTH), dealt=5) is None
    desk.now = GRACE
    assert desk.lamps.due() == Guidance(SOUTH)
    assert desk.lamps.awaited is None


def test_after_a_death_nothing_is_shown_until_the_last_button_is_answered() -> None:
    desk = Desk(button=7)
    assert desk.lamps.awaited == 7
    assert desk.lamps.due() is None
    assert desk.told(4, 3, Guidance(SOUTH), dealt=3) is None
    assert desk.told(5, 7, Guidance(NORTH)) == Guidance(NORTH)


def test_after_a_death_lights_that_answered_long_ago_are_shown() -> None:
    assert Desk(button=7).told(5, 9, Guidance(NORTH)) == Guidance(NORTH)


def test_whoever_presses_before_the_service_has_said_a_word_sees_his_row_blink() -> None:
    desk = Desk()
    assert desk.told(0, 0, None) is None
    desk.lamps.pressed(2, NORTH)
    assert desk.lamps.due() == Guidance(NORTH, pending=True)
    desk.lamps.told(Lights(1, 0, 0, Guidance(None, over=True)))
    desk.lamps.pressed(3, NORTH)
    assert desk.lamps.due() == Guidance(NORTH, over=True, pending=True)
