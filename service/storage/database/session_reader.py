"""What the tables share: each is used within one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Table, func, insert, select

Row = Sequence[Any]  # the values of a row in the order of the columns


class SessionReader:
    """Reads and writes within the transaction that `session`, a connection, is in."""

    def __init__(self, session: Connection) -> None:
        self._session = session

    def _count(self, rows: FromClause, *conditions: ColumnElement[bool]) -> int:
        """How many of the rows meet all conditions."""
        query = select(func.count()).select_from(rows).where(*conditions)
        return int(self._session.execute(query).scalar_one())

    def _insert(self, table: Table, rows: Iterable[Row]) -> None:
        """Store rows that have a value for each column of the table."""
        names = table.c.keys()
        values = [dict(zip(names, row, strict=True)) for row in rows]
        if values:
            self._session.execute(insert(table), values)
