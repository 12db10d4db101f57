"""The forms of the live page that a script sends: each press once, and only about the turn that the form names."""

import pytest

from inkeek.service.games import corrections
from inkeek.service.games.write import Write
from tests.service.http.web.test_browser import LIVE, wait_position

pytestmark = pytest.mark.browser

OTHER = Write("api", "Nasieku")
# Fills in what a form needs, and presses its last button twice before any answer can come.
PRESS_TWICE = """form => {
  for (const field of form.querySelectorAll(":required"))
    if (field.tagName === "SELECT") field.selectedIndex = field.options.length - 1;
    else field.value = "a";
  const button = [...form.querySelectorAll("button:not([type=button])")].at(-1);
  button.click();
  button.click();
}"""
TYPED = {
    "take-back": "note",
    "note": "comment",
    "missed": "turns",
    "trial": "by",
}  # a text of each form that names a turn


def part(name: str) -> str:
    return f"[data-fresh='{name}']"


def play(games, game_id: str) -> None:
    games.play(game_id, games.load(game_id).legal(1)[0], OTHER)


def replay(games, game_id: str) -> None:
    corrections.take_back(games, game_id, "agreement", OTHER)
    games.play(game_id, games.load(game_id).legal(9)[-1], OTHER)


def test_a_second_press_of_any_form_does_nothing_and_a_refusal_says_why(watch, new_game):
    watch.expected = ("409",)
    page = watch.open(f"/games/{new_game(2)}/live", ready=LIVE)
    forms = page.locator("form[data-send]:not([data-lay-out])")  # the turn that is laid out goes with the others
    count = forms.count()
    assert count > len(TYPED)
    for at in range(count):
        sent: list[str] = []

        def answer(route, at=at, sent=sent):
            sent.append(route.request.url)
            route.fulfill(status=409, content_type="text/html", body=f"<p data-refusal>because of {at}</p>")

        page.route(lambda _: True, lambda route: answer(route) if route.request.method == "POST" else route.fallback())
        forms.nth(at).evaluate(PRESS_TWICE)
        page.wait_for_selector(f"[data-refusal]:has-text('because of {at}')")
        page.unroute_all()
        assert len(sent) == 1, forms.nth(at).inner_html()


@pytest.mark.parametrize(
    ("name", "change"),
    [("take-back", play), ("take-back", replay), ("note", replay), ("missed", play), ("trial", play)],
)
def test_a_form_that_was_refused_names_the_turn_that_it_is_about_then(watch, games, new_game, name, change):
    watch.expected = ("409",)
    game_id = new_game(2)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    page.evaluate("name => { location.hash = name; }", "more" if name == "trial" else name)
    typed = page.locator(f"{part(name)} [name='{TYPED[name]}']")
    typed.fill("3")
    if name == "trial":
        page.fill(f"{part(name)} [name='move']", "a")
    before = page.inner_text(part(name))
    change(games, game_id)
    game = games.load(game_id)
    wait_position(page, game.position)
    assert page.inner_text(part(name)) == before  # it belongs to the turn at which it was begun
    page.locator(f"{part(name)} button:not([type=button])").first.click()
    page.wait_for_function("([part, old]) => document.querySelector(part).innerText !== old", arg=[part(name), before])
    assert page.inner_text("[data-fresh='last-line'] .move-text") in page.inner_text(part(name))
    assert page.input_value(f"{part(name)} [name='ply']") == str(game.row.ply + (name in ("missed", "trial")))
    assert typed.input_value() == "3"
    if name == "take-back":
        assert page.input_value(f"{part(name)} [name='side']") == str(game.position.to_move.other)
    assert games.row(game_id).seq == game.seq
    assert not page.inner_text("[data-refusal]").startswith("409")


def test_what_was_typed_in_a_form_that_is_gone_is_shown_until_it_is_closed(watch, games, new_game):
    watch.expected = ("409",)
    game_id = new_game(1)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE)
    page.click(".tools [href='#take-back']")
    page.fill("#take-back-note", "misheard")
    corrections.take_back(games, game_id, "agreement", OTHER)
    wait_position(page, games.load(game_id).position)
    page.click("#take-back [name=reason] >> nth=0")
    page.wait_for_selector("[data-typed]:has-text('misheard')")
    assert page.locator("#take-back-note").count() == 0
    page.click("[data-typed] button")
    assert page.is_hidden("[data-typed]")


def test_what_was_typed_is_there_when_one_goes_back_after_the_connection_was_lost(watch):
    watch.expected = ("ERR_INTERNET_DISCONNECTED",)
    page = watch.open("/games/new?game=bof")
    box = page.locator("#tag-South")
    box.fill("Nashipae", timeout=5000)
    page.context.set_offline(True)
    with page.expect_event("requestfailed"):
        box.evaluate("box => box.form.requestSubmit()")
    page.wait_for_function("() => location.href.startsWith('chrome-error:')")
    page.context.set_offline(False)
    page.go_back()
    assert box.input_value() == "Nashipae"
