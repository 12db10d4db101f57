"""Events take less room: by the number of the game, with hashes as bytes and times as numbers.

Revision 0022.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from alembic import op

from service.storage.event_rows import event_row, read_events, without_hash
from service.storage.integrity.chain import GENESIS, GameEvent, canonical_json, seal

revision = "0022"
down_revision = "0021"

AT_ONCE = 1000  # rows
TEXTS: dict[str, Any] = {"actor": sa.Text, "source": sa.Text, "kind": sa.String(32), "data": sa.Text}
HASH = re.compile("[0-9a-f]{64}")
OLD = "old.seq, old.time, old.actor, old.source, old.kind, old.data, old.hash"


def upgrade() -> None:
    set_aside()
    table = op.create_table(
        "events",
        *columns(number=sa.Integer, seq=sa.Integer, time=sa.BigInteger, **TEXTS),
        sa.Column("hash", sa.LargeBinary(32)),
        sa.PrimaryKeyConstraint("number", "seq", name="pk_events"),
        sqlite_with_rowid=False,
    )
    fill(table, compact("games AS g ON g.id = old.game_id"))
    # Without foreign keys a game can lose its row. The ledger has its number too.
    lost = "NOT EXISTS (SELECT 1 FROM games WHERE games.id = old.game_id)"
    fill(table, compact(f"ledger AS g ON g.game_id = old.game_id AND g.first = 1 AND {lost}"))
    drop_old("number")


def compact(games: str) -> Iterator[tuple[Any, ...]]:
    """The rows of the events of games. A hash is left out where it follows from the events and the next event has the
    same time: then both were stored together."""
    stored = read(f"SELECT g.number, old.game_id, {OLD} FROM old_events AS old JOIN {games} ORDER BY g.number, old.seq")
    for number, rows in groupby(stored, itemgetter(0)):
        head, time, follows = GENESIS, "", False
        before: tuple[Any, ...] = ()
        for _, *row, data, hash_ in rows:
            event = GameEvent._make((*row, {}, head, hash_ if HASH.fullmatch(hash_) else GENESIS))
            if before:
                yield number, *(without_hash(before) if follows and time == event.time else before)
            before, time, head = event_row(event, data.encode()), event.time, event.hash
            follows = seal(*event[:-1], data.encode()).hash == head
        yield number, *before


def downgrade() -> None:
    set_aside()
    table = op.create_table(
        "events",
        *columns(game_id=sa.String(32), seq=sa.Integer, time=sa.String(32), **TEXTS),
        *columns(prev_hash=sa.String(64), hash=sa.String(64)),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_events_game_id_games"),
        sa.PrimaryKeyConstraint("game_id", "seq", name="pk_events"),
    )
    stored = read(
        "SELECT g.id, g.number, old.seq, old.time, old.actor, old.source, old.kind, old.data, old.hash "
        "FROM old_events AS old JOIN games AS g ON g.number = old.number ORDER BY g.number, old.seq"
    )
    fill(
        table,
        (
            event._replace(data=canonical_json(event.data).decode())  # type: ignore[arg-type]
            for game_id, rows in groupby(stored, itemgetter(0))
            for event in read_events(game_id, (row[1:] for row in rows))
        ),
    )
    drop_old("game_id")


def columns(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name, kind in kinds.items()]


def set_aside() -> None:
    """Give the table another name."""
    op.drop_index("uq_events_board_source", "events")
    op.rename_table("events", "old_events")
    if op.get_bind().dialect.name == "postgresql":  # where no two tables share the name of an index
        op.execute("ALTER INDEX pk_events RENAME TO pk_old_events")


def drop_old(key: str) -> None:
    op.drop_table("old_events")
    boards = sa.text("source LIKE 'board:%'")
    op.create_index(
        "uq_events_board_source",
        "events",
        [key, "source"],
        unique=True,
        sqlite_where=boards,
        postgresql_where=boards,
    )


def read(query: str) -> Any:
    return op.get_bind().execute(sa.text(query), execution_options={"yield_per": AT_ONCE})


def fill(table: sa.Table, rows: Iterable[tuple[Any, ...]]) -> None:
    rows, names = iter(rows), table.columns.keys()
    while some := list(islice(rows, AT_ONCE)):
        op.get_bind().execute(sa.insert(table), [dict(zip(names, row, strict=True)) for row in some])
