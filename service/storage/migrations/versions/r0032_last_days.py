"""Games are found by each day on which they may have been played: they have the last one too. Revision 0032."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inkeek.service.storage.search import days_of
from inkeek.service.storage.text_json import load_stored

revision = "0032"
down_revision = "0031"

AT_ONCE = 1000
games = sa.table("games", *map(sa.column, ("number", "tags", "date", "last_date")))


def upgrade() -> None:
    op.add_column("games", sa.Column("last_date", sa.String(10).with_variant(sa.Text, "sqlite")))
    connection, last = op.get_bind(), -1
    some = sa.select(games.c.number, games.c.tags).where(games.c.number > sa.bindparam("last"))
    some = some.order_by(games.c.number).limit(AT_ONCE)
    fill = sa.update(games).where(games.c.number == sa.bindparam("of"))
    fill = fill.values(date=sa.bindparam("first"), last_date=sa.bindparam("last"))
    while rows := connection.execute(some, {"last": last}).all():
        days = [(row.number, days_of(load_stored(row.tags, f"the tags of game number {row.number}"))) for row in rows]
        connection.execute(fill, [{"of": number, "first": one.first, "last": one.last} for number, one in days])
        last = rows[-1].number
    op.drop_index("ix_games_date_number", "games")
    op.create_index("ix_games_date_number_last_date", "games", ["date", "number", "last_date"])
