"""Games, their events, boards and their log.

Revision 0001, the first.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "games",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("tags", sa.Text, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("updated", sa.String(32), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("start", sa.Text, nullable=False),
        sa.Column("position", sa.Text, nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("result", sa.String(8), nullable=False),
        sa.Column("score_south", sa.Integer),
        sa.Column("score_north", sa.Integer),
        sa.Column("termination", sa.String(32)),
        sa.Column("winner", sa.String(8)),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
    )
    op.create_index("ix_games_state_created_id", "games", ["state", "created", "id"])
    op.create_table(
        "events",
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("prev_hash", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_events_game_id_games"),
        sa.PrimaryKeyConstraint("game_id", "seq", name="pk_events"),
    )
    _partial("uq_events_board_source", "events", ["game_id", "source"], "source LIKE 'board:%'")
    op.create_table(
        "boards",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("driver", sa.String(64), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("game_id", sa.String(32), nullable=False),
        sa.Column("wanted", sa.String(8), nullable=False),
        sa.Column("serial", sa.Text),
        sa.Column("boot", sa.String(16)),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("updated", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_boards_game_id_games"),
        sa.PrimaryKeyConstraint("id", name="pk_boards"),
    )
    _partial("uq_boards_open_url", "boards", ["url"], "wanted = 'open'")
    _partial("uq_boards_open_game", "boards", ["game_id"], "wanted = 'open'")
    op.create_table(
        "board_log",
        sa.Column("board_id", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_board_log_board_id_boards"),
        sa.PrimaryKeyConstraint("board_id", "number", name="pk_board_log"),
    )


def downgrade() -> None:
    for table in ("board_log", "boards", "events", "games"):
        op.drop_table(table)


def _partial(name: str, table: str, columns: list[str], where: str) -> None:
    """A unique index over some rows only."""
    op.create_index(name, table, columns, unique=True, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
