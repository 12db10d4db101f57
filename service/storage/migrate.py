"""Bringing the tables up to date. Safe when several processes start at once: one migrates, the others wait."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from service.errors import StorageError

from .engine import WRITE, said

MIGRATIONS = Path(__file__).parent / "migrations"
PG_LOCK = 0x494E4B45  # any fixed number: "INKE"


def latest() -> str:
    """The revision that this version of the project works with."""
    head = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    assert head is not None
    return head


def current(engine: Engine) -> str | None:
    """The revision of the database; None when it is empty.

    :raises StorageError: the database cannot be reached.
    """
    driver: Any = engine.dialect.dbapi
    try:
        with engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    except (SQLAlchemyError, driver.Error) as error:
        raise StorageError(f"cannot open the database {engine.url!r}: {said(error)}") from error


def upgrade(engine: Engine) -> None:
    """Apply what is missing, in one transaction that no other process can enter.

    :raises StorageError: the database cannot be reached, or was made by a later version.
    """
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
        raise StorageError(f"cannot bring the database {engine.url!r} up to date: {said(error)}") from error
    except CommandError as error:
        raise StorageError(
            f"the database {engine.url!r} was made by another version: {error}; this version knows up to {latest()}"
        ) from error
