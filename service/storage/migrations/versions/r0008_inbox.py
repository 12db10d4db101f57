"""Inboxes, which far boards fill.

Revision 0008.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inboxes",
        sa.Column("board_id", sa.String(32), nullable=False),
        sa.Column("spool", sa.String(64), nullable=False),
        sa.Column("claim", sa.Integer, nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
        sa.Column("dealt", sa.BigInteger, nullable=False),
        sa.Column("boot", sa.String(16)),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("hello", sa.Text),
        sa.Column("guidance", sa.Text),
        sa.Column("answers", sa.BigInteger, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("heard", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_inboxes_board_id_boards"),
        sa.PrimaryKeyConstraint("board_id", name="pk_inboxes"),
    )
    op.create_table(
        "inbox_events",
        sa.Column("board_id", sa.String(32), nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_inbox_events_board_id_boards"),
        sa.PrimaryKeyConstraint("board_id", "number", name="pk_inbox_events"),
    )


def downgrade() -> None:
    op.drop_table("inbox_events")
    op.drop_table("inboxes")
