import gzip
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, MetaData, Table, create_engine, insert, inspect, select, text

from records import __version__
from service.errors import StorageError
from service.games.disputes.disputes import find_dispute, open_dispute
from service.games.disputes.ruling_terms import Terms
from service.games.disputes.rulings import rule
from service.games.library.persons import load_person, set_initials
from service.games.repository import Games
from service.games.write import Write
from service.http.access.caller import TOKEN
from service.http.access.keys import Keys, digest
from service.maintenance.archive import export
from service.maintenance.verify import verify
from service.storage import GameFilter, Store, migrate
from service.storage.database.backup import UNFINISHED
from service.storage.database.engine import WRITE, open_engine
from service.storage.database.schema import fingerprint, read_schema
from service.storage.migrations.released import RELEASED
from service.storage.tables import all_tables

KEPT = Path(__file__).parents[2] / "data/databases"


@pytest.fixture
def engine(empty_database):
    engine = open_engine(empty_database, 5.0)
    yield engine
    engine.dispose()


def downgrade(engine, to="base"):
    with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
        migrate._migrate(connection, to, down=True)


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
        migrated, tables = schema(connection), all_tables()
        assert compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), tables) == []
    downgrade(engine)
    with engine.connect() as connection:
        tables.create_all(connection)
        assert schema(connection) == migrated
        assert len(inspect(connection).get_table_names()) == len(tables.tables) + 1  # Alembic's own


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


def test_what_was_lent_to_apps_ends_and_other_devices_stay(empty_database, engine):
    migrate.upgrade(engine)
    downgrade(engine, "0026")
    made = "'2026-11-20T12:00:00.000000Z'"
    with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
        for key, kind, lender, app in (
            ("first", "session", "NULL", "NULL"),
            ("device", "session", "'first'", "NULL"),
            ("lent", "token", "'first'", "'tally'"),
        ):
            columns = "id, kind, name, scopes, hash, created, lender, app"
            row = f"'{key}', '{kind}', 'Naisula', 'record', '{key}', {made}, {lender}, {app}"
            connection.execute(text(f"INSERT INTO keys ({columns}) VALUES ({row})"))
    store = Store(empty_database)
    try:
        store.upgrade()
        with store.reading() as transaction:
            assert {key.id for key in transaction.keys.of_kinds(("session", "token"))} == {"first", "device"}
            assert [key.id for key in transaction.keys.lent("first", "2026-11-21")] == ["device"]
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


def test_released_migrations_do_what_they_did_and_can_be_taken_back(engine):
    with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
        made = {}
        for path in sorted(migrate.MIGRATIONS.glob("versions/r*.py")):
            migrate._migrate(connection, path.name[1:5])
            made[path.name[1:5]] = fingerprint(read_schema(connection))
        released = {revision: getattr(release, engine.dialect.name) for revision, release in RELEASED.items()}
        assert made == released, (
            "A released migration is never changed, and its number never used again: databases have it already. "
            "Undo the change, and put it into a new migration: CONTRIBUTING.md says how"
        )
        for revision in reversed(list(made)[:-1]):
            migrate._migrate(connection, revision, down=True)
            assert fingerprint(read_schema(connection)) == made[revision]
        migrate._migrate(connection, "base", down=True)
        assert read_schema(connection) == set()


def unpack(name, folder):
    """A database of an earlier version, and what that version exported from it."""
    file = folder / "inkeek.sqlite3"
    file.write_bytes(gzip.decompress((KEPT / f"{name}.sqlite3.gz").read_bytes()))
    return file, gzip.decompress((KEPT / f"{name}.jsonl.gz").read_bytes()).decode()


def copy_rows(file, engine, revision):
    """Make the tables of a revision, and copy the rows of an SQLite file into them."""
    with engine.connect() as target, target.begin(), create_engine(f"sqlite:///{file}").connect() as source:
        migrate._migrate(target, revision)
        target.execute(text("DELETE FROM alembic_version"))
        tables = MetaData()
        tables.reflect(target)
        for table in tables.sorted_tables:
            old = Table(table.name, MetaData(), *(Column(column.name, column.type) for column in table.columns))
            rows = [row._asdict() for row in source.execute(select(old))]
            if rows:
                target.execute(insert(table), rows)


@pytest.mark.parametrize("name", sorted(path.name.removesuffix(".sqlite3.gz") for path in KEPT.glob("*.sqlite3.gz")))
def test_databases_of_earlier_versions_keep_every_byte_of_their_games(empty_database, engine, tmp_path, name):
    file, exported = unpack(name, tmp_path)
    revision = name[:4]
    if engine.dialect.name == "postgresql":
        if name.partition("-")[2].startswith(("31f1984", "08debf11")):
            copy_rows(file, engine, migrate.JOINED)
            revision = migrate.EARLY
            with engine.begin() as connection:
                connection.execute(text("UPDATE alembic_version SET version_num = :early"), {"early": revision})
        else:
            copy_rows(file, engine, revision)
    store = Store(empty_database)
    try:
        store.upgrade()
        store.update_ledger()
        assert "".join(export(store)) == exported
        assert [report.faults for report in verify(store) if report.faults] == []
    finally:
        store.close()
    with engine.connect() as connection:
        assert connection.execute(text("SELECT before, revision, program FROM upgrades")).all() == [
            (revision, migrate.latest(), __version__)
        ]


def test_attempts_that_fail_leave_one_copy_and_an_upgrade_gives_it_its_name(tmp_path, monkeypatch):
    file, _ = unpack("0019-5593606b", tmp_path)
    store = Store(f"sqlite:///{file}")

    def fail(*_):
        raise StorageError("the disk is full")

    def copies():
        return [path.suffix for path in tmp_path.glob(f"{file.name}.0019.*")]

    try:
        with monkeypatch.context() as failing:
            failing.setattr(migrate, "_note_upgrade", fail)
            for _ in range(2):
                with pytest.raises(StorageError, match="full"):
                    store.upgrade()
                assert copies() == [UNFINISHED]
        store.upgrade()
        assert len(copies()) == 1
        assert copies() != [UNFINISHED]
    finally:
        store.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DROP INDEX ix_games_date_number", "index games.ix_games_date_number is missing"),
        ("ALTER TABLE games RENAME COLUMN winner TO won", "column games.winner is missing"),
        ("ALTER TABLE games ADD COLUMN note TEXT", "column games.note too many"),
        ("CREATE UNIQUE INDEX once ON games (date)", "index games.once too many"),
        ("DROP TABLE alembic_version", "a table analyses already"),
    ],
)
def test_a_database_with_other_tables_than_its_revision_is_refused_and_untouched(tmp_path, change, said):
    file, _ = unpack("0016-89f78439", tmp_path)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(change)
    before = file.read_bytes()
    store = Store(f"sqlite:///{file}")
    with closing(store), pytest.raises(StorageError) as refused:
        store.upgrade()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    if "alembic" not in change:
        assert "commit 89f78439" in str(refused.value)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    assert file.read_bytes()[100:] == before[100:]  # the header counts the changes of the mode
    assert not list(tmp_path.glob("*.0016.*"))


def test_tables_of_others_are_left_alone_and_others_changes_of_ours_refused(empty_database, engine):
    store = Store(empty_database)
    try:
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE weather (day TEXT)"))
        store.upgrade()
        assert store.check_revision() == migrate.latest()
        with engine.begin() as connection:
            connection.execute(text("ALTER TABLE games ADD COLUMN note TEXT"))
        for ask in (store.upgrade, store.check_revision):
            with pytest.raises(StorageError, match=f"games.note.*Inkeek {re.escape(__version__)}"):
                ask()
        assert store.check_revision(tables=False) == migrate.latest()
        assert ["there is a column games.note too many"] in [list(report.faults) for report in verify(store)]
    finally:
        store.close()


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
