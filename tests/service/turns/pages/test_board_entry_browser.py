"""Turns entered on the live page in a real browser: by mouse, keyboard and touch, twice, and without connection."""

import time

import pytest

from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import SESSION
from tests.service.http.web.browsing import PATIENCE, Watch, point, requests_of
from tests.service.http.web.test_browser import LIVE, wait_position

pytestmark = pytest.mark.browser

OPEN = "[data-live][data-open]"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CHOICE = {"pits": 8, "setup": "fours-left"}  # of Enkeshui: the turn from e has choices of direction
WATCH_SHIFTS = """() => { window.shifts = 0; new PerformanceObserver((list) => { for (const one of list.getEntries())
  if (!one.hadRecentInput) window.shifts += one.value; }).observe({ type: "layout-shift", buffered: true }); }"""


def wait_ply(page, ply: int) -> None:
    page.wait_for_selector(f'[data-live][data-ply="{ply}"]', timeout=PATIENCE)


def next_move(games, game_id: str):
    """A legal move whose pit has no other."""
    moves = games.load(game_id).legal(300)
    pits = [move.pit for move in moves]
    return next((move for move in moves if pits.count(move.pit) == 1), None)


def test_a_turn_is_taken_back_with_a_reason(watch, games, new_game):
    game_id = new_game(1)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, **PHONE)
    page.tap(".undo")
    page.tap('#take-back button[value="team"]')
    wait_ply(page, 0)
    assert games.load(game_id).record.people().retractions[0].command.reason == "team"
    page.wait_for_selector("#take-back", state="hidden")


def test_what_was_missed_is_laid_out_as_turns_that_nobody_saw(watch, games, new_game):
    game_id = new_game(1)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, **PHONE)
    page.tap(".tools [href='#missed']")
    page.fill("#missed-turns", "3")
    page.tap("[data-lay-out-gap]")
    form = page.locator("[data-lay-out]")
    for pit in (0, 1):
        page.tap(f'.pit[data-pit="{pit}"] .hollow', force=True)
        form.locator("[data-place]:visible").fill("7")
    form.get_by_label("The seeds are not known").tap()
    form.locator("[data-save]").tap()
    wait_ply(page, 2)
    (_, gap) = games.load(game_id).record.plies
    after = games.load(game_id).position
    assert (str(gap.move), after.ply) == ("~~3", 4)
    assert str(after).startswith("7.?.?.")
    assert not page.locator("[data-lay-out] [data-set='?']").is_visible()


def test_an_administrator_goes_on_from_a_board_that_nobody_knows(browser, served, services, games, new_game):
    game_id = new_game(1)
    admin = Watch(browser, served, services.keys.create(SESSION, "Naisula", ("admin",), None)[1])
    page = admin.open(f"/games/{game_id}/live", ready=LIVE)
    page.click(".tools [href='#missed']")
    page.click("#missed [name='action']")
    wait_ply(page, 2)
    page.wait_for_selector(OPEN)
    labels = page.locator("[data-enter] [data-pit]").evaluate_all("all => all.map(one => one.ariaLabel)")
    admin.close()
    assert str(games.load(game_id).record.plies[1].move) == "~~"
    assert sorted(labels) == [f"{letter}: not known" for letter in "ABCDEFGH"]
    assert admin.complaints == []


def test_a_tap_cuts_the_animation_short_and_plays(watch, games, new_game):
    game_id = new_game(0)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    wait_ply(page, 1)
    page.wait_for_selector(OPEN)
    move = next_move(games, game_id)
    page.click(f'[data-enter] button[value="{move.choice}"]')
    wait_ply(page, 2)
    wait_position(page, games.load(game_id).position)


def test_a_pit_says_what_it_would_do_or_why_not_without_a_request(watch, games, new_game):
    game_id = new_game(2, "enkeshui", {"pits": 12})
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    asked = requests_of(page)
    page.hover(".pit.legal .hollow >> nth=0", force=True)
    page.wait_for_selector("[data-bubble]:not(:empty)")
    preview = page.inner_text("[data-bubble]")
    assert preview in page.eval_on_selector_all(
        "[data-preview]", "buttons => buttons.map((one) => one.dataset.preview)"
    )
    refused = page.get_attribute("[data-why]", "data-pit")
    page.click(f'.pit[data-pit="{refused}"] .hollow', force=True)
    assert page.inner_text("[data-bubble]") == page.get_attribute("[data-why]", "data-why")
    assert asked == []
    assert games.load(game_id).row.ply == 2


@pytest.mark.parametrize(("seconds", "plies"), [(0.1, 1), (1.0, 0)])
def test_a_tap_that_is_heard_of_late_is_no_long_press(watch, games, new_game, seconds, plies):
    game_id = new_game(0)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, **PHONE)
    page.wait_for_selector(OPEN)
    touch, (x, y) = page.context.new_cdp_session(page), point(page, 3)
    began = time.time()
    touch.send(
        "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}], "timestamp": began}
    )
    page.wait_for_selector("[data-bubble]:not([hidden])")  # it is taken for a long press
    page.evaluate("() => addEventListener('click', () => { window.clicked = true; })")
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": [], "timestamp": began + seconds})
    if plies:
        wait_ply(page, plies)
    page.wait_for_function("() => window.clicked")
    assert games.load(game_id).row.ply == plies


def test_the_board_turns_round_without_a_request(watch, games, new_game):
    page = watch.open(f"/games/{new_game(1)}/live", ready=LIVE)
    asked = requests_of(page)

    def place(pit):
        return page.locator(f'.pit[data-pit="{pit}"] .hollow').bounding_box()

    south, north = place(0), place(8)
    page.click('.tools [href="#more"]')
    page.click("#more [data-flip]")
    assert abs(place(0)["x"] - north["x"]) < 2
    assert place(0)["y"] < place(8)["y"]
    assert "view=north" in page.url
    page.click("#more [data-flip]")
    assert abs(place(0)["x"] - south["x"]) < 2
    assert asked == []


TEN = "3.3.3.3.2.2.2.2.2.2"


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("bof", {}),
        ("kalah", {"pits": 6}),
        ("enkeshui", {"pits": 8, "setup": "fours-right"}),
        ("enkeshui", {"pits": 10, "setup": f"{TEN}/{TEN}"}),
        ("enkeshui", {"pits": 12, "setup": "triples"}),
    ],
)
def test_pits_on_a_phone_are_large_enough_for_a_thumb(watch, new_game, game, options, width):
    game_id = new_game(1, game, options)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, **PHONE | {"viewport": {"width": width, "height": 640}})
    boxes = page.eval_on_selector_all(
        ".board .pit .hollow",
        "pits => pits.map((pit) => pit.getBoundingClientRect()).map(({width, top}) => [width, top])",
    )
    assert len({round(top) for _, top in boxes}) == len(boxes) // 2  # it stands upright
    assert all(width >= 44 for width, _ in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
