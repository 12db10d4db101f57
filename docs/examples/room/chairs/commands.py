"""``inkeek chairs``."""

from __future__ import annotations

from contextlib import closing

import click

from inkeek.service.cli.options import as_json, emit, with_settings
from inkeek.service.settings import Settings
from inkeek.service.storage.store import Store

from .booking import all_bookings


@click.command()
@with_settings
@as_json("one object per booking: `number`, `event`, `tables`, `chairs`")
def chairs(settings: Settings, as_json: bool) -> None:
    """List the tables and chairs that are booked."""
    with closing(Store(settings.database_url, settings.lock_timeout)) as store:
        for booking in all_bookings(store):
            if as_json:
                emit(booking._asdict())
            else:
                click.echo(f"{booking.event}: {booking.tables} tables, {booking.chairs} chairs")
