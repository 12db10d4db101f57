import random
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from inkeek.service.errors import Invalid, NotFound
from inkeek.service.games.events.standings import KnownPersons, load_event, load_player, standings
from inkeek.service.games.events.teams import load_standings
from inkeek.service.games.matches.matches import Matches
from inkeek.service.games.write import Write
from inkeek.service.storage.tables.games import GameTable

CUP = {"Event": "Cup"}


@pytest.fixture
def matches(store, games):
    return Matches(store, games)


def play(games, south, north, result, event="Cup"):
    row = games.create("bof", {}, {"South": south, "North": north, "Event": event}, Write("api"))
    return end(games, row, result)


def end(games, row, result):
    if result is None:
        return row
    termination, winner = {"1-0": ("forfeit", "South"), "0-1": ("time", "North")}.get(result, ("agreement", None))
    return games.end(row.id, "abandoned" if result == "*" else termination, winner, Write("api"))


def places(store, key="cup", most=1000):
    return [
        (
            one.rank,
            one.name,
            one.points,
            (one.matches.won, one.matches.drawn, one.matches.lost, one.matches.open),
            (one.tally.won, one.tally.drawn, one.tally.lost, one.tally.open),
        )
        for one in load_standings(store, key, most).players
    ]


def test_a_game_without_a_match_counts_as_a_match(store, games):
    play(games, "Ann", "Ben", "1-0")
    play(games, "Ben", "Cleo", "1/2-1/2")
    play(games, "Cleo", "ＡＮＮ", "0-1", event="CUP")
    play(games, "Dan", "Ann", None)
    play(games, "Dan", "Ann", "*")
    play(games, "Dan", "Dan", "1-0")
    play(games, "?", "Ben", "0-1")
    play(games, "Ann", "Ben", "0-1", event="Other")
    assert places(store) == [
        (1, "Ann", 2, (2, 0, 0, 1), (2, 0, 0, 1)),
        (2, "Ben", 1.5, (1, 1, 1, 0), (1, 1, 1, 0)),
        (3, "Cleo", 0.5, (0, 1, 1, 0), (0, 1, 1, 0)),
        (4, "Dan", 0, (0, 0, 0, 1), (0, 0, 0, 1)),
    ]


def test_a_match_counts_once_it_is_over_and_its_games_as_sticks(store, games, matches):
    first = matches.begin("oware", "games 3", {}, {**CUP, "South": "Ann", "North": "Ben"}, Write("api"))
    end(games, first.rows[0], "1-0")
    end(games, matches.go_on(first.id, "", {}, Write("api")), "1-0")
    assert places(store) == [(1, "Ann", 0, (0, 0, 0, 1), (2, 0, 0, 0)), (2, "Ben", 0, (0, 0, 0, 1), (0, 0, 2, 0))]
    end(games, matches.go_on(first.id, "", {}, Write("api")), "0-1")
    assert places(store) == [(1, "Ann", 1, (1, 0, 0, 0), (2, 0, 1, 0)), (2, "Ben", 0, (0, 0, 1, 0), (1, 0, 2, 0))]


@given(
    st.lists(
        st.tuples(*[st.sampled_from(["", "A", "B", "C"])] * 2, st.sampled_from(["1-0", "0-1", "1/2-1/2", "*", "live"])),
        max_size=15,
    )
)
def test_games_without_matches_count_once_for_each_who_is_named(games):
    """Against a plain count; a game of somebody against themselves counts for nobody."""
    rows = [
        SimpleNamespace(
            id=str(number),
            match_id=None,
            ply=1,
            termination="agreement",
            state="live" if result == "live" else "ended",
            result="*" if result == "live" else result,
            tags={"South": south, "North": north},
        )
        for number, (south, north, result) in enumerate(games)
    ]
    found = standings(rows, KnownPersons({}, {}))
    named = {key for south, north, _ in games for key in (south, north) if key}
    assert {one.key for one in found} == {key.casefold() for key in named}
    for one in found:
        counts = {"won": 0, "drawn": 0, "lost": 0, "open": 0}
        for *sides, result in games:
            keys = [side.casefold() for side in sides]
            if one.key in keys and keys[0] != keys[1] and result != "*":
                won = {"1-0": 0, "0-1": 1}.get(result)
                what = {"live": "open", "1/2-1/2": "drawn"}.get(result)
                counts[what or ("won" if keys[won] == one.key else "lost")] += 1
        for score in (one.matches, one.tally):
            assert (score.won, score.drawn, score.lost, score.open) == tuple(counts.values())
        assert one.points == counts["won"] + counts["drawn"] / 2
    assert [one.points for one in found] == sorted((one.points for one in found), reverse=True)


def test_equal_points_go_by_sticks_and_equal_sticks_share_a_rank(store, games, matches):
    for south, north, results in (("Ann", "Ben", ["1-0", "1-0"]), ("Cleo", "Dan", ["1-0", "1/2-1/2"])):
        series = matches.begin("oware", "games 2", {}, {**CUP, "South": south, "North": north}, Write("api"))
        end(games, series.rows[0], results[0])
        end(games, matches.go_on(series.id, "", {}, Write("api")), results[1])
    play(games, "Eve", "Fay", "1-0")
    assert [(rank, name) for rank, name, *_ in places(store)] == [
        (1, "Ann"),
        (2, "Cleo"),
        (2, "Eve"),
        (4, "Dan"),
        (4, "Fay"),
        (6, "Ben"),
    ]


@pytest.mark.parametrize(("game", "title", "options"), [("enkeshui", "surplus", {"pits": 8}), ("bof", "rounds", {})])
def test_a_match_ends_where_its_own_standing_says(store, games, matches, game, title, options):
    """Random games until the match is over, its players compared with what the match itself says."""
    chance = random.Random(1)
    series = matches.begin(game, title, options, {**CUP, "South": "Ann", "North": "Ben"}, Write("api"))
    row = series.rows[0]
    for _ in range(40):
        for _ in range(30):
            legal = games.load(row.id).legal(9)
            if not legal:
                break
            row = games.play(row.id, chance.choice(legal), Write("api")).row
        if row.state == "live":
            row = end(games, row, chance.choice(["1-0", "0-1", "1/2-1/2"]))
        standing = matches.load(series.id).match
        ann = next(one for one in load_standings(store, "cup", 1000).players if one.name == "Ann")
        assert (ann.tally.won, ann.tally.lost, ann.tally.drawn) == (
            standing.tally.south,
            standing.tally.north,
            standing.tally.drawn,
        )
        if standing.outcome is not None:
            break
        assert ann.matches.open == 1
        row = matches.go_on(series.id, "", {}, Write("api"))
    assert standing.outcome is not None
    won = None if standing.outcome.winner is None else str(standing.outcome.winner) == "South"
    assert (ann.matches.won, ann.matches.drawn, ann.matches.lost) == (won is True, won is None, won is False)


def test_a_changed_end_changes_the_standings_and_the_counts(store, games):
    row = play(games, "Ann", "Ben", "1-0")
    with store.writing() as transaction:
        stored = transaction.games.get(row.id, lock=True)
        transaction.games.put(stored._replace(result="0-1", winner="North"))
    assert [name for _, name, *_ in places(store)] == ["Ben", "Ann"]
    assert load_player(store, "ann").scores == {"bof": {"lost": 1}}
    with store.writing() as transaction:
        stored = transaction.games.get(row.id, lock=True)
        reopened = {"state": "live", "result": "*", "winner": None, "termination": None}
        transaction.games.put(stored._replace(**reopened))
    assert load_player(store, "ben").scores == {"bof": {"live": 1}}


def test_an_event_with_too_many_games_has_no_standings_and_none_of_them_is_read(store, games, monkeypatch):
    for _ in range(3):
        play(games, "Ann", "Ben", "1-0")
    assert len(places(store, most=3)) == 2
    monkeypatch.delattr(GameTable, "of_event")
    with pytest.raises(Invalid, match="max_event_games"):
        places(store, most=2)


def test_what_nobody_played_is_not_found(store, games):
    for look in (load_player, load_event):
        with pytest.raises(NotFound):
            look(store, "nobody")
    with pytest.raises(NotFound):
        load_standings(store, "nothing", 10)


def test_counts_of_a_player_are_by_rule_set_and_those_of_an_event_by_day(store, games, matches):
    play(games, "Ann", "Ben", "1-0")
    games.retag(play(games, "Ann", "Ann", "1-0").id, {"Date": "2026.11.20"}, Write("api"))
    games.retag(play(games, "Ben", "Ann", "*").id, {"Date": "2026.10.??"}, Write("api"))
    matches.begin("oware", "games 2", {}, {"South": "Ben", "North": "ANN", "Event": "cup"}, Write("api"))
    ann, cup = load_player(store, "ann"), load_event(store, "cup")
    assert (ann.name, ann.matches, ann.complete) == ("Ann", 1, True)
    assert ann.scores == {"bof": {"won": 1, "both": 1, "none": 1}, "oware": {"live": 1}}
    assert (cup.name, cup.games, cup.matches, cup.first_date, cup.last_date) == ("Cup", 4, 1, "2026-10", "2026-11-20")


def test_an_event_of_casual_games_alone_has_empty_standings(store, games):
    games.create("bof", {}, {"Event": "Cup", "South": "Ann", "Casual": "yes"}, Write("api"))
    assert load_standings(store, "cup", 9).players == []
