"""How players are written and shown, which names are one person's, and who changed that.

Revision 0015.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0013"
INITIALS = sa.text("initials")


def upgrade() -> None:
    key = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    op.create_table(
        "persons",
        sa.Column("key", key, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("joined", key),
        sa.Column("initials", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_persons"),
    )
    op.create_index("ix_persons_joined", "persons", ["joined"])
    op.create_index("ix_persons_initials", "persons", ["key"], sqlite_where=INITIALS, postgresql_where=INITIALS)
    op.create_table(
        "person_changes",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("person", key, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
        sa.Column("undone", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_person_changes"),
    )
    op.create_index("ix_person_changes_person_number", "person_changes", ["person", "number"])


def downgrade() -> None:
    op.drop_table("person_changes")
    op.drop_table("persons")
