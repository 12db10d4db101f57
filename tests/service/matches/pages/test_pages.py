import html
import re

import pytest

from inkeek.records import ruleset_ids
from inkeek.records.rules.ruleset import load_ruleset
from inkeek.service.games.write import Write
from tests.service.clients import signed_in


def played_out(games, game_id: str, winner: str) -> None:
    games.end(game_id, "resignation", winner, Write("api"))


@pytest.mark.parametrize("game", ruleset_ids())
def test_every_kind_of_match_of_a_game_can_be_created(app, services, game):
    client = signed_in(app)
    form = client.get("/matches/new", query_string={"game": game}).text
    kinds = re.findall(r'name="match_kind" value="(\w+)"', form)
    assert kinds == [kind for kind in load_ruleset(game).option("match").allowed if kind != "none"]
    assert 'name="option.match"' not in form
    for kind in kinds:
        sent = {"game": game, "match_kind": kind, "South": "Ann", "North": "Ben"}
        answer = client.post("/matches/new", data=sent)
        assert answer.status_code == 303, answer.text
        series = services.matches.load(answer.location.rpartition("/")[2])
        assert (series.match.kind, series.match.agreed) == (kind, None)
        assert (series.rows[0].tags["South"], series.rows[0].tags["MatchGame"]) == ("Ann", "1")


def test_a_match_has_its_number_of_games_name_and_sticks(app, services, games):
    client = signed_in(app)
    sent = {"game": "oware", "match_kind": "games", "match_games": "3", "match_name": "at the well"}
    address = client.post("/matches/new", data=sent).location
    series = services.matches.load(address.rpartition("/")[2])
    assert (series.match.title, series.match.agreed) == ("games 3, at the well", 3)
    played_out(games, series.id, "North")
    page = client.get(address).text
    assert page.count('class="sticks"') == 3
    assert re.findall(r"</svg> <span>(\d+)</span>", page) == ["0", "0", "1"]
    feed = html.unescape(re.search(r'data-follow="([^"]+)"', page)[1])
    assert "match=" + series.id in feed
    next_game = client.post(address).location
    events = client.get(feed.replace("format=sse", "format=ndjson")).text
    assert next_game.split("/")[2] in events
    assert '"created"' in events


def test_the_standings_of_an_event_say_what_they_follow(app, new_game):
    new_game(2, tags={"South": "Ann", "North": "Ben", "Event": "Cup"})
    page = app.test_client().get("/events/cup").text
    feed = html.unescape(re.search(r'data-follow="([^"]+)"', page)[1])
    assert "event=Cup" in feed
    assert app.test_client().get(feed.replace("format=sse", "format=ndjson")).status_code == 200
