"""Signing in with a link in a real browser, playing, signing out; and what a browser that is not signed in sees."""

from datetime import timedelta

import pytest

from service.games.write import Write
from service.http.access.caller import LINK

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


def test_the_form_for_a_new_game_works_without_scripts(watch, services):
    page = watch.open("/games/new?game=enkeshui", java_script_enabled=False)
    page.fill("#tag-South", "Naisula")
    page.click("button.strong")
    page.wait_for_url("**/live?names=new")
    (row,) = services.games.page(2)[0]
    assert row.tags["South"] == "Naisula"


def test_who_is_not_signed_in_follows_a_game_and_enters_nothing(watch, new_game, games):
    game_id = new_game()
    page = watch.open(f"/games/{game_id}/live", ready="[data-following]", signed=False)
    assert page.query_selector(".enterable") is None
    assert not page.is_visible("#end-head")
    games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    page.wait_for_selector('[data-ply="1"]')
    assert page.query_selector("[data-enter]") is None
