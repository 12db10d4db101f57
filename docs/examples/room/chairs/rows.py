"""The table of bookings. Its name begins with ``room_`` and the room's name."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Column, Integer, String, insert, select

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.tables.declared import define_table, room_metadata

tables = room_metadata()
bookings = define_table(
    "room_chairs_bookings",
    Column("number", Integer, primary_key=True),
    Column("event", String(200), nullable=False),
    Column("tables", Integer, nullable=False),
    Column("chairs", Integer, nullable=False),
    within=tables,
)


class Booking(NamedTuple):
    """A row of the table."""

    number: int
    event: str
    tables: int
    chairs: int


class BookingTable(SessionReader):
    """Reads and writes bookings within a transaction."""

    def add(self, event: str, tables: int, chairs: int) -> Booking:
        """Store a booking."""
        statement = insert(bookings).values(event=event, tables=tables, chairs=chairs).returning(bookings.c.number)
        return Booking(self._session.execute(statement).scalar_one(), event, tables, chairs)

    def all(self) -> list[Booking]:
        """All bookings, the first one first."""
        return [Booking(*row) for row in self._session.execute(select(bookings).order_by(bookings.c.number))]
