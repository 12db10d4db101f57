"""Migrations of the database. Safe if several processes start at once: one migrates, the others wait.

Alembic is imported only to migrate: a database that is up to date costs one query.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from service.errors import StorageError

from .engine import WRITE, database_message

MIGRATIONS = Path(__file__).parent / "migrations"
PG_LOCK = 0x494E4B45  # any fixed number: "INKE"


def latest() -> str:
    """Return the revision that this version of the project works with: the number of the last migration's file."""
    return max(path.name[1:5] for path in MIGRATIONS.glob("versions/r*.py"))


def current(engine: Engine) -> str | None:
    """Return the revision of the database, None if it is empty.

    :raises StorageError: the database cannot be reached.
    """
    driver: Any = engine.dialect.dbapi
    try:
        with engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    except (SQLAlchemyError, driver.Error) as error:
        raise StorageError(f"cannot open the database {engine.url!r}: {database_message(error)}") from error


def upgrade(engine: Engine) -> None:
    """Apply what is missing, in one transaction that no other process can enter.

    :raises StorageError: the database cannot be reached, or was made by a later version.
    """
    if current(engine) == latest():
        return
    from alembic import command
    from alembic.config import Config
    from alembic.util.exc import CommandError

    driver: Any = engine.dialect.dbapi
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    try:
        with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": PG_LOCK})
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except (SQLAlchemyError, driver.Error) as error:
        raise StorageError(f"cannot bring the database {engine.url!r} up to date: {database_message(error)}") from error
    except CommandError as error:
        raise StorageError(
            f"the database {engine.url!r} was made by another version: {error}; this version knows up to {latest()}"
        ) from error
