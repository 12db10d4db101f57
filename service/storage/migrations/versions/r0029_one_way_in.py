"""Invitations are links, and each key names the one that gave it its right, and with which it ends. Revision 0029.

Who made an invitation was known by name: one whose makers have all been revoked ends with them.
"""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

keys = sa.table(
    "keys",
    *map(sa.column, ("id", "kind", "name", "scopes", "hash", "created", "expires", "revoked", "limit_kind")),
    *map(sa.column, ("limit_value", "giver", "code", "most", "joined", "lender", "invitation")),
)
S16, S32 = (sa.String(length).with_variant(sa.Text, "sqlite") for length in (16, 32))
SCOPES = {"watch": "read", "keeper": "record", "arbiter": "record arbiter", "organizer": "record board arbiter invite"}


def upgrade() -> None:
    for name, kind in (("giver", S32), ("code", S16), ("most", sa.Integer), ("joined", sa.Integer)):
        op.add_column("keys", sa.Column(name, kind))
    op.create_index("uq_keys_code", "keys", ["code"], unique=True)
    op.create_index("ix_keys_giver", "keys", ["giver"])
    op.execute("UPDATE keys SET most = 1, joined = 0 WHERE kind = 'link'")
    op.execute("UPDATE keys SET giver = coalesce(lender, invitation)")
    connection = op.get_bind()
    for row in connection.execute(sa.text("SELECT * FROM invitations")).mappings().all():
        may_invite = sa.or_(keys.c.scopes.like("%invite%"), keys.c.scopes.like("%admin%"))
        query = sa.select(keys.c.id, keys.c.revoked).where(keys.c.name == row["by"], may_invite)
        makers = connection.execute(query.where(keys.c.kind.in_(("token", "session")))).all()
        valid = [maker for maker in makers if maker.revoked is None]
        revoked = row["withdrawn"] or (max(maker.revoked for maker in makers) if makers and not valid else None)
        limited = "game" if not row["event"] else "table" if row["table"] else "event"
        value = (
            row["event"] if limited == "event" else row["table"] + (f":{row['event']}" if limited == "table" else "")
        )
        made = {name: row[name] for name in ("id", "code", "most", "joined", "created", "expires")}
        made |= {"kind": "link", "name": row["by"], "scopes": SCOPES[row["role"]], "revoked": revoked}
        made |= {"limit_kind": limited, "limit_value": value, "hash": hashlib.sha256(row["code"].encode()).hexdigest()}
        made["giver"] = valid[0].id if len(valid) == 1 else None
        connection.execute(sa.insert(keys).values(made))
        if revoked:
            over = sa.update(keys).where(keys.c.invitation == row["id"], keys.c.revoked.is_(None))
            connection.execute(over.values(revoked=revoked))
    op.drop_table("invitations")
    op.drop_index("ix_keys_invitation", "keys")
    op.drop_column("keys", "invitation")
