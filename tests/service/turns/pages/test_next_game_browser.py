"""From a game that is over to the next one at its table, in a real browser."""

import pytest

from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import SESSION
from inkeek.service.storage.search import table_limit
from tests.service.http.web.browsing import Watch
from tests.service.http.web.test_browser import LIVE
from tests.service.turns.pages.test_board_entry_browser import PHONE

pytestmark = pytest.mark.browser
TABLE = {"Event": "Cup", "Board": "3", "South": "Farah", "North": "Esther"}


@pytest.fixture
def table_phone(browser, served, services):
    """A phone that joined the table."""
    session = services.keys.create(SESSION, "Esther", ("record",), None, table_limit("Cup", "3"))[1]
    watching = Watch(browser, served, session)
    yield watching
    watching.close()
    assert watching.complaints == []


def test_a_phone_goes_on_to_the_next_game_by_itself(table_phone, games, new_game):
    first = new_game(2, tags=TABLE)
    page = table_phone.open(f"/games/{first}/live", ready=LIVE, **PHONE)
    games.end(first, "agreement", None, Write("api"))
    page.wait_for_selector(".result")
    new_game(0, tags={**TABLE, "Board": "4"})
    second = new_game(0, tags=TABLE)
    page.wait_for_url(f"**/games/{second}/live")


def test_what_is_typed_is_not_lost(table_phone, games, new_game):
    first = new_game(2, tags=TABLE)
    games.end(first, "agreement", None, Write("api"))
    page = table_phone.open(f"/games/{first}/live", ready=LIVE, **PHONE)
    page.evaluate("location.hash = 'note'")
    page.fill("#note-text", "a fair game")
    second = new_game(0, tags=TABLE)
    page.wait_for_selector(f'a[data-next="leads"][href="/games/{second}/live"]', state="attached")
    page.evaluate("location.hash = 'main'")
    page.click("[data-next]")
    page.wait_for_url(f"**/games/{second}/live")
