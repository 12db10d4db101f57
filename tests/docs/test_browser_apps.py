"""docs/browser-apps.md: the page in it runs in a browser, on another origin than the service."""

import pytest
from flask import Flask

from inkeek.service import create_app
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import TOKEN
from inkeek.service.http.context import services_of
from tests.databases import sqlite_database
from tests.docs.pages import blocks, page
from tests.service.http.web.browsing import PATIENCE
from tests.service.http.web.club import serving

expect = pytest.importorskip("playwright.sync_api").expect
HTML = next(block.text for block in blocks(page("browser-apps.md")) if block.kind == "html")


@pytest.fixture
def elsewhere():
    """Another site, and the page that it has."""
    site = Flask("elsewhere")
    sandbox = {"Content-Security-Policy": "sandbox allow-scripts allow-forms"}  # has the origin `null`
    site.add_url_rule("/http", "http", lambda: site.config["PAGE"])
    site.add_url_rule("/null", "null", lambda: (site.config["PAGE"], sandbox))
    with serving(site) as base:
        yield base, site


def play(shown, move, *, refused):
    shown.fill("#move", move)
    with shown.expect_response(lambda answer: "/turns" in answer.url) as answer:
        shown.click("button")
    assert answer.value.ok is not refused
    expect(shown.locator("#refusal")).to_contain_text(move if refused else "", timeout=PATIENCE)


@pytest.mark.browser
@pytest.mark.parametrize("origin", ["http", "null"])
def test_the_page_lists_games_plays_a_turn_and_follows_a_stream(browser, elsewhere, tmp_path, origin):
    base, site = elsewhere
    with sqlite_database(tmp_path, empty=False):
        app = create_app({"data": str(tmp_path), "allowed_origins": f"{base},null", "stream_lifetime": 1.0})
        services = services_of(app)
        game = services.games.create("oware", {}, {}, Write("api")).id
        token = services.keys.create(TOKEN, "app", ("record",), None)[1]
        with serving(app) as service:
            site.config["PAGE"] = HTML.replace("http://127.0.0.1:8000", service).replace("ink_t_…", token)
            context = browser.new_context()
            context.set_default_timeout(PATIENCE)
            shown = context.new_page()
            shown.goto(f"{base}/{origin}")
            assert shown.evaluate("self.origin") == (base if origin == "http" else "null")
            shown.select_option("#games", game)
            play(shown, "z", refused=True)
            play(shown, "a", refused=False)
            first = services.games.row(game).position
            expect(shown.locator("#positions")).to_have_text(first, timeout=PATIENCE)
            with shown.expect_response(lambda answer: "events?after=" in answer.url):  # the stream ended
                pass
            services.games.play(game, services.games.load(game).legal(1)[0], Write("api"))
            both = f"{first} {services.games.row(game).position}"
            expect(shown.locator("#positions")).to_have_text(both, timeout=PATIENCE)
            context.close()
        services.close()
