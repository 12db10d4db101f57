"""The tables of version 0.1.0. They are not those of the code: later migrations change these.

Revision 0001, the first.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, ForeignKey, Index, Integer, PrimaryKeyConstraint, String, Table, Text

revision = "0001"
down_revision = None

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
sa.Sequence("games_number", metadata=metadata)
NAME, KEY, TIME, HASH = String(8), String(32), String(32), String(64)


def columns(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name, kind in kinds.items()]


def optional(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind) for name, kind in kinds.items()]


def some_rows(name: str, *names: str, where: str, unique: bool = True) -> Index:
    """An index of some rows."""
    return Index(name, *names, unique=unique, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


Table(
    "games",
    metadata,
    *columns(id=KEY, game=String(64), options=Text, tags=Text, created=TIME, updated=TIME, seq=Integer, hash=HASH),
    *columns(start=Text, position=Text, ply=Integer, state=NAME, result=NAME),
    *optional(score_south=Integer, score_north=Integer, termination=String(32), winner=NAME),
    *optional(match_id=KEY, match_game=Integer, number=Integer, event=Text, date=String(10)),
    PrimaryKeyConstraint("id"),
    Index("uq_games_number", "number", unique=True),
    *(Index(None, column, "number") for column in ("state", "game", "result", "event", "date", "match_id")),
    some_rows("ix_games_first_of_match", "number", where="match_id = id", unique=False),
)
Table(
    "players",
    metadata,
    *columns(number=Integer, name=Text),
    PrimaryKeyConstraint("number", "name"),
    Index(None, "name", "number"),
    sqlite_with_rowid=False,
)
Table(
    "positions",
    metadata,
    *columns(number=Integer, ply=Integer, key=BigInteger),
    PrimaryKeyConstraint("number", "ply"),
    Index(None, "key", "number", "ply"),
    sqlite_with_rowid=False,
)
Table(
    "events",
    metadata,
    sa.Column("game_id", KEY, ForeignKey("games.id"), nullable=False),
    *columns(seq=Integer, time=TIME, actor=Text, source=Text, kind=String(32), data=Text, prev_hash=HASH, hash=HASH),
    PrimaryKeyConstraint("game_id", "seq"),
    some_rows("uq_events_board_source", "game_id", "source", where="source LIKE 'board:%'"),
)
Table(
    "disputes",
    metadata,
    *columns(game=KEY, seq=Integer, time=TIME, ply=Integer, turn=Integer, side=NAME, claim=Text, by=Text, state=NAME),
    *optional(seen=Text, outcome=String(16), note=Text, arbiter=Text, ruled=TIME),
    PrimaryKeyConstraint("game", "seq"),
    Index(None, "time", "game", "seq"),
    Index(None, "state", "time", "game", "seq"),
)
Table(
    "boards",
    metadata,
    *columns(id=KEY, driver=String(64), url=Text),
    sa.Column("game_id", KEY, ForeignKey("games.id"), nullable=False),
    *columns(wanted=NAME, seq=Integer, status=Text, version=Integer, created=TIME, updated=TIME),
    *optional(serial=Text, boot=String(16)),
    sa.Column("buttons", sa.Boolean, nullable=False, server_default=sa.true()),
    PrimaryKeyConstraint("id"),
    some_rows("uq_boards_open_url", "url", where="wanted = 'open'"),
    some_rows("uq_boards_open_game", "game_id", where="wanted = 'open'"),
)
Table(
    "board_log",
    metadata,
    sa.Column("board_id", KEY, ForeignKey("boards.id"), nullable=False),
    *columns(number=Integer, time=TIME, kind=String(32), data=Text),
    PrimaryKeyConstraint("board_id", "number"),
)
Table(
    "board_requests",
    metadata,
    sa.Column("number", Integer, primary_key=True),
    sa.Column("board_id", KEY, ForeignKey("boards.id"), nullable=False),
    *columns(kind=String(32), data=Text),
    sqlite_autoincrement=True,
)
Table(
    "inboxes",
    metadata,
    sa.Column("board_id", KEY, ForeignKey("boards.id"), primary_key=True),
    *columns(spool=HASH, claim=Integer, last=BigInteger, dealt=BigInteger, seq=BigInteger),
    *columns(answers=BigInteger, version=Integer, heard=TIME),
    *optional(boot=String(16), hello=Text, guidance=Text),
)
Table(
    "inbox_events",
    metadata,
    sa.Column("board_id", KEY, ForeignKey("boards.id"), nullable=False),
    *columns(number=BigInteger, event=Text),
    PrimaryKeyConstraint("board_id", "number"),
)
Table(
    "keys",
    metadata,
    *columns(id=KEY, kind=NAME, name=Text, scopes=Text, hash=HASH, created=TIME),
    *optional(expires=TIME, used=TIME, revoked=TIME),
    PrimaryKeyConstraint("id"),
    Index("uq_keys_hash", "hash", unique=True),
)
Table(
    "receipts",
    metadata,
    *columns(caller=KEY, key=String(255), request=HASH, created=TIME),
    *optional(status=Integer, headers=Text, body=Text),
    PrimaryKeyConstraint("caller", "key"),
    Index(None, "created"),
)


def upgrade() -> None:
    metadata.create_all(op.get_bind())
