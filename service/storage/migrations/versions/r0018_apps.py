"""Other people's apps, and the tokens that are lent to them.

Revision 0018.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        "apps",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("redirect_uris", sa.Text, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_apps"),
    )
    op.create_index("ix_apps_created", "apps", ["created"])
    op.create_table(
        "app_codes",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("app", sa.String(32), nullable=False),
        sa.Column("lender", sa.String(32), nullable=False),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("challenge", sa.Text, nullable=False),
        sa.Column("expires", sa.String(32), nullable=False),
        sa.Column("key", sa.String(32)),
        sa.PrimaryKeyConstraint("hash", name="pk_app_codes"),
    )
    op.add_column("keys", sa.Column("lender", sa.String(32)))
    op.add_column("keys", sa.Column("app", sa.String(32)))
    op.create_index("ix_keys_lender", "keys", ["lender"])


def downgrade() -> None:
    op.execute("DELETE FROM keys WHERE lender IS NOT NULL")
    op.drop_index("ix_keys_lender", "keys")
    op.drop_column("keys", "app")
    op.drop_column("keys", "lender")
    op.drop_table("app_codes")
    op.drop_table("apps")
