"""The page of findings in a real browser: by mouse, keyboard and touch."""

import time
from typing import Any

import pytest

pytestmark = pytest.mark.browser

READY = "[data-board-form][data-ready]"
OWARE = "/finding?game=oware"
LONG = "/finding?game=enkeshui&board=0.3.3.0.3.3.0.3.3.0.3.3/0.3.3.0.3.3.0.3.3.0.4.2%200-0"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def now(page: Any, pit: str) -> str:
    return page.input_value(f'[name="now.{pit}"]')


def drawn(page: Any, pit: int) -> str:
    return page.text_content(f'[data-editor="now."] .pit[data-pit="{pit}"] .count')


def pit_of(page: Any, pit: int) -> Any:
    return page.locator(f'[data-editor="now."] .pit[data-pit="{pit}"] .hollow')


def ask(page: Any) -> None:
    page.click(".ask button")
    page.wait_for_url("**/finding?**board=**")
    page.wait_for_selector("[data-finding]")


def wait_values(page: Any, **values: str) -> None:
    """Wait until pits have these seeds: a tap is told to the page after the touch that it ends with."""
    for letter, value in values.items():
        wait_value(page, f'[name="now.{letter}"]', value)


def wait_value(page: Any, field: str, value: str) -> None:
    page.wait_for_function("([field, value]) => document.querySelector(field).value === value", arg=[field, value])


def first_kinds(page: Any) -> str:
    return page.get_attribute("[data-account='1']", "data-kinds")


def test_by_mouse(watch):
    page = watch.open(OWARE, ready=READY)
    for _ in range(4):
        pit_of(page, 2).click(button="right", force=True)
    for pit in (3, 5, 6, 7):
        pit_of(page, pit).click(force=True)
    assert [now(page, letter) for letter in "cdefAB"] == ["0", "5", "4", "5", "5", "5"]
    assert (drawn(page, 2), drawn(page, 7)) == ("0", "5")
    ask(page)
    assert first_kinds(page) == "skipped"
    assert "board=4.4.0.5.4.5" in page.url
    assert "now." not in page.url


def test_by_keyboard(watch):
    page = watch.open(OWARE, ready=READY)
    page.focus('[name="now.c"]')
    for key in ("0", "ArrowRight", "5", "ArrowRight", "ArrowRight", "+"):
        page.keyboard.press(key)
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.name") == "now.A"
    page.keyboard.press("5")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("5")
    assert [now(page, letter) for letter in "cdefAB"] == ["0", "5", "4", "5", "5", "5"]
    assert page.inner_text('[data-editor="now."] [data-total]').startswith("48")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-finding]")
    assert first_kinds(page) == "skipped"


def test_by_touch(watch):
    page = watch.open(OWARE, ready=READY, **PHONE)
    less = page.locator('.place:has([name="now.c"]) .less')
    more = page.locator('.place:has([name="now.d"]) .more')
    box = less.bounding_box()
    assert min(box["width"], box["height"]) >= 44
    for _ in range(4):
        less.tap()
    more.tap()
    for pit in (5, 6, 7):
        pit_of(page, pit).tap(force=True)
    wait_values(page, c="0", d="5", e="4", f="5", A="5", B="5")
    page.locator('[data-pad] [data-letter="c"]').tap()
    page.locator('[data-pad] [data-letter="A"]').tap()
    page.locator("[data-letter-back]").tap()
    wait_value(page, "#lifted", "c")
    ask(page)
    assert first_kinds(page) == "skipped"
    assert "lifted=c" in page.url


def test_on_a_phone_pits_are_large_and_what_a_tap_does_stays_in_sight(watch):
    """Also on the longest board, which stands upright; the choice is above its last pit too."""
    page = watch.open(LONG, ready=READY, **PHONE)
    boxes = [pit.bounding_box() for pit in page.locator('[data-editor="now."] .pit .hollow').all()]
    assert len(boxes) == 24
    assert min(min(box["width"], box["height"]) for box in boxes) >= 44
    page.tap("text=takes one away")
    pit_of(page, 11).scroll_into_view_if_needed()
    modes = page.locator(".modes").bounding_box()
    assert 0 <= modes["y"] < modes["y"] + modes["height"] <= pit_of(page, 11).bounding_box()["y"]
    pit_of(page, 1).scroll_into_view_if_needed()
    assert page.locator(".modes").bounding_box()["y"] >= 0


def test_a_long_press_takes_a_seed(watch):
    page = watch.open(OWARE, ready=READY, **PHONE)
    pit = '[data-editor="now."] .pit[data-pit="3"]'
    page.dispatch_event(pit, "pointerdown", {"pointerType": "touch", "bubbles": True})
    wait_values(page, d="3")
    page.dispatch_event(pit, "pointerup", {"pointerType": "touch", "bubbles": True})
    page.dispatch_event(pit, "click", {"bubbles": True})
    assert now(page, "d") == "3"
    page.locator(pit + " .hollow").tap(force=True)
    wait_values(page, d="4")


def test_a_tap_that_is_heard_of_late_is_no_long_press(watch):
    page = watch.open(OWARE, ready=READY, **PHONE)
    pit_of(page, 3).evaluate("pit => pit.scrollIntoView({ block: 'center' })")
    box, began = pit_of(page, 3).bounding_box(), time.time()
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    touch = page.context.new_cdp_session(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at], "timestamp": began})
    wait_values(page, d="3")  # it is taken for a long press
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": [], "timestamp": began + 0.1})
    wait_values(page, d="5")


def test_what_was_not_counted_and_bulls(watch):
    page = watch.open("/finding?game=enkeshui", ready=READY)
    page.check('[data-mode][value="unknown"]')
    pit_of(page, 1).click(force=True)
    assert (now(page, "b"), drawn(page, 1)) == ("?", "?")
    page.check('[data-mode][value="special"]')
    pit_of(page, 2).click(force=True)
    assert now(page, "c") == "3s"
    assert page.get_attribute('[data-editor="now."] .pit[data-pit="2"] .mark', "href") == "#mark-1-bull"
    pit_of(page, 2).click(force=True)
    assert now(page, "c") == "3n"
    page.click("[data-clear] >> nth=1")
    assert now(page, "d") == "?"
    page.click("[data-copy]")
    assert (now(page, "b"), now(page, "d")) == ("3", "0")


def test_totals_follow_what_is_typed(watch):
    page = watch.open(OWARE, ready=READY)
    total = page.locator('[data-editor="now."] [data-total]')
    page.fill('[name="now.a"]', "2")
    assert "46" in total.inner_text()
    assert "off" in total.get_attribute("class")
    page.fill('[name="now.a"]', "")
    assert "1" in total.inner_text().split(",")[1]
