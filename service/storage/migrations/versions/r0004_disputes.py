"""Disputes, worked out from the events.

Revision 0004. No event of the kinds that they come from was stored before.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "disputes",
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("side", sa.String(8), nullable=False),
        sa.Column("claim", sa.Text, nullable=False),
        sa.Column("seen", sa.Text),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("outcome", sa.String(16)),
        sa.Column("note", sa.Text),
        sa.Column("arbiter", sa.Text),
        sa.Column("ruled", sa.String(32)),
        sa.PrimaryKeyConstraint("game", "seq", name="pk_disputes"),
    )
    op.create_index("ix_disputes_time_game_seq", "disputes", ["time", "game", "seq"])
    op.create_index("ix_disputes_state_time_game_seq", "disputes", ["state", "time", "game", "seq"])


def downgrade() -> None:
    op.drop_table("disputes")
