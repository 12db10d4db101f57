"""The page of the room, and what it adds to the page of an event."""

from __future__ import annotations

from flask import Response, render_template, request
from flask.typing import ResponseReturnValue

from inkeek.service.http.access import needs
from inkeek.service.http.api.bodies import read_form
from inkeek.service.http.context import current_services
from inkeek.service.http.rooms import RoomPages
from inkeek.service.http.web.base import render_page, see_other
from inkeek.service.http.web.forms import shows_refusals

from .booking import NewBookingSchema, all_bookings, book

pages = RoomPages()


def _page(refusal: str = "") -> Response:
    return render_page("chairs/chairs.html", bookings=all_bookings(current_services().store), refusal=refusal)


@pages.get("/chairs")
@needs("read", limited=True)
def list_chairs() -> ResponseReturnValue:
    """What is booked, and a form to book more."""
    return _page()


@pages.post("/chairs")
@needs("record", limited=True)
@shows_refusals(_page)
def book_chairs() -> ResponseReturnValue:
    """Book tables and chairs."""
    book(current_services().store, **read_form(NewBookingSchema, request.form))
    return see_other("web.list_chairs")


def booked_for_event(name: str) -> str:
    """What is booked for an event, on its page."""
    booked = [booking for booking in all_bookings(current_services().store) if booking.event == name]
    return render_template("chairs/booked.html", bookings=booked) if booked else ""
