"""Migrations of the database. Safe if several processes start at once: one migrates, the others wait.

The tables are compared with what `migrations.released` says of the database's revision before they are used. Alembic is
imported only to migrate, or to say how the tables differ. A schema is read from the database itself: columns, indexes,
triggers, views and rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, MetaData, create_engine, func, insert, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateColumn

from inkeek.records.version import __version__
from inkeek.service.errors import StorageError
from inkeek.service.room import TABLE_PREFIX

from .clock import stamp, utc_now
from .database.engine import begin, database_message
from .migrations.released import BETWEEN, EARLIER, RELEASED
from .tables import all_tables
from .tables.schema import upgrades

# Each gives rows of the kind of a part, its table, its name, and what else it is. Alembic's own table is left out.
# SQLite does what the text of a row says, whatever stands in its column `type`.
_QUERIES = {
    "sqlite": """
        SELECT 'column', m.name, c.name, c.type || iif(c."notnull", ' not null', '')
            || iif(c.pk, ' key ' || c.pk, '') || coalesce(' default ' || c.dflt_value, '')
            || iif(c.hidden, ' generated', '')
        FROM sqlite_schema AS m JOIN pragma_table_xinfo(m.name) AS c
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite/_%' ESCAPE '/'
        UNION ALL
        SELECT coalesce(lower(type), ''), tbl_name, name, replace(sql, '"', '') FROM sqlite_schema
        WHERE sql IS NOT NULL AND (type IS NOT 'table' OR sql NOT LIKE 'CREATE TABLE %')
    """,
    "postgresql": """
        SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
            || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
            || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
            || CASE WHEN a.attcollation = t.typcollation THEN '' ELSE ' collate ' || o.collname END
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid JOIN pg_type AS t ON t.oid = a.atttypid
        LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
        LEFT JOIN pg_collation AS o ON o.oid = a.attcollation
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
            AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 'index', tablename, indexname, regexp_replace(indexdef, ' ON [^ ]+[.]', ' ON ')
        FROM pg_indexes WHERE schemaname = current_schema()
        UNION ALL
        SELECT 'trigger', c.relname, t.tgname, pg_get_triggerdef(t.oid)
        FROM pg_class AS c JOIN pg_trigger AS t ON t.tgrelid = c.oid
        WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal
        UNION ALL
        SELECT 'rule', tablename, rulename, definition FROM pg_rules WHERE schemaname = current_schema()
    """,
}


class SchemaPart(NamedTuple):
    """A column, index, trigger, view or rule. `text`: its type or definition."""

    kind: str
    table: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind} {self.table}.{self.name}"


def read_schema(connection: Connection) -> set[SchemaPart]:
    """Read the parts of all tables, whatever order they were made in, but for those of rooms."""
    return {part for part in read_parts(connection) if not part.table.startswith(TABLE_PREFIX)}


def read_parts(connection: Connection) -> set[SchemaPart]:
    """Read the parts of all tables, those of rooms too."""
    rows = connection.execute(text(_QUERIES[connection.dialect.name]))
    parts = {SchemaPart(kind, table, name, " ".join(more.split())) for kind, table, name, more in rows}
    return {part for part in parts if part.table != "alembic_version" or part.kind not in ("column", "index")}


def fingerprint(parts: set[SchemaPart]) -> str:
    """Return the start of a hash of the parts: enough to tell schemas apart that nobody forged."""
    return hashlib.sha256("\n".join(map("|".join, sorted(parts))).encode()).hexdigest()[:16]


def differences(found: set[SchemaPart], expected: set[SchemaPart], *, strict: bool = False) -> list[str]:
    """Say how `found` differs from `expected`, each difference in a sentence.

    :param strict: Whether tables, plain indexes, triggers, views and rules that others have added count too.
    """
    tables = {part.table for part in expected}
    named, there = {str(part): part.text for part in expected}, set(map(str, found))
    wrong = [f"the {part} is missing" for part in sorted(expected) if str(part) not in there]
    for part in sorted(found - expected):
        old = named.get(str(part))
        if old is not None:
            wrong.append(f"the {part} is {part.text!r}, not {old!r}")
        elif strict or (part.table in tables and (part.kind == "column" or "UNIQUE" in part.text)):
            wrong.append(f"there is a {part} too many")
    return wrong


MIGRATIONS = Path(__file__).parent / "migrations"
LOCK_TIMEOUT = 60.0  # seconds to wait for another process that migrates an SQLite file
PG_LOCK = 0x494E4B45  # any fixed number: "INKE"
# What a database of 0.1.0 says, and the number that its tables have now: another version used EARLY for others.
EARLY, FIRST = "0008", "0001"


def latest() -> str:
    """Return the revision that this version of the project works with."""
    return list(RELEASED)[-1]


def current(engine: Engine) -> str | None:
    """Return the revision of the database, None if it is empty.

    :raises StorageError: the database cannot be reached.
    """
    with _failures(engine, "open the database {}"), engine.connect() as connection:
        return _revision(connection)


def check(engine: Engine, *, tables: bool = True) -> str:
    """Return the revision of the database, which is the one that this version of the project works with.

    :param tables: Whether to compare its tables too. Without, what is left of a damaged database can be read.
    :raises StorageError: there is no such database, it cannot be reached, or it has another revision or other tables;
        the message says what to do.
    """
    if engine.dialect.name == "sqlite" and not Path(str(engine.url.database)).exists():
        raise StorageError(
            f"there is no database {engine.url!r}: name one with --data or --database, as for the service"
        )
    with _failures(engine, "open the database {}"), engine.connect() as connection:
        found = _revision(connection)
        if not _is_early(connection, found):
            _check_known(connection, found)
        if found is None or found != latest():
            raise StorageError(
                f"the database {engine.url!r} has revision {found or 'none'}; this version needs {latest()}: "
                "run 'inkeek db upgrade'"
            )
        if tables:
            _check_tables(connection, found)
        return found


def upgrade(engine: Engine, before: Callable[[str], None] = lambda revision: None) -> None:
    """Apply what is missing, in one transaction that no other process can enter. `before` gets the
    revision of tables before they are changed.

    :raises StorageError: the database cannot be reached, was made by a later version or by one between those that
        are upgraded, or has other tables than its revision.
    """
    with _failures(engine, "bring the database {} up to date"):
        with engine.connect() as connection:
            if _revision(connection) == latest():
                _check_tables(connection, latest())
                return
        with engine.connect() as connection:
            begin(connection, LOCK_TIMEOUT)
            _keep_others_out(connection)
            found = _revision(connection)
            early = _is_early(connection, found)
            if not early:
                _check_known(connection, found)
                _check_tables(connection, found)
            if found == latest():
                return
            if found is not None:
                before(found)
            if found is None:
                _create(connection)
            else:
                if early or found in EARLIER:
                    connection.execute(text("DELETE FROM alembic_version"))  # the first migration finds the tables
                _migrate(connection, "head")
            _check_tables(connection, latest())
            _note_upgrade(connection, found)
            connection.commit()


def _keep_others_out(connection: Connection) -> None:
    """Let no other process migrate until the end of the transaction. In SQLite none can write anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": PG_LOCK})


def upgrade_room(engine: Engine, name: str, tables: MetaData) -> None:
    """Make the tables of a room, and add the columns that those of an earlier version of it lack: what an earlier
    version stored and reads stays, so a copy from before, or the earlier version after this one, still works.

    :raises StorageError: the database refuses, or the tables are others than the room's.
    """
    if wrong := [table for table in tables.tables if not table.startswith(f"{TABLE_PREFIX}{name}_")]:
        raise StorageError(f"the room {name!r} has a table {wrong[0]!r}: expected {TABLE_PREFIX}{name}_…")
    with _failures(engine, "make the tables of a room in the database {}"), engine.connect() as connection:
        if not room_faults(connection, tables):
            return
        connection.rollback()
        begin(connection, LOCK_TIMEOUT)
        _keep_others_out(connection)
        tables.create_all(connection)
        for table in tables.tables.values():
            there = {column["name"] for column in inspect(connection).get_columns(table.name)}
            for column in table.columns:
                if column.name not in there:
                    definition = CreateColumn(column).compile(dialect=connection.dialect)
                    connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {definition}"))
        if faults := room_faults(connection, tables):
            raise StorageError(f"the tables of the room {name!r} are not those of this version of it: {faults[0]}")
        connection.commit()


def room_faults(connection: Connection, tables: MetaData) -> list[str]:
    """Say how the tables of a room differ from what it declares. More columns and indexes are of a later version."""
    expected = _read_blank(connection, tables.create_all, read_parts)
    names = {str(part) for part in expected}
    return differences({part for part in read_parts(connection) if str(part) in names}, expected)


def _note_upgrade(connection: Connection, before: str | None) -> None:
    number = connection.execute(select(func.count()).select_from(upgrades)).scalar_one() + 1
    values = {"number": number, "time": stamp(utc_now()), "before": before, "revision": latest()}
    connection.execute(insert(upgrades), {**values, "program": __version__})


def schema_faults(connection: Connection, revision: str | None, *, strict: bool = False) -> list[str]:
    """Say how the tables differ from those that the migrations make up to this revision. `strict` as in
    `differences`."""
    found = read_schema(connection)
    if revision is None:
        expected = _expected(connection, latest()) if found else set()
        taken = {part.table for part in found} & {part.table for part in expected}
        return [f"there is a table {min(taken)} already"] if taken else []
    if fingerprint(found) == getattr(RELEASED[revision], connection.dialect.name):
        return []
    if revision in EARLIER:
        return ["they are others than this revision had"]
    expected = _expected(connection, revision)
    if strict and connection.dialect.name == "postgresql":  # other programs may have tables beside ours
        ours = {"alembic_version", *(part.table for part in expected)}
        found = {part for part in found if part.table in ours}
    return differences(found, expected, strict=strict)


def _check_tables(connection: Connection, revision: str | None) -> None:
    """:raises StorageError: there are others than this revision has."""
    if faults := schema_faults(connection, revision):
        fault = faults[0] + (f", and {len(faults) - 1} more differences" if len(faults) > 1 else "")
        raise StorageError(
            f"the database {connection.engine.url!r} has revision {revision or 'none'}, but not its tables: {fault}. "
            f"It was made by {_maker(connection, revision)}. Nothing was changed. Undo the difference, or "
            + _way_of_games(connection)
        )


def _maker(connection: Connection, revision: str | None) -> str:
    program, commit = _program(connection), BETWEEN.get(revision or "")
    return f"Inkeek {program}" if program else f"an Inkeek like that of commit {commit}" if commit else "Inkeek 0.1.0"


def _way_of_games(connection: Connection) -> str:
    return (
        "move the games into a new database: 'inkeek db export games.jsonl --database "
        f"{connection.engine.url!r}' with that version, and 'inkeek db import games.jsonl' with this one"
    )


def _program(connection: Connection) -> str | None:
    """Return the version of the program that last upgraded the database; None: it is from before they were stored."""
    if not inspect(connection).has_table(upgrades.name):
        return None
    query = select(upgrades.c.program).order_by(upgrades.c.number.desc()).limit(1)
    return connection.execute(query).scalar()


def _is_early(connection: Connection, revision: str | None) -> bool:
    """Return whether this is a database of 0.1.0, although another version's would say the same revision."""
    return revision == EARLY and not schema_faults(connection, FIRST)


def _expected(connection: Connection, revision: str) -> set[SchemaPart]:
    return _read_blank(connection, lambda blank: _migrate(blank, revision), read_schema)


def _read_blank(
    connection: Connection, make: Callable[[Connection], None], read: Callable[[Connection], set[SchemaPart]]
) -> set[SchemaPart]:
    if connection.dialect.name == "sqlite":
        engine = create_engine("sqlite://")
        with engine.connect() as blank:
            make(blank)
            parts = read(blank)
        engine.dispose()
        return parts
    attempt = connection.begin_nested()
    try:
        connection.execute(text("SET LOCAL search_path TO pg_temp"))
        make(connection)
        return read(connection)
    finally:
        attempt.rollback()


def _create(connection: Connection) -> None:
    """Make all tables as the last migration leaves them: Alembic takes as long to load as all else."""
    all_tables().create_all(connection)
    key = "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)"
    connection.execute(text(f"CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, {key})"))
    connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": latest()})


def _migrate(connection: Connection, revision: str) -> None:
    from alembic import command  # takes long to load, in every process: only an upgrade needs it
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _check_known(connection: Connection, revision: str | None) -> None:
    """:raises StorageError: a later version has made or migrated the database, or one that is not upgraded."""
    if revision in BETWEEN:
        raise StorageError(
            f"the database {connection.engine.url!r} has revision {revision} of a development version, which is not "
            f"upgraded. It was made by {_maker(connection, revision)}. Nothing was changed: "
            + _way_of_games(connection)
        )
    if revision is not None and revision not in RELEASED:
        program = _program(connection)
        raise StorageError(
            f"the database {connection.engine.url!r} was made by a newer Inkeek{f', {program}' if program else ''}: it "
            f"has revision {revision}, and this version, {__version__}, knows up to {latest()}. Install the version "
            "that made it, or restore a copy from before"
        )


@contextmanager
def _failures(engine: Engine, doing: str) -> Iterator[None]:
    """:raises StorageError: the database cannot be reached, or refuses."""
    driver: Any = engine.dialect.dbapi
    try:
        yield
    except (SQLAlchemyError, driver.Error) as error:
        raise StorageError(f"cannot {doing.format(repr(engine.url))}: {database_message(error)}") from error
