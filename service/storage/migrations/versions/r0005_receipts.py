"""Answers kept under an idempotency key.

Revision 0005.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "receipts",
        sa.Column("caller", sa.String(32), nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("headers", sa.Text),
        sa.Column("body", sa.Text),
        sa.PrimaryKeyConstraint("caller", "key", name="pk_receipts"),
    )
    op.create_index("ix_receipts_created", "receipts", ["created"])


def downgrade() -> None:
    op.drop_table("receipts")
