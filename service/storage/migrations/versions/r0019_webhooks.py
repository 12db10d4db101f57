"""Webhooks, and what became of their last deliveries.

Revision 0019.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("kinds", sa.Text, nullable=False),
        sa.Column("game_id", sa.String(32)),
        sa.Column("match", sa.String(32)),
        sa.Column("event", sa.Text),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("next", sa.String(32)),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
    )
    op.create_index("ix_webhooks_owner", "webhooks", ["owner"])
    op.create_table(
        "deliveries",
        sa.Column("webhook", sa.String(32), nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("error", sa.Text, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("webhook", "number", name="pk_deliveries"),
    )
    op.create_index("ix_deliveries_webhook_state_time", "deliveries", ["webhook", "state", "time"])


def downgrade() -> None:
    op.drop_table("deliveries")
    op.drop_table("webhooks")
