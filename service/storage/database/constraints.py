"""The constraints of a database's tables: references and what follows them, checks, collations, answers to conflicts.

They are in no fingerprint: databases that were upgraded write them in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlalchemy import Connection, text

from .schema import SchemaPart

_PARTS = re.compile(r"'(?:[^']|'')*'|[(),]|[^'(),]+")
_CLAUSES = re.compile(
    r"\b(?:ON CONFLICT \w+|COLLATE \w+|AUTOINCREMENT|WITHOUT ROWID|STRICT"
    r"|(?:FOREIGN KEY|REFERENCES|CHECK|UNIQUE|AS)\b.*)",
    re.IGNORECASE,
)
_CASTS = re.compile(r"::(?:character varying|text)(?:\[\])?|[()]")  # a dump that is restored writes them otherwise
_POSTGRESQL = """
    SELECT c.relname, pg_get_constraintdef(n.oid) FROM pg_constraint AS n JOIN pg_class AS c ON c.oid = n.conrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND n.contype IN ('c', 'f', 'u', 'x')
"""


def read_constraints(connection: Connection) -> set[SchemaPart]:
    """Read the constraints of all tables but Alembic's own, without their names."""
    if connection.dialect.name == "postgresql":
        rows = connection.execute(text(_POSTGRESQL))
        found = {SchemaPart("constraint", table, _CASTS.sub("", definition), "") for table, definition in rows}
    else:
        found = set(_read_sqlite(connection))
    return {part for part in found if part.table != "alembic_version"}


def _read_sqlite(connection: Connection) -> Iterator[SchemaPart]:
    query = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite/_%' ESCAPE '/'"
    for table, sql in connection.execute(text(query)):
        for item in _items(sql):
            item = " ".join(item.split())
            for clause in _CLAUSES.findall(item):
                where = "" if item.startswith("CONSTRAINT ") else f"{item.partition(' ')[0]} "
                yield SchemaPart("constraint", table, where + clause, "")


def _items(sql: str) -> Iterator[str]:
    """The columns and constraints in a statement that makes a table, and last what follows them."""
    depth, item = 0, ""
    for part in _PARTS.findall(sql[sql.index("(") :].replace('"', "")):
        depth += (part == "(") - (part == ")")
        if (depth, part) in ((1, ","), (0, ")")):
            yield item
            item = "" if depth else "table"
        elif (depth, part) != (1, "(") or item:
            item += part
    yield item
