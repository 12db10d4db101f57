import csv
import io

import pytest
from caissify_pairings.trf import parse_trf
from py4swiss.trf import TrfParser

from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of, with_players
from inkeek.service.games.events.planning import Events
from inkeek.service.games.events.results import matches_of
from inkeek.service.games.events.standings import load_rows, standings
from inkeek.service.games.events.trf import pairings_csv, standings_csv, tournament_file, trf_lines
from inkeek.service.games.write import Write

WRITE = Write("api")


@pytest.fixture
def held(store, games):
    """A Swiss tournament of three with a bye, a forfeit and a game that goes on."""
    events = Events(store, games, 1000)
    players = tuple(EventPlayer(id, name) for id, name in enumerate(("=Ann", "Bén, the\u2003second", "Cleo"), 1))
    days = ("2026-11-20", "2026-11-21")
    event = EventPlan("Cup", *days, "Narok", (OfferedGame("bof"),), players=players, format="swiss")
    events.create(event, WRITE)
    events.begin_round("cup", 1, WRITE)
    events.change_table("cup", 2, 1, 1, {"result": "1-0"}, WRITE)
    events.begin_round("cup", 2, WRITE)
    events.change_table("cup", 3, 2, 1, {"result": "north"}, WRITE)
    away = [{"id": id, "state": "out" if id == 2 else "in"} for id in (1, 2, 3)]
    events.change("cup", 3, lambda before: with_players(before, away), WRITE)
    row = events.begin_round("cup", 4, WRITE, [(1, 3)])
    rows, _, persons = load_rows(store, "cup", 1000)
    return plan_of(row), rows, persons


def test_other_programs_read_the_players_and_results_by_round(held, tmp_path):
    plan, rows, persons = held
    text = "\n".join(trf_lines(plan, matches_of(rows))) + "\n"
    (tmp_path / "cup.trf").write_text(text, "utf-8")
    read = TrfParser.parse(tmp_path / "cup.trf", strict=True)
    assert [section.name for section in read.player_sections] == ["=Ann", "Bén, the second", "Cleo"]
    points = {one.name: one.points for one in standings(rows, persons, plan)}
    assert [section.points_times_ten / 10 for section in read.player_sections] == [
        points[one.name] for one in plan.players
    ]
    other = parse_trf(text)
    assert (other["tournament"]["name"], other["tournament"]["location"]) == ("Cup", "Narok")
    results = [{number: one["result"] for number, one in player["results"].items()} for player in other["players"]]
    assert results == [{1: "1", 2: "+"}, {1: "0", 2: "U"}, {1: "U", 2: "-"}]


def test_tables_hold_no_formula(held):
    plan, rows, persons = held
    found = list(csv.reader(io.StringIO(pairings_csv(plan, matches_of(rows)))))
    assert len(found) == 1 + sum(len(round.pairings) for round in plan.rounds)
    assert "'=Ann" in found[1]
    assert "'=Ann" in standings_csv(standings(rows, persons, plan), plan.order)


def test_the_file_ranks_by_the_rounds_that_are_over(store, games):
    """An open round has no points there, and moves nobody."""
    events = Events(store, games, 1000)
    players = tuple(EventPlayer(id, name) for id, name in enumerate(("Ann", "Ben", "Cleo", "Dan"), 1))
    events.create(EventPlan("Cup", games=(OfferedGame("bof"),), players=players, format="swiss"), WRITE)
    first = events.begin_round("cup", 1, WRITE, [(1, 2), (3, 4)])
    for table in (1, 2):
        events.change_table("cup", None, 1, table, {"result": "1-0"}, WRITE)
    before = tournament_file(*found(store), plan_of(first))
    row = events.begin_round("cup", 2, WRITE, [(1, 3), (2, 4)])
    events.change_table("cup", None, 2, 1, {"result": "0-1"}, WRITE)
    assert tournament_file(*found(store), plan_of(row)) == before


def found(store):
    rows, _, persons = load_rows(store, "cup", 1000)
    return rows, persons
