"""Every page that follows a stream: when the stream is lost or refused, and when the page is left or hidden."""

from collections.abc import Callable
from dataclasses import asdict

import pytest

from inkeek.service.boards.status import Refusal
from inkeek.service.disputes import disputes
from inkeek.service.games.write import Write
from tests.service.boards_double import set_status
from tests.service.http.web.browsing import wait_connected

pytestmark = pytest.mark.browser

FOLLOWING = "[data-follow][data-following]"
# Keeps the streams of the page, to see whether they are open.
KEEP_STREAMS = """
window.streams = [];
window.EventSource = class extends EventSource {
  constructor(...all) { super(...all); window.streams.push(this); }
};
"""
# Streams of which a proxy passes on nothing but that they are open.
SILENCE_STREAMS = """
window.heard = EventSource;
window.EventSource = class extends EventTarget {
  static OPEN = 1;
  static CLOSED = 2;
  readyState = 1;
  constructor() { super(); setTimeout(() => this.dispatchEvent(new Event("open"))); }
  close() { this.readyState = 2; }
};
"""
OPEN_STREAMS = "() => window.streams.filter((one) => one.readyState !== EventSource.CLOSED).length"
LEAVE = "() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))"
RETURN = "() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"
SHOW = "() => document.dispatchEvent(new Event('visibilitychange'))"
KINDS = ["live", "dispute", "boards", "board", "hall", "standings"]


@pytest.fixture
def followed(watch, services, games, new_game, bind_board):
    """Makes what a page is about: its address, how many streams it has, what changes it, and how the change shows."""
    tags = {"South": "Naisula", "North": "Koinet", "Event": "Cup", "Round": "1"}

    def make(kind: str) -> tuple[str, int, Callable[[], object], str]:
        game_id = new_game(1, tags=tags)
        if kind == "live":
            return f"/games/{game_id}/live", 1, lambda: play(game_id), '[data-live][data-ply="2"]'
        if kind == "hall":
            return "/events/cup/hall", 2, lambda: play(game_id), "[data-plies]:has-text('2')"
        if kind == "standings":
            return (
                "/events/cup",
                1,
                lambda: games.end(game_id, "resignation", "North", Write("api")),
                "[role=img]:text('0–0–1')",
            )
        if kind == "dispute":
            found = disputes.open_dispute(games, game_id, "North", "It ended in G", Write("api"))
            return (
                f"/games/{game_id}/disputes/{found.seq}",
                1,
                lambda: disputes.add_claim(games, found.id, "It ended in H", Write("api")),
                "text=It ended in H",
            )
        board = bind_board(game_id)
        refusal = asdict(Refusal(2, "1.", "North", "no-fit", None, "Nothing fits.", (), {}))

        def refuse() -> None:
            set_status(services.boards, board, message="Nothing fits.", mend={"1": 1}, refusal=refusal)

        return "/boards" if kind == "boards" else f"/boards/{board}", 1, refuse, "text=Nothing fits."

    def play(game_id: str) -> None:
        games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))

    return make


def opened(watch, path: str, streams: int):
    page = watch.open("/appearance")
    page.context.add_init_script(KEEP_STREAMS)
    page.goto(watch.base + path, wait_until="domcontentloaded")
    page.wait_for_selector(FOLLOWING)
    assert page.evaluate(OPEN_STREAMS) == streams
    return page


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_that_is_left_closes_its_streams_and_catches_up_when_it_comes_back(watch, followed, kind):
    path, streams, change, shown = followed(kind)
    page = opened(watch, path, streams)
    page.evaluate(LEAVE)
    assert page.evaluate(OPEN_STREAMS) == 0
    change()
    assert page.locator(shown).count() == 0
    page.evaluate(RETURN)
    page.wait_for_selector(shown, state="attached")
    page.wait_for_selector(FOLLOWING)
    assert page.evaluate(OPEN_STREAMS) == streams
    wait_connected(page)


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_stream_is_reported_and_opened_again(watch, followed, kind):
    watch.expected = ("Failed to load resource", "ERR_")
    path, _, change, shown = followed(kind)
    page = watch.open("/appearance")
    for pattern in ("**/events*", "**/feed?*"):
        page.route(pattern, lambda route: route.fulfill(status=503) if is_stream(route) else route.continue_())
    page.goto(watch.base + path, wait_until="domcontentloaded")
    page.wait_for_selector("[data-link-state]:not(:empty)")
    assert page.query_selector(FOLLOWING) is None
    change()
    page.wait_for_selector(shown, state="attached")  # without a stream: the page is fetched again and again
    page.unroute("**/events*")
    page.unroute("**/feed?*")
    page.wait_for_selector(FOLLOWING)
    wait_connected(page)


@pytest.mark.parametrize("kind", ["live", "hall"])
def test_a_stream_that_stays_silent_is_reported_and_the_page_fetched_again(watch, followed, kind):
    path, _, change, shown = followed(kind)
    page = watch.open("/appearance")
    page.clock.install()
    page.context.add_init_script(SILENCE_STREAMS)
    page.goto(watch.base + path)
    assert page.query_selector(FOLLOWING) is None
    change()
    page.clock.fast_forward(3_000)
    page.wait_for_selector("[data-link-state]:not(:empty)")
    page.wait_for_selector(shown, state="attached")
    page.evaluate("() => { window.EventSource = window.heard; }")
    page.clock.fast_forward(3_000)
    page.wait_for_selector(FOLLOWING)
    wait_connected(page)


def is_stream(route) -> bool:
    return route.request.resource_type == "eventsource"


@pytest.mark.parametrize("kind", ["live", "hall"])
def test_a_page_that_is_shown_again_follows_a_new_stream(watch, followed, kind):
    path, streams, change, shown = followed(kind)
    page = opened(watch, path, streams)
    page.evaluate("() => { for (const one of streams) one.close(); }")  # as when a device slept: nobody says so
    change()
    page.evaluate(SHOW)
    page.wait_for_selector(shown, state="attached")
    page.wait_for_selector(FOLLOWING)
    assert page.evaluate(OPEN_STREAMS) == streams


def test_a_page_that_cannot_be_fetched_says_so_and_is_fetched_again(watch, followed):
    watch.expected = ("Failed to load resource", "ERR_")
    path, streams, change, shown = followed("hall")
    page = opened(watch, path, streams)
    page.route(f"**{path}", lambda route: route.abort())
    change()
    page.wait_for_selector("[data-link-state]:not(:empty)")
    page.unroute(f"**{path}")
    page.wait_for_selector(shown, state="attached")
    wait_connected(page)
    assert page.evaluate(OPEN_STREAMS) == streams
