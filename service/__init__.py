"""The service: stores games, serves and streams them, reads boards. `create_app` builds the web application."""

from __future__ import annotations

from typing import Any

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:
    """Import `create_app`, and Flask with it, on first use."""
    if name == "create_app":
        from .app import create_app

        return create_app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
