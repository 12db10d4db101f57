"""The database says which versions of the program made and upgraded it.

Revision 0020.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.create_table(
        "upgrades",
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("before", sa.String(8)),
        sa.Column("revision", sa.String(8), nullable=False),
        sa.Column("program", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_upgrades"),
    )
    # Revision 0007 made it of all games for half an hour of its development.
    stored = sa.text("content IS NOT NULL")
    op.drop_index("ix_games_content", "games")
    op.create_index("ix_games_content", "games", ["content"], sqlite_where=stored, postgresql_where=stored)


def downgrade() -> None:
    op.drop_table("upgrades")
