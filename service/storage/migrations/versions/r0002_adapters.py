"""A board is known by the serial number of its USB adapter too; requests have a time and are counted.

Revision 0002.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("boards", sa.Column("adapter", sa.Text))
    op.add_column("board_requests", sa.Column("created", sa.String(32), nullable=False, server_default=""))
    op.add_column("board_requests", sa.Column("tries", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("board_requests", "tries")
    op.drop_column("board_requests", "created")
    op.drop_column("boards", "adapter")
