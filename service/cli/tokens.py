"""``inkeek token``: who may do what. It works on the database itself: whoever can read that file may do everything."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import click

from inkeek.service.accounts.answers import ShownTokenJson, TokenJson
from inkeek.service.http.access.caller import LINK, TOKEN, UNNAMED
from inkeek.service.http.access.keys import MAX_DAYS, open_keys
from inkeek.service.http.access.limits import LIMITS
from inkeek.service.http.access.scopes import SCOPES
from inkeek.service.http.addresses import HTTPS, public_address, sign_in_url
from inkeek.service.http.shape import to_builtins
from inkeek.service.processes.run_file import find_running
from inkeek.service.settings import Settings
from inkeek.service.storage import Limit

from .options import as_json, emit, emit_or_echo, with_settings


@click.group()
def token() -> None:
    """Make, list and revoke tokens for programs and sign-in links for browsers."""


def with_limit(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a limit, and pass `limit`, what they name."""

    @click.option("--game", help="ID of the only game that it may use.")
    @click.option("--match", help="ID of the only match that it may use.")
    @click.option("--event", help="The only event (tag Event) whose games it may use.")
    @click.option("--table", help="The only table whose games it may use, as 3:EVENT.")
    @functools.wraps(command)
    def wrapper(*, game: str | None, match: str | None, event: str | None, table: str | None, **more: Any) -> None:
        given = [Limit(kind, value) for kind, value in zip(LIMITS, (game, match, event, table), strict=True) if value]
        if len(given) > 1:
            raise click.UsageError("give only one of --game, --match, --event and --table")
        command(**more, limit=given[0] if given else None)

    return wrapper


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
@with_limit
@as_json("one object, as `POST /api/v1/tokens` answers")
@with_settings
def create(
    name: str, scopes: tuple[str, ...], days: int | None, limit: Limit | None, settings: Settings, as_json: bool
) -> None:
    """Make a token for NAME and print it. It is not shown again."""
    with open_keys(settings) as keys:
        key, secret = keys.create(TOKEN, name, scopes, None if days is None else timedelta(days=days), limit)
    if as_json:
        emit(ShownTokenJson.of(key, good=True, token=secret))
        return
    click.echo(secret)
    only = "" if limit is None else f", only for {limit}"
    click.echo(f"Token {key.id} of {name}: {' '.join(key.scopes)}{only}. Keep it: it is not shown again.", err=True)


@token.command("list")
@click.option("--all", "all_keys", is_flag=True, help="Include revoked and expired tokens.")
@as_json("one object per line")
@with_settings
def list_keys(all_keys: bool, settings: Settings, as_json: bool) -> None:
    """List tokens and browser sessions."""
    with open_keys(settings, must_exist=True) as keys:
        rows = [to_builtins(TokenJson.of(key, good=keys.is_good(key))) for key in keys.list()]
    for row in rows:
        if all_keys or row["good"]:
            emit_or_echo(as_json, row, _line(row))


@token.command()
@click.argument("id")
@with_settings
def revoke(id: str, settings: Settings) -> None:
    """Revoke a token, or end a browser's session, by the ID that `list` shows."""
    with open_keys(settings, must_exist=True) as keys:
        key = keys.revoke(id)
    click.echo(f"Revoked {key.kind} {key.id} of {key.name}.")


@token.command()
@click.option("--name", default=UNNAMED, show_default=True, help="Who signs in, as it is stored in the events.")
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="What it allows; may be repeated. [admin]"
)
@click.option("--url", help="Public address of the service. [from the settings]")
@click.option(
    "--port",
    "served_at",
    type=click.IntRange(1, 65535),
    help="TCP port of the service, or of the proxy before it. [from the settings, or 443]",
)
@with_limit
@with_settings
def link(
    name: str,
    scopes: tuple[str, ...],
    url: str | None,
    served_at: int | None,
    limit: Limit | None,
    settings: Settings,
) -> None:
    """Print a link that signs one browser in. It works once and expires soon."""
    if url is not None and served_at is not None:
        raise click.UsageError("--url includes the port: give either --port or --url")
    with open_keys(settings) as keys:
        lifetime = timedelta(seconds=settings.link_lifetime)
        secret = keys.create(LINK, name, scopes or ("admin",), lifetime, limit)[1]
    running = find_running(settings.data_folder)  # with `serve --port`, elsewhere than the settings say
    port = served_at or (urlsplit(running.address).port if running else None) or settings.port
    click.echo(sign_in_url(url or public_address(settings, settings.host, port, served_at or HTTPS), secret))


def _line(row: dict[str, Any]) -> str:
    limit = row["limit"]
    only = "" if limit is None else f", only for {limit['kind']} {limit['value']!r}"
    return f"{row['id']}  {row['kind']:7}  {' '.join(row['scopes']):20}  {_status(row):32}  {row['name']}{only}"


def _status(row: dict[str, Any]) -> str:
    if row["revoked"]:
        return f"revoked {row['revoked'][:16]}Z"
    if row["expires"]:
        return f"{'until' if row['good'] else 'expired'} {row['expires'][:16]}Z"
    return f"used {row['used'][:16]}Z" if row["used"] else "not used yet"
