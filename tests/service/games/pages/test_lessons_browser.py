"""Lessons on the page of a game's rules, in a real browser."""

import pytest

from tests.service.http.web.test_browser import wait_position

pytestmark = pytest.mark.browser

TAKE = "#lesson-take"
RELAY = "#lesson-after-relay"


def test_a_lesson_is_played_by_taps_and_keys_and_a_wrong_pit_says_why(watch):
    page = watch.open("/rules/enkeshui?lang=en#lesson-take", ready=f"{TAKE}.playable")
    said, before = page.locator(f"{TAKE} [role=status]"), page.get_attribute(TAKE, "data-lesson")
    page.click(f"{TAKE} .pit[data-letter=a]", force=True)
    said.get_by_text("empty").wait_for()
    page.click(f"{TAKE} .pit[data-letter=e]", force=True)  # another legal turn
    said.get_by_text("asks for c").wait_for()
    page.click(f"{TAKE} .pit.legal, {TAKE} .pit[data-letter=c]", force=True)
    said.get_by_text("captures 5").wait_for()
    assert page.get_attribute(f"{TAKE} svg", "data-position") == "0.0.0.0.2.0.0.0/0.0.2.0.0.0.0.0 24-20 n 10" != before

    page.evaluate("location.hash = 'lesson-after-relay'")
    page.wait_for_selector(f"{RELAY}.playable")
    page.focus(f"{RELAY} [aria-pressed=false]")
    page.keyboard.press("Enter")
    page.focus(f"{RELAY} .lesson-keys button")
    assert page.locator(f"{RELAY} .lesson-keys").bounding_box()["height"] > 20
    page.keyboard.press("Enter")
    page.locator(f"{RELAY} [role=status]").get_by_text("more than one lap captures nothing").wait_for()


def test_one_button_leads_to_a_first_game(watch):
    page = watch.open("/rules/bof")
    page.click(".first-game button")
    wait_position(page, "4.4.4.4.4/4.4.4.4.4 0-0 s 0")
