"""Migrations of the database. Safe if several processes start at once: one migrates, the others wait.

Alembic is imported only to migrate: a database that is up to date costs one query.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from service.errors import StorageError

from .engine import WRITE, database_message

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

    :raises StorageError: the database cannot be reached, or has another revision; the message says what to do.
    """
    found = current(engine)
    _check_known(engine, found)
    if found is None or found != latest():
        raise StorageError(
            f"the database {engine.url!r} has revision {found or 'none'}; this version needs {latest()}: "
            "run 'inkeek db upgrade'"
        )
    return found


def upgrade(engine: Engine) -> None:
    """Apply what is missing, in one transaction that no other process can enter.

    :raises StorageError: the database cannot be reached, or was made by a later version.
    """
    if current(engine) == latest():
        return
    from alembic import command
    from alembic.config import Config

    driver: Any = engine.dialect.dbapi
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    try:
        with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": PG_LOCK})
            _check_known(engine, _revision(connection))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except (SQLAlchemyError, driver.Error) as error:
        raise StorageError(f"cannot bring the database {engine.url!r} up to date: {database_message(error)}") from error


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
