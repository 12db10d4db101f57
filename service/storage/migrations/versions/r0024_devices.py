"""Sessions have the name of their device, and how the person wants pages to be.

Revision 0024.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.add_column("keys", sa.Column("device", sa.Text))
    op.add_column("keys", sa.Column("look", sa.String(32)))
    op.add_column("keys", sa.Column("language", sa.String(8)))


def downgrade() -> None:
    for name in ("language", "look", "device"):
        op.drop_column("keys", name)
