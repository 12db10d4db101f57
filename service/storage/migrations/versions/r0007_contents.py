"""Games are recognized by their content when they are imported again.

Revision 0007.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def create_index(name: str, column: str, where: str) -> None:
    """Create an index of the games of which `where` is true."""
    op.create_index(name, "games", [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def upgrade() -> None:
    # The keys are computed when games are imported the next time.
    op.add_column("games", sa.Column("content", sa.String(32)))
    op.add_column("games", sa.Column("imported", sa.String(32)))
    create_index("ix_games_content", "content", "content IS NOT NULL")
    create_index("ix_games_imported", "imported", "imported IS NOT NULL")
    create_index("ix_games_without_content", "number", "content IS NULL")


def downgrade() -> None:
    for name in ("ix_games_without_content", "ix_games_imported", "ix_games_content"):
        op.drop_index(name, "games")
    op.drop_column("games", "imported")
    op.drop_column("games", "content")
