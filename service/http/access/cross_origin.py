"""Cross-origin requests (CORS): pages of the origins in the setting `allowed_origins` may use the API with a token.

A cookie is never read then, and the browser is never told that it may send one. Nor does it count that a request comes
from this machine: reading without a key is for the programs of this machine, not for pages that its browser shows.

Flask-CORS only adds headers. What a request may do and which methods a route has would be decided here all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from flask import Response

from inkeek.service.http.context import ADDED

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

ALLOWED = "Access-Control-Allow-Origin"
REQUEST_HEADERS = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id"
RESPONSE_HEADERS = (
    "Allow, Content-Disposition, Deprecation, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, "
    "Retry-After, Sunset, WWW-Authenticate, X-Request-Id"
)
MAX_AGE = "7200"  # seconds for which a browser keeps the answer to a preflight request: the most that Chromium takes


def response_headers(origin: str | None) -> Mapping[str, str]:
    """The headers of each response of the API to a page of that other origin, None if it is not allowed."""
    if origin is None:
        return {"Vary": "Origin"}
    return {"Vary": "Origin", ALLOWED: origin, "Access-Control-Expose-Headers": RESPONSE_HEADERS}


def add_preflight(environ: WSGIEnvironment, response: Response) -> None:
    """Let a page of an allowed origin send what the route takes. `response` has its methods in ``Allow``."""
    if ALLOWED in environ[ADDED]:
        response.headers["Access-Control-Allow-Methods"] = response.headers["Allow"]
        response.headers["Access-Control-Allow-Headers"] = REQUEST_HEADERS
        response.headers["Access-Control-Max-Age"] = MAX_AGE
