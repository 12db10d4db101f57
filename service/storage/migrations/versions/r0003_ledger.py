"""The ledger, with an entry for each stored game, in the order the games were stored in.

Revision 0003.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Integer, LargeBinary, String

from service.storage.integrity.ledger import LedgerHead, LedgerNote, chained

revision = "0003"
down_revision = "0002"

AT_ONCE = 1000  # games


def columns(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name, kind in kinds.items()]


def upgrade() -> None:
    serial = BigInteger().with_variant(Integer, "sqlite")
    note = {"game_id": String(32), "number": Integer, "first": Integer, "seq": Integer, "head": LargeBinary(32)}
    ledger = op.create_table(
        "ledger",
        sa.Column("position", serial, primary_key=True, autoincrement=False),
        *columns(**note, hash=LargeBinary(32)),
        sa.PrimaryKeyConstraint("position", name="pk_ledger"),
    )
    op.create_table(
        "unsealed",
        sa.Column("id", serial, primary_key=True),
        *columns(**note),
        sa.PrimaryKeyConstraint("id", name="pk_unsealed"),
    )
    _seal_all(ledger)
    op.create_index("ix_ledger_game_id_position", "ledger", ["game_id", "position"])


def _seal_all(ledger: sa.Table) -> None:
    connection = op.get_bind()
    query = sa.text("SELECT id, number, seq, hash FROM games ORDER BY number, id")
    stored = connection.execute(query, execution_options={"yield_per": AT_ONCE})
    notes = (LedgerNote(row.id, row.number or 0, 1, row.seq, "", row.hash) for row in stored)
    entries = chained(LedgerHead(), notes)
    while some := list(islice(entries, AT_ONCE)):
        connection.execute(
            sa.insert(ledger),
            [
                {
                    **entry._asdict(),
                    "game_id": entry.game,
                    "head": bytes.fromhex(entry.head),
                    "hash": bytes.fromhex(entry.hash),
                }
                for entry in some
            ],
        )


def downgrade() -> None:
    op.drop_table("unsealed")
    op.drop_table("ledger")
