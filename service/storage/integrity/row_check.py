"""The check of rows that no chain of hashes covers: types, lengths, JSON, times, words and references.

A changed letter in a name or a comment does not show here, as it is as good as another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy import BigInteger, Boolean, Integer, String, Table, func, literal_column, select, text

from records import RecordsError
from records.analysis.annotation import GameAnnotation
from records.json_codec import from_json
from service.storage.database.session import Session
from service.storage.tables import all_tables
from service.storage.tables.jobs import ACTIVE, CANCELLED, DONE, FAILED

CHAINED = (
    "games",
    "events",
    "players",
    "positions",
    "stale_positions",
    "disputes",
    "ledger",
    "ledger_games",
    "unsealed",
    "photographs",
)  # follow from events
JSON: dict[str, type] = {
    "boards.status": dict,
    "board_log.data": dict,
    "board_requests.data": dict,
    "inboxes.hello": dict,
    "inboxes.last_hello": dict,
    "inboxes.guidance": dict,
    "inbox_events.event": dict,
    "jobs.games": list,
    "jobs.limits": dict,
    "analyses.data": GameAnnotation,
    "receipts.headers": dict,
    "event_rules.ladder": list,
    "event_plans.plan": dict,
    "changes.data": dict,
}
WORDS = {
    "boards.wanted": ("open", "closed"),
    "jobs.state": (*ACTIVE, DONE, FAILED, CANCELLED),
    "changes.about": ("event", "person"),
    "keys.kind": ("token", "link", "session", "anyone"),
    "keys.limit_kind": ("game", "match", "event", "table"),
}
HASHES = ("keys.hash", "keys.previous_hash", "analyses.played", "receipts.request", "changes.digest")
TIMES = (
    *("time", "created", "updated", "heard", "expires", "used", "revoked"),
    *("previous_until", "lease", "asked", "withdrawn"),
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z|")  # empty: none
_HASH = re.compile(r"[0-9a-f]{64}")


def row_faults(session: Session, tables: list[str] | None = None) -> Iterator[str]:
    """The faults of all rows of tables, of all that no chain covers if none are given."""
    for name, table in all_tables().tables.items():
        if name in CHAINED if tables is None else name not in tables:
            continue
        key = tuple(column.name for column in table.primary_key)
        # As the driver has them: SQLAlchemy makes values of its types out of anything.
        columns: list[Any] = [literal_column(f'"{column.name}"') for column in table.columns]
        for row in session.execute(select(*columns).select_from(table)):
            values = dict(zip(table.columns.keys(), row, strict=True))
            for column, fault in _value_faults(table, values):
                where = ", ".join(f"{part} {str(values[part])[:40]!r}" for part in key)
                yield f"the table {name} has in the row of {where} the {column} {str(values[column])[:40]!r}: {fault}"
    if tables is None and session.dialect.name == "sqlite":
        yield from _reference_faults(session)
        yield from _number_faults(session)


def _value_faults(table: Table, values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for column in table.columns:
        fault = _value_fault(f"{table.name}.{column.name}", column, values[column.name])
        if fault is not None:
            yield column.name, fault


def _value_fault(name: str, column: Any, value: Any) -> str | None:
    """What is wrong with a value, None if nothing is."""
    if value is None:
        return None if column.nullable else "expected a value"
    if isinstance(column.type, Boolean):
        return None if value in (0, 1) else "expected 0 or 1"
    if isinstance(column.type, Integer | BigInteger):
        return None if type(value) is int and value >= 0 else "expected a number from 0"
    if not isinstance(value, str):
        return "expected text"
    if isinstance(column.type, String) and column.type.length is not None and len(value) > column.type.length:
        return f"expected at most {column.type.length} characters"
    if name in JSON:
        return _json_fault(value, JSON[name])
    if name in WORDS and value not in WORDS[name]:
        return f"expected {' or '.join(WORDS[name])}"
    if name in HASHES and not _HASH.fullmatch(value):
        return "expected a hash"
    if column.name in TIMES and not _TIME.fullmatch(value):
        return "expected a time"
    return None


def _json_fault(value: str, kind: type) -> str | None:
    try:
        found = json.loads(value)
        if kind is GameAnnotation:
            from_json(found, GameAnnotation)
            return None
    except (RecordsError, LookupError, TypeError, ValueError, RecursionError) as error:
        return f"it cannot be read: {error}"
    return None if isinstance(found, kind) else "it is other JSON than expected"


def _reference_faults(session: Session) -> Iterator[str]:
    rows: list[Any] = list(session.execute(text("PRAGMA foreign_key_check")))
    for table, row, other, _ in rows:
        if table not in CHAINED:
            yield f"the table {table} has in row {row} a reference to a row of {other} that does not exist"


def _number_faults(session: Session) -> Iterator[str]:
    """Check where SQLite keeps the last number of a table, so that none is used again."""
    counted = {
        name: table for name, table in all_tables().tables.items() if table.dialect_options["sqlite"]["autoincrement"]
    }
    found: list[Any] = list(session.execute(text("SELECT name, seq FROM sqlite_sequence")))
    for name, last in found:
        if name not in counted:
            yield f"the table sqlite_sequence names a table {str(name)[:40]!r} that does not count"
        elif type(last) is not int:
            yield f"the table sqlite_sequence has the last number {str(last)[:40]!r} of {name}: expected a number"
    for name, table in counted.items():
        highest = session.execute(select(func.max(*table.primary_key))).scalar()
        lasts = [last for other, last in found if other == name and type(last) is int]
        if len(lasts) > 1 or (highest is not None and max(lasts, default=0) < highest):
            yield f"the table sqlite_sequence has the last numbers {lasts} of {name}, which has a row {highest}"
