from __future__ import annotations

import json

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from records import Game
from service.games.integrity import game_faults
from service.games.state import game_state
from service.storage import GENESIS, Store, migrate, seal
from service.storage.engine import WRITE, open_engine
from service.storage.tables import metadata


@pytest.fixture
def engine(empty_database):
    engine = open_engine(empty_database, 5.0)
    yield engine
    engine.dispose()


def bring_to(engine, revision, up=True):
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
        config.attributes["connection"] = connection
        (command.upgrade if up else command.downgrade)(config, revision)


def test_the_migrations_build_the_tables_that_the_code_uses(engine):
    assert migrate.current(engine) is None
    migrate.upgrade(engine)
    assert migrate.current(engine) == migrate.latest()
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        uniques = {index["name"] for index in inspect(connection).get_indexes("boards") if index["unique"]}
        assert uniques == {"uq_boards_open_url", "uq_boards_open_game"}


def test_migrating_twice_changes_nothing(engine):
    migrate.upgrade(engine)
    migrate.upgrade(engine)
    assert migrate.current(engine) == migrate.latest()


def test_every_migration_can_be_taken_back(engine):
    migrate.upgrade(engine)
    bring_to(engine, "base", up=False)
    with engine.connect() as connection:
        assert set(inspect(connection).get_table_names()) == {"alembic_version"}
    migrate.upgrade(engine)
    assert migrate.current(engine) == migrate.latest()


def test_games_of_an_earlier_version_are_found_after_the_upgrade(engine, empty_database):
    """Two games as revision 0001 stored them, the younger one first."""
    bring_to(engine, "0001")
    start = str(Game(tags={"Game": "bof"}).rules().start())
    after = "5.5.5.5.0/0.5.5.5.0 5-0 n 1"
    with engine.begin() as connection:
        for name, created in (("younger", "2026-01-02"), ("elder", "2026-01-01")):
            data = {
                "game": "bof",
                "options": {},
                "setup": None,
                "tags": {"Event": "Evening  game", "Date": "2026.11.??", "South": name, "North": "?"},
                "comments": [],
                "position": start,
            }
            turn = {"move": "ex5", "nags": [], "comments": [], "variations": []}
            first = seal(name, 1, created, "", "api", "created", data, GENESIS)
            events = [
                first,
                seal(name, 2, created, "", "api", "turn", {"ply": 1, "turn": turn, "position": after}, first.hash),
            ]
            row = game_state(events).row
            connection.execute(
                text(
                    "INSERT INTO games (id, game, options, tags, created, updated, seq, hash, start, position,"
                    " ply, state, result)"
                    " VALUES (:id, 'bof', '{}', :tags, :at, :at, 2, :hash, :start, :after, 1, 'live', '*')"
                ),
                {
                    "id": name,
                    "tags": json.dumps(row.tags),
                    "at": created,
                    "hash": row.hash,
                    "start": start,
                    "after": after,
                },
            )
            for event in events:
                connection.execute(
                    text(
                        "INSERT INTO events (game_id, seq, time, actor, source, kind, data, prev_hash, hash)"
                        " VALUES (:game, :seq, :at, '', 'api', :kind, :data, :prev, :hash)"
                    ),
                    {
                        "game": name,
                        "seq": event.seq,
                        "at": created,
                        "kind": event.kind,
                        "data": json.dumps(event.data),
                        "prev": event.prev_hash,
                        "hash": event.hash,
                    },
                )
    migrate.upgrade(engine)
    store = Store(empty_database)
    with store.writing() as transaction:
        games = transaction.games
        assert games.numbered(0, 9) == [(1, "elder"), (2, "younger")]
        assert [game_faults(transaction, games.get(name)) for name in ("elder", "younger")] == [[], []]
        assert [(row.id, ply) for row, ply in games.games_that_reached("bof", after, 9)[0]] == [
            ("younger", 1),
            ("elder", 1),
        ]
        third = seal("third", 1, "t", "", "api", "created", data, GENESIS)
        games.add(game_state([third]).row, [start])
        assert games.numbered(2, 9) == [(3, "third")]
    store.close()
