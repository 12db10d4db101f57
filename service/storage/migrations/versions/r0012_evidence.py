"""Photographs in disputes, the rules of events, and the slip that each ruling was about.

Revision 0012.
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    op.create_table(
        "photographs",
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("game", "sha256", name="pk_photographs"),
    )
    op.create_table(
        "event_rules",
        sa.Column("event", sa.Text(collation="C") if is_postgresql else sa.Text(), nullable=False),
        sa.Column("ladder", sa.Text, nullable=False),
        sa.Column("appeal_minutes", sa.Integer),
        sa.PrimaryKeyConstraint("event", name="pk_event_rules"),
    )
    op.add_column("disputes", sa.Column("slip", sa.String(32)))
    op.create_index("ix_disputes_slip", "disputes", ["slip", "time", "game", "seq"])
    _fill_slips()
    # Their records say now what was counted.
    op.execute("UPDATE games SET content = NULL WHERE id IN (SELECT game FROM disputes WHERE seen IS NOT NULL)")


def _fill_slips() -> None:
    connection = op.get_bind()
    rulings = connection.execute(
        sa.text(
            "SELECT game_id, data FROM events WHERE kind = 'ruling'"
            " AND game_id IN (SELECT game FROM disputes WHERE outcome IS NOT NULL) ORDER BY game_id, seq"
        )
    ).all()
    for game_id, text in rulings:
        try:
            data = json.loads(text)
            accounts = (data.get("finding") or {}).get("accounts") or [{}]
            slip, seq = next(iter(accounts[0].get("kinds", ())), None), data["dispute"]
        except (LookupError, TypeError, ValueError, AttributeError):  # damaged: a check of the database says so
            continue
        connection.execute(
            sa.text("UPDATE disputes SET slip = :slip WHERE game = :game AND seq = :seq"),
            {"slip": slip and str(slip)[:32], "game": game_id, "seq": seq},
        )


def downgrade() -> None:
    op.drop_index("ix_disputes_slip", "disputes")
    op.drop_column("disputes", "slip")
    op.drop_table("event_rules")
    op.drop_table("photographs")
