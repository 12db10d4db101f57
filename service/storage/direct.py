"""Statements that are handed to the database's driver as they are, for where SQLAlchemy's way around a statement takes
longer than the statement: it is the same text on the same connection, without its objects for rows, results, events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from sqlalchemy import ClauseElement, Connection, Dialect


class Cursor(Protocol):
    """What is used of a driver's cursor. A row is a plain tuple."""

    def execute(self, text: str, values: Any, /) -> Any: ...

    def fetchall(self) -> Any: ...

    def close(self) -> None: ...


class Direct:
    """A statement; its text is made once for each kind of database. Its values are plain ones: text, numbers, None."""

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._made: dict[str, tuple[str, tuple[str, ...] | None]] = {}

    def first(self, connection: Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first row that it finds."""
        return self.first_on(_cursor(connection), connection.dialect, values)

    def first_on(self, cursor: Cursor, dialect: Dialect, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first row that it finds, with a cursor of the driver, which is closed then."""
        try:
            text, names = self._text(dialect)
            cursor.execute(text, values if names is None else [values[name] for name in names])
            rows = cursor.fetchall()  # all: SQLite goes on reading until there is no next row
        finally:
            cursor.close()
        return rows[0] if rows else None

    def run(self, connection: Connection, *values: Mapping[str, Any]) -> None:
        """Run it with these values, one time after the other."""
        text, names = self._text(connection.dialect)
        cursor = _cursor(connection)
        try:
            for one in values:
                cursor.execute(text, one if names is None else [one[name] for name in names])
        finally:
            cursor.close()

    def _text(self, dialect: Dialect) -> tuple[str, tuple[str, ...] | None]:
        """Its text, and the names of its values in their order where they have places and no names in it."""
        made = self._made.get(dialect.name)
        if made is None:
            compiled: Any = self._statement.compile(dialect=dialect)
            names = tuple(compiled.positiontup) if compiled.positional else None
            made = self._made[dialect.name] = (str(compiled), names)
        return made


def _cursor(connection: Connection) -> Cursor:
    cursor: Cursor = connection.connection.cursor()
    return cursor
