"""The review page as a place to study a game: steps, edits and tried turns in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from inkeek.records import Move
from inkeek.service.games.annotations import Edit, annotate
from inkeek.service.games.write import Write
from tests.service.http.web.browsing import PATIENCE, position, requests_of

pytestmark = pytest.mark.browser

READY = "[data-review][data-ready]"
MOST = 150_000  # bytes of the page
MOST_LOADED = 200_000  # bytes of the page with its style sheets, scripts and the analysis of the game
LONG_TASK = 0.05  # seconds
ROW = "4.4.4.4.4.4.4.4/4.4.4.4.4.4.4.4"


@pytest.fixture
def long_game(games, new_game):
    """Makes a game of so many turns: irregular ones go on where chance would end it."""

    def make(turns: int) -> str:
        game_id = new_game(0, "anywoli", options={"pits": 8})
        for ply in range(1, turns + 1):
            legal = games.load(game_id).legal(20)
            if len(legal) > 3:
                games.play(game_id, legal[ply % len(legal)], Write("api"))
            else:
                text = f"{ROW} 0-0 {'ns'[ply % 2 == 0]} {ply}"
                games.play_irregular(game_id, Move.parse("~?"), text, Write("api"))
        return game_id

    return make


def noted(games, game_id, *edits: Edit, key: str = "page:Naisula:1") -> None:
    annotate(games, game_id, list(edits), Write(key), is_arbiter=True)


def at(page) -> str:
    return page.get_attribute("[data-review]", "data-node")


def wait_node(page, node: str) -> None:
    page.wait_for_selector(f'[data-review][data-node="{node}"]', timeout=PATIENCE)


def test_a_step_in_a_long_game_asks_for_nothing_and_holds_up_nothing(watch, games, long_game):
    game_id = long_game(200)
    positions = games.load(game_id).record.replay().positions
    page = watch.open(f"/games/{game_id}/review?ply=0", ready=READY)
    page.wait_for_load_state("networkidle")
    asked = requests_of(page)
    devtools = page.context.new_cdp_session(page)
    # The time of the processor, not of the clock: other work on the machine must not count.
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    steps: list[float] = []
    page.locator("[data-movelist]").focus()
    for ply in range(1, 201):
        before = worked()
        page.keyboard.press("ArrowRight")
        page.evaluate("() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))")
        steps.append(worked() - before)
        if ply % 20 == 0:
            assert position(page) == str(positions[ply])
    assert at(page) == "200"
    page.keyboard.press("Home")
    assert at(page) == "0"
    assert asked == []
    assert sorted(steps)[len(steps) // 2] < LONG_TASK  # some take longer: the browser tidies up, or the machine is busy


@pytest.mark.parametrize("turns", [200, 400])
def test_a_long_game_makes_a_small_page(watch, long_game, turns):
    page = watch.open(f"/games/{long_game(turns)}/review", ready=READY)
    page.wait_for_load_state("networkidle")
    loaded = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
    sizes = dict(page.evaluate(f"() => {loaded}.map((one) => [one.name, one.decodedBodySize])"))
    whole = sum(sizes.values())
    if turns == 200:
        assert whole <= MOST_LOADED, sizes
    html = next(size for url, size in sizes.items() if "/review" in url and "static" not in url)
    assert html <= MOST, sizes


def test_variations_are_walked_by_keys_and_have_addresses(watch, games, new_game):
    game_id = new_game(3)
    rules = games.load(game_id).rules
    second = rules.legal_moves(rules.start())[1]
    reply = rules.legal_moves(rules.play(rules.start(), second).position)[0]
    line = {"plies": [{"move": str(second)}, {"move": str(reply)}]}
    noted(games, game_id, Edit("v", "variation", line, 1))
    page = watch.open(f"/games/{game_id}/review?ply=0", ready=READY)
    page.keyboard.press("Shift+ArrowRight")
    wait_node(page, "1v1.1")
    page.keyboard.press("ArrowRight")
    wait_node(page, "1v1.2")
    expected = rules.play(rules.play(rules.start(), second).position, reply).position
    assert position(page) == str(expected)
    page.wait_for_url("**ply=1v1.2*")
    page.keyboard.press("Shift+ArrowLeft")
    wait_node(page, "0")
    again = watch.open(f"/games/{game_id}/review?ply=1v1.2", java_script_enabled=False)
    assert position(again) == str(expected)
    again.click('.turn[data-node="1v1.1"]')
    again.wait_for_url("**ply=1v1.1*")
    assert position(again) == str(rules.play(rules.start(), second).position)


def test_a_swipe_on_the_board_is_a_step(watch, new_game):
    page = watch.open(f"/games/{new_game(3)}/review?ply=0", ready=READY, has_touch=True)
    swipe = """(by) => {
      const board = document.querySelector("figure[data-board]");
      const at = (x) => [new Touch({ identifier: 1, target: board, clientX: x, clientY: 300 })];
      board.dispatchEvent(new TouchEvent("touchstart", { touches: at(400), changedTouches: at(400), bubbles: true }));
      board.dispatchEvent(new TouchEvent("touchend", {
        changedTouches: at(400 + by), bubbles: true, cancelable: true,
      }));
    }"""
    for by, node in ((-120, "1"), (-120, "2"), (120, "1"), (-10, "1")):
        page.evaluate(swipe, by)
        assert at(page) == node


def test_comments_and_glyphs_are_edited_in_place(watch, games, new_game):
    game_id = new_game(4)
    page = watch.open(f"/games/{game_id}/review?ply=2", ready=READY)
    page.click("[data-edit=new]")
    page.fill("[data-editor] textarea", "A quiet turn")
    page.click("[data-editor] button[type=submit]")
    page.wait_for_selector('.comment[data-on="2"]')
    (comment,) = games.load(game_id).state.annotations
    assert (comment.ply, comment.value, comment.source.split(":")[:2]) == (2, "A quiet turn", ["page", "Naisula"])
    page.click('.comment[data-on="2"] [data-edit=comment]')
    page.fill("[data-editor] textarea", "A loud turn")
    page.click("[data-editor] button[type=submit]")
    page.wait_for_selector(".comment:has-text('loud')")
    page.click("[data-nag='3']")
    page.wait_for_selector('.turn[data-node="2"] .glyph:has-text("!!")')
    page.wait_for_selector("[data-nag='3'][aria-pressed=true]")
    page.click("[data-nag='3']")
    page.wait_for_selector("[data-nag='3'][aria-pressed=false]")
    assert [one.value for one in games.load(game_id).state.annotations] == ["A loud turn"]
    assert at(page) == "2"
    page.click('.comment[data-on="2"] [data-edit=comment]')
    page.click("[data-editor] button >> nth=1")
    page.wait_for_selector(".comment", state="detached")
    assert games.load(game_id).state.annotations == ()


def test_a_comment_that_meets_a_change_is_kept_and_can_be_saved_again(watch, games, new_game):
    watch.expected = ("412",)
    game_id = new_game(4)
    page = watch.open(f"/games/{game_id}/review?ply=1", ready=READY)
    noted(games, game_id, Edit("c", "comment", "the other one", 1), key="page:Koinet:2")
    page.click("[data-edit=new]")
    page.fill("[data-editor] textarea", "mine")
    page.click("[data-editor] button[type=submit]")
    page.wait_for_selector("[data-error]:not(:empty)")
    page.wait_for_selector(".comment:has-text('the other one')")
    assert page.input_value("[data-editor] textarea") == "mine"
    assert [one.value for one in games.load(game_id).state.annotations] == ["the other one"]
    page.click("[data-editor] button[type=submit]")
    page.wait_for_selector(".comment:has-text('mine')")
    assert page.query_selector(".comment:has-text('the other one') [data-edit]") is None
    assert [one.value for one in games.load(game_id).state.annotations] == ["the other one", "mine"]


def test_what_if_is_played_stepped_and_saved_as_a_variation(watch, games, new_game):
    game_id = new_game(3)
    snapshot = games.load(game_id)
    rules, start = snapshot.rules, snapshot.rules.start()
    played = snapshot.turn(1).move
    other = next(move for move in rules.legal_moves(start) if move.pit != played.pit)
    page = watch.open(f"/games/{game_id}/review?ply=0", ready=READY)
    page.click(f".pit[data-letter={other.pit}] .hollow", force=True)
    wait_node(page, "1v1.1")
    after = rules.play(start, other).position
    assert position(page) == str(after)
    reply = next(move for move in rules.legal_moves(after) if not move.choices)
    page.click("[data-list-turns]")
    page.click(f"[data-choices] button:text-is('{reply}')")
    wait_node(page, "1v1.2")
    page.keyboard.press("ArrowLeft")
    wait_node(page, "1v1.1")
    assert games.load(game_id).state.annotations == ()
    page.click("[data-save]")
    page.wait_for_selector(".turn.tried", state="detached")
    (variation,) = games.load(game_id).state.annotations
    assert [ply["move"] for ply in variation.value["plies"]] == [str(other), str(reply)]
    assert at(page) == "1v1.1"
    page.keyboard.press("End")
    wait_node(page, "1v1.2")
    more = rules.legal_moves(rules.play(after, reply).position)[0]
    page.click("[data-list-turns]")
    page.click(f"[data-choices] button:text-is('{more}')")
    wait_node(page, "1v1.3")
    page.click("[data-save]")
    page.wait_for_selector(".turn.tried", state="detached")
    (variation,) = games.load(game_id).state.annotations
    assert [ply["move"] for ply in variation.value["plies"]] == [str(other), str(reply), str(more)]
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("[data-edit=variation]")
    page.wait_for_selector(".variation", state="detached")
    assert games.load(game_id).state.annotations == ()


def test_what_if_follows_the_game_where_the_turn_is_that_of_the_game(watch, games, new_game):
    game_id = new_game(3)
    move = games.load(game_id).turn(1).move
    page = watch.open(f"/games/{game_id}/review?ply=0", ready=READY, signed=False)
    page.click("[data-list-turns]")
    page.click(f"[data-choices] button:text-is('{move}')")
    wait_node(page, "1")
    assert page.query_selector(".tried") is None


def test_the_explorer_goes_where_games_went(watch, new_game):
    game_id = new_game(5)
    page = watch.open(f"/games/{game_id}/review?ply=0", ready=READY)
    page.click("#tab-explorer")
    for node in ("1", "2"):
        page.click("table.explored tbody button")
        wait_node(page, node)
        page.wait_for_function(
            "() => document.querySelector('[data-explorer]').dataset.about === "
            "document.querySelector('svg.board').dataset.position"
        )


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
@pytest.mark.parametrize("rules", [("oware", {}), ("enkeshui", {"pits": 12, "setup": "triples"})])
def test_review_live_page_and_analysis_board_need_no_scrolling(watch, new_game, size, rules):
    game_id, (game, options) = new_game(8, *rules), rules
    setup = "&options=" + " ".join(f"{name}={value}" for name, value in options.items())
    for path in (f"/games/{game_id}/review?ply=3", f"/games/{game_id}/live", f"/analysis?game={game}{setup}"):
        page = watch.open(path, viewport={"width": size[0], "height": size[1]}, has_touch=True)
        page.wait_for_load_state("networkidle" if "live" not in path else "load")
        bottoms = "all => Math.max(...all.map((one) => one.getBoundingClientRect().bottom))"
        lowest = page.eval_on_selector_all("[data-board], .below, .turn-panel, .record", bottoms)
        bar = page.locator(".the-game > nav").bounding_box()
        assert lowest <= (bar["y"] if size[0] < 640 else size[1]), path
        assert bar["y"] + bar["height"] <= size[1], path
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], path
        assert page.eval_on_selector(".movelist", "list => list.clientHeight") >= 60, path


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (1280, "dark")])
def test_nothing_is_wider_than_the_window_and_axe_finds_nothing(watch, games, new_game, width, scheme):
    game_id = new_game(12, "enkeshui", options={"pits": 12, "setup": "triples"})
    noted(games, game_id, Edit("c", "comment", "[%eval 2.5] " + "along way " * 20, 3), Edit("n", "nag", 4, 3))
    page = watch.open(
        f"/games/{game_id}/review?ply=3", ready=READY, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    page.click("[data-list-turns]")
    page.click("[data-choices] button >> nth=0")
    page.click('.comment[data-on="3"] [data-edit=comment]')
    page.wait_for_selector("[data-editor]")
    page.click("#tab-explorer")
    page.wait_for_selector("[data-explored] p")
    page.keyboard.press("?")
    page.wait_for_selector("[data-more]:popover-open")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_the_board_turns_without_a_request(watch, new_game):
    page = watch.open(f"/games/{new_game(2)}/review?ply=1", ready=READY)
    page.wait_for_load_state("networkidle")
    asked = requests_of(page)

    def height_of(part: str) -> float:
        return page.eval_on_selector(part, "part => part.getBoundingClientRect().top")

    assert height_of(".pit[data-pit='0']") > height_of(".pit[data-pit='8']")
    page.keyboard.press("f")
    assert height_of(".pit[data-pit='0']") < height_of(".pit[data-pit='8']")
    assert height_of("[data-player='0']") < height_of("[data-player='1']")
    assert "view=north" in page.url
    assert asked == []
    page.reload()
    page.wait_for_selector(READY)
    assert height_of(".pit[data-pit='0']") < height_of(".pit[data-pit='8']")


def test_the_engine_searches_and_its_line_can_be_tried(watch, games, new_game):
    game_id = new_game(2, "kalah", {"pits": 4, "seeds": 2})  # so small that the search soon ends
    page = watch.open(f"/games/{game_id}/review?ply=0", ready=READY)
    page.click("#tab-engine")
    page.wait_for_selector("[data-engine][data-searched]")  # until then its lines change
    first = page.inner_text(".line-moves >> nth=0").split()[0]
    assert first in [str(move) for move in games.load(game_id).rules.legal_moves(games.load(game_id).rules.start())]
    page.click(".line-moves >> nth=0")
    page.wait_for_function("() => document.querySelector('[data-review]').dataset.node !== '0'")
    assert page.inner_text(".turn.current") == first
    page.click("#tab-this-turn")  # ends the search


def test_the_graph_of_values_follows_the_steps(watch, games, new_game):
    game_id = new_game(4)
    values = [Edit(f"e{ply}", "comment", f"[%eval {ply}.5]", ply) for ply in range(5)]
    noted(games, game_id, *values, Edit("n", "nag", 4, 3))
    page = watch.open(f"/games/{game_id}/review?ply=2", ready=READY)
    assert page.eval_on_selector_all(".value-mistake", "marks => marks.map(mark => mark.dataset.ply)") == ["3"]

    def marker() -> float:
        return page.eval_on_selector("[data-marker]", "mark => mark.getBoundingClientRect().left")

    before = marker()
    page.keyboard.press("ArrowRight")
    after = marker()
    width = page.eval_on_selector(".value-graph", "graph => graph.getBoundingClientRect().width")
    assert after - before == pytest.approx(width / 4, abs=3)
    page.eval_on_selector(".value-graph", "graph => graph.scrollIntoView()")
    page.click(".value-graph", position={"x": 2, "y": 20})
    wait_node(page, "0")


def test_a_position_is_set_up_by_taps_and_played_from(watch):
    page = watch.open("/analysis?game=oware", ready=READY, signed=False)
    page.click("[data-set-up] summary")
    page.click("[data-empty]")
    for pit, taps in ((0, 1), (5, 2), (6, 3)):
        for _ in range(taps):
            page.click(f".pit[data-pit='{pit}'] .hollow", force=True)
    assert page.input_value("#position") == "1.0.0.0.0.2/3.0.0.0.0.0 0-0 s 0"
    page.click("[data-set-up] button.strong")
    page.wait_for_url("**/analysis?*position=1.0.0.0.0.2*")
    page.wait_for_selector(READY)
    assert position(page) == "1.0.0.0.0.2/3.0.0.0.0.0 0-0 s 0"
    page.click(".pit[data-pit='0'] .hollow", force=True)
    wait_node(page, "1v1.1")
    after = position(page)
    page.wait_for_function("text => new URL(location.href).searchParams.get('position') === text", arg=after)
    page.click("#tab-engine")
    page.wait_for_selector("[data-engine][data-depth]")


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (1280, "dark")])
def test_the_analysis_board_fits_and_axe_finds_nothing(watch, width, scheme):
    page = watch.open(
        "/analysis?game=enkeshui", ready=READY, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    page.click("[data-set-up] summary")
    page.click("[data-list-turns]")
    page.click("[data-choices] button >> nth=0")
    page.click("#tab-engine")
    page.wait_for_selector("[data-engine][data-depth]")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
