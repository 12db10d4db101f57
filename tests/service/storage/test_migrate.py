import gzip
import hashlib
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, MetaData, Table, create_engine, insert, inspect, select, text

from inkeek.records import __version__
from inkeek.service.errors import StorageError
from inkeek.service.maintenance import archive
from inkeek.service.maintenance.archive import export
from inkeek.service.maintenance.verify import verify
from inkeek.service.storage import migrate
from inkeek.service.storage.database.backup import UNFINISHED
from inkeek.service.storage.database.engine import begin, open_engine
from inkeek.service.storage.database.schema import fingerprint, read_schema
from inkeek.service.storage.migrations.released import RELEASED
from inkeek.service.storage.migrations.versions.r0027_fewer_promises import right_day
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables import all_tables

KEPT = Path(__file__).parents[2] / "data/databases"


@pytest.fixture
def engine(empty_database):
    engine = open_engine(empty_database, 5.0)
    yield engine
    engine.dispose()


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
            "refers to": sorted(inspector.get_foreign_keys(name), key=lambda key: str(key["constrained_columns"])),
            "checks": sorted((check["name"], check["sqltext"]) for check in inspector.get_check_constraints(name)),
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
                tables[name]["options"] = ("WITHOUT ROWID" in sql, "AUTOINCREMENT" in sql, "STRICT" in sql)
        return tables
    return tables, sorted(inspector.get_sequence_names())


def test_the_migrations_build_the_tables_that_the_code_uses(engine):
    assert migrate.current(engine) is None
    migrate.upgrade(engine)
    assert migrate.current(engine) == migrate.latest()
    with engine.connect() as connection:
        migrated, tables = schema(connection), all_tables()
        assert compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), tables) == []
        assert len(inspect(connection).get_table_names()) == len(tables.tables) + 1  # Alembic's own
    tables.drop_all(engine)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE alembic_version"))
        migrate._migrate(connection, "head")
        assert schema(connection) == migrated


def test_what_was_lent_to_apps_ends_and_other_devices_stay(empty_database, engine):
    made = "'2026-11-20T12:00:00.000000Z'"
    with engine.connect() as connection:
        begin(connection, 5.0)
        migrate._migrate(connection, "0026")
        for key, kind, lender, app in (
            ("first", "session", "NULL", "NULL"),
            ("device", "session", "'first'", "NULL"),
            ("lent", "token", "'first'", "'tally'"),
        ):
            columns = "id, kind, name, scopes, hash, created, lender, app"
            row = f"'{key}', '{kind}', 'Naisula', 'record', '{key}', {made}, {lender}, {app}"
            connection.execute(text(f"INSERT INTO keys ({columns}) VALUES ({row})"))
        connection.commit()
    store = Store(empty_database)
    try:
        store.upgrade()
        with store.reading() as transaction:
            assert {key.id for key in transaction.keys.of_kinds(("session", "token"))} == {"first", "device"}
            assert [key.id for key in transaction.keys.lent("first", "2026-11-21")] == ["device"]
    finally:
        store.close()


def test_invitations_become_links_of_who_made_them(empty_database, engine):
    """Who was revoked takes their invitations along, and the guests who came with them."""
    made, until = "2026-11-20T12:00:00.000000Z", "2126-11-20T12:00:00.000000Z"
    key = {"kind": "session", "scopes": "record invite", "created": made, "expires": until, "lender": None}
    invitation = {"role": "keeper", "event": "The Cup", "event_key": "the cup", "most": 6, "joined": 1, "created": made}
    keys = (
        {"id": "one", "name": "Naisula", "revoked": None, "invitation": None},
        {"id": "gone", "name": "Koinet", "revoked": made, "invitation": None},
        {"id": "first", "name": "Farah", "revoked": None, "invitation": "kept"},
        {"id": "second", "name": "Farah", "revoked": None, "invitation": "kept", "lender": "first"},
        {"id": "late", "name": "Esther", "revoked": None, "invitation": "over"},
    )
    invitations = (
        {"id": "kept", "code": "22223333", "table": "3", "by": "Naisula", "expires": until},
        {"id": "over", "code": "44445555", "table": "4", "by": "Koinet", "expires": until},
    )
    with engine.connect() as connection:
        begin(connection, 5.0)
        migrate._migrate(connection, "0028")
        tables = MetaData()
        tables.reflect(connection)
        rows = {"keys": [{**key, "hash": one["id"], **one} for one in keys]}
        rows["invitations"] = [{**invitation, **one} for one in invitations]
        for name, found in rows.items():
            connection.execute(insert(tables.tables[name]), found)
        connection.commit()
    store = Store(empty_database)
    try:
        store.upgrade()
        with store.reading() as transaction:
            kept, over = transaction.keys.invitations("the cup")
            guests = {guest.id: guest.revoked for guest in transaction.keys.guests("the cup")}
            of_second = transaction.keys.invitation_of(transaction.keys.get("second"))
            assert transaction.keys.get("second").giver == "first"
        assert (kept.giver, kept.table, kept.joined, kept.scopes, kept.revoked) == ("one", "3", 1, ("record",), None)
        assert (over.giver, over.revoked, guests) == (None, made, {"first": None, "late": made})
        assert (of_second, kept.hash) == (kept, hashlib.sha256(b"22223333").hexdigest())
    finally:
        store.close()


@pytest.mark.parametrize(
    ("stored", "right"),
    [
        *((day, day) for day in ("1974-05-21", "1974-05-00", "1974-00-00", "2024-02-29")),
        *((day, None) for day in ("2026-13-45", "2026-02-29", "2026-99-00", "0000-00-00")),
        ("1974-00-21", "1974-00-00"),
    ],
)
def test_games_are_not_found_by_days_that_the_calendar_does_not_have(stored, right):
    assert right_day(stored) == right


def test_released_migrations_do_what_they_did(engine):
    with engine.connect() as connection:
        begin(connection, 5.0)
        made = {}
        for path in sorted(migrate.MIGRATIONS.glob("versions/r*.py")):
            migrate._migrate(connection, path.name[1:5])
            made[path.name[1:5]] = fingerprint(read_schema(connection))
        released = {revision: getattr(release, engine.dialect.name) for revision, release in RELEASED.items()}
        assert made == released, (
            "A released migration is never changed, and its number never used again: databases have it already. "
            "Undo the change, and put it into a new migration: CONTRIBUTING.md says how"
        )


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


@pytest.mark.parametrize("name", ["0001-ebc3f708", "0008-31f1984", "0008-08debf11", "0026-a9474077"])
def test_databases_of_earlier_versions_keep_every_byte_of_their_games(empty_database, engine, tmp_path, name):
    """0008 is what 0.1.0 says."""
    file, exported = unpack(name, tmp_path)
    revision = name[:4]
    if engine.dialect.name == "postgresql":
        copy_rows(file, engine, migrate.FIRST if revision == migrate.EARLY else revision)
        with engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    store = Store(empty_database)
    try:
        store.upgrade()
        store.update_ledger()
        assert games_in("".join(export(store))) == games_in(exported)
        assert [report.faults for report in verify(store) if report.faults] == []
    finally:
        store.close()
    with engine.connect() as connection:
        upgrades = connection.execute(text("SELECT before, revision, program FROM upgrades ORDER BY number")).all()
        assert upgrades[-1] == (revision, migrate.latest(), __version__)


def games_in(exported):
    """The lines of events: boards were exported too."""
    return [line for line in exported.splitlines() if line.startswith('{"game"')]


@pytest.mark.parametrize("name", ["0008-69e179c2", "0011-31f1984-e6221fa1", "0019-5593606b", "0025"])
def test_a_database_of_a_version_between_is_left_alone_and_its_games_are_moved(tmp_path, name):
    if name == "0025":
        file, exported = unpack("0026-a9474077", tmp_path)
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = '0025'")
            (maker,) = connection.execute("SELECT program FROM upgrades").fetchone()
    else:
        file, exported = unpack(name, tmp_path)
        maker = name.rpartition("-")[2]
    before = file.read_bytes()
    store = Store(f"sqlite:///{file}")
    with closing(store):
        for ask in (store.upgrade, store.check_revision):
            with pytest.raises(StorageError) as refused:
                ask()
            for words in (f"revision {name[:4]}", maker, "inkeek db export", "inkeek db import", "Nothing was changed"):
                assert words in str(refused.value)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    assert file.read_bytes()[100:] == before[100:]  # the header counts the changes of the mode
    assert not list(tmp_path.glob(f"*.{name[:4]}.*"))
    # What the version that made it exports, this one imports.
    with closing(Store(f"sqlite:///{tmp_path / 'new.sqlite3'}")) as new:
        new.upgrade()
        lines = exported.splitlines(keepends=True)
        assert archive.check(new, lines) == []
        archive.load(new, lines)
        assert games_in("".join(export(new))) == games_in(exported)
        assert [report.faults for report in verify(new) if report.faults] == []


def test_what_was_withdrawn_is_dropped_and_all_else_stays(tmp_path):
    file, _ = unpack("0026-a9474077", tmp_path)
    kept = (
        "SELECT serial, url, wanted, status FROM boards",
        "SELECT key, initials FROM persons",
        "SELECT name FROM keys",
    )
    with closing(sqlite3.connect(file)) as connection:
        before = [connection.execute(query).fetchall() for query in kept]
    assert all(before)
    with closing(Store(f"sqlite:///{file}")) as store:
        store.upgrade()
    with closing(sqlite3.connect(file)) as connection:
        assert [connection.execute(query).fetchall() for query in kept] == before
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert "board_secrets" not in names


def test_attempts_that_fail_leave_one_copy_and_an_upgrade_gives_it_its_name(tmp_path, monkeypatch):
    file, _ = unpack("0026-a9474077", tmp_path)
    store = Store(f"sqlite:///{file}")

    def fail(*_):
        raise StorageError("the disk is full")

    def copies():
        return [path.suffix for path in tmp_path.glob(f"{file.name}.0026.*")]

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
    file, _ = unpack("0026-a9474077", tmp_path)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(change)
    before = file.read_bytes()
    store = Store(f"sqlite:///{file}")
    with closing(store), pytest.raises(StorageError) as refused:
        store.upgrade()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    if "alembic" not in change:
        assert "Inkeek 0.2.0.dev0" in str(refused.value)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    assert file.read_bytes()[100:] == before[100:]  # the header counts the changes of the mode
    assert not list(tmp_path.glob("*.0026.*"))


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
        added = ["there is a column games.note too many", "there is a column weather.day too many"]
        found = [list(report.faults) for report in verify(store)]
        assert added[: 1 if store.file is None else 2] in found
    finally:
        store.close()
