"""What was withdrawn goes: the secrets of boards, and where their serial numbers counted; webhooks; apps, and what
people lent to them. Events are plain JSON with written times and a hash each, positions are stored with the turns, and
the database checks types, words, JSON and references.

Revision 0027.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from alembic import op

from inkeek.service.storage.clock import stamp
from inkeek.service.storage.integrity.chain import GENESIS, seal
from inkeek.service.storage.search import position_keys

revision = "0027"
down_revision = "0026"

AT_ONCE = 1000  # rows
TABLES = ("board_secrets", "app_codes", "apps", "deliveries", "webhooks")
COLUMNS = (("boards", "reach"), ("keys", "app"))
WORDS = {
    ("boards", "wanted"): ("open", "closed"),
    ("jobs", "state"): ("queued", "running", "done", "failed", "cancelled"),
    ("changes", "about"): ("event", "person"),
    ("keys", "kind"): ("token", "link", "session", "anyone"),
    ("keys", "limit_kind"): ("game", "match", "event", "table"),
}
JSON = {
    "boards": ("status",),
    "board_log": ("data",),
    "board_requests": ("data",),
    "inboxes": ("hello", "guidance", "last_hello"),
    "inbox_events": ("event",),
    "jobs": ("games", "limits"),
    "analyses": ("data",),
    "receipts": ("headers",),
}
IS_JSON = {
    "sqlite": "{0} IS NULL OR json_valid({0})",
    "postgresql": "{0} IS NULL OR CAST({0} AS json) IS NOT NULL",
}
REFERENCES = {"disputes": "game", "photographs": "game", "analyses": "game_id"}  # to games
FIRST = ("games", "boards", "ledger")  # others refer to these, or are made with them
# A time as text, in each kind of database.
TIME = {
    "sqlite": "iif(time = 0, '', strftime('%Y-%m-%dT%H:%M:%S', time / 1000000, 'unixepoch')"
    " || printf('.%06dZ', time % 1000000))",
    "postgresql": "CASE WHEN time = 0 THEN '' ELSE to_char(timestamp 'epoch' + time * interval '1 microsecond',"
    ' \'YYYY-MM-DD"T"HH24:MI:SS.US"Z"\') END',
}
TIMED = ("ledger", "unsealed")  # tables with such times
# The data of events had a character for each frequent phrase. JSON has no control characters, so these were never data.
PHRASES = {
    "\x01": '","nags":[],"comments":[],"variations":[]},"position":"',
    "\x02": ',"turn":{"move":"',
    "\x03": '{"ply":',
    "\x04": " 0-0 s ",
    "\x05": " 0-0 n ",
    **{chr(0x0E + seeds): f"{seeds}." for seeds in range(10)},
}
BACK = str.maketrans(PHRASES)
WRITTEN = "\x1f"  # between a time that was no number of microseconds and the data
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def upgrade() -> None:
    op.execute("DELETE FROM keys WHERE app IS NOT NULL")
    for table, column in COLUMNS:
        op.drop_column(table, column)
    for table in TABLES:
        op.drop_table(table)
    for table, column in REFERENCES.items():
        op.execute(f"DELETE FROM {table} WHERE {column} NOT IN (SELECT id FROM games)")
    if op.get_bind().dialect.name == "sqlite":
        make_strict()
    else:
        add_checks()
    store_positions()
    op.drop_table("stale_positions")


def make_strict() -> None:
    """Make all tables of an SQLite file again, with checks and in strict types, and copy their rows."""
    made = dict(read("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").all())
    indexes = read("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").all()
    counted = read("SELECT seq FROM sqlite_sequence WHERE name = 'board_requests'").scalar()
    del made["alembic_version"]
    tables = [*FIRST, *(name for name in made if name not in FIRST)]
    for name, _ in indexes:
        op.execute(f"DROP INDEX {name}")
    for name in tables:
        op.rename_table(name, f"old_{name}")  # and what others refer to: the old ones refer to each other
    for name in tables:
        op.execute(strict_sql(name, made[name]))
        if name == "events":
            fill_events()
            continue
        columns = [column for (column,) in read(f"SELECT name FROM pragma_table_info('{name}')")]
        is_timed = name in TIMED
        values = ", ".join(TIME["sqlite"] if is_timed and one == "time" else f'"{one}"' for one in columns)
        names = ", ".join(f'"{column}"' for column in columns)
        op.execute(f"INSERT INTO {name} ({names}) SELECT {values} FROM old_{name}")
    for name in reversed(tables):
        op.drop_table(f"old_{name}")
    for _, sql in indexes:
        op.execute(sql)
    if counted is not None:  # a number is never used again
        op.execute("DELETE FROM sqlite_sequence WHERE name = 'board_requests'")
        op.execute(f"INSERT INTO sqlite_sequence VALUES ('board_requests', {counted})")


def strict_sql(name: str, sql: str) -> str:
    """The statement that makes a table, with strict types and checks."""
    if name in (*TIMED, "events"):
        sql = re.sub(r"\btime BIGINT", "time TEXT", sql)
    sql = re.sub(r"\bhash BLOB(?=,)", "hash BLOB NOT NULL", sql)
    sql = re.sub(r"VARCHAR\(\d+\)", "TEXT", re.sub("BIGINT|BOOLEAN", "INTEGER", sql))
    body, _, options = sql.rpartition(")")
    parts = [f"CONSTRAINT {key} CHECK ({condition})" for key, condition in checks(name)]
    if name in REFERENCES:
        column = REFERENCES[name]
        parts.append(f"CONSTRAINT fk_{name}_{column}_games FOREIGN KEY({column}) REFERENCES games (id)")
    options = ", ".join(filter(None, (options.strip(), "STRICT")))
    return ", \n\t".join([body.rstrip(), *parts]) + f"\n) {options}"


def checks(table: str) -> Iterator[tuple[str, str]]:
    """The names and the conditions of the checks of a table."""
    for (name, column), words in WORDS.items():
        if name == table:
            yield f"ck_{table}_{column}", f"{column} IN ({', '.join(map(repr, words))})"
    for column in JSON.get(table, ()):
        yield f"ck_{table}_{column}_json", IS_JSON[op.get_bind().dialect.name].format(column)


def add_checks() -> None:
    """Change the tables of PostgreSQL, which has strict types."""
    for table in TIMED:
        op.execute(f"ALTER TABLE {table} ALTER COLUMN time TYPE varchar(32) USING {TIME['postgresql']}")
    for table in sorted({*JSON, *(name for name, _ in WORDS)}):
        for key, condition in checks(table):
            op.execute(f"ALTER TABLE {table} ADD CONSTRAINT {key} CHECK ({condition})")
    for table, column in REFERENCES.items():
        op.create_foreign_key(f"fk_{table}_{column}_games", table, "games", [column], ["id"])
    op.rename_table("events", "old_events")
    op.drop_index("uq_events_board_source", "old_events")
    op.execute("ALTER INDEX pk_events RENAME TO pk_old_events")
    op.create_table(
        "events",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("time", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("hash", sa.LargeBinary(32), nullable=False),
        sa.PrimaryKeyConstraint("number", "seq", name="pk_events"),
    )
    fill_events()
    op.drop_table("old_events")
    where = sa.text("source LIKE 'board:%'")
    op.create_index("uq_events_board_source", "events", ["number", "source"], unique=True, postgresql_where=where)


def read(query: str) -> Any:
    return op.get_bind().execute(sa.text(query), execution_options={"yield_per": AT_ONCE})


def fill(table: str, names: str, rows: Iterable[tuple[Any, ...]]) -> None:
    columns, rows = names.split(), iter(rows)
    target = sa.table(table, *map(sa.column, columns))
    while some := list(islice(rows, AT_ONCE)):
        op.get_bind().execute(sa.insert(target), [dict(zip(columns, row, strict=True)) for row in some])


def fill_events() -> None:
    fill("events", "number seq time actor source kind data hash", plain_events())


def plain_events() -> Iterator[tuple[Any, ...]]:
    """The events as they were before they were made short. A hash that was left out follows from the events."""
    stored = read(
        "SELECT old.number, old.seq, old.time, old.actor, old.source, old.kind, old.data, old.hash,"
        " coalesce(g.id, (SELECT min(game_id) FROM ledger WHERE ledger.number = old.number))"
        " FROM old_events AS old LEFT JOIN games AS g ON g.number = old.number ORDER BY old.number, old.seq"
    )
    for number, rows in groupby(stored, itemgetter(0)):
        head = GENESIS
        for _, seq, stored_time, actor, source, kind, short, hash_, game in rows:
            time, data = expand(stored_time, short)
            text = data.encode()
            head = seal(game, seq, time, actor, source, kind, {}, head, text).hash if hash_ is None else hash_.hex()
            yield number, seq, time, actor, source, kind, data, bytes.fromhex(head)


def expand(time: int, data: str) -> tuple[str, str]:
    """The time and the data of an event that was stored as these."""
    if time or WRITTEN not in data:
        return stamp(EPOCH + timedelta(microseconds=time)), data.translate(BACK)
    text, _, data = data.rpartition(WRITTEN)
    return text, data.translate(BACK)


def store_positions() -> None:
    """Store the positions that were still to be stored: those of the latest turns, or of imported games."""
    op.execute("DELETE FROM positions WHERE number IN (SELECT number FROM stale_positions)")
    stored = read(
        "SELECT e.number, g.game, e.kind, e.data FROM stale_positions AS s JOIN games AS g ON g.number = s.number"
        " JOIN events AS e ON e.number = s.number WHERE e.kind IN ('created', 'turn', 'retraction')"
        " ORDER BY e.number, e.seq"
    )
    for (number, game), rows in groupby(stored, itemgetter(0, 1)):
        texts: list[str] = []
        for _, _, kind, data in rows:
            if kind == "retraction":
                texts.pop()
            else:
                texts.append(json.loads(data)["position"])
        keys = enumerate(position_keys(game, texts))
        fill("positions", "number ply key", ((number, ply, key) for ply, key in keys))
