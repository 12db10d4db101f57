"""The ports at which no board is bound, and who is there.

Revision 0021.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "plugged_ports",
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("serial", sa.Text),
        sa.Column("row", sa.Integer),
        sa.Column("stores", sa.Boolean),
        sa.Column("reason", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("url", name="pk_plugged_ports"),
    )


def downgrade() -> None:
    op.drop_table("plugged_ports")
