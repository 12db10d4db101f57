"""What the tables share: each is used within one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Insert, Table, func, insert, literal, select

Row = Sequence[Any]  # the values of a row in the order of the columns


class SessionReader:
    """Reads and writes within the transaction that `session`, a connection, is in."""

    def __init__(self, session: Connection) -> None:
        self._session = session

    def _count(self, rows: FromClause, *conditions: ColumnElement[bool]) -> int:
        query = select(func.count()).select_from(rows).where(*conditions)
        return int(self._session.execute(query).scalar_one())

    def _lock(self, number: int, *, shared: bool = False) -> None:
        """Hold PostgreSQL's advisory lock of this number, any of our own, until the transaction ends; `shared` with
        others who share it. SQLite has one writer at a time."""
        if self._session.dialect.name == "postgresql":
            lock = func.pg_advisory_xact_lock_shared if shared else func.pg_advisory_xact_lock
            self._session.execute(select(lock(literal(number))))

    def _insert(self, table: Table, rows: Iterable[Row]) -> None:
        """Store rows that have a value for each column of the table."""
        statement, names = _insert_into(table)
        values = [dict(zip(names, row, strict=True)) for row in rows]
        if values:
            self._session.execute(statement, values)


@cache  # making a statement takes longer than running it
def _insert_into(table: Table) -> tuple[Insert, tuple[str, ...]]:
    return insert(table), tuple(table.c.keys())
