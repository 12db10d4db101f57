"""Games of one rule set id that carry other rules are other games: they have the key of these. Revision 0033."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inkeek.records.notation.tags import carried_rules
from inkeek.service.storage.search import game_key
from inkeek.service.storage.text_json import load_stored

revision = "0033"
down_revision = "0032"

AT_ONCE = 1000
games = sa.table("games", *map(sa.column, ("number", "game", "tags", "rules")))
players = sa.table("players", *map(sa.column, ("number", "game")))


def upgrade() -> None:
    op.add_column("games", sa.Column("rules", sa.String(12).with_variant(sa.Text, "sqlite")))
    connection, last = op.get_bind(), -1
    if connection.dialect.name == "postgresql":
        op.alter_column("players", "game", type_=sa.String(80))
    some = sa.select(games).where(games.c.number > sa.bindparam("last"), games.c.tags.contains('"Rules":'))
    some = some.order_by(games.c.number).limit(AT_ONCE)
    fill = sa.update(games).where(games.c.number == sa.bindparam("of")).values(rules=sa.bindparam("key"))
    rename = sa.update(players).where(players.c.number == sa.bindparam("of")).values(game=sa.bindparam("key"))
    while rows := connection.execute(some, {"last": last}).all():
        tags = [load_stored(row.tags, f"the tags of game number {row.number}") for row in rows]
        found = [(row, one) for row, one in zip(rows, tags, strict=True) if "Rules" in one]
        if found:
            connection.execute(fill, [{"of": row.number, "key": carried_rules(one)} for row, one in found])
            connection.execute(rename, [{"of": row.number, "key": game_key(row.game, one)} for row, one in found])
        last = rows[-1].number
