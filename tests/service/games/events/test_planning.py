from contextlib import closing

import msgspec
import pytest

from inkeek.records import OptionError
from inkeek.service.errors import Conflict, Invalid, NotFound, OutsideLimit, Stale
from inkeek.service.games.events.plan import (
    EventPlan,
    EventPlayer,
    OfferedGame,
    Round,
    plan_of,
    read_player_list,
    with_players,
)
from inkeek.service.games.events.planning import Events
from inkeek.service.games.events.results import matches_of, result_of
from inkeek.service.games.events.rules import load_rules, set_rules
from inkeek.service.games.events.standings import load_rows, load_standings
from inkeek.service.games.events.trf import trf_lines
from inkeek.service.games.library.transfer import import_games
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import archive
from inkeek.service.processes.workers.import_text import import_text
from inkeek.service.storage import EventRules, Limit
from inkeek.service.storage.store import Store

WRITE = Write("api")
FOUR = ("Ann", "Ben", "Cleo", "Dan")


@pytest.fixture
def events(store, games):
    return Events(store, games, 1000)


def plan(*names, **more):
    players = tuple(EventPlayer(id, name) for id, name in enumerate(names, 1))
    return EventPlan(**{"name": "Cup", "games": (OfferedGame("bof"),), "players": players, "format": "all", **more})


def in_teams(teams):
    return tuple(EventPlayer(id, name, team) for id, (name, team) in enumerate(zip(FOUR, teams, strict=True), 1))


def pairs(row, number=-1):
    return [(one.south, one.north) for one in plan_of(row).rounds[number].pairings]


def results(store, row, number=-1):
    matches = matches_of(load_rows(store, row.event, 1000)[0])
    return [result_of(one, matches).unplayed for one in plan_of(row).rounds[number].pairings]


def game_at(games, row, table, number=-1):
    return games.row(plan_of(row).rounds[number].pairings[table - 1].game)


def points(store):
    return {one.name: one.points for one in load_standings(store, "cup", 1000).players}


def test_an_event_exists_before_its_games_and_has_its_name_once(store, events):
    events.create(plan(name=" The  Cup "), WRITE)
    assert plan_of(events.load("the cup")).name == "The Cup"
    with pytest.raises(Conflict):
        events.create(plan(name="THE CUP"), WRITE)
    with pytest.raises(NotFound):
        events.load("cup")
    assert load_standings(store, "the cup", 9).players == []


def test_no_event_has_a_name_that_looks_like_anothers(events):
    events.create(plan(name="Cope"), WRITE)
    with pytest.raises(Conflict, match="'Cope'"):
        events.create(plan(name="\u0421\u041e\u0420\u0415"), WRITE)  # in Cyrillic
    events.create(plan(name="Cup"), WRITE)
    with pytest.raises(Conflict, match="'Cope'"):
        events.change("cup", None, lambda old: msgspec.structs.replace(old, name="\u0421\u043e\u0440\u0435"), WRITE)
    assert events.change("cope", None, lambda old: msgspec.structs.replace(old, name="\u0421\u043e\u0440\u0435"), WRITE)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "?"},
        {"format": "ladder"},
        {"first_date": "2026-13-01"},
        {"first_date": "2026.11.20"},
        {"first_date": "2026-11-20", "last_date": "2026-11-19"},
        {"first_date": "2026-11", "last_date": "2026-10"},
        {"tables": 100},
        {"legs": 3},
        {"tie_breaks": ("direct", "direct")},
        {"games": (OfferedGame("chess"),)},
        {"players": (EventPlayer(1, "Ann"), EventPlayer(2, " ANN"))},
        {"players": (EventPlayer(1, ""),)},
        {"players": tuple(EventPlayer(id, f"P{id}") for id in range(129))},
    ],
)
def test_what_is_wrong_in_a_plan_is_refused(events, wrong):
    with pytest.raises((Invalid, OptionError)):
        events.create(plan(**wrong), WRITE)


def test_a_round_makes_the_games_with_their_tags(games, events):
    events.create(plan(*FOUR, place="Narok", games=(OfferedGame("oware", {"majority_end": False}, "600"),)), WRITE)
    row = events.begin_round("cup", 1, WRITE)
    assert pairs(row) == [(1, 4), (2, 3)]
    game = game_at(games, row, 2)
    assert (game.game, game.options) == ("oware", {"majority_end": False})
    expected = {"Event": "Cup", "Site": "Narok", "Round": "1", "Board": "2", "South": "Ben", "North": "Cleo"}
    assert expected.items() <= game.tags.items()
    assert game.tags["TimeControl"] == "600"
    assert plan_of(row).state == "running"


def test_a_round_is_made_once_however_often_it_is_asked_for(store, events):
    events.create(plan(*FOUR), WRITE)
    events.begin_round("cup", 1, WRITE)
    with pytest.raises(Stale):
        events.begin_round("cup", 1, WRITE)
    with store.reading() as transaction:
        assert len(transaction.games.of_event("cup", 99)) == 2


def test_a_limit_to_another_event_makes_no_round(events):
    events.create(plan(*FOUR), WRITE)
    with pytest.raises(OutsideLimit):
        events.begin_round("cup", 1, Write("api", limit=Limit("event", "Other")))
    assert plan_of(events.load("cup")).rounds == ()


def test_a_swiss_round_waits_for_the_results_of_the_one_before(games, events):
    events.create(plan(*FOUR, format="swiss"), WRITE)
    row = events.begin_round("cup", 1, WRITE)
    games.end(game_at(games, row, 1).id, "resignation", "South", WRITE)
    with pytest.raises(Conflict):
        events.begin_round("cup", 2, WRITE)
    row = events.change_table("cup", 2, 1, 2, {"result": "0-1"}, WRITE)
    assert game_at(games, row, 2).result == "0-1"
    row = events.change_table("cup", 2, 1, 2, {"result": "1-0"}, WRITE)  # a wrong tap is mended
    row = events.change_table("cup", 2, 1, 2, {"result": "0-1"}, WRITE)
    assert game_at(games, row, 2).result == "0-1"
    with pytest.raises(Conflict):  # it has a record
        events.change_table("cup", 2, 1, 1, {"result": "0-1"}, WRITE)
    row = events.begin_round("cup", 2, WRITE)
    winners = {one.south for one in plan_of(row).rounds[0].pairings[:1]} | {plan_of(row).rounds[0].pairings[1].north}
    assert {frozenset(one.players) for one in plan_of(row).rounds[1].pairings} >= {frozenset(winners)}


def test_two_games_at_a_table_are_a_match_in_which_each_begins_once(games, events, store):
    from inkeek.service.games.matches.matches import Matches

    events.create(plan("Ann", "Ben", legs=2), WRITE)
    row = events.begin_round("cup", 1, WRITE)
    first = game_at(games, row, 1)
    games.end(first.id, "resignation", "South", WRITE)
    assert points(store) == {"Ann": 0, "Ben": 0}
    second = Matches(store, games).go_on(first.id, "", {}, WRITE)
    assert (second.tags["First"], second.tags["Round"]) == ("North", "1")
    games.end(second.id, "agreement", None, WRITE)
    assert points(store) == {"Ann": 1, "Ben": 0}


def test_who_is_away_has_no_game_and_the_games_of_byes_bring_points(store, events):
    events.create(plan("Ann", "Ben", "Cleo", "Dan", "Eve", format="swiss"), WRITE)
    states = {"Dan": "bye", "Eve": "out"}
    given = [{"id": id, "state": states.get(name, "in")} for id, name in enumerate((*FOUR, "Eve"), 1)]
    events.change("cup", 1, lambda before: with_players(before, given), WRITE)
    row = events.begin_round("cup", 2, WRITE)
    assert (pairs(row)[1:], results(store, row)[1:]) == ([(3, None), (4, None)], ["bye", "half"])
    assert [player.state for player in plan_of(row).players] == ["in", "in", "in", "in", "out"]
    assert points(store) == {"Ann": 0, "Ben": 0, "Cleo": 1, "Dan": 0.5, "Eve": 0}


def test_a_forfeit_ends_the_game_and_counts_no_stick(store, games, events):
    events.create(plan(*FOUR), WRITE)
    events.begin_round("cup", 1, WRITE)
    row = events.change_table("cup", 2, 1, 1, {"result": "north"}, WRITE)
    assert results(store, row) == ["north", ""]
    assert (game_at(games, row, 1).termination, game_at(games, row, 1).winner) == ("forfeit", "North")
    dan = load_standings(store, "cup", 1000).players[0]
    assert (dan.name, dan.points, dan.matches.won, dan.tally.won) == ("Dan", 1, 1, 0)
    events.change_table("cup", 2, 1, 2, {"result": "none"}, WRITE)
    assert points(store) == {"Dan": 1, "Ann": 0, "Ben": 0, "Cleo": 0}


def test_who_left_everybody_against_everybody_loses_by_forfeit(store, events):
    events.create(plan(*FOUR), WRITE)
    given = [{"id": id, "state": "out" if id == 4 else "in"} for id in range(1, 5)]
    events.change("cup", 1, lambda before: with_players(before, given), WRITE)
    row = events.begin_round("cup", 2, WRITE)
    assert (pairs(row), results(store, row)) == ([(1, 4), (2, 3)], ["south", ""])


def test_who_comes_late_to_everybody_against_everybody_meets_nobody_twice(games, events):
    events.create(plan(*FOUR), WRITE)
    row = events.begin_round("cup", 1, WRITE)
    for table in (1, 2):
        games.end(game_at(games, row, table).id, "agreement", None, WRITE)
    late = [*({"id": id} for id in range(1, 5)), {"name": "Eve"}, {"name": "Fay"}]
    events.change("cup", 2, lambda before: with_players(before, late), WRITE)
    found = pairs(events.begin_round("cup", 3, WRITE))
    assert len(found) == 3
    assert not {frozenset(one) for one in found} & {frozenset((1, 4)), frozenset((2, 3))}


def test_players_change_places_before_they_begin(store, games, events):
    events.create(plan(*FOUR, "Eve"), WRITE)
    row = events.begin_round("cup", 1, WRITE)
    assert pairs(row) == [(2, 5), (3, 4), (1, None)]
    row = events.change_table("cup", 2, 1, 1, {"south": 4}, WRITE)
    assert pairs(row) == [(4, 5), (3, 2), (1, None)]
    assert [game_at(games, row, table).tags["South"] for table in (1, 2)] == ["Dan", "Cleo"]
    row = events.change_table("cup", 3, 1, 3, {"north": 2}, WRITE)
    assert (pairs(row), results(store, row)) == ([(4, 5), (3, None), (1, 2)], ["", "bye", ""])
    assert game_at(games, row, 3).tags["Board"] == "3"
    games.play(game_at(games, row, 1).id, games.load(game_at(games, row, 1).id).legal(1)[0], WRITE)
    with pytest.raises(Conflict):
        events.change_table("cup", 4, 1, 1, {"south": 1}, WRITE)
    assert pairs(events.load("cup")) == pairs(row)


def test_teams_and_free_events_are_paired_as_they_say(events):
    events.create(plan(name="Teams", players=in_teams("ABAB"), format="teams"), WRITE)
    assert pairs(events.begin_round("teams", 1, WRITE)) == [(1, 2), (4, 3)]
    events.create(plan(*FOUR, name="Free", format="free"), WRITE)
    with pytest.raises(Invalid):
        events.begin_round("free", 1, WRITE)
    assert pairs(events.begin_round("free", 1, WRITE, [(3, 1), (2, None)])) == [(3, 1), (2, None)]
    for wrong in ([(3, 9)], [(1, 2), (2, 3)]):
        with pytest.raises(Invalid):
            events.begin_round("free", 2, WRITE, wrong)


def test_a_mended_name_reaches_the_games_that_have_not_begun_and_the_standings(games, events, store):
    events.create(plan("Ann", "Bem", "Cleo", "Dan"), WRITE)
    row = events.begin_round("cup", 1, WRITE)
    begun = game_at(games, row, 1)
    games.play(begun.id, games.load(begun.id).legal(1)[0], WRITE)
    names = [{"id": 1, "name": "Anne"}, {"id": 2, "name": "Ben"}, {"id": 3}, {"id": 4}]
    row = events.change("cup", 2, lambda before: with_players(before, names), WRITE)
    assert (game_at(games, row, 1).tags["South"], game_at(games, row, 2).tags["South"]) == ("Ann", "Ben")
    assert points(store).keys() == {"Anne", "Ben", "Cleo", "Dan"}
    games.end(begun.id, "resignation", "South", WRITE)
    assert points(store) == {"Anne": 1, "Ben": 0, "Cleo": 0, "Dan": 0}


def test_a_player_is_renamed_where_that_is_one_person(games, events):
    events.create(plan(*FOUR), WRITE)
    events.create(plan(*FOUR, name="Old", state="over"), WRITE)
    row = events.begin_round("cup", 1, WRITE)
    for keys, name in (({"ann", "anna"}, "Anna"), ({"ben"}, "CLEO"), ({"ben", "cleo"}, "Ben C"), ({"dan"}, "D" * 101)):
        events.rename_player(keys, name, WRITE)
    assert [player.name for player in plan_of(events.load("cup")).players] == ["Anna", *FOUR[1:]]
    assert [player.name for player in plan_of(events.load("old")).players] == [*FOUR]
    assert game_at(games, row, 1).tags["South"] == "Anna"
    with pytest.raises(OutsideLimit):
        events.rename_player({"anna"}, "Ann", Write("api", limit=Limit("event", "Other")))


def test_an_event_of_tags_alone_can_be_given_a_plan(games, events):
    tags = {"Event": "Old cup", "Site": "Narok", "Date": "2026.11.20", "Round": "1"}
    games.create("bof", {}, {**tags, "South": "Ann", "North": "Ben"}, WRITE)
    games.create("bof", {}, {**tags, "South": "ann", "North": "Cleo", "Date": "2026.11.21"}, WRITE)
    games.create("bof", {}, {**tags, "South": "Ann", "North": "Cleo", "Date": "2026.11.??"}, WRITE)
    games.create("bof", {}, {**tags, "South": "Ben", "North": "Cleo", "Date": "2026.13.45"}, WRITE)
    found = events.adopted("old cup")
    assert [player.name for player in found.players] == ["Ann", "Ben", "Cleo"]
    assert (found.first_date, found.last_date, found.place) == ("2026-11", "2026-11-21", "Narok")
    assert [offered.game for offered in found.games] == ["bof"]
    events.create(found, WRITE)


def test_who_was_paired_stays_and_a_new_name_is_a_mended_one(events):
    events.create(plan(*FOUR), WRITE)
    events.begin_round("cup", 1, WRITE)
    with pytest.raises(Invalid):
        events.change("cup", 2, lambda before: with_players(before, [{"id": 1}]), WRITE)
    row = events.change("cup", 2, lambda before: msgspec.structs.replace(before, place="Narok"), WRITE)
    assert row.version == 3
    with pytest.raises(Invalid):
        events.change("cup", 3, lambda before: msgspec.structs.replace(before, name="Other"), WRITE)
    with pytest.raises(Invalid):
        events.change("cup", 3, lambda before: msgspec.structs.replace(before, format="swiss"), WRITE)


class TestRounds:
    @pytest.mark.parametrize(
        ("format", "more"), [("swiss", None), ("swiss", [(1, 2), (3, None)]), ("free", [(1, 2)]), ("teams", None)]
    )
    def test_a_bye_that_was_asked_for_is_given(self, store, events, format, more):
        asking = [{"id": id, "state": "bye" if id == 4 else "in"} for id in range(1, 5)]
        events.create(plan(players=in_teams("ABAB"), format=format), WRITE)
        events.change("cup", 1, lambda before: with_players(before, asking), WRITE)
        row = events.begin_round("cup", 2, WRITE, more)
        assert (pairs(row)[-1], results(store, row)[-1], points(store)["Dan"]) == ((4, None), "half", 0.5)
        assert {player.state for player in plan_of(row).players} == {"in"}

    def test_no_bye_is_offered_where_everybody_meets_everybody(self, events):
        events.create(plan(*FOUR), WRITE)
        asking = [{"id": id, "state": "bye" if id == 4 else "in"} for id in range(1, 5)]
        with pytest.raises(Invalid, match="bye"):
            events.change("cup", 1, lambda before: with_players(before, asking), WRITE)

    def test_no_fewer_rounds_are_planned_than_were_begun(self, events):
        events.create(plan(*FOUR, planned_rounds=1), WRITE)
        events.begin_round("cup", 1, WRITE)
        assert plan_of(events.begin_round("cup", 2, WRITE)).planned_rounds == 2
        with pytest.raises(Invalid, match="planned_rounds"):
            events.change("cup", 3, lambda before: msgspec.structs.replace(before, planned_rounds=1), WRITE)

    @pytest.mark.parametrize(
        ("more", "rounds", "written"),
        [
            ({"format": "swiss", "planned_rounds": 3}, 3, 3),
            ({"format": "swiss", "planned_rounds": 5}, 0, 5),
            ({"format": "all"}, 3, 3),
            ({"format": "teams"}, 1, 1),
        ],
    )
    def test_a_trf_file_has_the_rounds_that_are_planned(self, events, more, rounds, written):
        made = tuple(Round(number, ()) for number in range(1, rounds + 1))
        assert f"XXR {written}" in trf_lines(plan(players=in_teams("ABAB"), rounds=made, **more), {})

    def test_teams_keep_the_results_of_the_round_in_which_they_were_made(self, store, events):
        events.create(plan(players=in_teams("ABAB"), format="teams"), WRITE)
        row = events.begin_round("cup", 1, WRITE)
        for table, one in enumerate(plan_of(row).rounds[0].pairings, 1):
            events.change_table("cup", 2, 1, table, {"result": "1-0" if one.south in (1, 3) else "0-1"}, WRITE)

        def teams():
            found = load_standings(store, "cup", 1000).teams
            return [(one.name, one.points, one.boards, one.tally.won) for one in found]

        assert teams() == [("A", 2, 2, 2), ("B", 0, 0, 0)]
        for now, team in (("BBAB", "A"), ("BBCB", "C")):  # one moves; then the only one of team A is in a new team
            given = [{"id": id, "team": team} for id, team in enumerate(now, 1)]
            events.change("cup", None, lambda before, given=given: with_players(before, given), WRITE)
            assert (team, 2, 2, 2) in teams()

    def test_everybody_against_everybody_of_teams_ends(self, events):
        events.create(plan(players=in_teams("ABCA"), format="teams"), WRITE)
        for number in range(3):
            row = events.begin_round("cup", number + 1, WRITE)
        with pytest.raises(Conflict, match="met"):
            events.begin_round("cup", row.version, WRITE)
        events.change("cup", None, lambda before: msgspec.structs.replace(before, planned_rounds=6), WRITE)
        assert len(plan_of(events.begin_round("cup", None, WRITE)).rounds) == 4

    def test_other_games_on_offer_leave_those_in_play(self, events):
        offered = (OfferedGame("oware"), OfferedGame("bof", {}, "600"))
        events.create(plan(*FOUR, games=offered), WRITE)
        events.begin_round("cup", 1, WRITE, offered=1)
        for games, expected, place in (
            ((OfferedGame("kalah"),), ["kalah", "bof"], 1),
            ((OfferedGame("bof", {}, "300"), OfferedGame("kalah")), ["bof", "kalah"], 0),
        ):
            row = events.change("cup", None, lambda old, new=games: msgspec.structs.replace(old, games=new), WRITE)
            assert [one.game for one in plan_of(row).games] == expected
            assert {one.offered for one in plan_of(row).pairings} == {place}
            events.change_table("cup", None, 1, 1, {"south": 4, "north": 1}, WRITE)

    def test_an_event_without_games_can_be_renamed(self, store, events, games):
        events.create(plan(*FOUR), WRITE)
        set_rules(store, "cup", EventRules(("warning",), 5))
        events.create(plan(*FOUR, name="Other"), WRITE)
        for name, error in (("Other", Conflict), ("?", Invalid)):
            with pytest.raises(error):
                events.change("cup", None, lambda old, name=name: msgspec.structs.replace(old, name=name), WRITE)
        row = events.change("cup", 1, lambda old: msgspec.structs.replace(old, name="Big Cup"), WRITE)
        assert (row.event, row.version, events.row("cup")) == ("big cup", 2, None)
        assert load_rules(store, "big cup").appeal_minutes == 5
        games.create("bof", {}, {"Event": "Big Cup"}, WRITE)
        with pytest.raises(Invalid, match="games have it"):
            events.change("big cup", None, lambda old: msgspec.structs.replace(old, name="Cup"), WRITE)


def test_an_import_of_later_events_leaves_a_paired_game_in_its_place(store, games, events, tmp_path):
    events.create(plan(*FOUR), WRITE)
    game = game_at(games, events.begin_round("cup", 1, WRITE), 1)
    with closing(Store(f"sqlite:///{tmp_path / 'other.sqlite3'}")) as other:
        other.upgrade()
        archive.load(other, [line for line in archive.export(store) if '"event":' not in line[:9]])
        Games(other, max_plies=99).retag(game.id, {"South": "Dan", "North": "Ann"}, WRITE)
        lines = list(archive.export(other))
    assert archive.check(store, lines) == []
    beside = archive.load(store, lines).beside
    assert games.load(game.id).state.record.tags["South"] == "Ann"
    assert games.load(beside[game.id]).state.record.tags["South"] == "Dan"


@pytest.mark.parametrize("way", ["archive", "ndjson", "pmn"])
def test_a_casual_game_counts_for_nothing_in_a_copy_either(client, store, games, events, tmp_path, way):
    events.create(plan(*FOUR), WRITE)
    events.begin_round("cup", 1, WRITE)
    for table in (1, 2):
        events.change_table("cup", None, 1, table, {"result": "1-0"}, WRITE)
    tags = {"Event": "Cup", "South": "Dan", "North": "Ann", "Board": "1"}
    for number in "12":
        games.end(games.create("bof", {}, {**tags, "Round": number}, WRITE).id, "resignation", "South", WRITE)
    before = points(store)
    with closing(Store(f"sqlite:///{tmp_path / 'other.sqlite3'}")) as other:
        other.upgrade()
        if way == "archive":
            lines = list(archive.export(store))
            assert archive.check(other, lines) == []
            archive.load(other, lines)
            assert plan_of(Events(other, games, 9).load("cup")) == plan_of(events.load("cup"))
        else:
            data = client.get(f"/api/v1/games/export.{way}").data
            for there, is_present in ((Games(other, max_plies=99), False), (games, True)):
                assert [(one.error, one.present) for one in read_all(there, data)] == [(None, is_present)] * 4
        assert points(other) == before


def read_all(games, data):
    return import_text(games, data.splitlines(True), len(data), 9, WRITE, is_json=data[:1] == b"{", dry_run=False)


def test_an_archive_brings_the_rounds_since_and_replaces_no_other_plan(store, events, tmp_path):
    events.create(plan(*FOUR), WRITE)
    events.begin_round("cup", 1, WRITE)
    with closing(Store(f"sqlite:///{tmp_path / 'other.sqlite3'}")) as other:
        other.upgrade()
        there = Events(other, Games(other, max_plies=99), 9)
        there.create(plan("Eve", "Fay"), WRITE)
        for is_theirs in (True, False):
            archive.load(other, archive.export(store))
            assert (there.load("cup").plan["players"][0]["name"] == "Eve") == is_theirs
            with other.writing() as transaction:
                transaction.event_plans.remove("cup")
        archive.load(other, archive.export(store))
        spoilt = [line.replace('"name": "Ben"', '"name": "Ann"') for line in archive.export(store)]
        assert len(archive.check(other, spoilt)) == 1
        events.begin_round("cup", 2, WRITE)
        archive.load(other, archive.export(store))
        assert there.load("cup") == events.load("cup")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1. Amina\n2) Ben; Narok\n(3) Cleo\n4.Dan\n", ["Amina", "Ben", "Cleo", "Dan"]),
        ("- Amina\n• Ben", ["Amina", "Ben"]),
        ("1\tAmina\n2\tBen", ["Amina", "Ben"]),
        ("Amina\nBen\n3. Team Kaduna\n\n;\n", ["Amina", "Ben", "3. Team Kaduna"]),
        ("7 of Nine\nBen", ["7 of Nine", "Ben"]),
    ],
)
def test_numbers_of_a_list_are_in_no_name(text, read):
    assert [name.strip() for name, _ in read_player_list(text)] == read


def test_nobody_is_in_an_event_of_teams_without_one(events):
    with pytest.raises(Invalid, match="Cleo"):
        events.create(plan(format="teams", players=in_teams("NN S")), WRITE)


def test_a_game_to_which_nobody_came_is_said_so_when_that_is_changed(store, events):
    events.create(plan(*FOUR), WRITE)
    row = events.begin_round("cup", 1, WRITE)
    for result in ("none", ""):
        events.change_table("cup", row.version, 1, 1, {"result": result}, WRITE)
    with store.reading() as transaction:
        changes = transaction.changes.newest("event", ["cup"], 2)
    assert [(one.data["parts"][0]["before"], one.data["parts"][0]["after"]) for one in changes] == [
        ("none", None),
        (None, "none"),
    ]


def test_a_changed_record_of_a_paired_game_is_imported_with_a_warning(games, events):
    events.create(plan(*FOUR), WRITE)
    row = events.begin_round("cup", 1, WRITE)
    game = game_at(games, row, 1)
    record = "\n".join(f'[{name} "{value}"]' for name, value in {"Game": "bof", **game.tags, "Annotator": "x"}.items())
    (new,) = import_games(games, [f"{record}\n\n*\n".encode()], 9, WRITE)
    assert new.error is None
    assert any("Cup" in str(warning) for warning in new.warnings)
