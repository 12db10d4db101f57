import html
import json
import re
from datetime import date
from pathlib import Path

import pytest

from inkeek.records import Move, read_games, ruleset_ids
from inkeek.records.record import count_plies
from inkeek.service.disputes import disputes
from inkeek.service.games.event_kinds import KINDS
from inkeek.service.games.events.plan import EventPlan, OfferedGame
from inkeek.service.games.write import Write
from inkeek.service.http.web import labels
from tests.service.clients import signed_in
from tests.service.http.web.html_forms import form_fields


def text(response) -> str:
    assert response.mimetype == "text/html"
    return response.get_data(as_text=True)


def shown(response) -> str:
    """The position on the page's board."""
    return re.search(r'data-position="([^"]+)"', text(response))[1]


def test_an_empty_list_links_to_a_new_game(client):
    page = text(client.get("/"))
    assert "data-no-games" in page
    assert 'href="/games/new"' in page


def test_the_home_page_has_live_games_disputes_and_results(app, games, new_game):
    over = new_game(500, tags={"South": "West bench", "North": "East bench", "Event": "Evening"})
    new_game(500, tags={"South": "Long ago", "Date": "2020.01.01"})
    live = new_game(3, tags={"South": "<Naisula>"})
    disputes.open_dispute(games, live, "South", "not so", Write("api"))
    page = text(signed_in(app, "read").get("/"))
    order = ["data-follow", f"/games/{live}/live", 'id="today-head"', "West bench – East bench", 'id="earlier-head"']
    assert sorted(order, key=page.index) == order
    assert page.index("Long ago") > page.index('id="earlier-head"')
    assert "&lt;Naisula&gt;" in page
    assert f'href="/games/{over}/review"' in page
    assert "{1}–{0}".format(*games.row(over).score) in page  # North won
    assert "data-dispute-row" not in page
    assert "data-dispute-row" in text(signed_in(app, "arbiter").get("/"))


def test_a_list_has_pictures_of_the_last_positions_that_are_small(client, new_game):
    for _ in range(25):
        new_game(6, options={"pits": 12, "setup": "triples"})
    page = text(client.get("/games"))
    assert page.count('class="thumbnail"') == 25
    assert len(page) < 60_000


def test_an_event_says_what_is_known_of_a_new_game(client, services):
    offered = OfferedGame("enkeshui", {"pits": 8, "setup": "fours-left"})
    services.events.create(EventPlan("Evening Cup", games=(offered,), format="free"), Write("api"))
    fields = form_fields(text(client.get("/games/new?event=evening%20cup")), "form 1")
    assert (fields["game"], fields["Event"]) == ("enkeshui", "Evening Cup")
    assert fields["option.setup"] == "fours-left"


@pytest.mark.parametrize("game", ruleset_ids())
def test_every_game_can_be_started_from_its_form(client, games, game):
    assert game in text(client.get("/games/new"))
    assert client.get(f"/games/new?game={game}").status_code == 200
    response = client.post("/games/new", data={"game": game, "South": "A"})
    assert response.status_code == 303
    game_id = response.location.split("/")[-2]
    assert games.row(game_id).game == game
    assert client.get(response.location).status_code == 200


def test_the_form_names_the_options_that_an_option_needs(client):
    page = text(client.get("/games/new?game=enkeshui"))
    assert "only with race: right-hand, free" in page


@pytest.mark.parametrize("form", ["/games/new?game=bof", "/matches/new?game=bof"])
def test_a_new_game_is_of_today_unless_another_date_is_given(client, form):
    before = date.today()
    shown = re.search(r'name="Date"[^>]*value="([^"]*)"', client.get(form).get_data(as_text=True))[1]
    assert before.isoformat() <= shown <= date.today().isoformat()


def test_live_shows_the_position_and_the_last_turn(client, games, new_game):
    game_id = new_game(4)
    loaded = games.load(game_id)
    response = client.get(f"/games/{game_id}/live")
    assert shown(response) == loaded.row.position
    assert response.headers["Cache-Control"] == "no-store"
    for sentence in loaded.rules.explain(loaded.turn(4).before, loaded.turn(4).move):
        assert sentence.replace("'", "&#39;") in text(response)


def test_a_turn_can_be_played_from_the_form(client, games, new_game):
    game_id = new_game()
    response = client.post(f"/games/{game_id}/live", data={"move": "d", "ply": "1"})
    assert response.status_code == 303
    assert games.load(game_id).turn(1).move.pit == "d"
    assert client.post(f"/games/{game_id}/live", data={"move": " D ", "ply": "2"}).status_code == 303
    assert games.row(game_id).ply == 2


def test_a_game_is_ended_from_its_page(app, games, new_game):
    client = signed_in(app)
    game_id = new_game(2, tags={"South": "A"})
    page = text(client.get(f"/games/{game_id}/live"))
    assert '<option value="resignation">by resignation</option>' in page
    assert '<option value="South">A (South)</option>' in page
    answer = client.post(f"/games/{game_id}/end", data={"termination": "resignation", "winner": "North"})
    assert (answer.status_code, answer.location) == (303, f"/games/{game_id}/live")
    assert 'class="result">North' in text(client.get(answer.location))
    assert client.post(f"/games/{game_id}/end", data={"termination": "agreement"}).status_code == 409
    assert games.row(game_id).result == "0-1"
    assert games.load(game_id).events[-1].source.startswith("page:Naisula:")


def test_an_arbiter_changes_the_end_on_its_page(app, games, new_game):
    client, recorder = signed_in(app, "record", "arbiter"), signed_in(app)
    game_id = new_game(2, tags={"South": "A"})
    recorder.post(f"/games/{game_id}/end", data={"termination": "resignation", "winner": "South"})
    page = client.get(f"/games/{game_id}/live")
    seq = re.search(r'name="seq" value="(\d+)"', text(page))[1]
    right = {"seq": seq, "reason": "South gave <up>", "termination": "resignation", "winner": "North"}
    refused = text(client.post(f"/games/{game_id}/end/change", data={**right, "score_South": "9"}))
    assert 'data-fault="/score/1"' in refused
    answer = client.post(f"/games/{game_id}/end/change", data={**right, "score_South": "8", "score_North": "40"})
    assert (answer.status_code, answer.location) == (303, f"/games/{game_id}/live")
    assert (games.row(game_id).result, games.row(game_id).score) == ("0-1", (8, 40))
    page = text(client.get(answer.location))
    assert "South gave &lt;up&gt;" in page
    again = {"seq": str(games.row(game_id).seq), "reason": "it goes on", "change": "reopen"}
    assert client.post(f"/games/{game_id}/end/change", data=again).status_code == 303
    assert games.row(game_id).state == "live"


def test_the_first_page_has_records_that_are_not_finished_apart_from_live_games(client, games, new_game):
    now = new_game(1)
    old = [new_game(1, tags={"Date": date}) for date in ["c. May 1974"] * 11 + ["1979~"]]
    live = client.get("/").text.partition('class="live-games"')[2].partition("</section>")[0]
    assert now in live
    assert not any(game in live for game in old)
    unfinished = client.get("/").text.partition("unfinished-head")[2]
    assert all(game in unfinished for game in old)


def test_review_steps_by_links(client, games, new_game):
    game_id = new_game(5)
    positions = games.load(game_id).record.replay().positions
    for ply, position in enumerate(positions):
        response = client.get(f"/games/{game_id}/review?ply={ply}")
        assert shown(response) == str(position)
        page = text(response)
        assert f'ply={max(ply - 1, 0)}" aria-label="Previous turn"' in page
        assert f'ply={min(ply + 1, 5)}" aria-label="Next turn"' in page


def test_review_opens_an_ended_game_at_its_end_with_the_result(client, games, new_game):
    game_id = new_game(500)
    response = client.get(f"/games/{game_id}/review")
    assert shown(response) == games.row(game_id).position
    assert 'class="result-chip"' in text(response)


def test_the_address_of_a_game_leads_to_its_page(client, games, new_game):
    live, over = new_game(3), new_game(500)
    for game_id, page in ((live, "live"), (over, "review")):
        answer = client.get(f"/games/{game_id}")
        assert (answer.status_code, answer.location) == (302, f"/games/{game_id}/{page}")
    assert client.get("/games/nosuchgame").status_code == 404


def test_review_lists_comments_commands_and_names(client, games, new_game):
    game_id = new_game(0, tags={"Event": "Evening game", "Round": "3"})
    games.play(game_id, Move.parse("f"), Write("api"), comments=["well <done> [%clk 0:05:10]"])
    page = text(client.get(f"/games/{game_id}/review"))
    assert "well &lt;done&gt;" in page
    assert "0:05:10" in page
    games.play(game_id, Move.parse("D"), Write("api", actor="Lemayian"))
    assert "by Lemayian" in text(client.get(f"/games/{game_id}/review?ply=2"))
    assert "Evening game · round 3" in page


def test_a_comment_is_added_on_the_review_page(app, client, games, new_game):
    game_id = new_game(3)
    browser = signed_in(app)
    path = f"/games/{game_id}/review"
    assert 'name="comment"' in text(browser.get(f"{path}?ply=2"))
    for ply, words in ((2, "a <long> way"), (0, "before")):
        answer = browser.post(f"{path}?view=north", data={"ply": ply, "comment": words})
        assert (answer.status_code, answer.location) == (303, f"{path}?ply={ply}&view=north")
    page = text(browser.get(path))
    assert "a &lt;long&gt; way" in page
    assert "before" in page
    annotation = games.load(game_id).state.annotations[0]
    assert (annotation.ply, annotation.value, annotation.source.split(":")[:2]) == (0, "before", ["page", "Naisula"])


def test_a_board_can_be_seen_from_the_other_side(client, new_game):
    game_id = new_game(1)
    south = text(client.get(f"/games/{game_id}/review?ply=1"))
    north = text(client.get(f"/games/{game_id}/review?ply=1&view=north"))
    place = re.compile(r'data-pit="0"[^>]*transform="translate\(([^)]+)\)"')
    assert place.search(south)[1] != place.search(north)[1]
    assert "view=north" in re.search(r'data-step="next" href="([^"]+)"', north)[1]


@pytest.mark.parametrize("ply", ["x", "-1", "1e3", "9" * 20, "²"])
def test_a_ply_that_is_not_a_number_is_refused(client, new_game, ply):
    response = client.get(f"/games/{new_game(1)}/review", query_string={"ply": ply})
    assert response.status_code == 400
    assert ply[:40] in html.unescape(text(response))


def test_a_wrong_method_is_a_page_with_the_allowed_ones(client):
    response = client.delete("/games/new")
    assert response.status_code == 405
    assert "POST" in response.headers["Allow"]
    text(response)


EXAMPLES = Path(__file__).parents[4] / "docs" / "examples"


@pytest.mark.parametrize("name", [path.name for path in sorted(EXAMPLES.glob("*.pmn"))])
def test_every_example_can_be_reviewed_with_all_its_comments(client, name):
    body = (EXAMPLES / name).read_bytes()
    answer = client.post("/api/v1/games/import", data=body, content_type="application/x-mancala-pmn")
    results = [json.loads(line) for line in answer.get_data(as_text=True).splitlines()]
    assert [line["ok"] for line in results] == [True] * len(results) != []
    for line, game in zip(results, read_games(body.decode().splitlines(keepends=True)), strict=True):
        page = html.unescape(text(client.get(f"/games/{line['id']}/review")))
        variations = count_plies(game.plies) - len(game.plies)
        assert len(re.findall(r'class="turn[ "]', page)) == len(game.plies) + variations
        for ply in game.plies:
            assert all(labels.comment_view(comment).text in page for comment in ply.comments)
            for variation in ply.variations:
                assert all(str(played.move) in page for played in variation.plies)


def test_the_live_page_follows_every_kind_of_event(client, new_game):
    page = text(client.get(f"/games/{new_game()}/live"))
    assert set(re.search(r'data-kinds="([^"]+)"', page)[1].split()) == {*KINDS, "board"}
