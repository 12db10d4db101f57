"""The filters of games: the same ones on every route that asks for games, with the same meaning."""

import json

import pytest

from inkeek.service.games.schemas import OfGamesByRulesetSchema
from inkeek.service.games.write import Write
from inkeek.service.storage import GameFilter
from inkeek.service.storage.tables.feed import FeedCursor, FeedFilter

PLAYED = (  # rule set, South, North, event, date of matches of one game each
    ("oware", "Ann", "Ben", "Cup", "2026.11.20"),
    ("oware", "Cleo", "ann", "Open", "2026.11.??"),
    ("bof", "Ben", "Cleo", "Cup", "????.??.??"),
    ("bof", "Dan", "Eve", "Talk", "1974?"),
    ("bof", "Dan", "Eve", "Talk", "c. 1976 - 1980"),
    ("bof", "Dan", "Eve", "Talk", "before 1975-06"),
)
EACH = tuple(range(len(PLAYED)))
FILTERS = {  # what each filter finds of these
    "": EACH,
    "player=ANN": (0, 1),
    "player=ben&player=nobody": (0, 2),
    "event=cup": (0, 2),
    "event=cup&player=cleo": (2,),
    "game=oware&game=bof": EACH,
    "game=bof": (2, 3, 4, 5),
    "since=2026-11-20": (0, 1),
    "until=2026-11-19": (1, 3, 4, 5),
    "since=2026-11-01&until=2026-11-30": (0, 1),
    "since=2026-11&until=2026": (0, 1),
    "since=1974-06&until=1974-08": (3, 5),
    "since=1976-12-31&until=1979": (4,),
    "since=1981&until=1970": (),
    "created_since=2020-01-01": EACH,
    "created_until=2020-01-01": (),
    "created_since=2020-01-01&created_until=2999-12-31&event=open": (1,),
}


@pytest.fixture
def stored(services):
    ids = []
    for game, south, north, event, date in PLAYED:
        tags = {"South": south, "North": north, "Event": event, "Date": date}
        match = services.matches.begin(game, "games 1", {}, tags, Write("api")).id
        services.games.play(match, services.games.load(match).legal(1)[0], Write("api"))
        ids.append(match)
    return ids


def test_every_route_has_the_same_filters(client, stored):
    for query, found in FILTERS.items():
        wanted = {stored[number] for number in found}
        for path in ("games", "matches"):
            items = client.get(f"/api/v1/{path}?{query}").json["items"]
            assert {one["id"] for one in items} == wanted, (path, query)
        exported = client.get(f"/api/v1/games/export?{query}").text.splitlines()
        assert {json.loads(line)["id"] for line in exported} == wanted, query
        *events, _end = map(json.loads, client.get(f"/api/v1/feed?format=ndjson&{query}").text.splitlines())
        assert {one["game_id"] for one in events} == wanted, query


def test_the_explorer_has_them_for_the_games_of_its_rule_set(client, stored):
    for query, found in FILTERS.items():
        if "game=" not in query:
            wanted = [number for number in found if PLAYED[number][0] == "oware"]
            answer = client.get(f"/api/v1/explorer?game=oware&options=match%3Dgames&{query}")
            assert answer.json["times"] == len(wanted), query


def test_every_filter_was_tried():
    tried = {part.split("=")[0] for query in FILTERS for part in query.split("&") if part}
    assert tried == set(OfGamesByRulesetSchema().fields)


@pytest.mark.parametrize(
    "where",
    [
        *(GameFilter(player=name) for name in ("ann", ("Ben", "x"), "nobody")),
        GameFilter(event="cup", game="bof"),
        GameFilter(since="2026-11-20"),
        GameFilter(since="1974-06", until="1974"),
        GameFilter(created_since="2020-01-01", created_until="2020-01-02"),
    ],
)
def test_what_is_sent_live_matches_as_what_is_read(services, stored, where):
    for filter_ in (FeedFilter(games=where), FeedFilter(games=where, kind=("turn", "ended"))):
        with services.store.reading() as transaction:
            last = transaction.ledger.head().position
            read, everything = (
                transaction.feed.read(FeedCursor(), 100, last, one).items for one in (filter_, FeedFilter())
            )
        assert read == [item for item in everything if filter_.matches(item)]
