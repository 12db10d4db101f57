"""The file that plays a game, opened without any service, and the device's own sheet for sharing."""

from __future__ import annotations

import urllib.request

from tests.service.http.web.browsing import PATIENCE

SHEET = """
window.shared = [];
navigator.canShare = ({ files }) => files.every((file) => file.type !== "text/html");
navigator.share = async ({ url, files: [file] = [] }) => {
  shared.push(url ?? `${file.name} ${file.type} ${file.size}`);
};
"""


def test_the_file_plays_the_game_without_a_connection(browser, served, new_game, games, tmp_path):
    name = "</script><b>Naisula</b>"
    game_id = new_game(4, tags={"South": name})
    file = tmp_path / "game.html"
    file.write_bytes(urllib.request.urlopen(f"{served}/games/{game_id}/player.html").read())
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text))
    page.on("request", lambda request: faults.append(request.url) if not request.url.startswith("file:") else None)
    page.goto(file.as_uri())
    shown = page.locator("svg.board")
    positions = [str(position) for position in games.load(game_id).record.replay().positions]
    assert page.text_content(".player.south .name") == name
    assert shown.get_attribute("data-position") == positions[0]
    page.click("[data-step=next]")
    page.keyboard.press("ArrowRight")
    assert shown.get_attribute("data-position") == positions[2]
    page.click(".turns button >> nth=3")
    page.click("[data-step=play]")
    page.wait_for_selector(f'svg.board[data-position="{positions[4]}"]')
    page.wait_for_function("() => document.querySelector('[data-step=play]').textContent === 'Play'")
    assert page.locator(".turns [aria-current]").count() == 1
    context.close()
    assert faults == []


def test_the_devices_sheet_gets_the_link_and_the_files_that_it_takes(watch, new_game):
    game_id = new_game(1)
    page = watch.open(f"/games/{game_id}/share")
    assert page.locator("[data-send]:visible").count() == 0
    page.add_init_script(SHEET)
    page.reload()
    page.click("[data-send=link]")
    assert page.locator("[data-type='text/html']:visible").count() == 0
    page.click("[data-type='image/png']")
    page.wait_for_function("() => shared.length === 2")
    link, file = page.evaluate("shared")
    assert link == page.input_value("[data-link]")
    name, kind, size = file.split()
    assert (name, kind) == (f"inkeek-{game_id}-1.png", "image/png")
    assert int(size) > 10_000


def test_the_button_of_the_review_shares_the_turn_that_is_shown(watch, new_game):
    page = watch.open(f"/games/{new_game(3)}/review?ply=1")
    page.click("[data-step=next]")
    page.click("[data-share-turn]")
    page.wait_for_url("**/share?ply=2")
