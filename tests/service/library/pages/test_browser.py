"""The library, the import and a match in a real browser."""

import pytest

from inkeek.service.games.library.transfer import import_games
from inkeek.service.games.write import Write

pytestmark = pytest.mark.browser

GOOD = '[Game "oware"]\n[South "Ann"]\n[North "Ben"]\n\n1. c C 2. d *\n'
BAD = '[Game "oware"]\n[South "Cid"]\n\n1. c C\n2. zz D *\n'


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
    page.wait_for_function("() => document.querySelectorAll('[data-outcome=stored]').length === 2")
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
    page.click(".more-button")
    page.click("[data-search]")
    page.wait_for_selector("[data-searched]")
    assert page.query_selector(f'a[href*="{stored.id}"]')


def test_a_file_that_is_too_large_is_not_sent(watch):
    page = watch.open("/import", ready="#import[data-ready]")
    page.set_input_files("#file", files=[{"name": "a.pmn", "mimeType": "text/plain", "buffer": b"x" * (2 << 20)}])
    page.wait_for_function("() => document.querySelector('[data-refusal]').textContent.length > 0")
    assert page.input_value("#text") == ""


def test_a_sheet_of_paper_is_typed_tapped_drafted_and_kept(watch, services):
    page = watch.open("/paper?game=oware", ready="[data-paper][data-ready]")
    page.fill("#text", "Amina - Babu\n1. c D\n2. q")
    page.click(".paper-lines mark")
    assert page.evaluate("text.value.slice(text.selectionStart, text.selectionEnd)") == "q"
    page.click("[name=add][value=a]")
    page.wait_for_function("() => text.value.endsWith('2. a')")
    page.locator('[data-board] .pit[data-pit="11"] .hollow').click(force=True)
    page.wait_for_function("() => text.value.endsWith('2. a F')")
    page.click("[data-step=first]")
    assert page.get_attribute("svg.board", "data-position").endswith("s 0")
    page.reload()
    page.wait_for_selector("[data-paper][data-ready]")
    assert page.input_value("#text").endswith("2. a F")
    kept: list[str] = []
    page.on("request", lambda request: kept.append(request.url) if request.url.endswith("/paper/game") else None)
    page.dblclick("[name=store]")
    page.wait_for_url("**/live")
    assert len(kept) == 1
    with services.store.reading() as transaction:
        assert transaction.games.count() == 1
    page.goto(watch.base + "/paper?game=oware")
    page.wait_for_selector("[data-paper][data-ready]")
    assert page.input_value("#text") == ""
