"""What games are found by: numbers, players, events, dates, positions.

Revision 0003. Fills them in for the games stored before, of which there are no kinds of events but
``created``, ``turn``, ``tags`` and ``ended``.
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from service.storage.search import date_of, event_of, players_of, position_key

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

ORDERS = ("state", "game", "result", "event", "date")
games = sa.table("games", *map(sa.column, ("id", "game", "tags", "created", "number", "event", "date")))
events = sa.table("events", *map(sa.column, ("game_id", "seq", "data")))


def upgrade() -> None:
    op.add_column("games", sa.Column("number", sa.Integer))
    op.add_column("games", sa.Column("event", sa.Text))
    op.add_column("games", sa.Column("date", sa.String(10)))
    players = op.create_table(
        "players",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", "name", name="pk_players"),
        sqlite_with_rowid=False,
    )
    positions = op.create_table(
        "positions",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("key", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("number", "ply", name="pk_positions"),
        sqlite_with_rowid=False,
    )
    stored = _fill(op.get_bind(), players, positions)
    op.create_index("ix_players_name_number", "players", ["name", "number"])
    op.create_index("ix_positions_key_number_ply", "positions", ["key", "number", "ply"])
    op.create_index("uq_games_number", "games", ["number"], unique=True)
    for column in ORDERS:
        op.create_index(f"ix_games_{column}_number", "games", [column, "number"])
    op.drop_index("ix_games_state_created_id", "games")
    if op.get_bind().dialect.supports_sequences:
        op.execute(sa.schema.CreateSequence(sa.Sequence("games_number", start=stored + 1)))


def downgrade() -> None:
    op.create_index("ix_games_state_created_id", "games", ["state", "created", "id"])
    op.drop_index("uq_games_number", "games")
    for column in ORDERS:
        op.drop_index(f"ix_games_{column}_number", "games")
    for column in ("number", "event", "date"):
        op.drop_column("games", column)
    for table in ("players", "positions"):
        op.drop_table(table)
    if op.get_bind().dialect.supports_sequences:
        op.execute(sa.schema.DropSequence(sa.Sequence("games_number")))


def _fill(connection: sa.Connection, players: sa.Table, positions: sa.Table) -> int:
    """Number the games in the order they were made, oldest first, and fill in the rest; how many there are."""
    ids = connection.execute(sa.select(games.c.id).order_by(games.c.created, games.c.id)).scalars().all()
    for number, game_id in enumerate(ids, 1):
        game, tags = connection.execute(sa.select(games.c.game, games.c.tags).where(games.c.id == game_id)).one()
        tags = json.loads(tags)
        connection.execute(
            games.update().where(games.c.id == game_id).values(number=number, event=event_of(tags), date=date_of(tags))
        )
        names = [{"name": name, "number": number} for name in sorted(players_of(tags))]
        if names:
            connection.execute(players.insert(), names)
        told = sa.select(events.c.data).where(events.c.game_id == game_id).order_by(events.c.seq)
        texts = [data["position"] for data in map(json.loads, connection.execute(told).scalars()) if "position" in data]
        keys = [{"number": number, "ply": ply, "key": position_key(game, text)} for ply, text in enumerate(texts)]
        if keys:
            connection.execute(positions.insert(), keys)
    return len(ids)
