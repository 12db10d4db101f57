"""A dispute is about a turn or about the end of the game.

Revision 0003.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("disputes", sa.Column("about", sa.String(8), nullable=False, server_default="turn"))


def downgrade() -> None:
    op.drop_column("disputes", "about")
