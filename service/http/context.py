"""The context of the current request: its services, its caller and its session."""

from __future__ import annotations

from typing import cast

from flask import Flask, current_app, request

from .access import NOBODY, Caller
from .services import Services

EXTENSION = "inkeek"
CALLER = "inkeek.caller"  # keys in the WSGI environment
CSRF = "inkeek.csrf"
ROUTE = "inkeek.route"


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


def event_source(channel: str | None = None) -> str:
    """The source of the events that the current request stores. See `Caller.source`."""
    return current_caller().source(channel)
