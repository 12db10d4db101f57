"""The addresses of pages, as the reader reached the service."""

from __future__ import annotations

from urllib.parse import quote

from flask import has_request_context, request


def page_url(kind: str, name: str) -> str:
    """The address of the page of a game, a match, a player or an event: `kind` is the first part of its path, `name`
    the second."""
    root = f"{request.scheme}://{request.host}{quote(request.root_path)}/" if has_request_context() else "/"
    return f"{root}{kind}/{quote(name, safe='')}"
