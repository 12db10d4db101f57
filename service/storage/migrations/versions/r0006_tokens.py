"""A key may be limited to a game, a match or an event, and its secret may be replaced.

Revision 0006.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("keys", sa.Column("limit_kind", sa.String(8)))
    op.add_column("keys", sa.Column("limit_value", sa.Text))
    op.add_column("keys", sa.Column("previous_hash", sa.String(64)))
    op.add_column("keys", sa.Column("previous_until", sa.String(32)))
    op.create_index("uq_keys_previous_hash", "keys", ["previous_hash"], unique=True)


def downgrade() -> None:
    op.drop_index("uq_keys_previous_hash", "keys")
    for name in ("previous_until", "previous_hash", "limit_value", "limit_kind"):
        op.drop_column("keys", name)
