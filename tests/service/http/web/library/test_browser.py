"""The library, the import and the hall in a real browser."""

from __future__ import annotations

import pytest

from service.games.library.transfer import import_games
from service.games.write import Write

pytestmark = pytest.mark.browser

GOOD = '[Game "oware"]\n[South "Ann"]\n[North "Ben"]\n\n1. c C 2. d *\n'
BAD = '[Game "oware"]\n[South "Cid"]\n\n1. c C\n2. zz D *\n'
TAGS = {"South": "Naisula Lemasai", "North": "Wanjikũ Kamau", "Event": "Amboseli Open", "Round": "1"}
PAGES = (
    "/",
    "/games",
    "/games/new",
    "/games/new?game=kalah",
    "/players",
    "/players/wanjikũ%20kamau",
    "/events",
    "/events/amboseli%20open",
    "/events/amboseli%20open/hall",
    "/events/amboseli%20open/wall",
    "/matches",
    "/matches/new",
    "/matches/new?game=enkeshui",
    "/matches/MATCH",
    "/games/LIVE/embed",
    "/games/LIVE/overlay",
    "/import",
    "/rules",
    "/rules/enkeshui",
    "/rules/kalah/score-sheet",
    "/tokens",
    "/boards",
)
MOST = 150_000  # bytes of a page with all that it loads


@pytest.fixture
def library(new_game, games, services):
    """A live game, an ended one and a match; the names that stand in `PAGES` for them."""
    new_game(500, game="oware", tags=TAGS)
    live = new_game(4, tags={**TAGS, "Board": "2"})
    match = services.matches.begin("oware", "games 3", {}, TAGS, Write("api"))
    games.end(match.id, "resignation", "South", Write("api"))
    return {"LIVE": live, "MATCH": match.id}


def test_an_import_marks_errors_is_mended_and_stored(watch, services):
    page = watch.open("/import", ready="#import[data-ready]")
    text = (GOOD + "\n" + BAD).encode()
    page.set_input_files("#file", files=[{"name": "a.pmn", "mimeType": "text/plain", "buffer": text}])
    page.wait_for_selector("[data-import='checked']")
    page.wait_for_selector("#import[data-ready]")
    assert page.inner_text(".text-line.at mark") == "zz"
    page.click("[data-line]")
    assert page.evaluate("text.value.slice(text.selectionStart, text.selectionEnd)") == "zz"
    page.keyboard.type("d")
    page.click("#import button")
    page.wait_for_function("document.querySelectorAll('[data-outcome=stored]').length === 2")
    page.click("button[name=store]")
    page.wait_for_selector("[data-import='done']")
    with services.store.reading() as transaction:
        assert transaction.games.count() == 2


def test_a_position_is_drawn_and_searched(watch, games):
    """The position after 1. c, drawn on the start position."""
    (stored,) = import_games(games, GOOD.encode().splitlines(keepends=True), 1, Write("import"))
    page = watch.open("/games?game=oware")
    page.click("#position-help a")
    page.click("[data-set-up] summary")
    for mode, pits in (("remove", (2, 2, 2, 2)), ("add", (3, 4, 5, 6))):
        page.check(f"[data-set-up] [value={mode}]")
        for pit in pits:
            page.locator(f'svg.board .pit[data-pit="{pit}"] .hollow').click(force=True)
    page.select_option("#side", "1")
    page.click("[data-set-up] button.strong")
    page.wait_for_url("**position=4.4.0.5.5.5*")
    page.click("[data-search]")
    page.wait_for_selector("[data-searched]")
    assert page.query_selector(f'a[href*="{stored.id}"]')


def test_a_file_that_is_too_large_is_not_sent(watch):
    page = watch.open("/import", ready="#import[data-ready]")
    page.set_input_files("#file", files=[{"name": "a.pmn", "mimeType": "text/plain", "buffer": b"x" * (2 << 20)}])
    page.wait_for_function("document.querySelector('[data-refusal]').textContent.length > 0")
    assert page.input_value("#text") == ""


def test_a_hall_follows_a_game_and_its_end(watch, games, library):
    page = watch.open("/events/amboseli%20open/hall", ready="[data-hall][data-following]")
    drawn = f"[data-game='{library['LIVE']}'] svg.board"
    for _ in range(3):
        played = games.play(library["LIVE"], games.load(library["LIVE"]).legal(1)[0], Write("api"))
        page.wait_for_selector(f"{drawn}[data-position='{played.turn.position}']")
    games.end(library["LIVE"], "agreement", None, Write("api"))
    page.wait_for_selector(f"[data-game='{library['LIVE']}'] .hall-state.over")


def test_the_next_game_of_a_match_is_started(watch, services, library):
    page = watch.open(f"/matches/{library['MATCH']}")
    page.click("form button.strong")
    page.wait_for_url("**/live*")
    assert len(services.matches.load(library["MATCH"]).rows) == 2


def test_no_page_is_heavy(watch, library):
    page = watch.open("/")
    for path in PAGES:
        page.goto(watch.base + filled(path, library), wait_until="load")
        size = page.evaluate(
            """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
            .reduce((sum, entry) => sum + entry.decodedBodySize, 0)"""
        )
        assert 1_000 < size <= MOST, path


def filled(path: str, library: dict[str, str]) -> str:
    for name, value in library.items():
        path = path.replace(name, value)
    return path
