"""The pages in a real browser, served by a real server."""

import pytest

from inkeek.records import Move, Position
from inkeek.service.games.write import Write
from tests.service.boards_double import set_status
from tests.service.http.web.browsing import PATIENCE, drawn, position

pytestmark = pytest.mark.browser

REVIEW = "[data-review][data-ready]"
LIVE = "[data-live][data-following]"
TOO_SMALL = """(targets) => targets.filter((one) => one.checkVisibility()).filter((one) => {
  const { width, height } = one.getBoundingClientRect();
  return Math.min(width, height) < 43.9;
}).map((one) => one.outerHTML)"""
# Notes how many seeds the hand holds while it is shown.
NOTE_HAND = """() => {
  const hand = document.querySelector("svg.board .hand");
  window.held = [];
  const held = hand.querySelector(".held");
  const note = () => { if (!hand.hasAttribute("display")) window.held.push(Number(held.textContent)); };
  new MutationObserver(note).observe(hand, { attributes: true, childList: true, subtree: true });
}"""


def wait_position(page, expected) -> None:
    page.wait_for_function(
        "text => document.querySelector('svg.board')?.dataset.position === text", arg=str(expected), timeout=PATIENCE
    )


def assert_shows(page, expected: Position) -> None:
    wait_position(page, expected)
    assert drawn(page) == (list(expected.pits), list(expected.stores))
    cells = page.eval_on_selector_all("[data-cell] [data-cell-count]", "cells => cells.map(c => Number(c.textContent))")
    assert sorted(cells) == sorted(expected.pits)


def test_review_steps_by_keys(watch, games, new_game):
    game_id = new_game(6)
    positions = games.load(game_id).record.replay().positions
    page = watch.open(f"/games/{game_id}/review?ply=0", ready=REVIEW)
    for key, ply in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("End", 6),
        ("ArrowRight", 6),
        ("ArrowLeft", 5),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        assert_shows(page, positions[ply])
        assert page.get_attribute("[data-review]", "data-node") == str(ply)
        page.wait_for_url(f"**/review?ply={ply}")
    page.keyboard.press("ArrowLeft")
    assert_shows(page, positions[0])


@pytest.mark.parametrize("path", ["/games/{id}/review", "/events/cup/hall"])
def test_what_one_taps_in_review_and_hall_is_large_enough_for_a_thumb(watch, new_game, path):
    path = path.format(id=new_game(6, tags={"Event": "Cup"}))
    page = watch.open(path, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    targets = page.locator("main :is(a, button, select, input, summary)")
    assert targets.evaluate_all(TOO_SMALL) == []


def test_review_tells_the_turn_it_stepped_to(watch, games, new_game):
    game_id = new_game(4)
    loaded = games.load(game_id)
    page = watch.open(f"/games/{game_id}/review?ply=0", ready=REVIEW)
    page.keyboard.press("ArrowRight")
    page.click("[data-explained] summary")
    turn = loaded.turn(1)
    sentence = loaded.rules.explain(turn.before, turn.move)[0]
    page.wait_for_selector(f'[data-sentences] li:has-text("{sentence}")')
    assert page.inner_text("[data-where]").startswith(f"After 1. {turn.move}")
    assert page.text_content("svg.board title").startswith(f"After 1. {turn.move}")


def test_review_steps_by_slider_and_by_click_on_a_turn(watch, games, new_game):
    game_id = new_game(8)
    positions = games.load(game_id).record.replay().positions
    page = watch.open(f"/games/{game_id}/review?ply=0", ready=REVIEW)
    page.focus("#slider")
    page.keyboard.press("ArrowRight")
    assert_shows(page, positions[1])
    page.fill("#slider", "5")
    assert_shows(page, positions[5])
    page.click('.turn[data-node="3"]')
    assert_shows(page, positions[3])
    assert page.eval_on_selector("#slider", "slider => slider.value") == "3"
    assert page.eval_on_selector_all(".turn.current", "turns => turns.map(turn => turn.dataset.node)") == ["3"]


def test_review_plays_a_turn_seed_by_seed_and_ends_where_it_should(watch, games, new_game):
    game_id = new_game(0)
    games.play(game_id, Move.parse("f"), Write("api"))
    loaded = games.load(game_id)
    page = watch.open(f"/games/{game_id}/review?ply=1", ready=REVIEW)
    page.evaluate(NOTE_HAND)
    page.keyboard.press("Space")
    page.wait_for_selector("[data-review]:not([data-sowing])")
    held, lifted = page.evaluate("window.held"), loaded.rules.start().pits[5]
    assert set(range(lifted + 1)) <= set(held)
    assert_shows(page, loaded.position)
    assert page.get_attribute(".hand", "display") == "none"


def test_review_a_step_stops_the_sowing(watch, games, new_game):
    game_id = new_game(5)
    positions = games.load(game_id).record.replay().positions
    page = watch.open(f"/games/{game_id}/review?ply=2", ready=REVIEW)
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("[data-review]:not([data-sowing])")
    assert_shows(page, positions[3])


@pytest.mark.parametrize(("game", "turns"), [("anywoli", 12), ("layli-goobalay", 9), ("bof", 4)])
def test_review_shows_every_position_of_every_game_as_the_server_draws_it(watch, games, new_game, game, turns):
    game_id = new_game(turns, game)
    positions = games.load(game_id).record.replay().positions
    page = watch.open(f"/games/{game_id}/review?ply=0", ready=REVIEW)
    for expected in positions[1:]:
        page.keyboard.press("ArrowRight")
        assert_shows(page, expected)


def test_live_follows_turns_played_elsewhere(watch, games, new_game):
    game_id = new_game(2)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    move = games.load(game_id).legal(1)[0]
    played = games.play(game_id, move, Write("api"))
    page.wait_for_selector('[data-live][data-ply="3"]')
    assert_shows(page, played.turn.position)
    assert str(played.turn.move) in page.inner_text("[data-fresh=last]")
    assert page.query_selector('[data-player="1"].to-move') is not None


def test_live_catches_up_with_many_turns_at_once(watch, games, new_game):
    game_id = new_game(0)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    for _ in range(5):
        played = games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    page.wait_for_selector('[data-live][data-ply="5"]')
    assert_shows(page, played.turn.position)


def test_live_keeps_a_move_that_is_being_typed(watch, services, games, new_game, bind_board):
    game_id = new_game(0)
    board = bind_board(game_id, state="gone")
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    page.fill("#written", "cd@")
    set_status(services.boards, board, message="The board is gone: unplugged")
    page.wait_for_selector("[data-fresh=said]:has-text('unplugged')")
    assert page.input_value("#written") == "cd@"
    assert page.evaluate("document.activeElement.id") == "written"


def test_live_refuses_a_written_move_with_the_reason(watch, games, new_game):
    watch.expected = ("422",)
    game_id = new_game(0)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    page.fill("#written", "D")
    page.click("button:text-is('Play')")
    page.wait_for_selector("[data-refusal]:not(:empty)")
    assert page.inner_text("[data-refusal]")
    assert games.load(game_id).row.ply == 0


def test_home_follows_its_games_and_slash_leads_to_the_search(watch, games, new_game):
    game_id = new_game(2, tags={"South": "Ann"})
    page = watch.open("/", ready="[data-following]")
    played = games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    page.wait_for_selector(f'[data-game="{game_id}"] [data-position="{played.turn.position}"] .seeds use')
    began = new_game(0, game="kalah")
    page.wait_for_selector(f'[data-game="{began}"] .seeds use')
    page.keyboard.press("/")
    page.keyboard.type("ann")
    page.keyboard.press("Enter")
    page.wait_for_url("**/players/ann")


def test_review_reports_a_failed_request(watch, new_game):
    watch.expected = ("Failed to load resource",)
    page = watch.open(f"/games/{new_game(3)}/review?ply=2", ready=REVIEW)
    page.context.set_offline(True)
    page.click("[data-step=sow]")
    page.wait_for_selector("[data-error]:not(:empty)")
    page.wait_for_selector("[data-review]:not([data-sowing])")


def test_live_shows_a_mistake_and_its_correction(watch, services, games, new_game, bind_board):
    game_id = new_game(0)
    board = bind_board(game_id)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    assert not page.is_visible("[data-shown=enter]")
    counts = [float(pit) for pit in games.load(game_id).position.pits]
    counts[0], counts[6] = 0.02, 0.97
    status = {
        "state": "connected", "message": "Not a turn of the rules", "counts": counts, "verdict": "no-fit",
        "sentences": ["One seed too few in b: the lap from a skipped it."], "mend": {"1": 1, "6": -1},
        "refusal": {
            "ply": 1, "number": "1.", "side": "South", "cause": "skipped", "meant": None, "sentences": [], "mend": {},
            "message": "No legal turn leads to this board.",
        }, "note": None,
    }  # fmt: skip
    set_status(services.boards, board, **status)
    page.wait_for_selector(".pit.mend[data-pit='1']")
    assert page.text_content(".pit[data-pit='1'] .badge") == "+1"
    assert page.text_content(".pit[data-pit='6'] .badge") == "−1"
    assert "the lap from a skipped it" in page.inner_text("[data-fresh=warning]")
    assert drawn(page)[0][0] == 0
    set_status(services.boards, board, sentences=[], mend={}, refusal=None, message="Mended")
    page.wait_for_selector("svg.board:not(:has(.pit.mend))")
    page.wait_for_selector("[data-fresh=warning]", state="hidden")
    assert_shows(page, games.load(game_id).position)


def test_new_game_leads_to_its_live_page(watch, games):
    page = watch.open("/games/new")
    page.click("text=Anywoli")
    page.wait_for_url("**game=anywoli*")
    page.fill("#tag-South", "Naisula")
    page.click("button.strong")
    page.wait_for_selector(LIVE)
    assert "Naisula" in page.inner_text("main")


def test_pages_work_without_scripts(watch, games, new_game):
    game_id = new_game(3)
    positions = games.load(game_id).record.replay().positions
    page = watch.open(f"/games/{game_id}/review?ply=1", java_script_enabled=False)
    page.click("[data-step=next]")
    page.wait_for_url("**ply=2*")
    assert page.get_attribute("svg.board", "data-position") == str(positions[2])
    page = watch.open(f"/games/{game_id}/live", java_script_enabled=False)
    page.click("[data-enter] button[name=move] >> nth=0")
    page.wait_for_selector('[data-live][data-ply="4"]')
    assert games.load(game_id).row.ply == 4
    assert position(page) == games.load(game_id).row.position
