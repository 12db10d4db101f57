"""`inkeek token`: who may do what. It works on the database itself: who may read that may do all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import click

from service.http.access import SCOPES
from service.http.access.caller import LINK, TOKEN
from service.http.access.keys import MAX_DAYS, Keys
from service.http.serializers import key_json
from service.http.services import build_services
from service.processes.supervisor import address, sign_in_url
from service.settings import Settings, read_settings

from .options import config_option, data_option


@click.group("token")
def token() -> None:
    """Tokens for programs, sign-in links for browsers."""


@token.command()
@click.argument("name")
@click.option(
    "--scope", "scopes", multiple=True, required=True, type=click.Choice(SCOPES), help="What for; can be repeated."
)
@click.option("--days", type=click.IntRange(1, MAX_DAYS), help="How long it is good. [until it is revoked]")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
@config_option
@data_option
def create(
    name: str, scopes: tuple[str, ...], days: int | None, as_json: bool, config: str | None, data: str | None
) -> None:
    """Make a token for NAME and show it, this once."""
    with _keys(config, data) as (keys, _):
        lifetime = None if days is None else timedelta(days=days)
        key, secret = keys.create(TOKEN, name, scopes, lifetime)
    if as_json:
        click.echo(json.dumps({**key_json(key, good=True), "token": secret}, ensure_ascii=False))
        return
    click.echo(secret)
    click.echo(f"Token {key.id} of {key.name}: {' '.join(key.scopes)}. It is not shown again.", err=True)


@token.command("list")
@click.option("--all", "whole", is_flag=True, help="Those too that were revoked or have expired.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@config_option
@data_option
def list_command(whole: bool, as_json: bool, config: str | None, data: str | None) -> None:
    """List tokens, and browsers that are signed in."""
    with _keys(config, data) as (keys, _):
        shown = [(key_json(key, good=keys.is_good(key)), key.scopes) for key in keys.list()]
    for told, scopes in shown:
        if not (whole or told["good"]):
            continue
        if as_json:
            click.echo(json.dumps(told, ensure_ascii=False))
        else:
            click.echo(f"{told['id']}  {told['kind']:7}  {' '.join(scopes):20}  {_fate(told):32}  {told['name']}")


@token.command()
@click.argument("id")
@config_option
@data_option
def revoke(id: str, config: str | None, data: str | None) -> None:
    """End a token, or a browser's session, by the ID that the list tells."""
    with _keys(config, data) as (keys, _):
        key = keys.revoke(id)
    click.echo(f"{key.kind} {key.id} of {key.name} is good for nothing any more.")


@token.command()
@click.option("--name", default="page", show_default=True, help="Who signs in: stands in the events.")
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="What for; can be repeated. [admin]")
@click.option("--url", help="Address that the service goes by. [as the settings say]")
@click.option("--port", type=click.IntRange(1, 65535), help="TCP port that it serves on. [as the settings say]")
@config_option
@data_option
def link(
    name: str, scopes: tuple[str, ...], url: str | None, port: int | None, config: str | None, data: str | None
) -> None:
    """Print a link that signs one browser in, once and soon."""
    if url is not None and port is not None:
        raise click.UsageError("--url names the port too: give --port or --url")
    with _keys(config, data) as (keys, settings):
        lifetime = timedelta(seconds=settings.link_lifetime)
        _, secret = keys.create(LINK, name, scopes or ("admin",), lifetime)
    click.echo(sign_in_url(url or address(settings, settings.host, port or settings.port), secret))


def _fate(told: dict[str, Any]) -> str:
    if told["revoked"]:
        return f"revoked {told['revoked'][:16]}Z"
    if told["expires"]:
        return f"{'until' if told['good'] else 'expired'} {told['expires'][:16]}Z"
    return f"used {told['used'][:16]}Z" if told["used"] else "not used yet"


@contextmanager
def _keys(config: str | None, data: str | None) -> Iterator[tuple[Keys, Settings]]:
    """The keys in the database that the settings name, whose tables are made when they are not there."""
    settings = read_settings(os.environ, {"config": config, "data": data})
    services = build_services(settings)
    try:
        services.store.upgrade()
        yield services.keys, settings
    finally:
        services.store.close()
