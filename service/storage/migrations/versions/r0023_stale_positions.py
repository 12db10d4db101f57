"""Turns mark positions that are to be stored before somebody searches for one.

Revision 0023.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.create_table(
        "stale_positions",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_stale_positions"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("stale_positions")
