from __future__ import annotations

import io

import pypdf
import pytest

from records import read_games
from service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of
from service.games.plies import COMMENT, NAG
from service.games.review.annotations import Edit, annotate
from service.games.write import Write
from service.http.web.events import booklet
from service.http.web.review.printed_game import turning_points
from service.jobs.queue import NONE, GameAnalysis

pytest.importorskip("typst")
NAMES = ('#panic("x")', "*Bold* @ref $x$ </svg>", "Nkathawakirimi" * 7, "محمد عبد الرحمن", "Ben 🎲")


def test_a_booklet_has_standings_results_and_games_whatever_people_are_called(client, services, games):
    players = tuple(EventPlayer(id, name) for id, name in enumerate(NAMES, 1))
    offered = OfferedGame("enkeshui", {"pits": 8, "setup": "fours-right"})
    services.events.create(EventPlan("Cup", games=(offered,), players=players, format="swiss"), Write("api"))
    services.events.begin_round("cup", None, Write("api"))
    first, second, _bye = plan_of(services.events.load("cup")).rounds[0].pairings
    services.events.change_table("cup", None, 1, second.table, {"result": "south"}, Write("api"))
    for _ in range(4):
        games.play(first.game, games.load(first.game).legal(1)[0], Write("api"))
    drawn = games.row(first.game).position
    edits = [Edit("", NAG, 4, ply) for ply in (1, 3)] + [Edit("", COMMENT, f"#eval(1) too early: {drawn}", 3)]
    annotate(games, first.game, edits, Write("api"), is_arbiter=False)
    texts = {}
    for path in ("/events/cup/booklet.pdf", f"/games/{first.game}/review.pdf"):
        answer = client.get(f"{path}?lang=sw")
        assert (answer.status_code, answer.content_type) == (200, "application/pdf")
        pages = pypdf.PdfReader(io.BytesIO(answer.data)).pages
        texts[path] = "".join(page.extract_text() for page in pages).replace("“", '"').replace("”", '"')
        assert "#eval(1) too early" in texts[path]
        assert drawn.split()[0] not in texts[path]
        assert f"{games.load(first.game).turn(3).move}??" in texts[path]
    assert '#panic("x")' in texts["/events/cup/booklet.pdf"]
    assert "*Bold* @ref $x$ </svg>" in texts["/events/cup/booklet.pdf"]


def test_a_booklet_of_too_many_games_is_refused_and_one_of_a_round_is_not(client, new_game, monkeypatch):
    for round in ("1", "1", "2"):
        new_game(2, tags={"Event": "Cup", "Round": round})
    monkeypatch.setattr(booklet, "MOST_GAMES", 2)
    monkeypatch.setattr(booklet, "long_pdf", lambda _template, make, _name: {"games": len(make()["games"])})
    assert client.get("/events/cup/booklet.pdf").status_code == 422
    assert client.get("/events/cup/booklet.pdf?round=1").json == {"games": 2}


def test_the_turning_points_are_the_mistakes_that_lost_most():
    text = (
        '[Game "oware"]\n\n{[%value 0]} 1. a $2 {[%value -1]} A $6 {[%value 4]} 2. b $4 {[%value 1]} B {[%value 9]} '
        "3. c $2 *\n"
    )
    (game,) = read_games(io.StringIO(text))
    nothing = GameAnalysis(None, NONE, None, is_current=False)
    assert turning_points(game, game.replay().turns, nothing) == [1, 2, 3]
