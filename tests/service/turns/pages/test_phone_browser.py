"""A scorekeeper's phone: the board and its bar on one screen, and turns that are tapped without connection."""

from dataclasses import asdict

import pytest

from inkeek.service.boards.status import Choice, Refusal
from inkeek.service.disputes import disputes
from inkeek.service.games.write import Write
from tests.service.http.web.browsing import point
from tests.service.http.web.test_browser import LIVE, wait_position
from tests.service.turns.pages.test_board_entry_browser import OPEN, PHONE, wait_ply
from tests.service.turns.pages.test_entry_offline_browser import wait_queued

pytestmark = pytest.mark.browser

LONG_NAMES = {"South": "Nkatha wa Kirimi na wenzake wa Maralal", "North": "Lemuranga-Lesorogol " * 3}
# The boxes of a live page: of the pits and of the parts that must not cover them.
BOXES = """() => {
  const boxes = (parts) => [...document.querySelectorAll(parts)].map((one) => one.getBoundingClientRect().toJSON());
  return { pits: boxes(".board .pit .hollow"), rim: boxes(".board .rim")[0], bar: boxes(".below")[0],
    tools: boxes(".tools")[0], letters: Math.max(...boxes("svg.board .letter").map(({ bottom }) => bottom)),
    others: boxes(".player, .below, .game-head, header.site, .panel") };
}"""
SMALL_TARGETS = """() => [...document.querySelectorAll(".tool :is(a, button, select, input)")]
  .filter((one) => one.checkVisibility()).map((one) => (one.type === "radio" ? one.closest("label") : one))
  .map((one) => [one.outerHTML, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => Math.min(width, height) < 43.9).map(([html]) => html)"""
IS_ON_TOP = """(selector) => {
  const part = document.querySelector(selector);
  const { left, top, width, height } = part.getBoundingClientRect();
  return part.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""


def meet(one, other) -> bool:
    return (
        min(one["right"], other["right"]) - max(one["left"], other["left"]) > 1
        and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 1
    )


def tap(page, pit: int) -> None:
    page.wait_for_selector(OPEN)
    page.touchscreen.tap(*point(page, pit))


@pytest.mark.parametrize("height", [664, 844])  # with the bars of a browser, and without
@pytest.mark.parametrize("has_board", [False, True])
def test_a_board_with_eight_pits_a_row_fits_a_phone(watch, new_game, bind_board, has_board, height):
    game_id = new_game(2)
    if has_board:
        bind_board(game_id)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, **PHONE | {"viewport": {"width": 390, "height": height}})
    assert_board_is_free(page)


def test_a_question_about_a_name_does_not_push_the_board_off_a_phone(watch, new_game):
    names = ("Lemayian", "Nasieku", "Lemayan", "Naseku")
    new_game(2, tags=dict(zip(("South", "North"), names[:2], strict=True)))
    game_id = new_game(2, tags=dict(zip(("South", "North"), names[2:], strict=True)))
    page = watch.open(
        f"/games/{game_id}/live?names=new", ready=LIVE, **PHONE | {"viewport": {"width": 390, "height": 664}}
    )
    assert page.locator("form button", has_text="Nasieku").count() == 1
    assert_board_is_free(page)


@pytest.mark.parametrize("tags", [{}, LONG_NAMES])
@pytest.mark.parametrize("view", ["south", "north"])
def test_a_board_with_twelve_pits_a_row_fits_a_phone(watch, new_game, view, tags):
    game_id = new_game(3, "enkeshui", {"pits": 12}, tags)
    page = watch.open(f"/games/{game_id}/live?view={view}", ready=LIVE, **PHONE)
    assert_board_is_free(page)


@pytest.mark.parametrize("size", [(844, 390), (568, 320)])
def test_the_board_its_last_turn_and_the_tools_fit_a_phone_on_its_side(watch, new_game, size):
    turned = PHONE | {"viewport": dict(zip(("width", "height"), size, strict=True))}
    page = watch.open(f"/games/{new_game(2)}/live", ready=LIVE, **turned)
    boxes = page.evaluate(BOXES)
    assert boxes["letters"] <= boxes["bar"]["top"]
    assert boxes["rim"]["right"] <= boxes["tools"]["left"]
    assert max(boxes["bar"]["bottom"], boxes["tools"]["bottom"]) <= size[1]
    assert not [(pit, other) for pit in boxes["pits"] for other in boxes["others"] if meet(pit, other)]
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]


def assert_board_is_free(page) -> None:
    boxes = page.evaluate(BOXES)
    assert all(box["width"] >= 44 and box["height"] >= 44 for box in boxes["pits"])
    assert boxes["rim"]["top"] >= 0
    assert max(boxes["rim"]["bottom"], boxes["bar"]["bottom"]) <= boxes["tools"]["top"]
    assert not [(pit, other) for pit in boxes["pits"] for other in boxes["others"] if meet(pit, other)]


def test_the_result_stands_below_the_board_in_full(watch, games, new_game):
    game_id = new_game(2, tags=LONG_NAMES | {"North": "Lemayian ole Saitoti"})
    games.end(game_id, "resignation", "North", Write("api"))
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, **PHONE)
    line = page.locator("[data-fresh='last-line']")
    assert line.evaluate("line => [line.scrollWidth <= line.clientWidth, line.scrollHeight <= line.clientHeight]") == [
        True, True,
    ]  # fmt: skip


@pytest.mark.parametrize("dialog", ["take-back", "dispute", "note", "irregular", "more"])
def test_what_is_in_a_dialog_is_large_enough_for_a_thumb(watch, new_game, dialog):
    page = watch.open(f"/games/{new_game(2)}/live#{dialog}", ready=LIVE, **PHONE)
    assert page.evaluate(SMALL_TARGETS) == []


def test_a_pit_with_a_choice_of_direction_is_not_guessed(games, offline):
    page, game_id = offline
    rules, start = games.load(game_id).rules, games.load(game_id).position
    first, second = next(
        (first, second)
        for first in rules.legal_moves(start)
        if not first.choices
        for second in rules.legal_moves(rules.play(start, first).position)
        if second.choices
    )
    tap(page, first.pit_index(8))
    wait_queued(page, first.pit)
    tap(page, second.pit_index(8))
    wait_queued(page, first.pit, second.pit)
    page.context.set_offline(False)
    page.wait_for_selector("[data-unstored]:not([hidden])")
    assert second.pit in page.inner_text("[data-unstored] li")
    wait_ply(page, 1)
    assert games.load(game_id).row.ply == 1
    assert page.evaluate(IS_ON_TOP, "[data-unstored]")


def test_a_waiting_turn_is_dropped_without_a_reason(games, offline):
    page, game_id = offline
    start = games.load(game_id).position
    for pit in (5, 8):
        tap(page, pit)
    wait_queued(page, "f", "A")
    page.wait_for_selector(OPEN)
    undo = page.locator('.tools a[href="#take-back"]').bounding_box()
    for _ in range(2):  # the second tap is the echo of the first
        page.touchscreen.tap(undo["x"] + 20, undo["y"] + 20)
    page.wait_for_function("() => !document.querySelector('[data-queue]').textContent.includes('A')")
    wait_queued(page, "f")
    assert page.is_hidden("#take-back")
    page.wait_for_selector(OPEN)
    page.touchscreen.tap(undo["x"] + 20, undo["y"] + 20)
    page.wait_for_selector("[data-queue]:empty", state="attached")
    wait_position(page, start)
    tap(page, 3)
    wait_queued(page, "d")
    page.context.set_offline(False)
    wait_ply(page, 1)
    assert [turn.move.pit for turn in games.load(game_id).record.replay().turns] == ["d"]


def test_a_turn_that_was_dropped_while_it_was_sent_takes_no_other_with_it(watch, games, phone):
    watch.expected = ("ERR_", "Failed to load resource", "409", "422")
    page, game_id = phone
    page.route("**/turns", lambda route: route.abort())
    tap(page, 5)
    wait_queued(page, "f")
    held = []
    page.unroute("**/turns")
    page.route("**/turns", lambda route: held.append(route), times=1)
    while not held:
        page.wait_for_timeout(50)
    page.wait_for_selector(OPEN)
    page.tap('.tools a[href="#take-back"]')
    page.wait_for_selector("[data-queue]:empty", state="attached")
    tap(page, 3)
    wait_queued(page, "d")
    held[0].continue_()
    wait_ply(page, 1)
    page.wait_for_selector("[data-unstored]:not([hidden])")
    assert "d" in page.inner_text("[data-unstored] li")
    assert [turn.move.pit for turn in games.load(game_id).record.replay().turns] == ["f"]


def test_a_page_without_connection_says_nothing_of_the_recorded_position(offline):
    page, _ = offline
    tap(page, 5)
    wait_queued(page, "f")
    assert page.is_hidden(".moves-to-play")
    page.touchscreen.tap(*point(page, 6))
    assert page.is_hidden("[data-bubble]")


def test_why_a_form_was_not_sent_is_seen_above_its_dialog(watch, games, new_game):
    watch.expected = ("ERR_", "Failed to load resource")
    page = watch.open(f"/games/{new_game(2)}/live#take-back", ready=LIVE, **PHONE)
    page.context.set_offline(True)
    page.tap("#take-back button >> nth=0")
    page.wait_for_selector("[data-refusal]:not(:empty)")
    assert page.evaluate(IS_ON_TOP, "[data-refusal]")


def test_a_disputed_game_has_the_way_home_and_the_dispute_in_view(watch, games, new_game):
    game_id = new_game(2)
    disputes.open_dispute(games, game_id, "North", "It ended in G", Write("api"))
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, **PHONE)
    assert page.evaluate(IS_ON_TOP, ".disputed-bar")
    assert page.evaluate(IS_ON_TOP, ".wordmark")


@pytest.mark.parametrize("choices", [(), (Choice("d", 0.7, "", True), Choice("e", 0.2, "", False))])
def test_a_refused_turn_is_told_above_the_bar_and_leads_to_its_reason(watch, new_game, bind_board, choices):
    game_id = new_game(2)
    refusal = Refusal(3, "2.", "South", "no-fit", "", "No turn fits.", (), {"1": 1, "4": -1}, choices, "0000beef:3")
    bind_board(game_id, mend={"1": 1, "4": -1}, refusal=asdict(refusal), buttons=True)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, **PHONE)
    link = '[data-fresh="last-line"] a'
    assert page.evaluate(IS_ON_TOP, link)
    assert page.locator(link).bounding_box()["height"] >= 44
    page.tap(link)
    page.wait_for_function(IS_ON_TOP, arg=".choices button" if choices else '[data-fresh="warning"]')


def test_the_form_that_ends_a_game_keeps_its_fields_until_it_is_complete(watch, games, new_game):
    watch.expected = ("422",)
    game_id = new_game(2)
    page = watch.open(f"/games/{game_id}/live#end", ready=LIVE, **PHONE)
    page.select_option("#termination", "resignation")
    page.tap("#end button")
    page.wait_for_selector("[data-refusal]:not(:empty)")
    assert page.evaluate(IS_ON_TOP, "[data-refusal]")
    assert page.input_value("#termination") == "resignation"
    page.tap("[data-fresh='last-line']")  # it was read
    page.wait_for_selector("[data-refusal]:empty", state="attached")
    page.select_option("#winner", "North")
    page.tap("#end button")
    page.wait_for_selector(".result")
    assert games.load(game_id).ended


@pytest.mark.parametrize("view", ["south", "north"])
def test_whose_turn_it_is_stands_on_one_line_beside_a_long_board(watch, new_game, view):
    game_id = new_game(2, "enkeshui", {"pits": 12})
    page = watch.open(f"/games/{game_id}/live?view={view}", ready=LIVE, locale="sw", **PHONE)
    assert page.locator(".to-move .turn-note").bounding_box()["height"] < 30


@pytest.mark.parametrize("dialog", ["take-back", "dispute", "note", "more"])
def test_the_head_of_a_dialog_leaves_room_to_close_it(watch, new_game, dialog):
    small = PHONE | {"viewport": {"width": 320, "height": 568}}
    page = watch.open(f"/games/{new_game(2)}/live#{dialog}", ready=LIVE, locale="sw", **small)
    ends, begins = page.evaluate(
        """(dialog) => {
          const text = document.createRange();
          text.selectNodeContents(document.querySelector(`#${dialog} h2`));
          return [text, document.querySelector(`#${dialog} .close`)].map((one) => one.getBoundingClientRect())
            .map(({ left, right }, number) => (number ? left : right));
        }""",
        dialog,
    )
    assert ends <= begins
