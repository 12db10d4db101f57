"""Far boards report what they judged themselves. Revision 0030.

When a board was heard last is its own now, and which of its reports was taken last.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column("boards", sa.Column("heard", sa.String(32).with_variant(sa.Text, "sqlite")))
    op.add_column("boards", sa.Column("report", sa.String(32).with_variant(sa.Text, "sqlite")))
