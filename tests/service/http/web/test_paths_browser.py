"""Whole ways through the pages, by taps on phones: from where somebody begins to what they wanted."""

import io
from time import monotonic

import pytest
import zxingcpp
from PIL import Image

from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import SESSION
from inkeek.service.http.access.invitations import ROLES
from tests.service.http.web.browsing import Watch
from tests.service.http.web.test_browser import LIVE
from tests.service.turns.pages.test_board_entry_browser import OPEN, PHONE, wait_ply
from tests.service.turns.pages.test_phone_browser import tap

pytestmark = pytest.mark.browser

TAPS = {**PHONE, "reduced_motion": "reduce"}


def scanned(code) -> str:
    """What a QR code says, as soon as it can be read: who holds a camera before it waits, too."""
    code.evaluate("svg => svg.scrollIntoView({block: 'center'})")  # under no bar of the page
    until = monotonic() + 30
    while not (found := zxingcpp.read_barcodes(Image.open(io.BytesIO(code.screenshot())).convert("L"))):
        assert monotonic() < until, "the code cannot be read"
    return found[0].text


def end_by_taps(page, winner: str) -> None:
    page.tap("nav.tools a[href='#more']")
    page.tap("#more a[href='#end']")
    page.select_option("#end #termination", "resignation")
    page.select_option('#end [name="winner"]', winner)
    page.tap("#end button")
    page.wait_for_selector(".result")


def test_from_the_rules_over_a_lesson_to_a_first_game_and_its_mistakes(watch, work_on_jobs):
    page = watch.open("/rules", **TAPS)
    page.tap(".rule-cards a[href$='/bof']")
    page.wait_for_selector(".lesson.playable")
    page.tap(".lesson .pit.legal .hollow", force=True)
    page.wait_for_selector(".lesson-said.right")
    page.tap(".first-game button")
    for ply in range(1, 5):
        page.wait_for_selector(OPEN)
        tap(page, int(page.get_attribute("svg.board .pit.legal >> nth=0", "data-pit")))
        wait_ply(page, ply)
    end_by_taps(page, "South")
    page.goto(f"{watch.base}/mine")
    page.tap("main .game-names >> nth=0")  # nobody is named in it
    page.wait_for_selector("[data-review][data-ready]")
    page.tap("form[action$='/analysis'] button >> nth=0")
    page.wait_for_selector("progress")
    work_on_jobs()
    page.tap("[data-next-mistake]")
    page.wait_for_selector("[data-judgement]:not([hidden])")


def test_from_an_invitation_over_a_phone_and_a_game_to_the_standings(browser, watch, served, services):
    players = tuple(EventPlayer(id, name) for id, name in enumerate(("Amina", "Babu", "Daudi", "Farah"), 1))
    services.events.create(
        EventPlan("Cup", games=(OfferedGame("oware"),), players=players, format="swiss"), Write("api")
    )
    organizer = Watch(browser, served, services.keys.create(SESSION, "Wanjiru", ROLES["organizer"].scopes, None)[1])
    desk = organizer.open("/events/cup", **TAPS)
    desk.tap(".next-round button")
    desk.wait_for_selector("#table-1")
    desk.tap("a[href$='/events/cup/people'] >> nth=0")
    desk.tap("button:has-text('One for each table')")
    link = scanned(desk.locator(".join-qr svg").first)
    phone = watch.open("/join", signed=False, **TAPS)
    phone.goto(link)
    phone.tap(".join-who label >> nth=0")
    phone.tap("button[value=keep]")
    phone.wait_for_selector(LIVE)
    tap(phone, 2)
    wait_ply(phone, 1)
    end_by_taps(phone, "South")
    desk.goto(f"{served}/events/cup")
    first = desk.locator(".standings tbody tr").first.inner_text().split()
    assert first[2] == "1"
    organizer.close()
    assert organizer.complaints == []


def test_from_a_dispute_over_its_ruling_and_sheet_to_a_reader_without_an_account(
    browser, watch, served, services, new_game
):
    page = watch.open(f"/games/{new_game(6)}/live", ready=LIVE, **TAPS)
    page.tap("nav.tools a[href='#dispute']")
    page.fill("#dispute-claim", "They skipped a pit of mine")
    page.tap("#dispute button")
    page.tap("a[href$='/board'] >> nth=0")
    page.wait_for_url("**/board")
    page.tap(".board .pit .hollow >> nth=2", force=True)
    page.tap("button.strong:has-text('Say it')")
    page.wait_for_selector("[data-finding]")
    judge = Watch(browser, served, services.keys.create(SESSION, "Koinet", ("record", "arbiter"), None)[1])
    desk = judge.open("/disputes", **TAPS)
    desk.tap("[data-dispute-row] a")
    desk.check("#rule-form [value=stands]")
    desk.fill("#rule-note", "Both saw it.")
    desk.tap("#rule-form [value=rule]")
    desk.wait_for_selector("[data-ruling]")
    desk.wait_for_load_state()  # until then the link may move under the finger
    desk.tap("a[href$='/sheet']")
    desk.wait_for_selector(".dispute-sheet")
    desk.go_back()
    desk.tap("a[href*='/share']")
    reader = judge.open("/rules", signed=False, **TAPS)
    reader.goto(desk.input_value("[data-link]"))
    assert "Both saw it." in reader.inner_text("[data-ruling]")
    # what was ruled, what happened and why: each on one screen
    for part in ("[data-fresh=head]", "[aria-labelledby=finding-head]", "[data-fresh=course]"):
        assert reader.locator(part).bounding_box()["height"] <= 844, part
    judge.close()
    assert judge.complaints == []
