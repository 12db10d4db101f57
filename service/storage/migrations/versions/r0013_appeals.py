"""Since when an event has its deadline for appeals.

Revision 0013.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("event_rules", sa.Column("appeal_since", sa.String(32)))


def downgrade() -> None:
    op.drop_column("event_rules", "appeal_since")
