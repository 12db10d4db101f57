"""Invitations, and the sessions of the guests who came with them.

Revision 0016.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    key = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    op.create_table(
        "invitations",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("code", sa.String(16), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("table", sa.Text, nullable=False),
        sa.Column("most", sa.Integer, nullable=False),
        sa.Column("joined", sa.Integer, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("expires", sa.String(32), nullable=False),
        sa.Column("withdrawn", sa.String(32)),
        sa.Column("event_key", key, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
    )
    op.create_index("uq_invitations_code", "invitations", ["code"], unique=True)
    op.create_index("ix_invitations_event_key", "invitations", ["event_key"])
    op.add_column("keys", sa.Column("invitation", sa.String(32)))
    op.add_column("keys", sa.Column("asked", sa.String(32)))
    op.create_index("ix_keys_invitation", "keys", ["invitation"])


def downgrade() -> None:
    op.execute("DELETE FROM keys WHERE invitation IS NOT NULL OR kind = 'anyone' OR limit_kind = 'table'")
    op.drop_index("ix_keys_invitation", "keys")
    op.drop_column("keys", "asked")
    op.drop_column("keys", "invitation")
    op.drop_table("invitations")
