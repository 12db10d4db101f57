"""Migrations of the database. Safe if several processes start at once: one migrates, the others wait.

Alembic is imported only to migrate: a database that is up to date costs one query.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from service.errors import StorageError

from .database.engine import WRITE, database_message

MIGRATIONS = Path(__file__).parent / "migrations"
PG_LOCK = 0x494E4B45  # any fixed number: "INKE"


def known() -> list[str]:
    """Return the revisions that this version of the project knows, in order: the numbers of the migrations' files."""
    return sorted(path.name[1:5] for path in MIGRATIONS.glob("versions/r*.py"))


def latest() -> str:
    """Return the revision that this version of the project works with."""
    return known()[-1]


def current(engine: Engine) -> str | None:
    """Return the revision of the database, None if it is empty.

    :raises StorageError: the database cannot be reached.
    """
    driver: Any = engine.dialect.dbapi
    try:
        with engine.connect() as connection:
            return _revision(connection)
    except (SQLAlchemyError, driver.Error) as error:
        raise StorageError(f"cannot open the database {engine.url!r}: {database_message(error)}") from error


def check(engine: Engine) -> str:
    """Return the revision of the database, which is the one that this version of the project works with.

    :raises StorageError: there is no such database, it cannot be reached, or it has another revision; the message says
        what to do.
    """
    if engine.dialect.name == "sqlite" and not Path(str(engine.url.database)).exists():
        raise StorageError(
            f"there is no database {engine.url!r}: name one with --data or --database, as for the service"
        )
    found = current(engine)
    _check_known(engine, found)
    if found is None or found != latest():
        raise StorageError(
            f"the database {engine.url!r} has revision {found or 'none'}; this version needs {latest()}: "
            "run 'inkeek db upgrade'"
        )
    return found


def upgrade(engine: Engine, before: Callable[[str], None] = lambda revision: None) -> None:
    """Apply what is missing, in one transaction that no other process can enter. `before` gets the
    revision of tables before they are changed.

    :raises StorageError: the database cannot be reached, or was made by a later version or a very early one.
    """
    if current(engine) == latest():
        return
    driver: Any = engine.dialect.dbapi
    try:
        with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": PG_LOCK})
            found = _revision(connection)
            _check_known(engine, found)
            _check_columns(engine, connection, found)
            if found is not None and found != latest():
                before(found)
            _migrate(connection, "head")
    except (SQLAlchemyError, driver.Error) as error:
        raise StorageError(f"cannot bring the database {engine.url!r} up to date: {database_message(error)}") from error


def _migrate(connection: Connection, revision: str) -> None:
    from alembic import command
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


def _check_known(engine: Engine, revision: str | None) -> None:
    """:raises StorageError: a later version of the project has made or migrated the database."""
    if revision is not None and revision not in known():
        raise StorageError(
            f"the database {engine.url!r} was made by a newer Inkeek: it has revision {revision}, and this version "
            f"knows up to {latest()}. Install the version that made it, or restore a copy from before"
        )


def _check_columns(engine: Engine, connection: Connection, revision: str | None) -> None:
    """Compare the tables with those that the migrations make up to this revision: early versions of the project gave
    the same numbers to other migrations.

    :raises StorageError: there are others.
    """
    if revision is None:
        return
    blank = create_engine("sqlite://")
    with blank.connect() as expected:
        _migrate(expected, revision)
        missing = sorted(_columns(expected) - _columns(connection))
    blank.dispose()
    if missing:
        raise StorageError(
            f"the database {engine.url!r} has revision {revision}, but not {missing[0]!r}: an early version of Inkeek "
            "made it, and this one cannot bring it up to date. Nothing was changed. Export it with the version that "
            "made it ('inkeek db export'), and import that into a new database"
        )


def _columns(connection: Connection) -> set[str]:
    found = inspect(connection)
    return {f"{table}.{column['name']}" for table in found.get_table_names() for column in found.get_columns(table)}
