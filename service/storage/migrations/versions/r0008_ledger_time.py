"""Entries of the ledger have a time, by which the games that changed since then are found.

Revision 0008.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    for table in ("ledger", "unsealed"):
        op.add_column(table, sa.Column("time", sa.String(32), nullable=False, server_default=""))
    # Times never go back along the ledger, so those of its entries must be the latest of all.
    for table in ("ledger", "unsealed"):
        op.execute(f"UPDATE {table} SET time = (SELECT coalesce(max(updated), '') FROM games)")


def downgrade() -> None:
    for table in ("unsealed", "ledger"):
        op.drop_column(table, "time")
