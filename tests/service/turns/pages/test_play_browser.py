"""Whole games at the live page in a real browser, and the states that the page can be in."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from inkeek.records import Move
from inkeek.service.disputes import disputes
from inkeek.service.games.write import Write
from tests.service.http.web.browsing import PATIENCE, enter_twice, point, wait_connected
from tests.service.http.web.test_browser import LIVE, REVIEW, wait_position
from tests.service.turns.pages.test_board_entry_browser import CHOICE, OPEN, PHONE, WATCH_SHIFTS, wait_ply

pytestmark = pytest.mark.browser

SMALL = {"pits": 4, "seeds": 2}  # of Kalah: a game of about a dozen turns
LOST = 3  # the turn at which the connection is gone
# Counts how often the page stops taking turns.
NOTE_CLOSED = """() => {
  const root = document.querySelector("[data-live]");
  window.closed_again = 0;
  new MutationObserver(() => { if (root.dataset.open === undefined) window.closed_again += 1; })
    .observe(root, { attributeFilter: ["data-open"] });
}"""
NUMBERS = """() => [...document.querySelectorAll("svg.board .path")].map((path) => [
  path.dataset.numbers ?? "", ...[...path.children].map((one) =>
    [one.getAttribute("class"), one.firstElementChild.getAttribute("href"), one.textContent].join()),
])"""
OVERLAPS = """() => {
  const drawn = [...document.querySelectorAll("svg.board :is(.sown use, .count, .letter)")];
  const boxes = drawn.map((one) => one.getBoundingClientRect()).filter(({ width }) => width);
  const shared = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
  const meet = (a, b) => shared(a, b, "left", "right") > 1 && shared(a, b, "top", "bottom") > 1;
  return boxes.flatMap((a, k) => boxes.slice(0, k).filter((b) => meet(a, b)).map((b) => [a.toJSON(), b.toJSON()]));
}"""


@pytest.mark.parametrize("way", ["mouse", "touch", "keyboard"])
def test_a_whole_game_is_entered_with_double_taps_and_a_lost_connection(watch, games, new_game, way):
    watch.expected = ("ERR_", "Failed to load resource")
    game_id = new_game(0, "kalah", SMALL)
    page = watch.open(
        f"/games/{game_id}/live", ready=LIVE, reduced_motion="reduce", **(PHONE if way == "touch" else {})
    )
    page.evaluate(WATCH_SHIFTS)
    played: list[str] = []
    while not (loaded := games.load(game_id)).ended:
        move = loaded.legal(9)[-1]
        played.append(str(move.choice))
        page.wait_for_selector(OPEN)
        if len(played) == LOST:
            page.route("**/turns", lambda route: route.abort())
        enter_twice(page, way, move.pit_index(loaded.position.row))
        if len(played) == LOST:
            page.wait_for_selector("[data-queue]:not(:empty)")
            assert games.load(game_id).row.ply == LOST - 1
            page.unroute("**/turns")
            page.wait_for_selector("[data-queue]:empty", state="attached")
        wait_ply(page, len(played))
    assert len(played) > 2 * LOST
    assert [str(turn.move.choice) for turn in loaded.record.replay().turns] == played
    page.wait_for_selector(".result")
    wait_position(page, loaded.position)
    assert page.query_selector("[data-enter]") is None
    assert page.is_visible('.tools [href$="/review"]')
    assert page.query_selector('.tools [href="#take-back"]') is None
    assert page.evaluate("window.shifts") < 0.05


def test_a_turn_by_keyboard_is_said_in_a_line_and_keeps_the_focus(watch, games, new_game):
    game_id = new_game(0, "kalah", SMALL, {"South": "Ann", "North": "Ben"})
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    page.wait_for_selector(OPEN)
    page.focus('[data-enter] [data-pit="0"]')
    page.keyboard.press("Enter")
    wait_ply(page, 1)
    page.wait_for_selector("[data-fresh='spoken']:has-text('Ann: a')", state="attached")
    assert page.evaluate("document.activeElement.matches('[data-enter] [data-pit]')")
    live = page.query_selector_all("[aria-live], [role=status], [role=alert]")
    said = " ".join(part.text_content() for part in live if part.is_visible())
    assert said.split() == page.text_content("[data-fresh='spoken']").split()
    page.click("[href='#take-back']")
    page.keyboard.press("Escape")
    assert not page.is_visible("#take-back")
    assert page.evaluate("document.activeElement.hash") == "#take-back"


def test_who_is_signed_out_reads_what_to_do(watch, games, new_game):
    watch.expected = ("Failed to load resource",)
    page = watch.open(f"/games/{new_game(0, 'kalah', SMALL)}/live", ready=LIVE)
    page.wait_for_selector(OPEN)
    page.context.clear_cookies()
    page.mouse.click(*point(page, 0))
    page.wait_for_selector("[data-refusal]:not(:empty)")
    assert page.inner_text("[data-refusal]") == page.get_attribute("[data-queue]", "data-out")


def test_what_is_typed_survives_a_turn_and_belongs_to_its_own(watch, games, new_game):
    watch.expected = ("422",)
    game_id = new_game(2)
    page = watch.open(f"/games/{game_id}/live", ready="[data-live][data-following]")
    page.evaluate("location.hash = 'dispute'")
    page.fill("#dispute-claim", " ")
    page.click("#dispute button")
    page.wait_for_selector("[data-refusal]:not(:empty)")
    page.wait_for_selector("[data-live][data-following]")
    page.evaluate("location.hash = 'note'")
    page.fill("#note-text", "a fine turn")
    page.evaluate("location.hash = 'dispute'")
    page.fill("#dispute-claim", "they lifted five,")
    games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    page.wait_for_selector("[data-live][data-ply='3']")
    assert page.input_value("#note-text") == "a fine turn"
    page.click("#dispute button")
    page.wait_for_url("**/disputes/*")
    (found,) = games.load(game_id).state.disputes
    assert (found.ply, found.claim) == (2, "they lifted five,")


@pytest.fixture
def queued(watch, new_game):
    """The page of a game without connection, at which a turn waits to be sent; and the game."""
    watch.expected = ("ERR_", "Failed to load resource")
    game_id = new_game(0, "kalah", SMALL)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, reduced_motion="reduce")
    page.wait_for_selector(OPEN)
    page.route("**/turns", lambda route: route.abort())
    page.mouse.click(*point(page, 0))
    page.wait_for_selector("[data-queue]:not(:empty)")
    return page, game_id


def test_a_turn_can_be_entered_while_a_queued_one_is_sent_again(games, queued):
    page, game_id = queued
    page.wait_for_selector(OPEN)
    page.evaluate(NOTE_CLOSED)
    for _ in range(2):
        page.wait_for_event("requestfailed", lambda request: request.url.endswith("/turns"))
    assert page.evaluate("window.closed_again") == 0
    assert games.load(game_id).row.ply == 0


def test_a_turn_entered_before_the_answer_to_a_queued_one_is_the_next(games, queued):
    page, game_id = queued
    held = []
    page.route(f"**/{game_id}/turns", lambda route: held.append((route, route.fetch())), times=1)
    page.unroute("**/turns")  # after that: the turn may be sent again at any moment
    wait_ply(page, 1)  # by the stream: the answer is held back
    page.wait_for_selector(OPEN)
    move = games.load(game_id).legal(9)[-1]
    page.mouse.click(*point(page, move.pit_index(games.load(game_id).position.row)))
    page.wait_for_function("text => document.querySelector('[data-queue]').textContent.endsWith(text)", arg=f", {move}")
    for route, answer in held:
        route.fulfill(response=answer)
    wait_ply(page, 2)
    assert [str(turn.move.choice) for turn in games.load(game_id).record.replay().turns] == ["a", str(move.choice)]
    assert not page.text_content("[data-refusal]")


def show_waiting(page, games, game_id) -> None:
    page.keyboard.press("p")
    page.wait_for_selector(".path-shown")


def show_choice(page, games, game_id) -> None:
    page.mouse.click(*point(page, 4))
    page.wait_for_selector("[data-directions] button")


def show_queue(page, games, game_id) -> None:
    page.route("**/turns", lambda route: route.abort())
    page.mouse.click(*point(page, 0))
    page.wait_for_selector("[data-queue]:not(:empty)")


def show_taken_back(page, games, game_id) -> None:
    games.play(game_id, Move.parse("a"), Write("api"))
    wait_ply(page, 1)
    page.click(".undo")
    page.click('#take-back button[value="team"]')
    wait_ply(page, 0)


def show_dispute(page, games, game_id) -> None:
    games.play(game_id, Move.parse("a"), Write("api"))
    wait_ply(page, 1)
    disputes.open_dispute(games, game_id, "North", "It ended in G", Write("api"))
    page.wait_for_selector(".disputed-bar")


def show_end(page, games, game_id) -> None:
    games.end(game_id, "resignation", "North", Write("api"))
    page.wait_for_selector(".result")


def show_irregular(page, games, game_id) -> None:
    page.click('.tools a[href="#irregular"]')
    page.wait_for_selector(".laying-out")
    page.mouse.click(*point(page, 1))
    page.wait_for_selector('.pit.chosen[data-pit="1"]', state="attached")
    with page.expect_response(lambda answer: "/live" in answer.url):
        page.evaluate("dispatchEvent(new Event('online'))")  # the page is fetched anew
    wait_connected(page)
    page.wait_for_selector('[data-following] .pit.chosen[data-pit="1"]', state="attached")


@pytest.mark.parametrize("look", ["dark", "phone"])
@pytest.mark.parametrize(
    "show", [show_waiting, show_choice, show_queue, show_taken_back, show_dispute, show_end, show_irregular]
)
def test_no_state_of_the_live_page_is_inaccessible(watch, games, new_game, show, look):
    watch.expected = ("ERR_", "Failed to load resource")
    game_id = new_game(0, "enkeshui", CHOICE)
    context = {"viewport": {"width": 320, "height": 640}} if look == "phone" else {"color_scheme": look}
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, reduced_motion="reduce", **context)
    page.wait_for_selector(OPEN)
    show(page, games, game_id)
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize(("options", "move"), [(CHOICE, "e><"), (CHOICE, "f"), ({"pits": 12}, "b")])
def test_the_numbers_of_a_turn_cover_nothing(watch, games, new_game, options, move, width):
    game_id = new_game(0, "enkeshui", options)
    games.play(game_id, Move.parse(move), Write("api"))
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, viewport={"width": width, "height": 700})
    page.click(".path-button")
    page.wait_for_selector(".sown", state="attached")
    assert page.evaluate(OVERLAPS) == []
    assert page.get_attribute(".path-button", "aria-pressed") == "true"


def test_the_script_numbers_a_turn_as_the_server_does(watch, games, new_game):
    game_id = new_game(0, "enkeshui", CHOICE)
    games.play(game_id, Move.parse("e><"), Write("api"))
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    page.keyboard.press("p")
    drawn = page.evaluate(NUMBERS)
    assert sum(len(numbers) - 1 for numbers in drawn) > 30
    page.goto(f"{watch.base}/games/{game_id}/review?ply=0", wait_until="domcontentloaded")
    page.wait_for_selector(REVIEW)
    assert page.query_selector("svg.board .sown") is None
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("svg.board .sown", state="attached")
    assert page.evaluate(NUMBERS) == drawn
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("svg.board .sown", state="detached")


@pytest.mark.parametrize("view", ["south", "north"])
@pytest.mark.parametrize("way", ["mouse", "touch"])
def test_directions_are_chosen_by_arrows_one_after_the_other(watch, games, new_game, way, view):
    game_id = new_game(0, "enkeshui", CHOICE)
    page = watch.open(
        f"/games/{game_id}/live?view={view}", ready=LIVE, reduced_motion="reduce", **(PHONE if way == "touch" else {})
    )
    page.wait_for_selector(OPEN)
    enter_twice(page, way, 4)  # the second tap chooses nothing
    for chosen in (1, 0):  # counter-clockwise, then clockwise
        page.wait_for_selector(f'[data-directions][data-depth="{1 - chosen}"][data-open]')
        arrows = page.locator("[data-directions] button")
        assert arrows.count() == 2
        boxes = [arrows.nth(number).bounding_box() for number in (0, 1)]
        width, height = page.viewport_size["width"], page.viewport_size["height"]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
        assert all(box["y"] >= 0 and box["y"] + box["height"] <= height for box in boxes)
        assert games.load(game_id).row.ply == 0
        arrows.nth(chosen).click()
    wait_ply(page, 1)
    assert str(games.load(game_id).turn(1).move.choice) == "e><"


def test_an_irregular_turn_is_laid_out_by_touch(games, phone):
    page, game_id = phone
    page.tap('.tools a[href="#irregular"]')
    page.wait_for_selector(".laying-out [data-save]")
    page.touchscreen.tap(*point(page, 3))
    page.tap('.lay-out [data-set="0"]')
    page.wait_for_selector('[data-save][aria-disabled="true"]')
    page.tap("[data-save]", force=True)  # four seeds are missing
    for _ in range(5):
        page.touchscreen.tap(*point(page, 6))  # the first tap only chooses the pit
    page.tap(".lay-out [data-mark]")
    page.select_option('.lay-out [name="pit"]', "d")
    page.wait_for_selector('[data-save][aria-disabled="false"]')
    page.tap("[data-save]")
    wait_ply(page, 1)
    page.wait_for_selector(".laying-out", state="detached")
    loaded = games.load(game_id)
    assert str(loaded.turn(1).move) == "~d"
    assert str(loaded.position) == "4.4.4.0.4.4.4s.0/4.4.4.4.4.4.0.0 0-0 n 1"
    wait_position(page, loaded.position)


def test_pits_are_rearranged_by_keyboard(watch, games, new_game):
    game_id = new_game(0, "enkeshui", CHOICE)
    page = watch.open(f"/games/{game_id}/live#irregular", ready=".laying-out", reduced_motion="reduce")
    page.wait_for_selector(LIVE)
    page.select_option('.lay-out [name="action"]', "rearrange")
    page.focus('[data-place="0"]')
    page.keyboard.type("1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("-")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    wait_ply(page, 1)
    assert str(games.load(game_id).position) == "1.3.4.4.4.4.0.4/4.4.4.4.4.4.0.0 0-0 s 0"


def test_what_was_laid_out_is_dropped_when_the_panel_is_closed_and_kept_when_another_turn_is_played(
    watch, games, new_game
):
    game_id = new_game(0, "enkeshui", CHOICE)
    page = watch.open(f"/games/{game_id}/live#irregular", ready=".laying-out", reduced_motion="reduce")
    page.wait_for_selector(LIVE)
    start = games.load(game_id).position
    count = '.pit[data-pit="0"][data-count="{}"]'
    page.fill('[data-place="0"]', "9")
    page.wait_for_selector(count.format(9), state="attached")
    page.click("#irregular .close")
    page.wait_for_selector(count.format(4), state="attached")
    assert page.input_value('[data-place="0"]') == str(start.pits[0])
    page.click('.tools a[href="#irregular"]')
    page.wait_for_selector(".laying-out")
    page.fill('[data-place="0"]', "9")
    games.play(game_id, Move.parse("f"), Write("api"))
    wait_ply(page, 1)
    page.wait_for_selector(".laying-out", state="detached", timeout=PATIENCE)
    wait_position(page, games.load(game_id).position)
    assert page.query_selector(".pit.legal") is not None
    assert page.is_visible("[data-typed]:has-text('9.')")
    page.click('.tools a[href="#irregular"]')
    page.wait_for_selector(count.format(9), state="attached")


def test_the_start_page_explains_the_first_game(watch, games, new_game):
    for width in (320, 1280):
        page = watch.open("/", viewport={"width": width, "height": 800})
        assert page.locator(".first-run svg.board").count() == 3
        assert page.locator(".first-run .sown").count() > 4
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert Axe().run(page).response["violations"] == []
    page = watch.open("/?lang=sw")
    assert page.locator(".first-run li").count() == 3
    new_game(0)
    assert watch.open("/").locator(".first-run").count() == 0
