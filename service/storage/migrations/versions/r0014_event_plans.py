"""Events that are planned before their games.

Revision 0014.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    op.create_table(
        "event_plans",
        sa.Column("event", sa.Text(collation="C") if is_postgresql else sa.Text(), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("updated", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("event", name="pk_event_plans"),
    )


def downgrade() -> None:
    op.drop_table("event_plans")
