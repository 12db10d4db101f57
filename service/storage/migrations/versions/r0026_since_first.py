"""All changes of the tables since version 0.1.0: what the revisions 0002 to 0026 of its development did.

Revision 0026.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import sqlalchemy as sa
from alembic import op

from inkeek.service.storage.clock import is_stamp, moment
from inkeek.service.storage.integrity.chain import GENESIS, LedgerHead, LedgerNote, chained

revision = "0026"
down_revision = "0001"

AT_ONCE = 1000  # rows
HASH = re.compile("[0-9a-f]{64}")
S8, S16, S32, S64 = (sa.String(length) for length in (8, 16, 32, 64))
COUNTER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
TIME = "\x1f"  # between the written time and the data of an event whose time is not stored as a number


def upgrade() -> None:
    add_columns("boards", adapter=sa.Text(), reach=sa.Text())
    add_columns("inboxes", last_hello=sa.Text())
    add_columns("disputes", slip=S32)
    add_columns("games", content=S32, imported=S32, dispute=sa.Integer())
    add_columns("keys", limit_kind=S8, limit_value=sa.Text(), previous_hash=S64, previous_until=S32)
    add_columns("keys", invitation=S32, asked=S32, lender=S32, app=S32, device=sa.Text(), look=S32, language=S8)
    op.add_column("board_requests", sa.Column("created", S32, nullable=False, server_default=""))
    op.add_column("board_requests", sa.Column("tries", sa.Integer, nullable=False, server_default="0"))
    op.add_column("board_log", sa.Column("total", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("disputes", sa.Column("about", S8, nullable=False, server_default="turn"))
    op.execute("DELETE FROM board_log WHERE length(data) > 65536")  # no board has anything to say that is so long
    op.execute(
        "UPDATE games SET dispute = (SELECT max(seq) FROM disputes WHERE game = games.id AND state = 'open')"
        " WHERE id IN (SELECT game FROM disputes WHERE state = 'open')"
    )
    renew_players()
    add_indexes()
    make_ledger()
    number_events()
    make_new_tables()


def add_columns(table: str, **kinds: Any) -> None:
    for name, kind in kinds.items():
        op.add_column(table, sa.Column(name, kind))


def columns(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name, kind in kinds.items()]


def optional(**kinds: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind) for name, kind in kinds.items()]


def make_table(name: str, *parts: Any, key: tuple[str, ...], **options: Any) -> sa.Table:
    return op.create_table(name, *parts, sa.PrimaryKeyConstraint(*key, name=f"pk_{name}"), **options)


def some_rows(name: str, table: str, columns: list[str], where: str, *, unique: bool = False) -> None:
    """Make an index of some rows."""
    op.create_index(name, table, columns, unique=unique, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def text_key() -> Any:
    """The kind of a column whose texts are compared byte by byte."""
    return sa.Text(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.Text()


def read(query: str) -> Any:
    return op.get_bind().execute(sa.text(query), execution_options={"yield_per": AT_ONCE})


def fill(table: sa.Table, rows: Iterable[tuple[Any, ...]]) -> None:
    rows, names = iter(rows), table.columns.keys()
    while some := list(islice(rows, AT_ONCE)):
        op.get_bind().execute(sa.insert(table), [dict(zip(names, row, strict=True)) for row in some])


def renew_players() -> None:
    """Names are compared in another form, and what a game is to its players is stored, by a later revision."""
    op.drop_index("ix_games_event_number", "games")
    op.drop_table("players")
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("games", "event", type_=text_key())
    make_table(
        "players",
        *columns(number=sa.Integer, name=text_key(), game=S64, score=S8, opens_match=sa.Boolean),
        key=("number", "name"),
        sqlite_with_rowid=False,
    )


def add_indexes() -> None:
    op.create_index("ix_players_name_number_game_score", "players", ["name", "number", "game", "score"])
    some_rows("ix_players_match", "players", ["name", "number"], "opens_match")
    op.create_index("ix_games_event_number_date", "games", ["event", "number", "date"])
    op.create_index("ix_games_created_number", "games", ["created", "number"])
    some_rows("ix_games_match_of_event", "games", ["event", "number"], "match_id = id")
    some_rows("ix_games_content", "games", ["content"], "content IS NOT NULL")
    some_rows("ix_games_imported", "games", ["imported"], "imported IS NOT NULL")
    some_rows("ix_games_without_content", "games", ["number"], "content IS NULL")
    op.create_index("ix_disputes_slip", "disputes", ["slip", "time", "game", "seq"])
    op.create_index("uq_keys_previous_hash", "keys", ["previous_hash"], unique=True)
    op.create_index("ix_keys_invitation", "keys", ["invitation"])
    op.create_index("ix_keys_lender", "keys", ["lender"])


def make_ledger() -> None:
    """Seal the games that there are. Times never go back along the ledger: those of its entries are the latest."""
    note = {"game_id": S32, "number": sa.Integer, "first": sa.Integer, "seq": sa.Integer}
    time, head = {"time": sa.BigInteger}, {"head": sa.LargeBinary(32)}
    position = sa.Column("position", COUNTER, nullable=False, autoincrement=False)
    ledger = make_table(
        "ledger", position, *columns(**note, **time, **head, hash=sa.LargeBinary(32)), key=("position",)
    )
    make_table("unsealed", sa.Column("id", COUNTER, primary_key=True), *columns(**note, **time, **head), key=("id",))
    updated = op.get_bind().execute(sa.text("SELECT coalesce(max(updated), '') FROM games")).scalar_one()
    latest = round(moment(updated).timestamp() * 1_000_000) if is_stamp(updated) else 0
    stored = read("SELECT id, number, seq, hash FROM games ORDER BY number, id")
    notes = (LedgerNote(row.id, row.number or 0, 1, row.seq, "", row.hash) for row in stored)
    fill(
        ledger,
        (
            (*one[:4], one.seq, latest, bytes.fromhex(one.head), bytes.fromhex(one.hash))
            for one in chained(LedgerHead(), notes)
        ),
    )
    make_table(
        "ledger_games",
        *columns(number=sa.Integer, position=COUNTER),
        key=("number", "position"),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO ledger_games SELECT number, position FROM ledger "
        "WHERE position <= (SELECT max(position) - max(position) % 1000 FROM ledger) ORDER BY number, position"
    )


def number_events() -> None:
    """Events are kept by the number of their game, with hashes as bytes."""
    op.drop_index("uq_events_board_source", "events")
    op.rename_table("events", "old_events")
    if op.get_bind().dialect.name == "postgresql":  # where no two tables share the name of an index
        op.execute("ALTER INDEX pk_events RENAME TO pk_old_events")
    table = make_table(
        "events",
        *columns(number=sa.Integer, seq=sa.Integer, time=sa.BigInteger),
        *columns(actor=sa.Text, source=sa.Text, kind=S32, data=sa.Text),
        *optional(hash=sa.LargeBinary(32)),
        key=("number", "seq"),
        sqlite_with_rowid=False,
    )
    fill(table, numbered_events())
    op.drop_table("old_events")
    some_rows("uq_events_board_source", "events", ["number", "source"], "source LIKE 'board:%'", unique=True)


def numbered_events() -> Iterator[tuple[Any, ...]]:
    """The rows of the events of games."""
    stored = read(
        "SELECT g.number, old.seq, old.time, old.actor, old.source, old.kind, old.data, old.hash"
        " FROM old_events AS old JOIN games AS g ON g.id = old.game_id ORDER BY g.number, old.seq"
    )
    for number, seq, text, actor, source, kind, plain, hash_ in stored:
        known = hash_ if HASH.fullmatch(hash_) else GENESIS
        yield number, seq, 0, actor, source, kind, f"{text}{TIME}{plain}", bytes.fromhex(known)


def make_new_tables() -> None:
    text, integer = sa.Text, sa.Integer
    make_table(
        "jobs",
        *columns(id=S32, owner=S32, state=S16, games=text, limits=text, done=integer, total=integer),
        *columns(created=S32, updated=S32),
        *optional(error=text, runner=S32, lease=S32),
        key=("id",),
    )
    op.create_index("ix_jobs_state_created", "jobs", ["state", "created"])
    op.create_index("ix_jobs_owner_created", "jobs", ["owner", "created"])
    make_table("analyses", *columns(game_id=S32, job_id=S32, played=S64, data=text), key=("game_id",))
    make_table("board_secrets", *columns(serial=text, secret=S64, held=sa.Boolean, created=S32), key=("serial",))
    make_table("photographs", *columns(game=S32, sha256=S64, data=sa.LargeBinary), key=("game", "sha256"))
    make_table(
        "event_rules",
        *columns(event=text_key(), ladder=text),
        *optional(appeal_minutes=integer, appeal_since=S32),
        key=("event",),
    )
    make_table(
        "event_plans",
        *columns(event=text_key(), name=text, version=integer, plan=text, updated=S32),
        key=("event",),
    )
    make_table(
        "persons",
        *columns(key=text_key(), initials=sa.Boolean),
        *optional(name=text, joined=text_key()),
        key=("key",),
    )
    op.create_index("ix_persons_joined", "persons", ["joined"])
    some_rows("ix_persons_initials", "persons", ["key"], "initials")
    make_table(
        "invitations",
        *columns(id=S32, code=S16, role=S16, event=text, table=text, most=integer, joined=integer),
        *columns(by=text, created=S32, expires=S32, event_key=text_key()),
        *optional(withdrawn=S32),
        key=("id",),
    )
    op.create_index("uq_invitations_code", "invitations", ["code"], unique=True)
    op.create_index("ix_invitations_event_key", "invitations", ["event_key"])
    make_table(
        "changes",
        sa.Column("number", integer, nullable=False, autoincrement=False),
        *columns(time=S32, actor=text, source=text, about=S8, kind=S16, key=text_key(), salt=S32),
        *columns(digest=S64, prev_hash=S64, hash=S64),
        *optional(data=text, undoes=integer),
        key=("number",),
    )
    op.create_index("ix_changes_about_key_number", "changes", ["about", "key", "number"])
    op.create_index("ix_changes_undoes", "changes", ["undoes"])
    make_table("apps", *columns(id=S32, name=text, redirect_uris=text, created=S32), key=("id",))
    op.create_index("ix_apps_created", "apps", ["created"])
    make_table(
        "app_codes",
        *columns(hash=S64, app=S32, lender=S32, redirect_uri=text, scope=text, challenge=text, expires=S32),
        *optional(key=S32),
        key=("hash",),
    )
    make_table(
        "webhooks",
        *columns(
            id=S32, owner=S32, url=text, kinds=text, secret=text, created=S32, position=sa.BigInteger, tries=integer
        ),
        *optional(game_id=S32, match=S32, event=text, next=S32),
        key=("id",),
    )
    op.create_index("ix_webhooks_owner", "webhooks", ["owner"])
    make_table(
        "deliveries",
        *columns(webhook=S32, number=sa.BigInteger, kind=S32, state=S8, tries=integer, error=text, time=S32),
        *optional(status=integer),
        key=("webhook", "number"),
    )
    op.create_index("ix_deliveries_webhook_state_time", "deliveries", ["webhook", "state", "time"])
    make_table(
        "upgrades",
        sa.Column("number", integer, nullable=False, autoincrement=False),
        *columns(time=S32, revision=S8, program=text),
        *optional(before=S8),
        key=("number",),
    )
    make_table(
        "plugged_ports",
        *columns(url=text, title=text, state=S8, reason=text),
        *optional(serial=text, row=integer, stores=sa.Boolean),
        key=("url",),
    )
    make_table("stale_positions", *columns(number=integer, ply=integer), key=("number",), sqlite_with_rowid=False)
