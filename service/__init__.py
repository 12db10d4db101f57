"""The service: games stored, served, shown live, and boards read. `create_app` builds the web application."""

from __future__ import annotations

from .app import create_app

__all__ = ["create_app"]
