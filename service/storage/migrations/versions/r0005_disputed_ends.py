"""A dispute is about a turn or about the end of the game.

Revision 0005.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("disputes", sa.Column("about", sa.String(8), nullable=False, server_default="turn"))


def downgrade() -> None:
    op.drop_column("disputes", "about")
