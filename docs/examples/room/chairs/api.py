"""The operations of the room. They are part of the service's OpenAPI document."""

from __future__ import annotations

from typing import Any

from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.context import current_services
from inkeek.service.http.shape import Shape

from .booking import NewBookingSchema, all_bookings, book

blueprint = ApiBlueprint("chairs", "Tables and chairs that are booked for events.")


class BookingJson(Shape):
    number: int
    event: str
    tables: int
    chairs: int


class BookingsJson(Shape):
    items: list[BookingJson]


@blueprint.operation("GET", "/chairs", scope="read", limited=True)
def list_bookings() -> BookingsJson:
    """List what is booked."""
    return BookingsJson.of(items=all_bookings(current_services().store))


@blueprint.operation(
    "POST",
    "/chairs",
    scope="record",
    body=NewBookingSchema,
    example={"event": "Kajiado Open", "tables": 4, "chairs": 8},
    limited=True,
)
def add_booking(body: dict[str, Any]) -> BookingJson:
    """Book tables and chairs for an event."""
    return BookingJson.of(book(current_services().store, **body))
