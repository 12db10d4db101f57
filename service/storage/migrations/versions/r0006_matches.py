"""Which match a game belongs to. No game was stored with one before.

Revision 0006.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("games", sa.Column("match_id", sa.String(32)))
    op.add_column("games", sa.Column("match_game", sa.Integer))
    op.create_index("ix_games_match_id_number", "games", ["match_id", "number"])
    first = sa.text("match_id = id")
    op.create_index("ix_games_first_of_match", "games", ["number"], sqlite_where=first, postgresql_where=first)


def downgrade() -> None:
    op.drop_index("ix_games_first_of_match", "games")
    op.drop_index("ix_games_match_id_number", "games")
    with op.batch_alter_table("games") as table:
        table.drop_column("match_game")
        table.drop_column("match_id")
