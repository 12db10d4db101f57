"""The ledger's entries are listed by game a thousand at a time, instead of in an index.

Revision 0025.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.drop_index("ix_ledger_game_id_position", "ledger")
    op.create_table(
        "ledger_games",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("number", "position", name="pk_ledger_games"),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO ledger_games SELECT number, position FROM ledger "
        "WHERE position <= (SELECT max(position) - max(position) % 1000 FROM ledger) ORDER BY number, position"
    )


def downgrade() -> None:
    op.drop_table("ledger_games")
    op.create_index("ix_ledger_game_id_position", "ledger", ["game_id", "position"])
