from __future__ import annotations

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from service.storage import migrate
from service.storage.engine import open_engine
from service.storage.tables import metadata


def test_the_migrations_build_the_tables_that_the_code_uses(tmp_path):
    engine = open_engine(f"sqlite:///{tmp_path / 'x.sqlite3'}", 5.0)
    assert migrate.current(engine) is None
    migrate.upgrade(engine)
    assert migrate.current(engine) == migrate.latest()
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        uniques = {index["name"] for index in inspect(connection).get_indexes("boards") if index["unique"]}
        assert uniques == {"uq_boards_open_url", "uq_boards_open_game"}
    engine.dispose()


def test_migrating_twice_changes_nothing(tmp_path):
    engine = open_engine(f"sqlite:///{tmp_path / 'x.sqlite3'}", 5.0)
    migrate.upgrade(engine)
    migrate.upgrade(engine)
    assert migrate.current(engine) == migrate.latest()
    engine.dispose()
