"""A game that waits for a ruling says on which dispute.

Revision 0009.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("games", sa.Column("dispute", sa.Integer))
    op.execute(
        "UPDATE games SET dispute = (SELECT max(seq) FROM disputes WHERE game = games.id AND state = 'open')"
        " WHERE id IN (SELECT game FROM disputes WHERE state = 'open')"
    )


def downgrade() -> None:
    op.drop_column("games", "dispute")
