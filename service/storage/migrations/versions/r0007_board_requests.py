"""What is asked of boards, and whether their buttons count.

Revision 0007.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("boards", sa.Column("buttons", sa.Boolean, nullable=False, server_default=sa.true()))
    op.create_table(
        "board_requests",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("board_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_board_requests_board_id_boards"),
        sa.PrimaryKeyConstraint("number", name="pk_board_requests"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("board_requests")
    with op.batch_alter_table("boards") as table:
        table.drop_column("buttons")
