import io

import pypdf
import pytest

from inkeek.records import read_games
from inkeek.service.booklet import pages as booklet
from inkeek.service.booklet.pages import turning_points
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of
from inkeek.service.games.plies import COMMENT, NAG
from inkeek.service.games.review.annotations import Edit, annotate
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import SESSION
from inkeek.service.http.access.invitations import ROLES
from inkeek.service.jobs.queue import NONE, GameAnalysis
from tests.service.events.test_pairings import paired, pairing
from tests.service.http.web.browsing import Watch

NAMES = ('#panic("x")', "*Bold* @ref $x$ </svg>", "Nkathawakirimi" * 7, "محمد عبد الرحمن", "Ben 🎲")


@pytest.fixture
def cup(services, games) -> str:
    """An event whose first game has mistakes and a comment that names a position; the game."""
    players = tuple(EventPlayer(id, name) for id, name in enumerate(NAMES, 1))
    offered = OfferedGame("enkeshui", {"pits": 8, "setup": "fours-right"})
    services.events.create(EventPlan("Cup", games=(offered,), players=players, format="swiss"), Write("api"))
    services.events.begin_round("cup", None, Write("api"))
    first, second, _bye = plan_of(services.events.load("cup")).rounds[0].pairings
    services.events.change_table("cup", None, 1, second.table, {"result": "south"}, Write("api"))
    for _ in range(4):
        games.play(first.game, games.load(first.game).legal(1)[0], Write("api"))
    edits = [Edit("", NAG, 4, ply) for ply in (1, 3)]
    edits.append(Edit("", COMMENT, f"#eval(1) too early: {games.row(first.game).position}", 3))
    annotate(games, first.game, edits, Write("api"), is_arbiter=False)
    return first.game


@pytest.mark.browser
@pytest.mark.parametrize("language", ["en", "sw"])
def test_booklets_and_score_sheets_print_whatever_people_are_called(watch, games, cup, language):
    for path in ("/events/cup/booklet", f"/games/{cup}/score-sheet"):
        page = watch.open(f"{path}?lang={language}")
        pages = [one.extract_text() for one in pypdf.PdfReader(io.BytesIO(page.pdf(format="A4"))).pages]
        text = "".join(pages)
        assert [f"{number}/{len(pages)}" in one for number, one in enumerate(pages, 1)] == [True] * len(pages)
        assert "#eval(1) too early" in text
        assert games.row(cup).position.split()[0] not in text  # it is drawn
        assert f"{games.load(cup).turn(3).move}??" in text
        if "booklet" in path:
            assert '#panic("x")' in text
            assert "*Bold* @ref $x$ </svg>" in text
        page.emulate_media(media="print")
        uncut = page.locator("figure").evaluate_all("all => all.map(one => getComputedStyle(one).breakInside)")
        assert uncut == ["avoid"] * 3  # before both mistakes, and where the comment says
        assert [one for one in page.query_selector_all("header, nav, footer, form, button") if one.is_visible()] == []


@pytest.mark.browser
@pytest.mark.parametrize(("paper", "language"), [("A4", "sw"), ("Letter", "en")])
def test_an_empty_score_sheet_fills_one_page_and_four_cards_another(browser, served, services, paper, language):
    organizer = Watch(browser, served, services.keys.create(SESSION, "Wanjiru", ROLES["organizer"].scopes, None)[1])
    for table in range(1, 6):
        services.invitations.create("keeper", "Cup", str(table), Write("page", "Wanjiru"))
    for path, pages in (("/rules/enkeshui/score-sheet", 1), ("/events/cup/cards", 2)):
        page = organizer.open(f"{path}?lang={language}")
        assert len(pypdf.PdfReader(io.BytesIO(page.pdf(format=paper))).pages) == pages
    organizer.close()
    assert organizer.complaints == []


def test_a_booklet_of_too_many_games_is_refused_and_one_of_a_round_is_not(client, new_game, monkeypatch):
    for round in ("1", "1", "2"):
        new_game(2, tags={"Event": "Cup", "Round": round})
    monkeypatch.setattr(booklet, "MOST_GAMES", 2)
    assert client.get("/events/cup/booklet").status_code == 422
    assert client.get("/events/cup/booklet?round=1").text.count("data-game") == 2


def test_a_booklet_says_how_many_games_are_to_have_no_names(client, new_game):
    for consent in ("none", "pseudonyms", "?"):
        game = new_game(2, tags={"Event": "Cup", "Consent": consent})
    assert "2 games are to be shown without names" in client.get("/events/cup/booklet").text
    assert "without names" not in client.get(f"/games/{game}/score-sheet").text


def test_the_turning_points_are_the_mistakes_that_lost_most():
    text = (
        '[Game "oware"]\n\n{[%value 0]} 1. a $2 {[%value -1]} A $6 {[%value 4]} 2. b $4 {[%value 1]} B {[%value 9]} '
        "3. c $2 *\n"
    )
    (game,) = read_games(io.StringIO(text))
    nothing = GameAnalysis(None, NONE, None, is_current=False)
    assert turning_points(game, game.replay().turns, nothing) == [1, 2, 3]


def test_a_booklet_has_a_paired_game_that_lost_its_tag(client, services):
    paired(client)
    services.games.retag(pairing(client, 1)["game"], {"Event": "Other"}, Write("api"), of_event=True)
    assert client.get("/events/cup/booklet").status_code == 200
