"""Turns that wait for the connection, irregular ones and rearrangements too, and what follows if one is refused."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe

from inkeek.records import Move
from inkeek.service.games.write import Write
from tests.service.http.web.browsing import point, wait_connected
from tests.service.http.web.test_browser import LIVE, wait_position
from tests.service.turns.pages.test_board_entry_browser import OPEN, wait_ply

pytestmark = pytest.mark.browser

POSTS = "**/*turns"  # turns and irregular turns


def lay_out(page, empty: int, full: int, seeds: int = 4) -> None:
    """Lay out that the seeds of one pit lie in another, and store it."""
    page.tap('.tools a[href="#irregular"]')
    page.wait_for_selector(".laying-out [data-save]")
    page.touchscreen.tap(*point(page, empty))
    page.tap('.lay-out [data-set="0"]')
    for _ in range(seeds + 1):
        page.touchscreen.tap(*point(page, full))  # the first tap only chooses the pit
    page.wait_for_selector('[data-save][aria-disabled="false"]')
    page.tap("[data-save]")


def rearrange(page, **changes: int) -> None:
    """Lay out a rearrangement that changes these of South's pits by so many seeds, and store it."""
    page.tap('.tools a[href="#irregular"]')
    page.wait_for_selector(".laying-out [data-save]")
    page.select_option('.lay-out [name="action"]', "rearrange")
    for letter, seeds in changes.items():
        page.touchscreen.tap(*point(page, "abcdefgh".index(letter)))  # chooses the pit
        for _ in range(abs(seeds)):
            page.tap(f'.lay-out [data-by="{1 if seeds > 0 else -1}"]')
    page.wait_for_selector('[data-save][aria-disabled="false"]')
    page.tap("[data-save]")


def wait_queued(page, *texts: str) -> None:
    page.wait_for_function(
        "texts => texts.every((text) => document.querySelector('[data-queue]').textContent.includes(text))",
        arg=list(texts),
    )


def posted(page) -> list[tuple[str, str]]:
    """The turns that are sent from now on, with the keys they have."""
    sent: list[tuple[str, str]] = []

    def note(request) -> None:
        if request.method == "POST":
            sent.append((json.loads(request.post_data)["move"], request.headers["idempotency-key"]))

    page.on("request", note)
    return sent


def test_turns_and_irregular_turns_wait_in_one_order_and_are_sent_once(games, offline):
    page, game_id = offline
    start = games.load(game_id).position
    page.touchscreen.tap(*point(page, 5))
    wait_queued(page, "f")
    page.wait_for_selector(OPEN)
    first = games.load(game_id).rules.play(start, Move.parse("f")).position
    wait_position(page, first)
    letter = first.letter(8)
    page.tap('.tools a[href="#irregular"]')
    page.wait_for_selector(".laying-out [data-save]")
    assert page.eval_on_selector_all('[name="pit"] option', "all => all.map((one) => one.value)")[1] == letter
    page.select_option('.lay-out [name="pit"]', letter)
    page.tap("#irregular .close")
    page.wait_for_selector(".laying-out", state="detached")
    lifted = next(pit for pit in range(15) if 0 < first.pits[pit] < 9 and not first.marks[pit])
    seeds = first.pits[lifted]
    lay_out(page, lifted, 15, seeds)
    wait_queued(page, "f", "~?")
    page.wait_for_selector(".laying-out", state="detached")
    pits = list(first.pits)
    pits[lifted], pits[15] = 0, pits[15] + seeds
    laid = first.replaced(pits=tuple(pits), to_move=first.to_move.other, ply=2)
    wait_position(page, laid)
    assert games.load(game_id).row.ply == 0
    page.wait_for_selector(OPEN)
    page.fill("#written", third := str(games.load(game_id).rules.legal_moves(laid)[0].choice))
    page.keyboard.press("Enter")
    wait_queued(page, "f", "~?", third)
    sent = posted(page)
    page.context.set_offline(False)
    wait_ply(page, 3)
    page.wait_for_selector("[data-queue]:empty", state="attached")
    loaded = games.load(game_id)
    assert [str(turn.move.choice) for turn in loaded.record.replay().turns] == ["f", "~?", third]
    assert loaded.turn(2).position == laid
    assert [move for move, _ in dict.fromkeys(sent)] == ["f", "~?", third]
    assert page.is_hidden("[data-unstored]")
    wait_position(page, loaded.position)


def test_a_rearrangement_waits_among_the_turns_and_is_sent_once(games, offline):
    page, game_id = offline
    words = page.get_attribute("[data-queue]", "data-rearranged")
    rearrange(page, h=3, a=-3)
    wait_queued(page, "ab@a1b4h3", words)
    page.wait_for_selector(".laying-out", state="detached")
    rules, start = games.load(game_id).rules, games.load(game_id).position
    laid = rules.play(start, Move.parse("ab@a1b4h3")).position
    assert laid.to_move is start.to_move
    wait_position(page, laid)
    page.wait_for_selector(OPEN)
    page.fill("#written", "f")
    page.keyboard.press("Enter")
    wait_queued(page, "ab@a1b4h3", "f")
    assert games.load(game_id).row.ply == 0
    sent = posted(page)
    page.context.set_offline(False)
    wait_ply(page, 2)
    page.wait_for_selector("[data-queue]:empty", state="attached")
    loaded = games.load(game_id)
    assert [str(turn.move.choice) for turn in loaded.record.replay().turns] == ["ab@a1b4h3", "f"]
    assert [move for move, _ in dict.fromkeys(sent)] == ["ab@a1b4h3", "f"]
    assert page.is_hidden("[data-unstored]")
    wait_position(page, loaded.position)


def test_a_rearrangement_behind_another_turn_is_listed_with_its_board(games, offline, watch):
    watch.expected = (*watch.expected, "409", "422")
    page, game_id = offline
    rearrange(page, h=3, a=-3)
    wait_queued(page, "ab@a1b4h3")
    games.play(game_id, Move.parse("d"), Write("api"))
    page.context.set_offline(False)
    page.wait_for_selector("[data-unstored]:not([hidden])")
    listed = page.inner_text("[data-unstored] li")
    assert "ab@a1b4h3" in listed
    assert "1.4.4.4.4.4.0.3/4.4.4.4.4.4.0.0 0-0 s 0" in listed
    assert games.load(game_id).row.ply == 1


def test_a_board_that_is_no_rearrangement_is_answered_by_the_service(watch, games, phone):
    watch.expected = ("422",)
    page, game_id = phone
    rearrange(page, h=3, a=-1, b=-1, c=-1)
    page.wait_for_function("() => document.querySelector('[data-refusal]').textContent.includes('a b c')")
    assert games.load(game_id).row.ply == 0


def test_an_irregular_turn_whose_answer_is_lost_is_stored_once(watch, games, phone):
    watch.expected = ("ERR_", "Failed to load resource")
    page, game_id = phone
    keys: list[str] = []

    def lose_answer(route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) > 1:
            route.continue_()
            return
        route.fetch()  # the service stores the turn, and the browser never hears of it
        route.abort()

    page.route("**/irregular-turns", lose_answer)
    lay_out(page, 3, 6)
    wait_ply(page, 1)
    page.wait_for_selector("[data-queue]:empty", state="attached")
    page.wait_for_selector(OPEN)
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert games.load(game_id).row.ply == 1
    assert page.inner_text("[data-refusal]") == ""


def test_a_queue_that_is_left_behind_is_sent_when_the_page_is_opened_again(watch, games, offline):
    page, game_id = offline
    page.context.set_offline(False)
    page.route(POSTS, lambda route: route.abort())
    lay_out(page, 3, 6)
    wait_queued(page, "~?")
    page.reload(wait_until="domcontentloaded")
    wait_queued(page, "~?")
    assert games.load(game_id).row.ply == 0
    page.unroute(POSTS)
    wait_ply(page, 1)
    page.wait_for_selector("[data-queue]:empty", state="attached")
    assert str(games.load(game_id).position) == "4.4.4.0.4.4.4.0/4.4.4.4.4.4.0.0 0-0 n 1"


@pytest.mark.parametrize("refused", ["irregular", "played"])
def test_nothing_is_sent_or_lost_behind_a_refused_turn(watch, games, offline, refused):
    watch.expected = (*watch.expected, "409", "422")
    page, game_id = offline
    if refused == "irregular":
        lay_out(page, 3, 6)
        wait_queued(page, "~?")
    else:
        page.touchscreen.tap(*point(page, 5))
        wait_queued(page, "f")
    page.wait_for_selector(OPEN)
    page.fill("#written", "H")
    page.keyboard.press("Enter")
    wait_queued(page, "H")
    other = games.play(game_id, Move.parse("d"), Write("api"))  # somebody else enters a turn meanwhile
    sent = posted(page)
    page.context.set_offline(False)
    page.wait_for_selector("[data-unstored]:not([hidden])")
    page.wait_for_selector("[data-queue]:empty", state="attached")
    wait_ply(page, 1)
    wait_position(page, other.turn.position)
    assert {move for move, _ in sent} == {"~?" if refused == "irregular" else "f"}
    listed = page.locator("[data-unstored] li")
    assert listed.count() == 2
    assert ("4.4.4.0.4.4.4.0/" in listed.nth(0).inner_text()) == (refused == "irregular")
    assert "H" in listed.nth(1).inner_text()
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    page.reload(wait_until="domcontentloaded")
    page.wait_for_selector(LIVE)
    wait_connected(page)
    assert page.locator("[data-unstored] li").count() == 2  # until somebody has read it
    page.wait_for_selector(OPEN)
    page.fill("#written", str(games.load(game_id).legal(1)[0]))
    page.keyboard.press("Enter")
    wait_ply(page, 2)
    page.tap("[data-unstored] button")
    page.wait_for_selector("[data-unstored]", state="hidden")
    page.reload(wait_until="domcontentloaded")
    page.wait_for_selector(LIVE)
    assert page.is_hidden("[data-unstored]")
    assert games.load(game_id).row.ply == 2
