"""What tables, columns, indexes, triggers, views and rules a database has, a fingerprint of it, and the constraints
of its tables: references and what follows them, checks, collations, answers to conflicts. These are in no fingerprint:
databases that were upgraded write them in other words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, text

from inkeek.service.room import TABLE_PREFIX

# Each gives rows of the kind of a part, its table, its name, and what else it is. Alembic's own table is left out.
# SQLite does what the text of a row says, whatever stands in its column `type`.
_QUERIES = {
    "sqlite": """
        SELECT 'column', m.name, c.name, c.type || iif(c."notnull", ' not null', '')
            || iif(c.pk, ' key ' || c.pk, '') || coalesce(' default ' || c.dflt_value, '')
            || iif(c.hidden, ' generated', '')
        FROM sqlite_schema AS m JOIN pragma_table_xinfo(m.name) AS c
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite/_%' ESCAPE '/'
        UNION ALL
        SELECT coalesce(lower(type), ''), tbl_name, name, replace(sql, '"', '') FROM sqlite_schema
        WHERE sql IS NOT NULL AND (type IS NOT 'table' OR sql NOT LIKE 'CREATE TABLE %')
    """,
    "postgresql": """
        SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
            || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
            || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
            || CASE WHEN a.attcollation = t.typcollation THEN '' ELSE ' collate ' || o.collname END
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid JOIN pg_type AS t ON t.oid = a.atttypid
        LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
        LEFT JOIN pg_collation AS o ON o.oid = a.attcollation
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
            AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 'index', tablename, indexname, regexp_replace(indexdef, ' ON [^ ]+[.]', ' ON ')
        FROM pg_indexes WHERE schemaname = current_schema()
        UNION ALL
        SELECT 'trigger', c.relname, t.tgname, pg_get_triggerdef(t.oid)
        FROM pg_class AS c JOIN pg_trigger AS t ON t.tgrelid = c.oid
        WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal
        UNION ALL
        SELECT 'rule', tablename, rulename, definition FROM pg_rules WHERE schemaname = current_schema()
    """,
}


class SchemaPart(NamedTuple):
    """A column, index, constraint, trigger, view or rule. `text`: its type or definition."""

    kind: str
    table: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind} {self.table}.{self.name}"


def read_schema(connection: Connection) -> set[SchemaPart]:
    """Read the parts of all tables, whatever order they were made in, but for those of rooms."""
    return {part for part in read_parts(connection) if not part.table.startswith(TABLE_PREFIX)}


def read_parts(connection: Connection) -> set[SchemaPart]:
    """Read the parts of all tables, those of rooms too."""
    rows = connection.execute(text(_QUERIES[connection.dialect.name]))
    parts = {SchemaPart(kind, table, name, " ".join(more.split())) for kind, table, name, more in rows}
    return {part for part in parts if part.table != "alembic_version" or part.kind not in ("column", "index")}


def fingerprint(parts: set[SchemaPart]) -> str:
    """Return the start of a hash of the parts: enough to tell schemas apart that nobody forged."""
    return hashlib.sha256("\n".join(map("|".join, sorted(parts))).encode()).hexdigest()[:16]


def differences(found: set[SchemaPart], expected: set[SchemaPart], *, strict: bool = False) -> list[str]:
    """Say how `found` differs from `expected`, each difference in a sentence.

    :param strict: Whether tables, plain indexes, triggers, views and rules that others have added count too.
    """
    tables = {part.table for part in expected}
    named, there = {str(part): part.text for part in expected}, set(map(str, found))
    wrong = [f"the {part} is missing" for part in sorted(expected) if str(part) not in there]
    for part in sorted(found - expected):
        old = named.get(str(part))
        if old is not None:
            wrong.append(f"the {part} is {part.text!r}, not {old!r}")
        elif strict or (part.table in tables and (part.kind == "column" or "UNIQUE" in part.text)):
            wrong.append(f"there is a {part} too many")
    return wrong


_PARTS = re.compile(r"'(?:[^']|'')*'|[(),]|[^'(),]+")
_CLAUSES = re.compile(
    r"\b(?:ON CONFLICT \w+|COLLATE \w+|AUTOINCREMENT|WITHOUT ROWID|STRICT"
    r"|(?:FOREIGN KEY|REFERENCES|CHECK|UNIQUE|AS)\b.*)|(?:/\*|--).*",
    re.IGNORECASE,
)
_CASTS = re.compile(r"::(?:character varying|text)(?:\[\])?|[()]")  # a dump that is restored writes them otherwise
_POSTGRESQL = """
    SELECT c.relname, pg_get_constraintdef(n.oid) FROM pg_constraint AS n JOIN pg_class AS c ON c.oid = n.conrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND n.contype IN ('c', 'f', 'u', 'x')
"""


def read_constraints(connection: Connection) -> set[SchemaPart]:
    """Read the constraints of all tables but those of rooms, without their names."""
    return {part for part in _read_constraints(connection) if not part.table.startswith(TABLE_PREFIX)}


def _read_constraints(connection: Connection) -> set[SchemaPart]:
    if connection.dialect.name == "postgresql":
        rows = connection.execute(text(_POSTGRESQL))
        return {SchemaPart("constraint", table, _CASTS.sub("", definition), "") for table, definition in rows}
    return set(_read_sqlite(connection))


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
