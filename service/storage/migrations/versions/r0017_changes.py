"""Changes of events and persons as a chain, whose links the ledger has.

Revision 0017.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

from service.storage.integrity.chain import GENESIS
from service.storage.integrity.ledger import LedgerHead, LedgerNote, next_entry
from service.storage.rows import Change
from service.storage.tables.changes import change_row
from service.storage.tables.ledger import CHANGES

revision = "0017"
down_revision = "0016"
TEXTS = ("time", "actor", "source", "about", "kind", "key", "salt", "digest", "prev_hash", "hash")
LENGTHS = {"time": 32, "about": 8, "kind": 16, "salt": 32, "digest": 64, "prev_hash": 64, "hash": 64}


def upgrade() -> None:
    key = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
    texts = {name: sa.String(LENGTHS[name]) if name in LENGTHS else sa.Text() for name in TEXTS} | {"key": key}
    table = op.create_table(
        "changes",
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        *(sa.Column(name, kind, nullable=False) for name, kind in texts.items()),
        sa.Column("data", sa.Text),
        sa.Column("undoes", sa.Integer),
        sa.PrimaryKeyConstraint("number", name="pk_changes"),
    )
    op.create_index("ix_changes_about_key_number", "changes", ["about", "key", "number"])
    op.create_index("ix_changes_undoes", "changes", ["undoes"])
    _move(table)
    op.drop_table("person_changes")


def _move(table: sa.Table) -> None:
    """Chain the changes of persons that there are. One that was undone says so itself: nothing told by which."""
    connection = op.get_bind()
    here = sa.MetaData()  # the tables as they are here: later migrations change them
    ledger, unsealed = (sa.Table(name, here, autoload_with=connection) for name in ("ledger", "unsealed"))
    previous, row = GENESIS, None
    for number, old in enumerate(connection.execute(sa.text("SELECT * FROM person_changes ORDER BY number")).all(), 1):
        data: dict[str, Any] = {"before": json.loads(old.before), "after": json.loads(old.after), "undone": old.undone}
        change = Change(0, old.time, old.actor, old.source, "person", old.kind, old.person, data)
        row = change_row(change, number, previous)
        connection.execute(sa.insert(table), row)
        previous = row["hash"]
    if row is None:
        return
    note = LedgerNote(CHANGES, 0, 1, row["number"], row["time"], row["hash"])
    values: dict[str, Any] = {**note._asdict(), "game_id": note.game, "head": bytes.fromhex(note.head)}
    del values["game"]
    if connection.dialect.name == "postgresql":
        connection.execute(sa.insert(unsealed), values)
        return
    last = connection.execute(sa.select(ledger).order_by(ledger.c.position.desc()).limit(1)).first()
    entry = next_entry(LedgerHead() if last is None else LedgerHead(last.position, last.hash.hex()), note)
    values["time"] = max(note.time, "" if last is None else last.time)
    connection.execute(sa.insert(ledger), {**values, "position": entry.position, "hash": bytes.fromhex(entry.hash)})


def downgrade() -> None:
    key = sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()
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
    op.drop_table("changes")
