"""The list of all pages, and their words."""

from pathlib import Path

from tests.service.clients import signed_in

from .club import Club
from .html_forms import FORBIDDEN, visible_words
from .test_every_page_browser import NOT_PAGES, PAGES, fill, filled

# For programs and operators. Of the manual, the other guides are for everybody.
NOT_FOR_PLAYERS = {"/help", "/help/<name>", "/tokens"}
REFUSED = ["/games/nnnnnnnnnn", "/events/nobody", "/players/nobody", "/join/nobody", "/nowhere"]
GUIDES = [f"/help/{page.stem}" for page in Path("docs").glob("guide-*.md") if page.stem != "guide-operator"]


def test_no_page_for_players_and_organizers_has_words_of_programs(app, services) -> None:
    ids, browser = fill(Club(services, "http://localhost")), signed_in(app, "admin")
    found = {}
    shown_pages = [filled(path, ids) for route in PAGES if route not in NOT_FOR_PLAYERS for path in PAGES[route]]
    for shown in [*shown_pages, *GUIDES, *REFUSED]:
        text = visible_words(browser.get(shown.partition("#")[0]).get_data(as_text=True))
        if words := [text[max(one.start() - 40, 0) : one.end() + 40] for one in FORBIDDEN.finditer(text)]:
            found[shown] = words
    assert found == {}


def test_every_page_is_listed(app) -> None:
    rules = {
        str(rule)
        for rule in app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and not str(rule).startswith("/api/")
    }
    assert rules == PAGES.keys() | NOT_PAGES
    assert not PAGES.keys() & NOT_PAGES
