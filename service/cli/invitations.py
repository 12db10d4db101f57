"""``inkeek invite``: invitations to events. It works on the database itself, as ``inkeek token``."""

from __future__ import annotations

import difflib
from contextlib import closing

import click
import segno

from inkeek.service.games.events.standings import event_names
from inkeek.service.games.write import Write
from inkeek.service.http.access.invitations import KEEPER, MAX_NIGHTS, MAX_PEOPLE, ROLES, Invitations
from inkeek.service.http.access.keys import Keys
from inkeek.service.http.access.limiter import Guesses, shown_code
from inkeek.service.http.addresses import address
from inkeek.service.settings import Settings
from inkeek.service.storage import Store
from inkeek.service.storage.search import name_key

from .options import with_settings

MAX_NAMES = 100_000  # events whose names are compared


@click.command()
@click.argument("event")
@click.option("--role", type=click.Choice(tuple(ROLES)), default=KEEPER, show_default=True, help="What it lets do.")
@click.option("--table", default="", help="The table; for the role keeper.")
@click.option("--most", type=click.IntRange(1, MAX_PEOPLE), help="People whom it is for. [as usual for the role]")
@click.option(
    "--nights", type=click.IntRange(1, MAX_NIGHTS), default=1, show_default=True, help="Until it ends at 6:00."
)
@with_settings
def invite(event: str, role: str, table: str, most: int | None, nights: int, settings: Settings) -> None:
    """Invite people to EVENT, and print the address, its QR code and the code to type."""
    with closing(Store(settings.database_url, settings.lock_timeout)) as store:
        store.upgrade()
        invitations = Invitations(store, Keys(store), Guesses(), zone=settings.zone)
        write = Write("cli")
        row = invitations.create(role, _event_name(store, event), table, write, most=most, nights=nights)
    url = f"{address(settings, settings.host, settings.port).rstrip('/')}/join/{row.code}"
    click.echo(f"{url}\n{shown_code(row.code or '')}")
    segno.make(url).terminal(compact=True)


def _event_name(store: Store, name: str) -> str:
    """The name of an event as it is written.

    :raises ClickException: there is no such event.
    """
    with store.reading() as transaction:
        names = {row.key: row.name for row in event_names(transaction, "", MAX_NAMES)}
    key = name_key(name)
    if key not in names:
        near = " or ".join(repr(names[one]) for one in difflib.get_close_matches(key, names))
        hint = f"Did you mean {near}?" if near else "'inkeek event new' makes one."
        raise click.ClickException(f"There is no event {name[:80]!r}. {hint}")
    return names[key]
