"""WSGI middleware around the application: request ids, the request log, metrics and security headers."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable
from random import getrandbits
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from flask import has_request_context, request

from inkeek.service.processes.metrics import Metrics

from .access import NOBODY
from .context import ADDED, CALLER, ROUTE

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger(__name__)

HEADER = "X-Request-Id"
REQUEST_ID = "inkeek.request_id"  # in the WSGI environment
MAX_PATH = 300  # characters of a path in the log
TLS_ONLY = {"Strict-Transport-Security": "max-age=31536000"}
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}
_ID = re.compile(r"[0-9A-Za-z._-]{1,64}")


def with_request_log(app: WSGIApplication, metrics: Metrics) -> WSGIApplication:
    """The application with a request id and `SECURITY_HEADERS` (unless it sets them itself) on every response, and
    every request logged and counted."""
    plain = [(name.lower(), (name, value)) for name, value in SECURITY_HEADERS.items()]
    secure = plain + [(name.lower(), (name, value)) for name, value in TLS_ONLY.items()]

    def handle(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        started = time.perf_counter()
        given = environ.get("HTTP_X_REQUEST_ID", "")
        request_id = environ[REQUEST_ID] = given if _ID.fullmatch(given) else f"{getrandbits(128):032x}"
        security = secure if environ["wsgi.url_scheme"] == "https" else plain

        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Callable[[bytes], object]:
            _note(environ, status, time.perf_counter() - started, metrics)
            present = {name.lower() for name, _ in headers}
            headers += [header for name, header in security if name not in present]
            headers += environ.get(ADDED, {}).items()
            headers.append((HEADER, request_id))
            return start_response(status, headers, *exc_info)

        return app(environ, start)

    return handle


def _note(environ: WSGIEnvironment, status: str, seconds: float, metrics: Metrics) -> None:
    """Count a request and log it, without the query string, which may hold a key."""
    method, code = environ["REQUEST_METHOD"], int(status[:3])
    metrics.note(method, environ.get(ROUTE), code, seconds)
    if log.isEnabledFor(logging.INFO):
        method = method[:20]
        path = quote(environ["PATH_INFO"][:MAX_PATH].encode("latin-1"))
        log.info(
            "%s %s %d",
            method,
            path,
            code,
            extra={
                "request": environ[REQUEST_ID],
                "client": environ.get("REMOTE_ADDR"),
                "method": method,
                "path": path,
                "status": code,
                "ms": round(1000 * seconds, 2),
                "key": environ.get(CALLER, NOBODY).id or None,
            },
        )


class WithRequest(logging.Filter):
    """Adds the id of the current request to log records."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not hasattr(record, "request") and has_request_context():
            record.request = request.environ.get(REQUEST_ID)
        return True
