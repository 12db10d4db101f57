"""The application: parts put together, who may ask, and what an error looks like.

Importing does nothing. `create_app` opens no connection; `serve` (and `db upgrade`) make the tables.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from flask import Flask, abort, request
from flask.typing import ResponseReturnValue
from jinja2 import StrictUndefined
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix

from records import RecordsError

from .errors import ServiceError
from .http import problems
from .http.access import needs
from .http.access.guard import Guard
from .http.api import register_api
from .http.context import EXTENSION
from .http.request_log import observe
from .http.services import build_services
from .http.web import blueprint as pages
from .http.web import html_error
from .settings import read_settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LIBRARY_VIEWS = {"api-docs.openapi_json": "read", "web.static": "open"}  # views that are not ours, and what they need
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


class Application(Flask):
    """Flask's, told what it would find out again for each function it calls in each request."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """None of ours is a coroutine."""
        return func


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """The web application.

    `config` holds settings by their name (``data``, ``max_body`` …; what is missing comes from the environment) and
    Flask's own keys in capitals (``TESTING``).

    :raises SettingError: an unknown setting or one out of bounds.
    """
    given = dict(config or {})
    flags = {name: value for name, value in given.items() if not name.isupper()}
    settings = read_settings(os.environ, flags)
    app = Application("service", static_folder=None, template_folder=None)
    app.config.from_mapping({name: value for name, value in given.items() if name.isupper()})
    app.jinja_options = {"undefined": StrictUndefined}  # a name that a page does not know is a fault, not nothing
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body
    services = app.extensions[EXTENSION] = build_services(settings)
    observe(app, services.metrics)
    register_api(app)
    app.register_blueprint(pages)
    for endpoint, scope in LIBRARY_VIEWS.items():
        app.view_functions[endpoint] = needs(scope)(functools.partial(app.view_functions[endpoint]))
    Guard(settings, services.keys).guard(app)
    app.before_request(_check_body)
    app.register_error_handler(HTTPException, _answer_http)
    app.register_error_handler(ServiceError, _answer_service)
    app.register_error_handler(RecordsError, _answer_records)
    app.wsgi_app = with_headers(app.wsgi_app)  # type: ignore[method-assign,assignment]
    if settings.proxies:
        hops = settings.proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
    return app


def _check_body() -> None:
    """Bodies of the API are JSON, but for an import."""
    environ = request.environ
    has_body = environ.get("CONTENT_LENGTH") not in (None, "", "0") or "HTTP_TRANSFER_ENCODING" in environ
    if not has_body or not problems.is_api_path(request.path) or request.endpoint == "games.import_records":
        return
    if not request.is_json:
        abort(415, f"Content-Type is {request.content_type!r}: expected application/json")


def with_headers(app: WSGIApplication) -> WSGIApplication:
    """The application with `SECURITY_HEADERS` on every answer that has not set them itself."""
    plain = [(name.lower(), name, value) for name, value in SECURITY_HEADERS.items()]
    secure = plain + [(name.lower(), name, value) for name, value in TLS_ONLY.items()]

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        ours = secure if environ["wsgi.url_scheme"] == "https" else plain

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Callable[[bytes], object]:
            theirs = {name.lower() for name, _ in headers}
            return start_response(
                status, headers + [(name, value) for lower, name, value in ours if lower not in theirs], *more
            )

        return app(environ, start)

    return answer


def _answer_http(error: HTTPException) -> ResponseReturnValue:
    if error.code is not None and error.code < 400:
        return error
    if problems.is_api_path(request.path):
        return problems.from_http(error)
    headers = [(name, value) for name, value in error.get_headers() if name in ("Allow", "Retry-After")]
    message = problems.INTERNAL if error.code is None or error.code >= 500 else error.description or error.name
    return html_error(error.code or 500, error.name, message, headers)


def _answer_service(error: ServiceError) -> ResponseReturnValue:
    if problems.is_api_path(request.path):
        return problems.from_service(error)
    return html_error(error.status, error.title, error.message, list(error.headers.items()))


def _answer_records(error: RecordsError) -> ResponseReturnValue:
    if problems.is_api_path(request.path):
        return problems.from_records(error)
    return html_error(422, "The request asks for what cannot be", str(error))
