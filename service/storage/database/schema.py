"""What tables, columns, indexes, triggers, views and rules a database has, and a fingerprint of it."""

from __future__ import annotations

import hashlib
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
    """A column, index, trigger, view or rule. `text`: its type or definition."""

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
