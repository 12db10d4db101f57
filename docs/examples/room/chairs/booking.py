"""Booking tables and chairs. The page, the operation and the command call these functions."""

from __future__ import annotations

from marshmallow import Schema, validate

from inkeek.records.text import LINE
from inkeek.service.http.api.constraints import JsonInteger, describe, text_field
from inkeek.service.storage.store import Store

from .rows import Booking, BookingTable


class NewBookingSchema(Schema):
    """The body of the operation, and of the form."""

    event = text_field(LINE, 1, 200, "the event", required=True)
    tables = JsonInteger(required=True, validate=validate.Range(1, 500), metadata=describe("how many tables"))
    chairs = JsonInteger(required=True, validate=validate.Range(0, 2000), metadata=describe("how many chairs"))


def book(store: Store, event: str, tables: int, chairs: int) -> Booking:
    """Book tables and chairs for an event."""
    with store.writing() as transaction:
        return transaction.table(BookingTable).add(event, tables, chairs)


def all_bookings(store: Store) -> list[Booking]:
    """All that is booked."""
    with store.reading() as transaction:
        return transaction.table(BookingTable).all()
