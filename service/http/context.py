"""The context of the current request: its services, its caller and its session."""

from __future__ import annotations

from typing import cast

from flask import Flask, current_app, request

from service.games.write import Write
from service.storage import Limit

from .access import NOBODY, Caller
from .services import Services

EXTENSION = "inkeek"
CALLER = "inkeek.caller"  # keys in the WSGI environment
CSRF = "inkeek.csrf"
ROUTE = "inkeek.route"
LIMIT = "inkeek.limit"


def services_of(app: Flask) -> Services:
    """The services of an application."""
    return cast(Services, app.extensions[EXTENSION])


def current_services() -> Services:
    """The services of the application that handles the current request."""
    return services_of(current_app)


def current_caller() -> Caller:
    """Who sent the current request, as the guard found out."""
    return cast(Caller, request.environ.get(CALLER, NOBODY))


def current_csrf() -> str:
    """The CSRF token for forms of the current session; empty if nobody is signed in."""
    return cast(str, request.environ.get(CSRF, ""))


def current_limit() -> Limit | None:
    """What the current request may read; None: all games, also where reading needs no key."""
    return cast("Limit | None", request.environ.get(LIMIT))


def current_write(
    actor: str = "", *, expected_seq: int | None = None, expected_ply: int | None = None, channel: str | None = None
) -> Write:
    """A write of the current caller, within the limit of their key. `channel`: see `Caller.source`."""
    caller = current_caller()
    return Write(caller.source(channel), actor, expected_seq, expected_ply, limit=caller.limit)
