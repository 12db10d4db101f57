"""The pages of an organizer in a real browser: they stay where they are looked at."""

import pytest

from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import SESSION
from inkeek.service.http.access.invitations import ROLES
from tests.service.http.web.browsing import Watch

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}}
WRITE = Write("api")
TOP = "scrollY"


@pytest.fixture
def watch(browser, served, services):
    """A browser in which an organizer is signed in."""
    watching = Watch(browser, served, services.keys.create(SESSION, "Wanjiru", ROLES["organizer"].scopes, None)[1])
    yield watching
    watching.close()
    assert watching.complaints == []


@pytest.fixture
def evening(services):
    """An event of twelve players in its first round; the ids of its games."""
    players = tuple(EventPlayer(id, f"Player {id}") for id in range(1, 13))
    games = (OfferedGame("oware", {}, "600"), OfferedGame("kalah"))
    services.events.create(EventPlan("Cup", games=games, players=players, format="swiss"), Write("api"))
    return [one.game for one in plan_of(services.events.begin_round("cup", 1, WRITE)).rounds[0].pairings]


def test_choosing_formats_and_starts_moves_nothing_that_stands_above(watch):
    page = watch.open("/events/new", **PHONE)
    for chosen in ("[name=format][value=teams]", "[name=format][value=free]", "[name=format][value=swiss]"):
        page.locator(chosen).scroll_into_view_if_needed()
        before = page.evaluate(TOP), page.locator(chosen).bounding_box()["y"]
        page.locator(chosen).click()
        assert (page.evaluate(TOP), page.locator(chosen).bounding_box()["y"]) == before
    page.click(".starts summary")
    chosen = page.locator(".starts [type=radio]").nth(2)
    chosen.scroll_into_view_if_needed()
    before = page.evaluate(TOP)
    chosen.click()
    assert page.evaluate(TOP) == before


def test_an_invitation_is_made_where_the_page_was(watch, evening):
    page = watch.open("/events/cup/people", **PHONE)
    page.locator("button:has-text('arbiter')").click()
    page.wait_for_url("**/people#invite-head")
    assert page.locator("#invite-head").bounding_box()["y"] < 400


def test_a_page_that_was_refused_something_stays_up_to_date(watch, evening, games):
    watch.expected = ("409",)
    page = watch.open("/events/cup", ready="[data-following]")
    page.click(".next-round button")
    page.wait_for_selector("[data-refusal]")
    page.wait_for_selector("[data-following]")
    games.play(evening[0], games.load(evening[0]).legal(1)[0], WRITE)
    page.wait_for_selector('text="1 turn"')
    assert page.inner_text("[data-link-state]") == ""


def test_news_of_other_tables_move_neither_the_page_nor_what_is_chosen(watch, evening, services):
    page = watch.open("/events/cup", ready="[data-following]", **PHONE)
    link = page.locator(".standings tbody a").nth(8)
    link.focus()
    head = page.locator("#standings-head")
    before = head.bounding_box()["y"]
    services.games.end(evening[0], "resignation", "South", WRITE)
    page.wait_for_selector("#table-1 .table-result")
    page.wait_for_selector('.leader-list span:last-child:text-is("1") >> nth=0')
    assert page.evaluate("document.activeElement.matches('.standings a')")
    assert abs(head.bounding_box()["y"] - before) < 40


def test_a_request_to_keep_a_score_shows_up_and_is_answered_with_one_tap(watch, evening, services):
    made = services.invitations.create("keeper", "Cup", "3", Write("page", "Wanjiru"))
    page = watch.open("/events/cup", ready="[data-following]", **PHONE)
    for name in ("Farah", "Esther"):
        services.invitations.join(made.id, name)
    page.wait_for_selector("#table-3 .asking button")
    page.click("#table-3 .asking button")
    page.wait_for_function("() => !document.querySelector('#table-3 .asking')")
    assert services.invitations.keeper("Cup", "3") == "Esther"


def test_the_letters_of_the_pits_can_be_read_beside_a_sheet(watch):
    page = watch.open("/paper?game=enkeshui", ready="[data-ready]")
    heights = page.evaluate(
        "[...document.querySelectorAll('[data-board] .letter')].map((one) => one.getBoundingClientRect().height)"
    )
    assert len(heights) == 24
    assert min(heights) >= 14
