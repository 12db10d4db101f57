"""The pages of a disputed game in a real browser: they follow what others do."""

from __future__ import annotations

import pytest

from inkeek.service.disputes.disputes import add_claim, open_dispute
from inkeek.service.disputes.rulings import propose, rule
from inkeek.service.disputes.terms import Terms
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import SESSION
from tests.service.http.web.browsing import wait_connected
from tests.service.positions import moved

pytestmark = pytest.mark.browser


@pytest.fixture
def dispute(games, new_game):
    """A dispute about the last turn."""
    return open_dispute(games, new_game(3), "South", "not so", Write("api", actor="Nasieku"))


def test_what_a_preview_shows_is_proposed_beside_it(watch, games, dispute):
    page = watch.open(f"/games/{dispute.game}/disputes/{dispute.seq}")
    page.click("[aria-labelledby=propose-head] summary >> nth=0")
    page.check("#propose-form [value=stands]")
    page.fill("#propose-note", "Both saw it.")
    page.click("#propose-form [value=preview]")
    page.click("[data-preview] [value=propose]")
    assert "Both saw it." in page.inner_text("[data-entry=proposal]")


def test_a_preview_follows_what_is_said_and_ruled_meanwhile(watch, games, dispute):
    page = watch.open(f"/games/{dispute.game}/disputes/{dispute.seq}")
    page.click("[aria-labelledby=propose-head] summary >> nth=0")
    page.select_option("#propose-side", "North")
    page.check("[data-propose] [value=stands]")
    page.click("[data-propose] [value=preview]")
    page.wait_for_selector("[data-preview]")
    add_claim(games, dispute.id, "a seed is astray", Write("api", actor="Nasieku"))
    page.wait_for_selector("[data-entry=claim]")
    assert page.is_visible("[data-preview]")
    rule(games, dispute.id, Terms("stands", "rightly sown"), Write("api", actor="Koinet"))
    page.wait_for_selector("[data-state=ruled]")
    page.wait_for_selector("[data-appeal]", state="attached")
    assert page.query_selector(".disputed-bar") is None
    assert page.query_selector("[data-preview]") is None
    page.wait_for_url(f"**/disputes/{dispute.seq}")
    wait_connected(page)


def test_a_proposal_can_be_answered_as_soon_as_it_is_made(watch, games, dispute):
    page = watch.open(f"/games/{dispute.game}/disputes/{dispute.seq}", ready="[data-forms]")
    page.click("#claim-head")
    page.fill("#claim", "half a sentence")
    add_claim(games, dispute.id, "a seed is astray", Write("api", actor="Nasieku"))
    page.wait_for_selector("[data-entry=claim]")
    assert page.input_value("#claim") == "half a sentence"
    propose(games, dispute.id, "North", Terms("stands", "fair"), Write("api", actor="Lemayian"))
    page.click("[name=answer][value=accept]")
    page.wait_for_selector("[data-state=ruled]")
    assert games.row(dispute.game).dispute is None


@pytest.fixture
def arbiter_page(watch, services, dispute):
    """The page of the dispute, at which an arbiter is signed in."""
    page = watch.open(f"/games/{dispute.game}/disputes/{dispute.seq}", ready=".has-path")
    session = services.keys.create(SESSION, "Koinet", ("record", "arbiter"), None)[1]
    (cookie,) = page.context.cookies()
    page.context.add_cookies([{**cookie, "value": session}])
    page.reload()
    page.wait_for_selector("[data-follow][data-following]")
    return page


def test_what_was_typed_is_shown_when_another_arbiter_has_ruled(games, dispute, arbiter_page):
    page = arbiter_page
    typed = {
        "[data-rule] [name=note]": "The board was set up wrong.",
        "[action$='/claim'] [name=claim]": "and five were lifted",
        "[action$='/evidence'] [name=text]": "four, not five",
        "[action$='/withdrawal'] [name=note]": "a mistake",
        "[data-propose] [name=note]": "both saw it",
    }
    page.eval_on_selector_all("details", "all => all.forEach((one) => { one.open = true; })")
    for field, text in typed.items():
        page.fill(field, text)
    rule(games, dispute.id, Terms("stands", "rightly sown"), Write("api", actor="Nasieku"))
    page.wait_for_selector("[data-state=ruled]")
    page.wait_for_selector("[data-typed]:not([hidden])")
    for text in typed.values():
        assert text in page.inner_text("[data-typed]")
    page.reload()
    assert "The board was set up wrong." in page.inner_text("[data-typed]:not([hidden])")  # the draft
    page.click("[data-typed] button")
    page.reload()
    page.wait_for_selector("[data-follow][data-following]")
    assert page.is_hidden("[data-typed]")


def test_a_draft_of_a_ruling_is_kept_until_it_is_dropped_or_ruled(games, dispute, arbiter_page):
    page = arbiter_page
    assert page.is_hidden("[data-draft]")
    page.check("#rule-form [value=restart]")
    page.fill("#rule-note", "The board was set up wrong.")
    page.reload()
    page.wait_for_selector("[data-draft]")
    assert page.is_checked("#rule-form [value=restart]")
    assert page.input_value("#rule-note") == "The board was set up wrong."
    page.check("#rule-form [value=corrected]")
    page.reload()
    page.wait_for_selector("[data-draft]")
    assert page.is_visible("#rule-move")
    page.click("[data-draft] button")
    assert page.is_hidden("[data-draft]")
    assert page.input_value("#rule-note") == ""
    page.check("#rule-form [value=restart]")
    page.fill("#rule-note", "The board was set up wrong.")
    page.click("#rule-form [value=rule]")
    page.wait_for_selector("[data-state=ruled]")
    assert games.row(dispute.game).ply == 0
    page.wait_for_function("() => !Object.keys(localStorage).some((name) => name.startsWith('ruling'))")


def numbers(page, name: str) -> int:
    """How many numbers are seen on a board of the page."""
    return page.eval_on_selector_all(
        f"[data-picture={name}] .sown", "all => all.filter((one) => one.getBoundingClientRect().width).length"
    )


def test_both_boards_number_the_seeds_also_after_an_update(watch, games, dispute):
    page = watch.open(f"/games/{dispute.game}/disputes/{dispute.seq}", ready=".has-path")
    page.click("[data-fresh=numbers] [data-path]")
    assert numbers(page, "should") > 0
    assert page.query_selector("[data-picture=lies]") is None
    recorded = games.row(dispute.game).position
    add_claim(games, dispute.id, "", Write("api"), recorded)
    page.wait_for_selector("[data-picture=lies] .sown")
    assert numbers(page, "lies") == numbers(page, "should")
    add_claim(games, dispute.id, "", Write("api"), moved(recorded))  # two accounts are as likely: neither is numbered
    page.wait_for_selector("[data-picture=lies] .sown", state="detached")
    page.wait_for_selector("[data-account='2'] .sown", state="attached")
    buttons = page.eval_on_selector_all("[data-path]", "all => all.map((one) => one.ariaPressed)")
    assert set(buttons) == {"true"}
    page.keyboard.press("p")
    assert (numbers(page, "should"), numbers(page, "lies")) == (0, 0)


def test_a_live_page_with_a_refusal_still_follows_the_game(watch, games, new_game):
    watch.expected = ("422",)
    game_id = new_game(3)
    page = watch.open(f"/games/{game_id}/live", ready="[data-live][data-following]")
    page.click("nav.tools a[href='#dispute']")
    page.select_option("#dispute-side", "South")
    page.fill("#dispute-claim", " ")
    page.click("#dispute button")
    page.wait_for_selector("[data-refusal]:not(:empty)")
    page.wait_for_selector("[data-live][data-following]")
    games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    page.wait_for_selector("[data-live][data-ply='4']")
    found = open_dispute(games, game_id, "North", "not so", Write("api"))
    page.wait_for_selector(f"[data-disputed='{found.seq}']")
    wait_connected(page)


def test_all_who_watch_see_the_ruling_though_only_few_findings_are_made_at_once(watch, games, dispute):
    watch.expected = ("503",)  # the others ask again
    seen = games.row(dispute.game).position
    add_claim(games, dispute.id, "", Write("api"), seen)
    pages = [watch.open(f"/games/{dispute.game}/disputes/{dispute.seq}", signed=False) for _ in range(5)]
    for page in pages:
        page.wait_for_selector("[data-finding]")
    rule(games, dispute.id, Terms("stands", "rightly sown"), Write("api", actor="Koinet"))
    for page in pages:
        page.wait_for_selector("[data-state=ruled]")
        assert page.query_selector(".disputed-bar") is None
        wait_connected(page)


def test_the_list_of_disputes_needs_no_scrolling_sideways_on_a_phone(watch, games, dispute):
    games.retag(dispute.game, {"South": "Nkatha wa Kirimi na wenzake", "North": "x" * 60}, Write("api"))
    page = watch.open("/disputes", viewport={"width": 320, "height": 640})
    row = page.locator(f"[data-dispute-row='{dispute.id}']")
    assert "not so" in row.text_content()
    wider = (
        "all => all.filter((one) => one.getBoundingClientRect().right > 320 || one.scrollWidth > one.clientWidth + 1)"
    )
    assert (
        page.eval_on_selector_all("main, main .game-row, main .game-row *", f"{wider}.map((one) => one.outerHTML)")
        == []
    )


def test_what_belongs_to_the_chosen_outcome_opens(watch, dispute):
    page = watch.open(f"/games/{dispute.game}/disputes/{dispute.seq}")
    page.click("[aria-labelledby=propose-head] summary >> nth=0")
    for outcome, other in (("corrected", "retracted"), ("retracted", "corrected")):
        page.check(f"[data-propose] [value={outcome}]")
        page.wait_for_selector(f"[data-propose] [data-outcome={outcome}][open]")
        page.wait_for_selector(f"[data-propose] [data-outcome={other}]:not([open])")
