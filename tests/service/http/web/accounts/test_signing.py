"""Signing in with a link in a real browser, playing, signing out; and what a browser that is not signed in sees."""

from datetime import timedelta

import pytest

from inkeek.service.http.access.caller import LINK

pytestmark = pytest.mark.browser


def test_a_link_signs_in_turns_are_played_and_signing_out_ends_it(watch, new_game, games, services):
    game_id = new_game()
    link = services.keys.create(LINK, "Lemayian", ("record",), timedelta(minutes=5))[1]
    page = watch.open(f"/sign-in?key={link}", signed=False)
    page.click("main form button")
    page.wait_for_url(f"{watch.base}/")
    assert "Lemayian" in page.inner_text(".signed")
    assert page.evaluate("document.cookie") == ""
    page.goto(f"{watch.base}/games/{game_id}/live")
    page.wait_for_selector("[data-following]")
    page.click('.moves-to-play button[value="c"]')
    page.wait_for_selector('[data-ply="1"]')
    assert games.load(game_id).events[-1].source.startswith("page:Lemayian:")
    page.click(".signed")
    page.click("#own-pages form button")
    page.wait_for_url(f"{watch.base}/")
    assert page.query_selector(".signed") is None
    page.goto(f"{watch.base}/games/{game_id}/live")
    assert page.query_selector("[data-join-hint]")
