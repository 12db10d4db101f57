"""What the tables share: each is used within one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Insert, Table, func, insert, select

Row = Sequence[Any]  # the values of a row in the order of the columns


class SessionReader:
    """Reads and writes within the transaction that `session`, a connection, is in."""

    def __init__(self, session: Connection) -> None:
        self._session = session

    def _count(self, rows: FromClause, *conditions: ColumnElement[bool]) -> int:
        query = select(func.count()).select_from(rows).where(*conditions)
        return int(self._session.execute(query).scalar_one())

    def _insert(self, table: Table, rows: Iterable[Row]) -> None:
        """Store rows that have a value for each column of the table."""
        statement, names = _insert_into(table)
        values = [dict(zip(names, row, strict=True)) for row in rows]
        if values:
            self._session.execute(statement, values)


@cache  # making a statement takes longer than running it
def _insert_into(table: Table) -> tuple[Insert, tuple[str, ...]]:
    return insert(table), tuple(table.c.keys())
