"""The analysis of a game on the review page, and standings that follow the feed, in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from inkeek.records import Move
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import TOKEN
from inkeek.service.study.pages import seeds_text
from tests.service.http.web.browsing import PATIENCE, position

pytestmark = pytest.mark.browser

READY = "[data-review][data-ready]"
LOADED = "[data-analysis][data-loaded='1']"
LIMITS = {"seconds": 60.0, "depth": 1, "nodes": None}


@pytest.fixture
def analyzed(services, games, work_on_jobs):
    """A game of Kalah with mistakes, which was analyzed; its id."""
    game_id = games.create("kalah", {}, {"South": "Ann", "North": "Ben"}, Write("api")).id
    for move in ("f", "A", "e", "F", "d", "E"):
        if Move.parse(move) in games.load(game_id).legal(20):
            games.play(game_id, Move.parse(move), Write("api"))
    owner, _ = services.keys.create(TOKEN, "tests", ("record",), None)
    services.jobs.start(owner.id, [game_id], {**LIMITS, "depth": 4})
    work_on_jobs()
    assert any(turn.glyph for turn in services.jobs.game_analysis(game_id).found.turns)
    return game_id


def test_the_analysis_stands_in_the_review_and_follows_its_steps(watch, services, games, analyzed):
    found = services.jobs.game_analysis(analyzed).found
    mistakes = [turn.ply for turn in found.turns if turn.glyph]
    page = watch.open(f"/games/{analyzed}/review?ply=0", ready=READY, signed=False)
    page.wait_for_selector(LOADED)
    marks = page.eval_on_selector_all(
        ".movelist .judged-glyph", "all => all.map((one) => one.closest('[data-node]').dataset.node)"
    )
    assert marks == [str(ply) for ply in mistakes]
    dots = page.eval_on_selector_all(".value-mistake", "marks => marks.map((mark) => mark.dataset.ply)")
    assert dots == [str(ply) for ply in mistakes]
    ply = mistakes[0]
    snapshot = games.load(analyzed)
    before, played = snapshot.position_at(ply - 1), snapshot.turn(ply).move
    best, loss = found.turns[ply - 1].best.moves[0], seeds_text(found.turns[ply - 1].loss).removeprefix("+")
    page.click("[data-next-mistake]")  # leads to the position before it, where what was played is marked
    page.wait_for_selector(f'[data-review][data-node="{ply - 1}"] .pit.start[data-letter="{played.pit}"]')
    assert str(played.choice) in page.inner_text("[data-judged-words]")
    assert position(page) == str(before)
    title = page.text_content("svg.board > title")
    assert page.text_content("[data-board] caption").strip().startswith(f"{title}:")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f'[data-review][data-node="{ply}"]', timeout=PATIENCE)
    assert page.text_content("svg.board > title") != title
    assert f" {loss} " in page.inner_text("[data-judged-words]")
    page.click("[data-try-myself]")
    page.wait_for_selector(f'[data-review][data-node="{ply - 1}"]')
    other = next(move for move in snapshot.rules.legal_moves(before) if move not in (best, played))
    for move, says in ((other, "prefers another"), (best, "Yes")):
        page.click(f".pit[data-letter='{move.pit}'] .hollow", force=True)
        page.wait_for_selector(f"[data-judged-words]:has-text('{says}')")
        page.keyboard.press("ArrowLeft")
    page.click("[data-better]")
    page.wait_for_selector(f'[data-review][data-node^="{ply}v"]', timeout=PATIENCE)
    assert position(page) == str(snapshot.rules.play(before, best).position)
    assert f" {loss} " in page.inner_text("[data-judged-words]")
    assert not page.is_visible("[data-better]")


def test_an_analysis_is_written_into_the_record_from_the_review(watch, services, games, analyzed):
    found = services.jobs.game_analysis(analyzed).found
    mistakes = [str(turn.ply) for turn in found.turns if turn.glyph]
    page = watch.open(f"/games/{analyzed}/review?ply={mistakes[0]}", ready=READY)
    page.wait_for_selector(LOADED)
    page.click(".more-analysis summary")
    page.click("[data-notes] [value=write]")
    page.wait_for_selector(f".movelist .variation[data-on='{mistakes[0]}']")
    assert page.query_selector(".movelist .judged-glyph") is None  # the record has them itself
    signs = page.eval_on_selector_all(
        ".movelist .pair .glyph", "all => all.map((one) => one.closest('[data-node]').dataset.node)"
    )
    assert signs == mistakes
    assert page.get_attribute("[data-review]", "data-node") == mistakes[0]
    page.click(f".movelist .turn[data-node='{mistakes[0]}v1.1']")
    page.wait_for_selector(f"[data-review][data-node='{mistakes[0]}v1.1']")
    assert "[%value" in page.request.get(f"{watch.base}/api/v1/games/{analyzed}.pmn").text()
    page.click(".more-analysis summary")
    page.click("[data-notes] [value=remove]")
    page.wait_for_selector(".movelist .variation", state="detached")
    page.wait_for_selector(".movelist .judged-glyph", state="attached")
    assert games.load(analyzed).state.annotations == ()
    page.click(f".movelist .turn[data-node='{mistakes[0]}']")
    page.click("[data-nag='1']")  # the record is edited as it is stored now
    page.wait_for_selector(f".movelist .turn[data-node='{mistakes[0]}'] .glyph:has-text('!')")


def test_an_analysis_is_asked_for_followed_and_cancelled(watch, services, new_game, work_on_jobs):
    game_id = new_game(4, "kalah")
    page = watch.open(f"/games/{game_id}/review?ply=1", ready=READY)
    page.wait_for_selector(LOADED)
    page.click("[data-judging] button[value=quick]")
    page.wait_for_selector("[data-analysis][data-loaded=job]")
    first = page.get_attribute("[data-job]", "data-job")
    page.click(".job button")
    page.wait_for_selector(LOADED)
    assert services.jobs.get(first).state == "cancelled"
    page.click("[data-judging] button[value=quick]")
    page.wait_for_selector("[data-progress]")
    work_on_jobs()
    page.wait_for_selector(LOADED)
    assert page.query_selector("[data-progress]") is None
    again = watch.open(f"/games/{game_id}/analysis", java_script_enabled=False)
    assert len(again.query_selector_all(".judged tr[data-ply]")) == 4
    assert again.is_visible(".judged tr[data-ply='1']")


@pytest.mark.parametrize(("width", "scheme", "language"), [(320, "light", "sw"), (1280, "dark", "en")])
def test_the_analysis_fits_and_axe_finds_nothing(watch, analyzed, width, scheme, language):
    for path in (f"/games/{analyzed}/review?ply=3&lang={language}", f"/games/{analyzed}/analysis?lang={language}"):
        page = watch.open(path, viewport={"width": width, "height": 900}, color_scheme=scheme)
        if "review" in path:
            page.wait_for_selector(READY)
            page.wait_for_selector(LOADED)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_the_sticks_of_a_match_follow_its_games(watch, services, games):
    series = services.matches.begin("oware", "games 3", {}, {"South": "Ann", "North": "Ben"}, Write("api"))
    page = watch.open(f"/matches/{series.id}", ready="[data-standings][data-following]")
    page.evaluate("window.same = true")
    games.end(series.id, "resignation", "South", Write("api"))
    page.wait_for_selector("[data-match-tally] dd:has-text('1')")
    page.wait_for_selector(".coming form")
    second = services.matches.go_on(series.id, "", {}, Write("api"))
    page.wait_for_selector(f"a[href='/games/{second.id}/live']")
    page.wait_for_selector(".coming form", state="detached")
    games.end(second.id, "agreement", None, Write("api"))
    page.wait_for_selector("[data-match-tally] div:nth-child(2) dd:has-text('1')")
    assert page.evaluate("window.same")


def test_the_standings_of_an_event_follow_its_games(watch, games, new_game):
    game_id = new_game(2, "oware", tags={"South": "Ann", "North": "Ben", "Event": "Cup"})
    page = watch.open("/events/cup", ready="[data-standings][data-following]")
    first = ".standings tbody tr:first-child"
    games.end(game_id, "resignation", "North", Write("api"))
    page.wait_for_selector(f"{first} th:has-text('Ben')")
    page.wait_for_selector(f"{first} td:nth-child(3):has-text('1')")
