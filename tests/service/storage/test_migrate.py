import gzip
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from service.errors import StorageError
from service.games.disputes.disputes import find_dispute, open_dispute
from service.games.disputes.ruling_terms import Terms
from service.games.disputes.rulings import rule
from service.games.library.persons import load_person, set_initials
from service.games.repository import Games
from service.games.write import Write
from service.http.access.caller import TOKEN
from service.http.access.keys import Keys, digest
from service.maintenance.verify import verify
from service.storage import GameFilter, Store, migrate
from service.storage.database.engine import WRITE, open_engine
from service.storage.tables.schema import metadata

EARLY = Path(__file__).parents[2] / "data/databases/early-0008.sqlite3.gz"


@pytest.fixture
def engine(empty_database):
    engine = open_engine(empty_database, 5.0)
    yield engine
    engine.dispose()


def downgrade(engine, to="base"):
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.downgrade(config, to)


def schema(connection):
    """Tables, columns, keys and indexes, whatever order the columns have."""
    inspector = inspect(connection)
    tables = {
        name: {
            "columns": {
                column["name"]: (
                    str(column["type"]),
                    column["nullable"],
                    column["default"],
                    column.get("autoincrement"),
                )
                for column in inspector.get_columns(name)
            },
            "key": inspector.get_pk_constraint(name),
            "refers to": inspector.get_foreign_keys(name),
            "indexes": sorted(
                (
                    index["name"],
                    index["column_names"],
                    index["unique"],
                    {key: str(value) for key, value in index["dialect_options"].items()},
                )
                for index in inspector.get_indexes(name)
            ),
        }
        for name in inspector.get_table_names()
        if name != "alembic_version"
    }
    if connection.dialect.name == "sqlite":
        for name, sql in connection.execute(text("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")):
            if name in tables:
                tables[name]["options"] = ("WITHOUT ROWID" in sql, "AUTOINCREMENT" in sql)
        return tables
    return tables, sorted(inspector.get_sequence_names())


def test_the_migrations_build_the_tables_that_the_code_uses(engine):
    assert migrate.current(engine) is None
    migrate.upgrade(engine)
    assert migrate.current(engine) == migrate.latest()
    with engine.connect() as connection:
        migrated = schema(connection)
        assert compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata) == []
    downgrade(engine)
    with engine.connect() as connection:
        metadata.create_all(connection)
        assert schema(connection) == migrated
        assert len(inspect(connection).get_table_names()) == len(metadata.tables) + 1  # Alembic's own


def test_keys_from_before_limits_stay_valid(empty_database, engine):
    migrate.upgrade(engine)
    downgrade(engine, "0002")
    hash = digest(secret := "ink_t_" + "a" * 43)
    with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
        connection.execute(
            text(
                "INSERT INTO keys (id, kind, name, scopes, hash, created) "
                "VALUES ('k3f9wm2abc', 'token', 'desk', 'record board', :hash, '2026-11-20T12:00:00.000000Z')"
            ),
            {"hash": hash},
        )
    store = Store(empty_database)
    try:
        store.upgrade()
        if store.file is not None:
            (copy,) = store.file.parent.glob("*.0002.*")
            assert migrate.current(open_engine(f"sqlite:///{copy}", 1.0)) == "0002"
        keys = Keys(store)
        caller = keys.find(secret, TOKEN)
        assert (caller.id, caller.scopes, caller.limit) == ("k3f9wm2abc", {"record", "board"}, None)
        assert keys.rotate(caller.id)[0].previous_until is None
        assert keys.find(secret, TOKEN) is None
    finally:
        store.close()


def test_rulings_from_before_say_the_slip_that_they_were_about(empty_database, engine):
    migrate.upgrade(engine)
    store = Store(empty_database)
    try:
        games = Games(store, max_plies=100)
        row = games.create("bof", {}, {}, Write("api"))
        games.play(row.id, games.load(row.id).legal(1)[0], Write("api"))
        dispute = open_dispute(games, row.id, "North", "no", Write("api"))
        seen = {"legal": False, "accounts": [{"kinds": ["lost", "extra"]}]}
        rule(games, dispute.id, Terms("stands"), Write("api"), finding=seen)
        store.close()
        downgrade(engine, "0011")
        store = Store(empty_database)
        store.upgrade()
        assert find_dispute(store, dispute.id).slip == "lost"
    finally:
        store.close()


def test_migrating_twice_changes_nothing(engine):
    migrate.upgrade(engine)
    migrate.upgrade(engine)
    assert migrate.current(engine) == migrate.latest()


def test_a_database_whose_revision_had_other_tables_is_refused_and_untouched(tmp_path):
    """An early version of the project made it: its migrations had the same numbers."""
    file = tmp_path / "inkeek.sqlite3"
    before = gzip.decompress(EARLY.read_bytes())
    file.write_bytes(before)
    store = Store(f"sqlite:///{file}")
    try:
        with pytest.raises(StorageError, match="0008"):
            store.upgrade()
    finally:
        store.close()
    assert file.read_bytes() == before


def test_every_migration_can_be_taken_back(engine):
    migrate.upgrade(engine)
    downgrade(engine)
    with engine.connect() as connection:
        assert set(inspect(connection).get_table_names()) == {"alembic_version"}
    migrate.upgrade(engine)
    assert migrate.current(engine) == migrate.latest()


def test_names_that_are_stored_already_get_their_new_keys(empty_database, engine):
    """A database of revision 0003 with games, whose keys were made with case and spaces alone."""
    store = Store(empty_database, 5.0)
    store.upgrade()
    games = Games(store, max_plies=100)
    tags = {"South": "Jose\u0301", "North": "Ｋｏｉｎｅｔ", "Event": "Ｃｕｐ", "Match": "games", "MatchGame": "1"}
    row = games.create("bof", {}, tags, Write("api"), match=("", 1))
    other = games.create("bof", {}, {"South": "Ann"}, Write("api"))
    games.end(row.id, "resignation", "South", Write("api"))
    downgrade(engine, "0003")
    with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
        connection.execute(text("UPDATE players SET name = 'old' WHERE name = 'josé'"))
        connection.execute(text("UPDATE games SET event = 'Ｃｕｐ' WHERE event IS NOT NULL"))
    engine.dispose()
    store.upgrade()
    for game in (row, other):
        assert games.integrity(game.id) == []
    found = GameFilter(player="JOSÉ", event="cup", first_of_match=True)
    assert [one.id for one in games.page(5, None, found)[0]] == [row.id]
    store.close()


def test_changes_of_persons_from_before_are_chained_in_the_ledger(empty_database, engine):
    migrate.upgrade(engine)
    downgrade(engine, "0016")
    rows = [
        (1, "name", '{"ben": null}', True),
        (2, "undo", '{"ben": {"key": "ben", "name": "Ben", "joined": null, "initials": false}}', False),
    ]
    with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
        for number, kind, before, undone in rows:
            connection.execute(
                text(
                    "INSERT INTO person_changes (number, person, time, actor, source, kind, before, after, undone) "
                    "VALUES (:number, 'ben', '2026-11-20T12:00:00.000000Z', 'Hawo', 'page', "
                    ":kind, :before, '{}', :undone)"
                ),
                {"number": number, "kind": kind, "before": before, "undone": undone},
            )
    store = Store(empty_database)
    try:
        store.upgrade()
        assert [report.faults for report in verify(store)] == []
        found = load_person(store, "ben").changes
        assert [(change.kind, change.actor, change.undone) for change in found] == [
            ("undo", "Hawo", False),
            ("name", "Hawo", True),
        ]
        Games(store, max_plies=100).create("bof", {}, {"South": "Ben"}, Write("api"))
        set_initials(store, "ben", True, Write("page", "Hawo"))
        assert [report.faults for report in verify(store) if report.faults] == []
    finally:
        store.close()
