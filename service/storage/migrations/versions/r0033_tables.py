"""The tables of revision 0033, into which earlier databases are brought. Later migrations change them.

Revision 0033, the first one here.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Boolean, ForeignKey, Index, Integer, LargeBinary, PrimaryKeyConstraint, String, Text

from inkeek.service.storage.migrations.earlier import convert
from inkeek.service.storage.tables.declared import KEY, define_table, is_json, one_of, room_metadata

revision = "0033"
down_revision = None

metadata = room_metadata()
sa.Sequence("games_number", metadata=metadata)
WORD, CODE, ID, TIME, HASH, DIGEST = String(8), String(16), String(32), String(32), String(64), LargeBinary(32)


def columns(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name, kind in kinds.items()]


def optional(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind) for name, kind in kinds.items()]


def some_rows(name: str, *names: str, where: str, unique: bool = False) -> Index:
    """An index of some rows."""
    return Index(name, *names, unique=unique, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def table(name: str, *parts: Any, key: tuple[str, ...], **options: Any) -> None:
    define_table(name, *parts, PrimaryKeyConstraint(*key), within=metadata, **options)


def of_game(name: str) -> sa.Column[Any]:
    return sa.Column(name, ID, ForeignKey("games.id"), nullable=False)


def of_board() -> sa.Column[Any]:
    return sa.Column("board_id", ID, ForeignKey("boards.id"), nullable=False)


table(
    "games",
    *columns(id=ID, game=String(64), options=Text, tags=Text, created=TIME, updated=TIME, seq=Integer, hash=HASH),
    *columns(start=Text, position=Text, ply=Integer, state=WORD, result=WORD),
    *optional(score_south=Integer, score_north=Integer, termination=String(32), winner=WORD, match_id=ID),
    *optional(match_game=Integer, dispute=Integer, number=Integer, event=KEY, date=String(10), last_date=String(10)),
    *optional(rules=String(12), content=String(32), imported=String(32)),
    Index("uq_games_number", "number", unique=True),
    *(Index(None, column, "number") for column in ("state", "game", "result", "created", "match_id")),
    Index(None, "event", "number", "date"),
    Index(None, "date", "number", "last_date"),
    some_rows("ix_games_first_of_match", "number", where="match_id = id"),
    some_rows("ix_games_match_of_event", "event", "number", where="match_id = id"),
    some_rows("ix_games_content", "content", where="content IS NOT NULL"),
    some_rows("ix_games_imported", "imported", where="imported IS NOT NULL"),
    some_rows("ix_games_without_content", "number", where="content IS NULL"),
    key=("id",),
)
table(
    "players",
    *columns(number=Integer, name=KEY, game=String(80), score=WORD, opens_match=Boolean),
    Index(None, "name", "number", "game", "score"),
    some_rows("ix_players_match", "name", "number", where="opens_match"),
    key=("number", "name"),
    sqlite_with_rowid=False,
)
table(
    "positions",
    *columns(number=Integer, ply=Integer, key=BigInteger),
    Index(None, "key", "number", "ply"),
    key=("number", "ply"),
    sqlite_with_rowid=False,
)
table(
    "events",
    *columns(number=Integer, seq=Integer, time=Text, actor=Text, source=Text, kind=String(32), data=Text, hash=DIGEST),
    some_rows("uq_events_board_source", "number", "source", where="source LIKE 'board:%'", unique=True),
    key=("number", "seq"),
    sqlite_with_rowid=False,
)
LEDGER = {"game_id": ID, "number": Integer, "first": Integer, "seq": Integer, "time": TIME, "head": DIGEST}
table(
    "ledger",
    sa.Column("position", BigInteger, nullable=False, autoincrement=False),
    *columns(**LEDGER, hash=DIGEST),
    key=("position",),
)
table(
    "ledger_games", *columns(number=Integer, position=BigInteger), key=("number", "position"), sqlite_with_rowid=False
)
table("unsealed", *columns(id=BigInteger, **LEDGER), key=("id",))
table(
    "changes",
    sa.Column("number", Integer, nullable=False, autoincrement=False),
    *columns(time=TIME, actor=Text, source=Text, about=WORD, kind=CODE, key=KEY, salt=String(32)),
    *columns(digest=HASH, prev_hash=HASH, hash=HASH),
    *optional(data=Text, undoes=Integer),
    Index(None, "about", "key", "number"),
    Index(None, "undoes"),
    one_of("about", "event", "person"),
    key=("number",),
)
table(
    "disputes",
    of_game("game"),
    *columns(seq=Integer, time=TIME, ply=Integer, turn=Integer, side=WORD, claim=Text, by=Text, state=WORD),
    *optional(seen=Text, outcome=CODE, note=Text, arbiter=Text, ruled=TIME, slip=String(32)),
    sa.Column("about", WORD, nullable=False, server_default="turn"),
    Index(None, "time", "game", "seq"),
    Index(None, "state", "time", "game", "seq"),
    Index("ix_disputes_slip", "slip", "time", "game", "seq"),
    key=("game", "seq"),
)
table("photographs", of_game("game"), *columns(sha256=HASH, data=LargeBinary), key=("game", "sha256"))
table("analyses", of_game("game_id"), *columns(job_id=ID, played=HASH, data=Text), *is_json("data"), key=("game_id",))
table(
    "jobs",
    *columns(id=ID, owner=ID, state=CODE, games=Text, limits=Text, done=Integer, total=Integer),
    *columns(created=TIME, updated=TIME),
    *optional(error=Text, runner=ID, lease=TIME),
    Index(None, "state", "created"),
    Index(None, "owner", "created"),
    one_of("state", "queued", "running", "done", "failed", "cancelled"),
    *is_json("games", "limits"),
    key=("id",),
)
table(
    "boards",
    of_game("game_id"),
    *columns(id=ID, driver=String(64), url=Text, wanted=WORD, seq=Integer, status=Text, version=Integer),
    *columns(created=TIME, updated=TIME),
    *optional(serial=Text, boot=CODE, adapter=Text, heard=TIME, report=ID),
    sa.Column("buttons", Boolean, nullable=False, server_default=sa.true()),
    some_rows("uq_boards_open_url", "url", where="wanted = 'open'", unique=True),
    some_rows("uq_boards_open_game", "game_id", where="wanted = 'open'", unique=True),
    one_of("wanted", "open", "closed"),
    *is_json("status"),
    key=("id",),
)
table(
    "board_log",
    of_board(),
    *columns(number=Integer, time=TIME, kind=String(32), data=Text),
    sa.Column("total", BigInteger, nullable=False, server_default="0"),
    *is_json("data"),
    key=("board_id", "number"),
)
table(
    "board_requests",
    of_board(),
    *columns(number=Integer, kind=String(32), data=Text),
    sa.Column("created", TIME, nullable=False, server_default=""),
    sa.Column("tries", Integer, nullable=False, server_default="0"),
    *is_json("data"),
    key=("number",),
    sqlite_autoincrement=True,
)
table(
    "plugged_ports",
    *columns(url=Text, title=Text, state=WORD, reason=Text),
    *optional(serial=Text, row=Integer, stores=Boolean),
    key=("url",),
)
table(
    "keys",
    *columns(id=ID, kind=WORD, name=Text, scopes=Text, hash=HASH, created=TIME),
    *optional(expires=TIME, used=TIME, revoked=TIME, limit_kind=WORD, limit_value=Text, previous_hash=HASH),
    *optional(previous_until=TIME, giver=ID, code=CODE, most=Integer, joined=Integer, asked=TIME, lender=ID),
    *optional(device=Text, look=String(32), language=WORD),
    one_of("kind", "token", "link", "session", "anyone"),
    one_of("limit_kind", "game", "match", "event", "table"),
    *(Index(f"uq_keys_{name}", name, unique=True) for name in ("hash", "code", "previous_hash")),
    Index(None, "giver"),
    Index(None, "lender"),
    key=("id",),
)
table(
    "receipts",
    *columns(caller=ID, key=String(255), request=HASH, created=TIME),
    *optional(status=Integer, headers=Text, body=Text),
    Index(None, "created"),
    *is_json("headers"),
    key=("caller", "key"),
)
table("event_plans", *columns(event=KEY, name=Text, version=Integer, plan=Text, updated=TIME), key=("event",))
table(
    "event_rules",
    *columns(event=KEY, ladder=Text),
    *optional(appeal_minutes=Integer, appeal_since=TIME),
    key=("event",),
)
table(
    "persons",
    *columns(key=KEY, initials=Boolean),
    *optional(name=Text, joined=KEY),
    Index(None, "joined"),
    some_rows("ix_persons_initials", "key", where="initials"),
    key=("key",),
)
table("rulesets", *columns(id=KEY, text=Text, added=TIME, by=Text), key=("id",))
table(
    "upgrades",
    sa.Column("number", Integer, nullable=False, autoincrement=False),
    *columns(time=TIME, revision=WORD, program=Text),
    *optional(before=WORD),
    key=("number",),
)


def upgrade() -> None:
    connection = op.get_bind()
    if sa.inspect(connection).has_table("games"):
        convert(connection, metadata)
    else:
        metadata.create_all(connection)
