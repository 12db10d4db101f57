"""A hall of 24 boards in a real browser: it is light, follows all games, and shows what must not be missed."""

import pytest

from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.events.hall import MOST
from inkeek.service.games.write import Write
from tests.service.boards.pages.test_pages import COUNTS, refusal
from tests.service.boards_double import set_status
from tests.service.http.web.browsing import drawn, loaded_bytes

pytestmark = pytest.mark.browser

HALL = "/events/cup/hall"
FOLLOWS = "[data-hall][data-following]"
CONNECTED = ".chip:has-text('board connected')"
HEAVIEST = 150_000  # bytes of a page with all that it loads


@pytest.fixture
def round_of(new_game):
    """Makes a round of so many games, of three lengths of board; their ids."""

    def make(count: int) -> list[str]:
        kinds = [("enkeshui", None), ("layli-goobalay", None), ("enkeshui", {"pits": 12, "setup": "triples"})]
        return [
            new_game(
                6, *kinds[number % 3], tags={"South": "Naisula Lemasai", "North": f"N{number}", "Event": "Cup",
                "Round": "1", "Board": f"{number:02}"},
            )
            for number in range(count)
        ]  # fmt: skip

    return make


def test_a_hall_of_24_boards_is_light_and_follows_all_of_them(watch, games, round_of):
    made = round_of(MOST)
    page = watch.open(HALL, ready=FOLLOWS)
    assert loaded_bytes(page) <= HEAVIEST
    assert page.evaluate("document.querySelectorAll('svg.small .seeds use').length") > 24 * 30
    for game_id in made[:: MOST // 4]:
        played = games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
        board = page.wait_for_selector(f"[data-game='{game_id}'] svg.board[data-position='{played.turn.position}']")
        position = played.turn.position
        counts = board.eval_on_selector_all(".counts text", "texts => texts.map((text) => Number(text.textContent))")
        assert counts == [*position.pits, *position.stores]
        seeds = board.eval_on_selector_all(".seeds use", "seeds => seeds.length")
        assert seeds == sum(min(count, 30) for count in position.pits) + sum(min(n, 60) for n in position.stores)
        page.wait_for_selector(f"[data-game='{game_id}'] [data-plies]:has-text('7')")
    games.end(made[0], "agreement", None, Write("api"))
    page.wait_for_selector(f"[data-game='{made[0]}'] .hall-state.over")


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 800)])
def test_a_wall_fits_the_screen_and_turns_its_pages(watch, round_of, size):
    made = round_of(20)
    page = watch.open("/events/cup/wall", viewport=dict(zip(("width", "height"), size, strict=True)))
    boards = ".hall-game:not([hidden])"
    page.wait_for_selector(f"[data-game='{made[12]}'][hidden]", state="attached")
    assert len(page.query_selector_all(boards)) == 12
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    heights = page.eval_on_selector_all(boards, "cards => cards.map((card) => Math.round(card.offsetHeight))")
    assert max(heights) - min(heights) <= 1
    assert page.eval_on_selector_all(f"{boards} svg", "drawn => Math.min(...drawn.map((one) => one.clientHeight))") > 60
    rows = ".wall-standings li:not([hidden])"
    first = page.inner_text(rows)
    page.wait_for_selector(f"[data-game='{made[-1]}']:not([hidden])")
    assert len(page.query_selector_all(boards)) == len(made) - 12
    assert page.inner_text(rows) != first


def test_a_long_name_breaks_no_score_and_a_long_title_leaves_the_code_beside_it(watch, games, new_game):
    event = "International open championship of the whole Rift Valley and of the coast"
    tags = {"South": "Nkathawakirimi" * 5, "North": "Ben", "Event": event, "Board": "1"}
    assert min(games.row(new_game(500, "oware", tags=tags)).score) > 9
    page = watch.open(f"/events/{event.lower().replace(' ', '%20')}/wall", viewport={"width": 1920, "height": 1080})
    parts = ("h1", ".wall-qr", "[data-side='0'] [data-score]")
    title, code, score = (page.locator(part).first.bounding_box() for part in parts)
    assert code["x"] > title["x"] + title["width"]
    assert score["width"] > score["height"]
    page.set_viewport_size({"width": 700, "height": 800})
    page.goto(page.url.replace("/wall", ""))
    assert page.locator(".game-names").bounding_box()["width"] > 250


def test_a_refused_turn_shows_at_once_and_a_tap_says_which_turn_was_played(
    watch, services, games, round_of, bind_board
):
    game_id, _ = round_of(2)
    board = bind_board(game_id, counts=COUNTS)
    page = watch.open(HALL, ready=FOLLOWS)
    assert page.query_selector("[data-refused]") is None
    one, other = map(str, games.load(game_id).legal(2))
    asked = refusal(7, (one, 0.72, True), (other, 0.27, False), at=games.row(game_id).seq)
    set_status(services.boards, board, refusal=asked)
    page.wait_for_selector(f"[data-game='{game_id}'] [data-refused]")
    assert page.is_visible(f".hall-alerts a[href='#game-{game_id}']")
    page.dblclick(f"[data-game='{game_id}'] .choices button >> nth=1")  # a second answer would be refused
    page.wait_for_selector(f"[data-game='{game_id}'] [data-plies]:has-text('7')")
    assert page.url.endswith(HALL)
    assert str(games.load(game_id).turn(7).move) == other
    set_status(services.boards, board, refusal=None)
    page.wait_for_selector("[data-refused]", state="detached")


def test_a_dispute_shows_at_once_and_leads_to_its_page(watch, games, round_of):
    game_id, _ = round_of(2)
    page = watch.open(HALL, ready=FOLLOWS)
    found = open_dispute(games, game_id, "South", "not so", Write("api"))
    page.click(f"[data-game='{game_id}'] .disputed-bar a")
    page.wait_for_url(f"**/games/{game_id}/disputes/{found.seq}")


def test_spectators_follow_no_boards_and_cannot_answer(watch, services, games, round_of, bind_board):
    (game_id,) = round_of(1)
    one = str(games.load(game_id).legal(1)[0])
    bind_board(game_id, counts=COUNTS, refusal=refusal(7, (one, 0.7, True)))
    page = watch.open(HALL, ready=FOLLOWS, signed=False)
    assert page.get_attribute("[data-hall]", "data-boards") is None
    assert page.query_selector("[data-refused]") is not None
    assert page.query_selector(".choices") is None


def test_the_boards_page_draws_boards_and_what_to_mend(watch, services, round_of, bind_board):
    (game_id,) = round_of(1)
    board = bind_board(game_id, counts=COUNTS)
    page = watch.open("/boards", ready="[data-follow][data-following]")
    assert page.query_selector("svg.small .mend") is None
    counts = [*COUNTS[:4], 7.0, *COUNTS[5:]]
    set_status(services.boards, board, counts=counts, mend={"4": -3}, refusal=refusal(7))
    page.wait_for_selector("svg.small .mend .badge:has-text('−3')")
    page.wait_for_selector(f"[data-refused='{board}']")
    assert page.evaluate("document.querySelectorAll('svg.small .seeds use').length") == round(sum(counts))
    page.click(".card h3 a")
    page.wait_for_url(f"**/boards/{board}")
    page.wait_for_selector("[data-follow][data-following]")
    assert drawn(page)[0][4] == 7
    assert page.text_content(".pit.mend .badge") == "−3"


def test_a_live_page_goes_on_without_a_board_that_was_released(watch, services, round_of, bind_board):
    (game_id,) = round_of(1)
    board = bind_board(game_id, counts=COUNTS)
    page = watch.open(f"/games/{game_id}/live", ready="[data-live][data-following]")
    assert page.query_selector(CONNECTED)
    services.boards.release(board)
    page.wait_for_selector(CONNECTED, state="detached")


def test_the_code_of_a_wall_follows_the_address_of_the_machine(watch, round_of, monkeypatch):
    networks = ["192.168.1.20", "10.0.0.7"]
    monkeypatch.setattr("inkeek.service.http.web.base.reachable_url", lambda url, host: f"http://{networks[0]}:8000/")
    round_of(1)
    page = watch.open("/events/cup/wall", ready=FOLLOWS)
    before = page.inner_html(".wall-qr")
    assert networks[0] in page.inner_text(".addresses")
    assert not page.is_visible("[data-address-changed]")
    del networks[0]
    page.wait_for_selector("[data-address-changed]:visible")
    assert networks[0] in page.inner_text(".addresses")
    assert page.inner_html(".wall-qr") != before
