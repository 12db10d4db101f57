"""Games are recognized by their content when they are imported again.

Revision 0007.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

IMPORTED, CHANGED = sa.text("imported IS NOT NULL"), sa.text("content IS NULL")


def upgrade() -> None:
    # The keys are computed when games are imported the next time.
    op.add_column("games", sa.Column("content", sa.String(32)))
    op.add_column("games", sa.Column("imported", sa.String(32)))
    op.create_index("ix_games_content", "games", ["content"])
    op.create_index("ix_games_imported", "games", ["imported"], sqlite_where=IMPORTED, postgresql_where=IMPORTED)
    op.create_index("ix_games_without_content", "games", ["number"], sqlite_where=CHANGED, postgresql_where=CHANGED)


def downgrade() -> None:
    for name in ("ix_games_without_content", "ix_games_imported", "ix_games_content"):
        op.drop_index(name, "games")
    op.drop_column("games", "imported")
    op.drop_column("games", "content")
