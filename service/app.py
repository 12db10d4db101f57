"""The application factory: services, routes, access checks and error pages."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from flask import Flask, Request, Response, abort, current_app, request
from flask.sessions import NullSession, SessionInterface
from flask.typing import ResponseReturnValue
from jinja2 import StrictUndefined
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import MapAdapter

from inkeek.records import RecordsError
from inkeek.service.library.manual import FILL

from .errors import Damaged, Invalid, NotFound, ServiceError
from .games.rulesets import folder_files
from .http import problems
from .http.access import need_of, needs
from .http.access.guard import CSRF_HEADER, Guard, add_preflight
from .http.access.scopes import OPEN
from .http.api.blueprint import RouteRule
from .http.api.bodies import check_accept, check_media_type
from .http.api.idempotency import check_key
from .http.api.operation import largest_body, operation_of, place_of
from .http.compression import compress_responses
from .http.context import EXTENSION, HEADERS_ONLY, MAX_BODY, REFUSAL, ROUTE, current_services
from .http.language import DEFAULT, error_text, install_translations, shown_language
from .http.request_log import with_request_log
from .http.rooms import EXTENSION as ROOMS
from .http.routes import register_routes, usable_rooms
from .http.services import build_services
from .http.web.base import html_error
from .http.web.minify import Unindented
from .reference import filled
from .rooms import chosen_rooms
from .settings import Settings, read_settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = logging.getLogger(__name__)

LIBRARY_VIEWS = {"web.static": "open"}  # scopes of views that libraries define
OPEN_BODY = 16 << 10  # bytes of a body that anyone may send
FILE_VIEWS = frozenset({"web.static", "docs.file"})


class NoSession(SessionInterface):
    """Flask's own sessions are not used (see `access.keys`)."""

    _session = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:
        return self._session


class Passed(Response):
    """The answer to a request whose headers have passed all checks: none."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return ()


class Application(Flask):
    """Flask that can check a request before its body is there.

    With `HEADERS_ONLY` in the WSGI environment it checks a request before its body was read. If it refuses, it answers;
    if not, it does not call `start_response`, and sets `CALLER` and `MAX_BODY`. Called again with the body, it checks
    all but the rate again: the key may have been revoked meanwhile.
    """

    session_interface = NoSession()
    url_rule_class = RouteRule

    def make_default_options_response(self) -> Response:
        response = super().make_default_options_response()
        response.status_code = 204
        del response.headers["Content-Type"]
        add_preflight(request.environ, response)
        return response

    def dispatch_request(self) -> ResponseReturnValue:
        if HEADERS_ONLY in request.environ and request.routing_exception is None:
            return Passed()
        return super().dispatch_request()

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """No route depends on the host, which the guard checks. Werkzeug has no adapter for hosts such as ``a..b``, but
        the page that refuses them has links."""
        if request is None:
            return super().create_url_adapter(request)
        return MapAdapter(
            self.url_map,
            server_name=request.environ.get("HTTP_HOST", ""),
            script_name=request.root_path or "/",
            subdomain="",
            url_scheme=request.scheme,
            path_info=request.path,
            default_method=request.method,
            query_args=request.environ.get("QUERY_STRING", ""),
        )


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """Create the web application. Opens no connection; `serve` and ``db upgrade`` create the tables.

    `config` holds settings by name (``data``, ``max_body`` …; missing ones come from the environment) and Flask's own
    keys in capitals (``TESTING``).

    :raises SettingError: an unknown setting, or one out of bounds.
    """
    given = dict(config or {})
    settings = read_settings(os.environ, {name: value for name, value in given.items() if not name.isupper()})
    app = Application(__package__, static_folder=None, template_folder=None)
    app.config.from_mapping({name: value for name, value in given.items() if name.isupper()})
    app.jinja_options = {"undefined": StrictUndefined, "extensions": [Unindented]}
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.config["MAX_CONTENT_LENGTH"] = app.config["MAX_FORM_MEMORY_SIZE"] = settings.max_body
    services = app.extensions[EXTENSION] = build_services(settings)
    for file in folder_files(settings.rules_folder):
        if file.error:
            log.warning("%s is left out: %s", file.path, file.error)
    app.extensions[FILL] = filled
    rooms = app.extensions[ROOMS] = usable_rooms(chosen_rooms(settings.left_out), settings)
    register_routes(app, rooms)
    install_translations(app, settings.zone)
    for endpoint, scope in LIBRARY_VIEWS.items():
        app.view_functions[endpoint] = needs(scope)(functools.partial(app.view_functions[endpoint]))
    compress_responses(app, FILE_VIEWS)
    _check_requests(app, Guard(settings, services.keys, services.store, app.view_functions), settings)
    app.register_error_handler(HTTPException, _answer_http)
    app.register_error_handler(ServiceError, _answer_service)
    app.register_error_handler(RecordsError, _answer_records)
    app.register_error_handler(Exception, _answer_unexpected)
    app.wsgi_app = with_request_log(app.wsgi_app, services.metrics)  # type: ignore[method-assign,assignment]
    if settings.proxies:
        hops = settings.proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
    return app


def _check_requests(app: Flask, guard: Guard, settings: Settings) -> None:
    @app.before_request
    def check() -> None:
        current: Request = request._get_current_object()  # type: ignore[attr-defined]  # the proxy is slow
        if current.url_rule is not None:
            current.environ[ROUTE] = current.url_rule.rule
        view = app.view_functions.get(current.endpoint or "")
        operation = operation_of(view)
        most = largest_body(operation, settings)
        if view is not None and need_of(view).scope == OPEN:
            most = min(most, OPEN_BODY)
        elif view is not None and operation is None:
            most = need_of(view).max_body or most
        current.max_content_length = most  # also where the guard reads a form
        guard.check(current)
        if current.method == "OPTIONS":
            return
        check_key(current, operation)
        if current.url_rule is not None and problems.is_api_path(current.path):
            check_media_type(current, operation)
            check_accept(current, operation)
        current.environ[MAX_BODY] = most
        if (current.content_length or 0) > most:
            abort(413)
        if REFUSAL in current.environ:
            raise current.environ[REFUSAL]


def _answer_http(error: HTTPException) -> ResponseReturnValue:
    if error.code is not None and error.code < 400:
        return error
    if problems.is_api_path(request.path):
        return problems.from_http(error)
    headers = [(name, value) for name, value in error.get_headers() if name in ("Allow", "Retry-After")]
    message = problems.INTERNAL if error.code is None or error.code >= 500 else error.description or error.name
    return html_error(error.code or 500, problems.http_title(error), message, headers)


def _answer_service(error: ServiceError) -> ResponseReturnValue:
    if error.status == ServiceError.status:  # a fault of ours: the answer does not say more
        log.error("%s %s: %s", request.method, request.path, error.message, exc_info=error)
    if problems.is_api_path(request.path):
        return problems.from_service(error, _page_detail(error), _pointer(error))
    return html_error(error.status, error.title, error_text(error), list(error.headers.items()))


def _page_detail(error: Exception) -> str | None:
    """What an error says to the script of a page that is not in English; None: the request came from elsewhere."""
    if CSRF_HEADER not in request.headers or shown_language() == DEFAULT:
        return None
    return error_text(error).striptags()


def _pointer(error: ServiceError | RecordsError) -> str:
    if not isinstance(error, Invalid | RecordsError) or not error.field:
        return ""
    operation = operation_of(current_app.view_functions.get(request.endpoint or ""))
    return place_of(error.field, operation)


def _answer_records(error: RecordsError) -> ResponseReturnValue:
    damage = _damage() if request.method == "GET" else None
    if damage is not None:
        return _answer_service(damage)
    if problems.is_api_path(request.path):
        return problems.from_records(error, _page_detail(error), _pointer(error))
    return html_error(422, Invalid.title, error_text(error))


def _answer_unexpected(error: Exception) -> ResponseReturnValue:
    """Answer a request that failed on what is stored. Anything else is an error of the program."""
    damage = _damage()
    if damage is None:
        raise error
    log.error("%s %s: %s", request.method, request.path, damage.message)
    return _answer_service(damage)


def _damage() -> Damaged | None:
    """The damage of the game that the request is about, None if it has none."""
    game_id = (request.view_args or {}).get("game_id")
    if game_id is None:
        return None
    try:
        faults = current_services().games.integrity(game_id)
    except NotFound:
        return None
    except Exception as error:  # noqa: BLE001 - stored bytes can be anything
        faults = [str(error)]
    return Damaged(f"game {game_id} is damaged: {faults[0]}") if faults else None
