from inkeek.drivers.base import Guidance
from inkeek.records import NORTH, SOUTH
from inkeek.service.boards.remote.lights import LIGHTS_GRACE, BoardLights, ServiceLights


class Bench:
    """BoardLights whose clock the test moves."""

    def __init__(self, button: int = 0) -> None:
        self.now = 0.0
        self.lights = BoardLights(button, lambda: self.now)

    def update(
        self, version: int, answers: int, guidance: Guidance | None, handled: int | None = None
    ) -> Guidance | None:
        self.lights.update(ServiceLights(version, answers, answers if handled is None else handled, guidance))
        return self.lights.take_next()


def test_what_the_service_says_is_shown_once() -> None:
    bench = Bench()
    assert bench.update(1, 0, Guidance(SOUTH)) == Guidance(SOUTH)
    assert bench.update(1, 0, Guidance(SOUTH)) is None
    assert bench.update(2, 0, Guidance(NORTH)) == Guidance(NORTH)
    assert bench.lights.version == 2


def test_an_older_answer_that_comes_late_is_passed_over() -> None:
    bench = Bench()
    bench.update(2, 0, Guidance(NORTH))
    assert bench.update(1, 0, Guidance(SOUTH)) is None
    assert bench.lights.version == 2


def test_a_button_blinks_until_it_is_answered() -> None:
    bench = Bench()
    bench.update(1, 0, Guidance(SOUTH))
    bench.lights.button_pressed(5, SOUTH)
    assert bench.lights.awaited == 5
    assert bench.lights.take_next() == Guidance(SOUTH, pending=True)
    assert bench.lights.take_next() is None
    assert bench.update(2, 4, Guidance(NORTH)) is None  # it answers something before the button
    assert bench.update(3, 5, Guidance(NORTH)) == Guidance(NORTH)
    assert bench.lights.awaited is None


def test_the_side_that_is_to_mend_blinks_when_it_presses_again() -> None:
    bench = Bench()
    bench.update(1, 3, Guidance(NORTH, frozenset({9}), refused=True))
    bench.lights.button_pressed(8, NORTH)
    assert bench.lights.take_next() == Guidance(NORTH, frozenset({9}), refused=True, pending=True)


def test_the_same_lights_are_shown_again_after_a_button() -> None:
    bench = Bench()
    bench.update(1, 0, Guidance(SOUTH))
    bench.lights.button_pressed(5, NORTH)
    bench.lights.take_next()
    assert bench.update(2, 5, Guidance(SOUTH)) == Guidance(SOUTH)


def test_a_button_that_sets_no_lights_blinks_no_longer_than_it_must() -> None:
    bench = Bench()
    bench.update(1, 0, Guidance(SOUTH))
    bench.lights.button_pressed(5, SOUTH)
    bench.lights.take_next()
    assert bench.update(1, 0, Guidance(SOUTH), handled=5) is None
    bench.now = LIGHTS_GRACE
    assert bench.lights.take_next() == Guidance(SOUTH)
    assert bench.lights.awaited is None


def test_after_a_death_nothing_is_shown_until_the_last_button_is_answered() -> None:
    bench = Bench(button=7)
    assert bench.lights.awaited == 7
    assert bench.lights.take_next() is None
    assert bench.update(4, 3, Guidance(SOUTH), handled=3) is None
    assert bench.update(5, 7, Guidance(NORTH)) == Guidance(NORTH)


def test_after_a_death_lights_that_answered_long_ago_are_shown() -> None:
    assert Bench(button=7).update(5, 9, Guidance(NORTH)) == Guidance(NORTH)


def test_whoever_presses_before_the_service_has_said_a_word_sees_their_row_blink() -> None:
    bench = Bench()
    assert bench.update(0, 0, None) is None
    bench.lights.button_pressed(2, NORTH)
    assert bench.lights.take_next() == Guidance(NORTH, pending=True)
    bench.lights.update(ServiceLights(1, 0, 0, Guidance(None, over=True)))
    bench.lights.button_pressed(3, NORTH)
    assert bench.lights.take_next() == Guidance(NORTH, over=True, pending=True)
