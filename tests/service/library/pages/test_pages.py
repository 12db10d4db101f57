import html
import re
from urllib.parse import quote

import pytest

from inkeek.records import Position
from inkeek.service.games.matches.matches import Matches
from inkeek.service.games.write import Write
from inkeek.service.http.names import key_of_page, page_name
from inkeek.service.http.web.drawing import MOST_STICKS as MOST, tally_svg
from inkeek.service.storage.search import name_key


def page(client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status, response.get_data(as_text=True)[:2000]
    return response.get_data(as_text=True)


def listed(text: str) -> set[str]:
    return set(re.findall(r'class="game-names" href="/games/(\w+)/', text))


@pytest.fixture
def library(new_game):
    return {
        "ann": new_game(500, game="oware", tags={"South": "Ann", "North": "Ben", "Event": "Cup", "Date": "2026.11.20"}),
        "cid": new_game(
            500, game="oware", tags={"South": "Cid", "North": "Ann", "Event": "Open", "Date": "2026.11.22"}
        ),
        "live": new_game(3, tags={"South": "Ben", "North": "Cid", "Event": "Cup"}),
    }


SEARCHES = (
    ("player=ANN&event=cup", {"ann"}),
    ("state=live", {"live"}),
    ("since=2026-11-21&until=2026-11-30", {"cid"}),
    ("until=2026-11-20", {"ann"}),
    ("game=oware&position=4.4.4.4.4.4/4.4.4.4.4.4%20s", {"ann", "cid"}),
    ("game=enkeshui&position=4.4.4.4.4.4/4.4.4.4.4.4%20s", set()),
    ("player=nobody", set()),
    ("", {"ann", "cid", "live"}),
)


def test_the_search_finds_what_fits_all_fields(client, library):
    for query, found in SEARCHES:
        text = page(client, f"/games?{query}")
        assert listed(text) == {library[name] for name in found}, query
        assert ("data-none" in text) == (not found), query


def test_the_search_by_result_finds_games_that_ended_so(client, games, library):
    for result in ("1-0", "0-1", "1/2-1/2", "*"):
        expected = {id for id in library.values() if games.row(id).result == result}
        assert listed(page(client, f"/games?result={quote(result, safe='')}")) == expected


@pytest.mark.parametrize("text", ["4.4/4.4 s", "4.4/4.4 0-0 s", "4.4/4.4 0-0 s 0"])
def test_a_position_is_drawn(client, text):
    shown = re.search(r'data-position="([^"]+)"', page(client, f"/games?game=oware&position={quote(text)}"))
    assert Position.parse(shown[1]) == Position.parse("4.4/4.4 0-0 s 0")


@pytest.mark.parametrize(
    ("query", "quoted"),
    [
        ("position=4.4/4.4%20s", "4.4/4.4 0-0 s 0"),  # of no rule set
        ("game=oware&position=4.4", "4.4"),
        ("since=yesterday", "yesterday"),
        ("result=2-0", "2-0"),
        ("after=x", "x"),
    ],
)
def test_a_wrong_search_is_refused_and_the_form_kept(client, query, quoted):
    text = html.unescape(page(client, f"/games?{query}", 422))
    assert 'role="alert"' in text
    assert quoted in text
    assert "data-none" not in text


def test_a_long_list_goes_on_with_the_same_search(client, new_game):
    made = {new_game(tags={"South": "Ann"}) for _ in range(32)}
    new_game(tags={"South": "Ben"})
    first = page(client, "/games?player=ann")
    following = html.unescape(re.search(r'href="([^"]+)" rel="next"', first)[1])
    assert listed(first) | listed(page(client, following)) == made


def test_players_and_events_are_listed_and_lead_to_their_pages(client, library):
    assert re.findall(r'href="/players/([^"?]+)"', page(client, "/players")) == ["ann", "ben", "cid"]
    assert re.findall(r'href="/players/([^"?]+)"', page(client, "/players?prefix=B")) == ["ben"]
    assert re.findall(r'href="/events/(?!new")([^"?]+)"', page(client, "/events")) == ["cup", "open"]
    assert "data-none" in page(client, "/events?prefix=x")
    assert listed(page(client, "/players/Ann")) == {library["ann"], library["cid"]}
    assert listed(page(client, "/events/CUP")) == {library["ann"], library["live"]}


@pytest.mark.parametrize("address", ["/players/~x", "/players/~", "/players/~IA"])
def test_an_address_that_is_of_no_name_is_not_found(client, address):
    page(client, address, 404)


@pytest.mark.parametrize(
    "name", ["a/b", "~a", ".", "..", "a\\b", "x?y=1&z", "100 %", "ole Sein", "x/hall", "Mũthoni", "#1"]
)
def test_any_name_has_an_address(client, new_game, name):
    assert key_of_page(page_name(name), "player") == name_key(name)
    made = new_game(tags={"South": name, "Event": name})
    for kind in ("players", "events"):
        address = re.search(rf'href="(/{kind}/(?!new")[^"?]+)"', page(client, f"/{kind}"))[1]
        assert listed(page(client, html.unescape(address))) == {made}


def test_standings_have_the_best_first_and_the_players_sticks(client, games, services):
    for south, north, winner in [("Ann", "Ben", "North"), ("Ben", "Cid", "South"), ("Cid", "Ann", "South")]:
        made = games.create("oware", {}, {"South": south, "North": north, "Event": "Cup"}, Write("api"))
        games.end(made.id, "resignation", winner, Write("api"))
    rows = re.findall(
        r'<tr><td>(\d+)</td><th scope="row"><a href="/players/(\w+)".*?</tr>', page(client, "/events/cup")
    )
    assert rows == [("1", "ben"), ("2", "cid"), ("3", "ann")]


def test_a_match_shows_its_tally_and_begins_its_next_game(app, client, games, services):
    matches: Matches = services.matches
    series = matches.begin("oware", "games 3", {}, {"South": "Ann", "North": "Ben"}, Write("api"))
    address = f"/matches/{series.id}"
    assert "data-match-tally" in page(client, address)
    assert client.post(address).status_code == 409  # the first game is being played
    games.end(series.id, "resignation", "South", Write("api"))
    assert 'data-position="4.4.4.4.4.4/4.4.4.4.4.4 0-0 n 0"' in page(client, address)  # North begins the next game
    response = client.post(address)
    assert response.status_code == 303
    assert matches.load(series.id).rows[1].id in response.location
    assert listed(page(client, "/matches")) == set()
    assert f'href="{address}"' in page(client, "/matches?player=ann")
    assert "data-none" in page(client, "/matches?event=none")


@pytest.mark.parametrize("count", [0, 1, 4, 5, 6, 10, 49, 50, 1000])
def test_every_game_has_a_stick_and_every_fifth_lies_across(count):
    strokes = re.search(r' d="([^"]*)"', tally_svg(count))[1]
    upright, across = strokes.count("v18"), len(re.findall(r"M-?\d+ 19 ", strokes))
    assert upright + across == min(count, MOST)
    assert across == min(count, MOST) // 5


def test_pages_are_in_the_language_that_was_chosen(client):
    assert '<html lang="en"' in page(client, "/games")
    assert '<html lang="sw"' in page(client, "/games?lang=sw")
    assert '<html lang="sw"' in page(client, "/games")  # the browser keeps it
    response = client.get("/games?lang=en&player=x")
    assert 'href="/games?player=x&amp;lang=sw"' in response.get_data(as_text=True)
    assert "Accept-Language" in response.vary
    assert client.get("/games?lang=de").status_code == 400
