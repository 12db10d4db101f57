"""No webhooks, and no apps to which people lend a part of their right: what was lent to them ends.

Revision 0027.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.storage.migrations.versions import r0019_webhooks

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.execute("DELETE FROM keys WHERE app IS NOT NULL")
    op.drop_column("keys", "app")
    for name in ("app_codes", "apps", "deliveries", "webhooks"):
        op.drop_table(name)


def downgrade() -> None:
    r0019_webhooks.upgrade()
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
    op.add_column("keys", sa.Column("app", sa.String(32)))
