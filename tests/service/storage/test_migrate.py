import gzip
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, MetaData, Table, create_engine, insert, inspect, select, text

from inkeek.records import __version__
from inkeek.records.rules.ruleset import read_ruleset
from inkeek.service.errors import StorageError
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of
from inkeek.service.games.events.planning import Events
from inkeek.service.games.events.results import matches_of, result_of
from inkeek.service.games.events.standings import load_rows
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import archive
from inkeek.service.maintenance.archive import export
from inkeek.service.maintenance.verify import verify
from inkeek.service.storage import migrate, migrations
from inkeek.service.storage.database.engine import begin, open_engine
from inkeek.service.storage.migrate import fingerprint, read_schema
from inkeek.service.storage.migrations.released import EARLIER, RELEASED
from inkeek.service.storage.store import UNFINISHED, Store
from inkeek.service.storage.tables import all_tables

AYOAYO = (Path(__file__).parents[3] / "docs/examples/rules/ayoayo.toml").read_text("utf-8")
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


def test_lent_to_apps_and_invitations_end_and_other_devices_stay(empty_database, engine):
    """The guests who came with an invitation end with it."""
    made = "'2026-11-20T12:00:00.000000Z'"
    with engine.connect() as connection:
        begin(connection, 5.0)
        make_tables(connection, "0026")
        connection.execute(text("INSERT INTO alembic_version VALUES ('0026')"))
        for key, kind, lender, app, invitation in (
            ("first", "session", "NULL", "NULL", "NULL"),
            ("device", "session", "'first'", "NULL", "NULL"),
            ("lent", "token", "'first'", "'tally'", "NULL"),
            ("guest", "session", "NULL", "NULL", "'kept'"),
            ("phone", "session", "'guest'", "NULL", "'kept'"),
        ):
            columns = "id, kind, name, scopes, hash, created, lender, app, invitation"
            row = f"'{key}', '{kind}', 'Naisula', 'record', '{key}', {made}, {lender}, {app}, {invitation}"
            connection.execute(text(f"INSERT INTO keys ({columns}) VALUES ({row})"))
        connection.commit()
    store = Store(empty_database)
    try:
        store.upgrade()
        with store.reading() as transaction:
            keys = transaction.keys.of_kinds(("session", "token"))
            valid = transaction.keys.valid_ids([key.id for key in keys], "2026-11-21")
            assert {key.id for key in keys} == {"first", "device", "guest", "phone"}
            assert {key.id: key.giver for key in valid.values()} == {"first": None, "device": "first"}
            assert [key.id for key in transaction.keys.lent("first", "2026-11-21")] == ["device"]
    finally:
        store.close()


def test_released_migrations_do_what_they_did(engine):
    with engine.connect() as connection:
        begin(connection, 5.0)
        made = {}
        for path in sorted(migrate.MIGRATIONS.glob("versions/r*.py")):
            migrate._migrate(connection, path.name[1:5])
            made[path.name[1:5]] = fingerprint(read_schema(connection))
        released = {
            revision: getattr(release, engine.dialect.name)
            for revision, release in RELEASED.items()
            if revision not in EARLIER
        }
        assert made == released, (
            "A released migration is never changed, and its number never used again: databases have it already. "
            "Undo the change, and put it into a new migration: CONTRIBUTING.md says how"
        )


def unpack(name, folder):
    """A database of an earlier version, and what that version exported from it."""
    file = folder / "inkeek.sqlite3"
    file.write_bytes(gzip.decompress((KEPT / f"{name}.sqlite3.gz").read_bytes()))
    return file, gzip.decompress((KEPT / f"{name}.jsonl.gz").read_bytes()).decode()


def make_tables(connection, revision):
    """Make the empty tables that a revision had."""
    kind = connection.dialect.name
    script = gzip.decompress((KEPT / f"{revision}.{kind}.sql.gz").read_bytes()).decode()
    driver = connection.connection.driver_connection
    for statement in script.split(";\n")[:-1] if kind == "sqlite" else [script]:
        driver.execute(statement)


def copy_rows(file, engine, revision):
    """Make the tables that a revision had, and copy the rows of an SQLite file into them, as far as they have the
    columns."""
    with engine.connect() as target, target.begin(), create_engine(f"sqlite:///{file}").connect() as source:
        make_tables(target, revision)
        tables = MetaData()
        tables.reflect(target)
        there = inspect(source)
        for table in tables.sorted_tables:
            known = {column["name"] for column in there.get_columns(table.name)} if there.has_table(table.name) else ()
            if not known:
                continue
            columns = (column for column in table.columns if column.name in known)
            old = Table(table.name, MetaData(), *(Column(column.name, column.type) for column in columns))
            rows = [row._asdict() for row in source.execute(select(old))]
            if rows:
                target.execute(insert(table), rows)
        if engine.dialect.name == "postgresql":
            target.execute(text("SELECT setval('games_number', 1000)"))


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


def test_the_results_of_plans_are_ends_of_games(empty_database, engine, tmp_path, caplog):
    """And games are found by their players, events, days and rules."""
    write, old = Write("api"), Store(f"sqlite:///{tmp_path / 'old.sqlite3'}")
    with closing(old):
        old.upgrade()
        games = Games(old, max_plies=100)
        games.rulesets.add(AYOAYO, "cli")
        players = tuple(EventPlayer(id, name) for id, name in enumerate("ABCDEFGHI", 1))
        event = EventPlan("Cup", games=(OfferedGame("bof"),), players=players, format="swiss", place="Narok")
        events = Events(old, games, 1000)
        events.create(event, write)
        events.begin_round("cup", 1, write)
        games.create(read_ruleset(AYOAYO).id, {}, {"South": "Ann", "Date": "1974.??.??"}, write)
        ids = [one.game for one in plan_of(events.load("cup")).rounds[0].pairings]
        for id, termination, winner in (  # the first before the plan said that the other side had come
            (ids[0], "forfeit", "South"),
            (ids[1], "resignation", "South"),  # over which a forfeit was put
            (ids[2], "abandoned", None),
        ):
            if id != ids[0]:
                games.play(id, games.load(id).legal(1)[0], write)
            games.end(id, termination, winner, write)
        plan = events.load("cup").plan
        said = {1: ("north", True), 2: ("north", True), 3: ("none", True), 4: ("south", False), 5: ("half", False)}
        for one in plan["rounds"][0]["pairings"]:  # as plans did before; some of no game
            one["result"], has_game = said[one["table"]]
            if not has_game:
                del one["game"]
        with old.writing() as transaction:
            row = transaction.event_plans.get("cup")
            transaction.event_plans.put(row._replace(plan=plan))
    copy_rows(tmp_path / "old.sqlite3", engine, "0027")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0027'"))
        connection.execute(text("UPDATE games SET date = '2026-13-45', event = NULL"))
        connection.execute(text("UPDATE players SET game = substr(game, 1, 8)"))
    store = Store(empty_database)
    with closing(store):
        store.upgrade()
        store.update_ledger()
        rows, plan, _ = load_rows(store, "cup", 1000)
        assert [tuple(result_of(one, matches_of(rows))) for one in plan.rounds[0].pairings] == [
            ("north", (0.0, 1.0)),
            ("", (0.0, 1.0)),
            ("", (0.0, 0.0)),
            ("south", (1.0, 0.0)),
            ("half", (0.5, 0.0)),
        ]
        plan = Events(store, Games(store, max_plies=100), 1000).load("cup").plan
        assert not any("result" in one for one in plan["rounds"][0]["pairings"])
        new = Games(store, max_plies=100).row(plan["rounds"][0]["pairings"][3]["game"])
        assert {"Event": "Cup", "Site": "Narok", "Round": "1", "Board": "4"}.items() <= new.tags.items()
        assert [report.faults for report in verify(store) if report.faults] == []
        assert not [one for one in caplog.records if one.name == migrations.__name__]


def games_in(exported):
    """The lines of events: boards were exported too."""
    return [line for line in exported.splitlines() if line.startswith('{"game"')]


@pytest.mark.parametrize("name", ["0008-69e179c2", "0011-31f1984-e6221fa1", "0019-5593606b", "0025", "0032"])
def test_a_database_of_a_version_between_is_left_alone_and_its_games_are_moved(tmp_path, name):
    if name in ("0025", "0032"):
        file, exported = unpack("0026-a9474077", tmp_path)
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", (name,))
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
    ("name", "change", "said"),
    [
        ("0033", "DROP INDEX ix_games_created_number", "index games.ix_games_created_number is missing"),
        ("0033", "ALTER TABLE games RENAME COLUMN winner TO won", "column games.winner is missing"),
        ("0033", "ALTER TABLE games ADD COLUMN note TEXT", "column games.note too many"),
        ("0033", "CREATE UNIQUE INDEX once ON games (date)", "index games.once too many"),
        ("0026", "ALTER TABLE games ADD COLUMN note TEXT", "not its tables"),
        ("", "DROP TABLE alembic_version", "a table analyses already"),
    ],
)
def test_a_database_with_other_tables_than_its_revision_is_refused_and_untouched(tmp_path, name, change, said):
    file, _ = unpack("0026-a9474077", tmp_path)
    if name == "0033":
        with closing(Store(f"sqlite:///{file}")) as store:
            store.upgrade()
    for copy in tmp_path.glob("*.0026.*"):
        copy.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(change)
        connection.execute("PRAGMA journal_mode = DELETE")
    before = file.read_bytes()
    store = Store(f"sqlite:///{file}")
    with closing(store), pytest.raises(StorageError) as refused:
        store.upgrade()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    if name:
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
