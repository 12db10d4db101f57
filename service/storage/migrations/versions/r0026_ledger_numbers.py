"""The times of the ledger are numbers, as those of events: 19 bytes less for each turn.

Revision 0026.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from service.storage.event_rows import microseconds_of, time_text
from service.storage.migrations.versions.r0022_compact_events import columns, fill, read

revision = "0026"
down_revision = "0025"

Rows = Iterator[dict[str, Any]]


def upgrade() -> None:
    change(sa.BigInteger(), None, with_numbers)


def downgrade() -> None:
    change(sa.String(32), "", with_texts)


def with_numbers(rows: Iterable[sa.Row[Any]]) -> Rows:
    """A text that is no time becomes the time of the row before: none goes back along the ledger."""
    time = 0
    for row in rows:
        time = microseconds_of(row.time) or time
        yield {**row._mapping, "time": time}


def with_texts(rows: Iterable[sa.Row[Any]]) -> Rows:
    for row in rows:
        yield {**row._mapping, "time": time_text(row.time) if row.time else ""}


def change(kind: Any, default: str | None, changed: Callable[[Iterable[sa.Row[Any]]], Rows]) -> None:
    op.rename_table("ledger", "old_ledger")
    if op.get_bind().dialect.name == "postgresql":  # where no two tables share the name of an index
        op.execute("ALTER INDEX pk_ledger RENAME TO pk_old_ledger")
    ledger = op.create_table(
        "ledger",
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False, autoincrement=False),
        *columns(game_id=sa.String(32), number=sa.Integer, first=sa.Integer, seq=sa.Integer),
        sa.Column("time", kind, nullable=False, server_default=default),
        *columns(head=sa.LargeBinary(32), hash=sa.LargeBinary(32)),
        sa.PrimaryKeyConstraint("position", name="pk_ledger"),
    )
    names = ", ".join(ledger.columns.keys())
    rows = changed(read(f"SELECT {names} FROM old_ledger ORDER BY position"))
    fill(ledger, (tuple(row.values()) for row in rows))
    op.drop_table("old_ledger")
    # Few notes wait to be sealed. A new table would number them from 1 again.
    notes = list(changed(read("SELECT * FROM unsealed ORDER BY id")))
    op.execute("DELETE FROM unsealed")
    op.drop_column("unsealed", "time")
    op.add_column("unsealed", sa.Column("time", kind, nullable=False, server_default=default))
    op.bulk_insert(sa.Table("unsealed", sa.MetaData(), autoload_with=op.get_bind()), notes)
