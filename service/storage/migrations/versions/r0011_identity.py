"""What far boards said last of themselves, the size of boards' logs, how far a board's serial number counts, and the
secrets by which boards prove theirs.

Revision 0011.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("inboxes", sa.Column("last_hello", sa.Text))
    op.add_column("board_log", sa.Column("total", sa.BigInteger, nullable=False, server_default="0"))
    op.execute("DELETE FROM board_log WHERE length(data) > 65536")  # no board has anything to say that is so long
    op.add_column("boards", sa.Column("reach", sa.Text))
    op.create_table(
        "board_secrets",
        sa.Column("serial", sa.Text, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("held", sa.Boolean, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("serial", name="pk_board_secrets"),
    )


def downgrade() -> None:
    op.drop_table("board_secrets")
    op.drop_column("boards", "reach")
    op.drop_column("board_log", "total")
    op.drop_column("inboxes", "last_hello")
