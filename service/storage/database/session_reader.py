"""What the tables share: each is used within one transaction."""

from __future__ import annotations

from sqlalchemy import ColumnElement, FromClause, func, select

from .session import Session


class SessionReader:
    """Reads and writes within the transaction of `session`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def _count(self, rows: FromClause, *conditions: ColumnElement[bool]) -> int:
        """How many of the rows meet all conditions."""
        query = select(func.count()).select_from(rows).where(*conditions)
        return int(self._session.execute(query).scalar_one())
