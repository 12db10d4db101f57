"""Local rule sets, whose files are kept. Revision 0030."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "rulesets",
        sa.Column("id", key, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("added", sa.String(32).with_variant(sa.Text, "sqlite"), nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sqlite_strict=True,
    )
