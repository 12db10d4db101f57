"""Names are compared in another form; what a game is to its players is stored; lists go by the time of creation.

Revision 0004.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

from service.storage.search import event_of, player_keys

revision = "0004"
down_revision = "0003"

BATCH = 10_000  # games
FIRST, OPENS_MATCH = sa.text("match_id = id"), sa.text("opens_match")
games = sa.table("games", *map(sa.column, ("id", "number", "game", "tags", "state", "result", "match_id", "event")))


def upgrade() -> None:
    op.drop_index("ix_games_event_number", "games")
    op.drop_table("players")
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    key = sa.Text(collation="C") if is_postgresql else sa.Text()
    if is_postgresql:
        op.alter_column("games", "event", type_=key)
    players = op.create_table(
        "players",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", key, nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("score", sa.String(8), nullable=False),
        sa.Column("opens_match", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("number", "name", name="pk_players"),
        sqlite_with_rowid=False,
    )
    for rows in _batches():
        _run(players.insert(), [_player(row.number, player) for row in rows for player in _players(row)])
        found = [{"it": row.id, "key": event_of(json.loads(row.tags))} for row in rows]
        changed = [one for one, row in zip(found, rows, strict=True) if one["key"] != row.event]
        _run(games.update().where(games.c.id == sa.bindparam("it")).values(event=sa.bindparam("key")), changed)
    op.create_index("ix_players_name_number_game_score", "players", ["name", "number", "game", "score"])
    op.create_index(
        "ix_players_match", "players", ["name", "number"], sqlite_where=OPENS_MATCH, postgresql_where=OPENS_MATCH
    )
    op.create_index("ix_games_event_number_date", "games", ["event", "number", "date"])
    op.create_index("ix_games_created_number", "games", ["created", "number"])
    op.create_index("ix_games_match_of_event", "games", ["event", "number"], sqlite_where=FIRST, postgresql_where=FIRST)


def downgrade() -> None:
    for index in ("ix_games_match_of_event", "ix_games_created_number", "ix_games_event_number_date"):
        op.drop_index(index, "games")
    op.drop_table("players")
    if op.get_bind().dialect.name == "postgresql":
        op.execute('ALTER TABLE games ALTER COLUMN event TYPE text COLLATE "default"')
    players = op.create_table(
        "players",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", "name", name="pk_players"),
        sqlite_with_rowid=False,
    )
    for rows in _batches():
        _run(players.insert(), [{"number": row.number, "name": one.name} for row in rows for one in _players(row)])
    op.create_index("ix_players_name_number", "players", ["name", "number"])
    op.create_index("ix_games_event_number", "games", ["event", "number"])


def _batches() -> Any:
    """The games in the order of their numbers."""
    after = 0
    while True:
        query = sa.select(games).where(games.c.number > after).order_by(games.c.number).limit(BATCH)
        rows = op.get_bind().execute(query).all()
        if not rows:
            return
        yield rows
        after = rows[-1].number


def _players(row: Any) -> Any:
    opens_match = row.match_id == row.id
    return player_keys(row.game, json.loads(row.tags), row.state, row.result, opens_match=opens_match)


def _player(number: int, player: Any) -> dict[str, Any]:
    return {"number": number, **player._asdict()}


def _run(statement: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        op.get_bind().execute(statement, rows)
