import re

import pytest
from msgspec.structs import replace

from inkeek.service.games.event_kinds import content_of, read_data
from inkeek.service.games.new_game import update_contents
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import verify
from inkeek.service.storage import GameFilter
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.schema import games as games_table, players, positions
from tests.service.maintenance.examples import import_examples

DERIVED = (games_table, players, positions)


@pytest.fixture
def store(database):
    """The example of every game, and one that is going on with a tag changed."""
    store = Store(database)
    games = import_examples(store)
    row = games.create("bof", {}, {"South": "Ann", "Date": "2026.01.02"}, Write("api"))
    games.play(row.id, games.load(row.id).legal(9)[0], Write("api"))
    games.retag(row.id, {"North": "Ben"}, Write("api"))
    yield store
    store.close()


def dump(store):
    """Every row of everything that follows from the events."""
    with store.reading() as transaction:
        return {table.name: sorted(map(repr, transaction.games._session.execute(table.select()))) for table in DERIVED}


def do(store, *statements):
    with store.writing() as transaction:
        for statement in statements:
            transaction.games._session.exec_driver_sql(statement)


def faults(reports):
    return {report.id: report.faults for report in reports if report.faults}


def test_a_store_that_is_whole_stays_as_it_is(store):
    before = dump(store)
    assert faults(verify.verify(store)) == {}
    reports = list(verify.rebuild(store))
    assert [(report.faults, report.rebuilt) for report in reports] == [((), False)] * verify.count(store)
    assert dump(store) == before


def test_everything_that_follows_from_the_events_is_rebuilt_from_them(store):
    update_contents(store)
    before = dump(store)
    do(
        store,
        "UPDATE games SET position = 'x', ply = 3, tags = '{}', options = '{}', state = 'live', result = '*',"
        " score_south = 1, winner = NULL, event = 'x', date = NULL, updated = 'x', start = 'x'",
        "DELETE FROM positions WHERE ply > 2",
        "UPDATE positions SET key = 7 WHERE ply = 1",
        "INSERT INTO players SELECT number, 'nobody', game, score, opens_match FROM players LIMIT 1",
        "INSERT INTO players SELECT 999, 'nobody', game, score, opens_match FROM players LIMIT 1",
        "DELETE FROM players WHERE name >= 'b' AND name <> 'nobody'",
        "UPDATE players SET score = 'both', opens_match = NOT opens_match WHERE number > 1",
        "INSERT INTO positions (number, ply, key) VALUES (1, 9999, 1), (999, 0, 1)",
    )
    assert len(faults(verify.verify(store)).keys() - {None}) == verify.count(store)
    reports = list(verify.rebuild(store))
    assert all(report.rebuilt for report in reports)
    assert len(reports) == verify.count(store)
    update_contents(store)
    assert dump(store) == before
    assert faults(verify.verify(store)) == {}


def test_a_game_whose_events_are_not_whole_is_reported_and_left(store):
    with store.reading() as transaction:
        broken, other = (row.id for row in transaction.games.page(2, None, GameFilter(state="ended"))[0])
        number = transaction.games.number(broken)
    last = f"SELECT max(seq) FROM events WHERE number = {number}"
    do(
        store,
        f"DELETE FROM events WHERE number = {number} AND seq = ({last})",
        f"UPDATE games SET result = '*' WHERE id IN ('{broken}', '{other}')",
    )
    before = dump(store)
    assert len(faults(verify.verify(store))[broken]) == 1
    reports = {report.id: report for report in verify.rebuild(store) if report.faults}
    assert (reports[broken].rebuilt, reports[other].rebuilt) == (False, True)
    assert len(reports[broken].faults) == 1
    after = dump(store)
    assert len(set(before["games"]) & set(after["games"])) == verify.count(store) - 1
    assert list(faults(verify.verify(store))) == [broken]


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("data", '{"ply": 1}', r"event \d+ was changed"),
        ("actor", "somebody", r"event \d+ was changed"),
        ("data", "nonsense", ""),
    ],
)
def test_an_event_that_was_tampered_with_is_reported(store, column, value, says):
    with store.reading() as transaction:
        (game_id,) = transaction.games.ids("", 1)
        number = transaction.games.number(game_id)
    do(store, f"UPDATE events SET {column} = '{value}' WHERE number = {number} AND seq = 2")
    for reports in (verify.verify(store), verify.rebuild(store)):
        (found,) = faults(reports).items()
        assert found[0] == game_id
        assert any(re.search(says, fault) for fault in found[1])


def test_events_that_are_whole_but_against_the_rules_are_reported(store):
    """Sealed anew, so that only the replay can tell."""
    games = Games(store, max_plies=10)
    row = games.create("bof", {}, {}, Write("api"))
    played = games.play(row.id, games.load(row.id).legal(9)[0], Write("api"))
    turn = replace(read_data(played.event), position=row.position.replace(" s 0", " n 1"))
    contents = [content_of(read_data(games.load(row.id).events[0]), "api"), content_of(turn, "api")]
    new = games.prepare(contents, Write("import"))
    games.add_all([new])
    (found,) = faults(verify.verify(store)).items()
    assert found[0] == new.row.id
    (fault,) = found[1]
    assert str(played.turn.position) in fault
    assert turn.position in fault
