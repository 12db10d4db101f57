"""``inkeek token``: who may do what. It works on the database itself: whoever can read that file may do everything."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import click

from service.http.access.caller import LINK, TOKEN
from service.http.access.keys import MAX_DAYS, open_keys
from service.http.access.scopes import SCOPES
from service.http.serializers import key_json
from service.processes.supervisor import address, sign_in_url
from service.settings import Settings

from .options import as_json, emit, with_settings


@click.group()
def token() -> None:
    """Make, list and revoke tokens for programs and sign-in links for browsers."""


@token.command()
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    type=click.Choice(SCOPES),
    help="What it allows; may be repeated.",
)
@click.option("--days", type=click.IntRange(1, MAX_DAYS), help="Days until it expires. [never]")
@as_json
@with_settings
def create(name: str, scopes: tuple[str, ...], days: int | None, settings: Settings, as_json: bool) -> None:
    """Make a token for NAME and print it. It is not shown again."""
    with open_keys(settings) as keys:
        key, secret = keys.create(TOKEN, name, scopes, None if days is None else timedelta(days=days))
    if as_json:
        emit({**key_json(key, good=True), "token": secret})
        return
    click.echo(secret)
    click.echo(f"Token {key.id} of {key.name}: {' '.join(key.scopes)}. Keep it: it is not shown again.", err=True)


@token.command("list")
@click.option("--all", "all_keys", is_flag=True, help="Include revoked and expired tokens.")
@as_json
@with_settings
def list_keys(all_keys: bool, settings: Settings, as_json: bool) -> None:
    """List tokens and browser sessions."""
    with open_keys(settings) as keys:
        rows = [(key_json(key, good=keys.is_good(key)), key.scopes) for key in keys.list()]
    for row, scopes in rows:
        if not (all_keys or row["good"]):
            continue
        if as_json:
            emit(row)
        else:
            click.echo(f"{row['id']}  {row['kind']:7}  {' '.join(scopes):20}  {_status(row):32}  {row['name']}")


@token.command()
@click.argument("id")
@with_settings
def revoke(id: str, settings: Settings) -> None:
    """Revoke a token, or end a browser's session, by the ID that `list` shows."""
    with open_keys(settings) as keys:
        key = keys.revoke(id)
    click.echo(f"Revoked {key.kind} {key.id} of {key.name}.")


@token.command()
@click.option("--name", default="page", show_default=True, help="Who signs in, as it is stored in the events.")
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="What it allows; may be repeated. [admin]"
)
@click.option("--url", help="Public address of the service. [from the settings]")
@click.option("--port", "served_at", type=click.IntRange(1, 65535), help="TCP port of the service. [from the settings]")
@with_settings
def link(name: str, scopes: tuple[str, ...], url: str | None, served_at: int | None, settings: Settings) -> None:
    """Print a link that signs one browser in. It works once and expires soon."""
    if url is not None and served_at is not None:
        raise click.UsageError("--url includes the port: give either --port or --url")
    with open_keys(settings) as keys:
        secret = keys.create(LINK, name, scopes or ("admin",), timedelta(seconds=settings.link_lifetime))[1]
    click.echo(sign_in_url(url or address(settings, settings.host, served_at or settings.port), secret))


def _status(row: dict[str, Any]) -> str:
    if row["revoked"]:
        return f"revoked {row['revoked'][:16]}Z"
    if row["expires"]:
        return f"{'until' if row['good'] else 'expired'} {row['expires'][:16]}Z"
    return f"used {row['used'][:16]}Z" if row["used"] else "not used yet"
