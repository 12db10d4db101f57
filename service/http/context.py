"""The context of the current request: its services, its caller and its session."""

from __future__ import annotations

from typing import cast

from flask import Flask, current_app, g

from .access import NOBODY, Caller
from .services import Services

EXTENSION = "inkeek"


def services_of(app: Flask) -> Services:
    """The services of an application."""
    return cast(Services, app.extensions[EXTENSION])


def current_services() -> Services:
    """The services of the application that handles the current request."""
    return services_of(current_app)


def current_caller() -> Caller:
    """Who sent the current request, as the guard found out."""
    found: Caller = g.get("inkeek_caller", NOBODY)
    return found


def current_csrf() -> str:
    """The CSRF token for forms of the current session; empty if nobody is signed in."""
    return str(g.get("inkeek_csrf", ""))


def event_source(channel: str | None = None) -> str:
    """The source of the events that the current request stores. See `Caller.source`."""
    return current_caller().source(channel)
