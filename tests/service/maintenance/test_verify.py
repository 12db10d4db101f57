import re

import pytest
from msgspec.structs import replace

from inkeek.records import ruleset
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame
from inkeek.service.games.events.planning import Events
from inkeek.service.games.events.rules import set_rules
from inkeek.service.games.repository import Games
from inkeek.service.games.state import game_state
from inkeek.service.games.write import Write
from inkeek.service.maintenance import verify
from inkeek.service.storage import GENESIS, EventRules, PersonRow, seal
from inkeek.service.storage.game_rows import event_row, new_rows
from inkeek.service.storage.store import Store

API = Write("api")


@pytest.fixture
def store(database):
    """Three games: ``first`` has five events, ``second`` two and ``third`` one."""
    store = Store(database)
    ids = iter(["first", "second", "third"])
    games = Games(store, max_plies=5000, new_id=lambda: next(ids))
    for turns in (4, 1, 0):
        row = games.create("bof", {}, {"South": "Ann"}, API)
        for _ in range(turns):
            games.play(row.id, games.load(row.id).legal(1)[0], API)
    store.update_ledger()
    yield store
    store.close()


def do(store, *statements):
    """Run statements as somebody may who can write to the database."""
    with store.writing() as transaction:
        session = transaction.games._session
        if session.dialect.name == "sqlite":
            session.execute_plain = session.connection.dbapi_connection.execute
            session.execute_plain("COMMIT")
            session.execute_plain("PRAGMA foreign_keys = OFF")
            session.execute_plain("BEGIN IMMEDIATE")
        else:
            session.exec_driver_sql("SET session_replication_role = replica")
        for statement in statements:
            session.exec_driver_sql(statement)
        if session.dialect.name == "sqlite":
            session.execute_plain("COMMIT")
            session.execute_plain("PRAGMA foreign_keys = ON")
            session.execute_plain("BEGIN IMMEDIATE")
        else:
            session.exec_driver_sql("SET session_replication_role = DEFAULT")


def sql(*statements):
    return lambda store: do(store, *statements)


def faults(store):
    return {report.id: report.faults for report in verify.verify(store) if report.faults}


def remove(game, number):
    return (
        f"DELETE FROM games WHERE id = '{game}'",
        f"DELETE FROM events WHERE number = {number}",
        f"DELETE FROM players WHERE number = {number}",
        f"DELETE FROM positions WHERE number = {number}",
    )


def put_back(store, game, seq):
    """Bring a game to its state after event `seq`, with all that follows from it."""
    with store.writing() as transaction:
        state = game_state(transaction.games.events(game)[:seq])
        transaction.games.replace(state.row, state.positions)
        transaction.games._session.exec_driver_sql(
            f"DELETE FROM events WHERE number = {transaction.games.number(game)} AND seq > {seq}"
        )


def insert_game(store, game):
    """Insert a game that is right in itself, without the ledger."""
    position = str(ruleset("bof").start())
    data = {"game": "bof", "options": {}, "setup": None, "tags": {}, "comments": [], "position": position}
    event = seal(game, 1, "2026-11-22T09:00:00.000000Z", "", "api", "created", data, GENESIS)
    state = game_state([event])
    with store.writing() as transaction:
        transaction.games.add_all([new_rows(state.row, state.positions, [event_row(event)])])
        transaction.ledger._notes.clear()


def rewrite(store, game):
    """Write another history of a game: its chain, its row and its search keys are right."""
    with store.writing() as transaction:
        prev, events = GENESIS, []
        for event in transaction.games.events(game):
            events.append(seal(*event[:3], "somebody", *event[4:7], prev))
            prev = events[-1].hash
        do = transaction.games._session.exec_driver_sql
        do(f"DELETE FROM events WHERE number = {transaction.games.number(game)}")
        for event in events:
            transaction.games.append(event)
        transaction.ledger._notes.clear()
        state = game_state(events)
        transaction.games.replace(state.row, state.positions)


def test_a_whole_database_has_no_faults(store):
    reports = list(verify.verify(store))
    assert [report.id for report in reports] == ["first", "second", "third"]
    assert faults(store) == {}


TAMPERING = {
    "a game removed": (sql(*remove("second", 2)), {"second"}),
    "the last game removed": (sql(*remove("third", 3)), {"third"}),
    "every game removed": (
        sql(*(f"DELETE FROM {table}" for table in ("events", "games", "players", "positions"))),
        {"first", "second", "third"},
    ),
    "a row of a game removed": (sql("DELETE FROM games WHERE id = 'second'"), {"second", None}),
    "the events of a game removed": (sql("DELETE FROM events WHERE number = 2"), {"second"}),
    "events cut from the end": (sql("DELETE FROM events WHERE number = 1 AND seq > 3"), {"first"}),
    "a game put back": (lambda store: put_back(store, "first", 3), {"first"}),
    "a game rewritten": (lambda store: rewrite(store, "first"), {"first"}),
    "a game inserted": (lambda store: insert_game(store, "fourth"), {"fourth"}),
    "a game's id changed": (sql("UPDATE games SET id = 'other' WHERE id = 'second'"), {"other", "second"}),
    "a game's number changed": (
        sql(
            *(
                f"UPDATE {table} SET number = 99 WHERE number = 2"  # everywhere
                for table in ("games", "events", "players", "positions")
            )
        ),
        {"second"},
    ),
    "an event's seq changed": (sql("UPDATE events SET seq = 9 WHERE number = 1 AND seq = 5"), {"first"}),
    "events of no game": (sql("UPDATE events SET number = 99 WHERE number = 3"), {None, "third"}),
    "players of no game": (sql("UPDATE players SET number = 99 WHERE number = 3"), {None, "third"}),
    "positions of no game": (sql("INSERT INTO positions (number, ply, key) VALUES (-7, 0, 1)"), {None}),
    "an entry of the ledger removed": (sql("DELETE FROM ledger WHERE position = 3"), {None, "first"}),
    "the end of the ledger removed": (sql("DELETE FROM ledger WHERE position > 6"), {"second", "third"}),
    "an entry of the ledger changed": (sql("UPDATE ledger SET seq = 9 WHERE position = 8"), {None, "third"}),
    "an entry's time changed to an earlier one": (
        sql("UPDATE ledger SET time = '2001-01-01T00:00:00.000000Z' WHERE position = 4"),
        {None},
    ),
    "an entry's time changed to a later one": (
        sql("UPDATE ledger SET time = '9999-01-01T00:00:00.000000Z' WHERE position = 8"),
        {None},
    ),
    "an entry of another game": (
        sql("UPDATE ledger SET game_id = 'other' WHERE position = 8"),
        {None, "other", "third"},
    ),
    "a removed game's entries removed too": (
        sql(*remove("second", 2), "DELETE FROM ledger WHERE game_id = 'second'"),
        {None},
    ),
    "an index removed": (sql("DROP INDEX ix_games_result_number"), {None}),
    "a table removed": (sql("DROP TABLE disputes"), {None, "first", "second", "third"}),
}


ADMINS = "UPDATE keys SET scopes = 'admin' WHERE id = NEW.id"
ADDITIONS = {
    "trigger keys.all_admins": {
        "sqlite": (f"CREATE TRIGGER all_admins AFTER INSERT ON keys BEGIN {ADMINS}; END",),
        "postgresql": (
            f"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {ADMINS.replace(chr(39), chr(39) * 2)}; "
            "RETURN NEW; END'",
            "CREATE TRIGGER all_admins AFTER INSERT ON keys FOR EACH ROW EXECUTE FUNCTION f()",
        ),
    },
    "trigger alembic_version.later": {
        "sqlite": ("CREATE TRIGGER later BEFORE UPDATE ON alembic_version BEGIN DELETE FROM keys; END",)
    },
    "trigger keys.capitals": {
        "sqlite": (
            f"CREATE TRIGGER capitals AFTER INSERT ON keys BEGIN {ADMINS}; END",
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET type = 'TRIGGER' WHERE name = 'capitals'",
            "PRAGMA writable_schema = OFF",
        )
    },
    "rule keys.all_admins": {"postgresql": (f"CREATE RULE all_admins AS ON INSERT TO keys DO ALSO {ADMINS}",)},
    "view latest.latest": {"sqlite": ("CREATE VIEW latest AS SELECT max(number) AS number FROM games",)},
    "index keys.by_name": dict.fromkeys(("sqlite", "postgresql"), ("CREATE INDEX by_name ON keys (name)",)),
    "column weather.day": {"sqlite": ("CREATE TABLE weather (day TEXT)",)},
}


@pytest.mark.parametrize("name", ADDITIONS)
def test_what_was_added_to_the_tables_is_named_and_nothing_is_written_before(store, name):
    statements = ADDITIONS[name].get("postgresql" if store.file is None else "sqlite", ())
    do(store, *statements)
    expected = [f"there is a {name} too many"] if statements else []
    assert list(faults(store).get(None, ())) == expected
    store.check_revision()  # the service works with it


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_found(store, name):
    tamper, found = TAMPERING[name]
    tamper(store)
    assert faults(store).keys() == found


def test_the_first_place_is_named(store):
    put_back(store, "first", 3)
    (fault,) = faults(store)["first"][:1]
    assert re.search(r"\b4\b", fault)


def test_a_removed_game_is_not_rebuilt_and_one_without_a_row_gets_its_number_again(store):
    do(store, *remove("third", 3), "DELETE FROM games WHERE id = 'second'")
    reports = {report.id: report.rebuilt for report in verify.rebuild(store)}
    assert reports["second"]
    assert faults(store).keys() == {"third"}


def test_what_is_stored_while_it_is_checked_is_no_fault(store):
    games = Games(store, max_plies=5000)
    reports = []
    for report in verify.verify(store):
        reports.append(report)
        games.play("first", games.load("first").legal(1)[0], API)
        games.create("bof", {}, {}, API)
        if len(reports) == 20:
            break
    assert not any(report.faults for report in reports)


CHANGE_TAMPERING = (
    "DELETE FROM changes WHERE number = 1",
    "DELETE FROM changes WHERE number = 3",
    "UPDATE changes SET actor = 'Koinet' WHERE number = 2",
    "UPDATE changes SET \"key\" = 'ben' WHERE number = 2",
    "UPDATE changes SET about = 'person' WHERE number = 2",
    "UPDATE changes SET data = replace(data, 'Narok', 'Voi') WHERE number = 2",
    "UPDATE changes SET data = NULL, salt = '' WHERE number = 2",
    "UPDATE changes SET undoes = 1 WHERE number = 3",
    "UPDATE changes SET data = 'x' WHERE number = 3",
    "DELETE FROM ledger WHERE game_id = '@changes' AND seq = 3",
)


@pytest.mark.parametrize("statement", CHANGE_TAMPERING)
def test_tampering_with_changes_of_events_is_found(store, statement):
    events = Events(store, Games(store, max_plies=5000), 10)
    events.create(EventPlan("Cup", games=(OfferedGame("bof"),)), API)
    for place in ("Narok", "Kisii"):
        events.change("cup", None, lambda plan, place=place: replace(plan, place=place), API)
    store.update_ledger()
    assert faults(store) == {}
    do(store, statement)
    assert faults(store).keys() == {None}


KEPT = (
    "UPDATE event_plans SET plan = replace(plan, '\"bof\"', '\"go\"')",
    'UPDATE event_plans SET plan = replace(plan, \'"name":"Cup"\', \'"name":"Pot"\')',
    "UPDATE event_plans SET plan = replace(plan, '\"id\":2', '\"id\":1')",
    "UPDATE event_plans SET plan = replace(plan, '\"state\"', '\"status\"'), event = 'pot'",
    "UPDATE event_rules SET ladder = '[\"flogging\"]'",
    "UPDATE event_rules SET appeal_minutes = 0",
    "UPDATE persons SET joined = 'ann' WHERE \"key\" = 'ann'",
    "UPDATE persons SET name = '' WHERE \"key\" = 'ann'",
    "UPDATE persons SET \"key\" = 'Ann' WHERE \"key\" = 'ann'",
)


@pytest.mark.parametrize("statement", KEPT)
def test_plans_rules_and_persons_are_checked(store, statement):
    events = Events(store, Games(store, max_plies=5000), 10)
    players = (EventPlayer(1, "Ann"), EventPlayer(2, "Ben"))
    events.create(EventPlan("Cup", games=(OfferedGame("bof"),), players=players), API)
    set_rules(store, "cup", EventRules(("warning",), 10))
    with store.writing() as transaction:
        transaction.persons.put("ann", PersonRow("ann", "Ann"))
    assert faults(store) == {}
    do(store, statement)
    assert faults(store).keys() == {None}
