"""The guard checks every request before its view runs: the host name, the caller, the rate, the scope, the sender.

A view that declares no scope (`scopes.needs`) keeps the application from starting.

Cross-origin requests (CORS): pages of the origins in the setting `allowed_origins` may use the API with a token. A
cookie is never read then, and the browser is never told that it may send one. Nor does it count that a request comes
from this machine: reading without a key is for the programs of this machine, not for pages that its browser shows.
Flask-CORS only adds headers. What a request may do and which methods a route has would be decided here all the same.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from flask import Request, Response, abort, request

from inkeek.service.errors import (
    ErrorText,
    Forbidden,
    NotReady,
    OutsideLimit,
    StorageError,
    TooManyRequests,
    Unauthorized,
)
from inkeek.service.http.context import ADDED, CALLER, CSRF, HEADERS_ONLY, LIMIT, MAX_BODY
from inkeek.service.http.language import CHOSEN
from inkeek.service.http.problems import is_api_path
from inkeek.service.http.timed_calls import TimedCalls
from inkeek.service.settings import Settings, is_address, is_loopback
from inkeek.service.storage import KeyRow
from inkeek.service.storage.clock import utc_now
from inkeek.service.storage.search import reading
from inkeek.service.storage.store import Store

from .caller import NOBODY, SESSION, TOKEN, Caller
from .keys import FRESH, REPLACED, Keys, caller_of, csrf_token, digest, is_csrf_token, opens
from .limiter import Limiter
from .limits import check_path
from .scopes import METRICS, OPEN, Need, need_of

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

MAX_KEPT = 100


class Watchers:
    """Remembers the keys that were valid."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._timed = TimedCalls()
        self._kept: dict[str, KeyRow] = {}  # by the hash of the secret

    def find(self, secret: str, kind: str) -> Caller | None:
        """As `Keys.find`. While the database does not answer, a key is valid that was so when its secret was sent to
        this process last, and has not expired.

        :raises ServiceError: the database does not answer, and the key is not kept.
        """
        hash = digest(secret)
        try:
            key = self._timed.run(lambda: self._keys.find_key(secret, kind))
        except (StorageError, NotReady):
            key = self._kept.get(hash)
            if key is None:
                raise
            return caller_of(key, hash) if key.kind == kind and opens(key, hash, utc_now()) else None
        self._kept.pop(hash, None)
        if key is None:
            return None
        self._kept[hash] = key
        if len(self._kept) > MAX_KEPT:
            self._kept.pop(next(iter(self._kept)), None)
        return caller_of(key, hash)


ALLOWED = "Access-Control-Allow-Origin"
REQUEST_HEADERS = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id"
RESPONSE_HEADERS = (
    "Allow, Content-Disposition, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, "
    "Retry-After, WWW-Authenticate, X-Request-Id"
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


SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
MAKES_KEYS = ("admin", "invite")  # scopes: an invitation becomes a key
# Headers that proxies add, as the WSGI environment names them. Whoever asks from this machine has no use for them.
_PROXY_HEADER = re.compile("HTTP_(VIA|CDN_LOOP|(CF|CLOUDFRONT|FASTLY|X_(AZURE|ENVOY|ORIGINAL))_.*|.*(FORWARDED|_IP).*)")
_HOST = re.compile(
    r"(?:\[([0-9a-f:.]+)\]|([0-9a-z._-]+))(?::[0-9]*)?", re.ASCII | re.IGNORECASE
)  # name or address, port
_PORT = re.compile(r":[0-9]+$", re.ASCII)
CSRF_FIELD = "csrf"
PROOF_FIELD = "proof"
CSRF_HEADER = "X-CSRF-Token"
UNKNOWN = Need(
    "read", open_locally=True, limited=True
)  # of unknown paths: callers who may not read may not probe either


class Guard:
    """Checks requests against the settings, the keys and the rate limit.

    :raises LookupError: one of the `views` (by endpoint) declares no scope.
    """

    def __init__(self, settings: Settings, keys: Keys, store: Store, views: Mapping[str, Callable[..., Any]]) -> None:
        self._settings = settings
        self._store = store
        self._keys = keys
        self._watchers = Watchers(keys)
        self._limiter = Limiter(settings.rate, settings.rate_burst)
        # As draft-ietf-httpapi-ratelimit-headers-10 has it: the bucket of the limiter is full again after a window.
        window = math.ceil(settings.rate_burst / settings.rate) if settings.rate else 0
        self._policy = f'"requests";q={settings.rate_burst};w={window}'
        self._needs = {endpoint: need_of(view) for endpoint, view in views.items()}
        self._local = settings.is_local

    def check(self, request: Request) -> None:
        """Find the caller of a request, and raise unless they may send it. Anyone may ask which methods there are.

        :raises Unauthorized: nobody known, or with a bad key. :raises Forbidden: not allowed.
        :raises TooManyRequests: above the rate limit. :raises BadRequest: for a host that is not served.
        """
        host = _host_name(request.environ.get("HTTP_HOST") or request.host)
        if not self._serves(host):
            abort(400, self._not_served(request))
        need = self._needs.get(request.endpoint or "", UNKNOWN)
        added = request.environ.setdefault(ADDED, {})
        origin = self._crossing_origin(request)
        if self._settings.origins and is_api_path(request.path):
            added.update(response_headers(origin))
        caller, error = self._find_caller(request, need, crosses=origin is not None)
        request.environ[CALLER], request.environ[CHOSEN] = caller, caller.language
        local = origin is None and self._is_local(host, request)
        if not local and MAX_BODY not in request.environ:
            self._check_rate(caller, request)
        if request.method == "OPTIONS":
            return
        if error:
            raise Unauthorized(error, is_refused=True)
        reads = request.method in SAFE_METHODS
        is_open = need.open_locally and (local or (need.scope == "read" and self._may_watch(caller, reads, request)))
        if not (is_open or need.is_met_by(caller.scopes) or _is_own(caller, need, request)):
            _refuse(caller, need, request)
        if need.current and caller.is_replaced:
            raise Forbidden(REPLACED)
        if caller.limit is not None and need.scope != OPEN and not (reads and is_open):
            limit = request.environ[LIMIT] = reading(caller.limit) if reads else caller.limit
            try:
                check_path(self._store, limit, request.view_args or {}, otherwise=need.limited)
            except OutsideLimit:
                if _is_api(request):
                    raise
                raise OutsideLimit("You joined %(limit)s. This page is about more than that.", limit=limit) from None
        if not reads and origin is None:
            _check_origin(request)
            if caller.kind == SESSION and HEADERS_ONLY not in request.environ:
                _check_csrf(request)
                if "admin" in caller.scopes and (need.current or need.scope in MAKES_KEYS):
                    self._check_owner(caller, request)

    def _check_owner(self, caller: Caller, request: Request) -> None:
        """Refuse to administer the service by a cookie alone that other ports of the host may have got, too."""
        if not request.is_secure and not self._keys.is_owner(caller, request.form.get(PROOF_FIELD, "")):
            raise Forbidden(
                "This needs the link that signed you in. Scripts of the page keep it; without them, open a new link "
                "(start `inkeek` again, or use `inkeek token link`), and do this within %(minutes)s minutes.",
                minutes=FRESH.seconds // 60,
            )

    def _may_watch(self, caller: Caller, reads: bool, request: Request) -> bool:
        """Whether the request may be sent since anyone may watch: nobody's, or one that reads beyond a limit. Then it
        ends with that choice."""
        if caller.id and (caller.limit is None or not reads):
            return False
        anyone = self._keys.anyone()
        if anyone:
            request.environ[CALLER] = replace(caller, hash=anyone)
        return bool(anyone)

    def _is_local(self, host: str, request: Request) -> bool:
        """Whether the request comes from this machine, and not through a proxy, which may forward anybody's."""
        return (
            self._local
            and is_loopback(host)
            and is_loopback(request.remote_addr or "")
            and not any(map(_is_proxy_header, request.environ))
        )

    def _serves(self, host: str) -> bool:
        """Whether this is a name of the service.

        Any other name may be DNS rebinding: another site's name that resolves to this host. An IP address cannot
        resolve to another host.
        """
        if is_loopback(host) or host in self._settings.served_names or host == self._settings.host.lower():
            return True
        return not self._local and is_address(host)

    def _not_served(self, request: Request) -> str:
        served = "Only names of this machine are served." if self._local else "This name is not served."
        return f"The Host header is {request.host!r}. {served} The setting `allowed_hosts` adds names."

    def _crossing_origin(self, request: Request) -> str | None:
        """The origin of the page that sent a request to the API, if it is another than ours and may use the API."""
        origin: str | None = request.environ.get("HTTP_ORIGIN")
        if origin not in self._settings.origins or not is_api_path(request.path) or origin == _own_origin(request):
            return None
        return origin

    def _find_caller(self, request: Request, need: Need, *, crosses: bool) -> tuple[Caller, str]:
        """The caller, and what is wrong with the key, if anything. With `crosses`, a cookie says nothing."""
        find = self._watchers.find if need.scope == METRICS else self._keys.find
        authorization: str | None = request.environ.get("HTTP_AUTHORIZATION")
        if authorization is not None:
            scheme, _, secret = authorization.partition(" ")
            if scheme.lower() != "bearer":
                return NOBODY, f"The Authorization scheme is {scheme[:20]!r}. Expected `Bearer` and a token."
            caller = find(secret.strip(), TOKEN)
            return (caller, "") if caller else (NOBODY, "The token is unknown, was revoked or has expired.")
        if crosses or "HTTP_COOKIE" not in request.environ:
            return NOBODY, ""
        session = request.cookies.get(cookie_name())
        caller = find(session, SESSION) if session else None
        if caller is None or session is None:  # an expired session is nobody's
            return NOBODY, ""
        request.environ[CSRF] = csrf_token(session)
        return caller, ""

    def _check_rate(self, caller: Caller, request: Request) -> None:
        if not self._settings.rate:
            return
        sender = caller.sender(request.remote_addr)
        wait = self._limiter.take(sender)
        left, reset = self._limiter.left(sender)
        request.environ[ADDED].update({"RateLimit": f'"requests";r={left};t={reset}', "RateLimit-Policy": self._policy})
        if wait:
            raise TooManyRequests(
                ErrorText(
                    "The limit is %(rate_burst)s requests at once and %(rate)g a second on average. Try again in "
                    "%(wait)s s.",
                    rate_burst=self._settings.rate_burst,
                    rate=self._settings.rate,
                    wait=wait,
                ),
                wait,
            )


def set_cookie(response: Response, session: str, lifetime: timedelta) -> None:
    """Store a session in the browser: unreachable for scripts, and never sent with another site's requests."""
    response.set_cookie(
        cookie_name(), session, max_age=lifetime, secure=request.is_secure, httponly=True, samesite="Strict"
    )


def drop_cookie(response: Response) -> None:
    response.delete_cookie(cookie_name(), secure=request.is_secure, httponly=True, samesite="Strict")


def cookie_name() -> str:
    """One for each port, because browsers send cookies to all ports of a host."""
    if request.is_secure:
        return "__Host-inkeek"  # over TLS, browsers accept this name from the host itself only
    return f"inkeek_{urlsplit(request.host_url).port or 80}"


@functools.lru_cache(maxsize=256)  # needed for every request
def _host_name(host: str) -> str:
    """The name in a Host header, without the port; empty if it is invalid."""
    found = _HOST.fullmatch(host)
    return "" if found is None else (found[1] or found[2]).lower()


@functools.lru_cache(maxsize=1024)  # needed for every header of every request
def _is_proxy_header(name: str) -> bool:
    return _PROXY_HEADER.fullmatch(name) is not None


def _own_origin(request: Request) -> str:
    return request.host_url.rstrip("/")


def _is_own(caller: Caller, need: Need, request: Request) -> bool:
    return bool(need.own and caller.id) and (request.view_args or {}).get(need.own) == caller.id


def _is_api(request: Request) -> bool:
    """Whether a program sent the request. Pages, and their scripts, say in plain words what is wrong."""
    return is_api_path(request.path) and CSRF_HEADER not in request.headers


def _refuse(caller: Caller, need: Need, request: Request) -> NoReturn:
    if not _is_api(request):
        if not caller.id:
            raise Unauthorized("Ask whoever runs Inkeek here for the code of the game.")
        if caller.kind == SESSION and caller.scopes == {"read"}:
            raise Forbidden(
                "You are here as %(name)s, and watch. To write too, ask whoever invited you.", name=caller.name
            )
        raise Forbidden(
            "You are here as %(name)s, and may not do this. Ask whoever runs Inkeek here.", name=caller.name
        )
    route, scopes = f"{request.method} {request.path[:200]}", ", ".join(map(repr, need.scopes))
    needed = ErrorText("%(route)s needs one of the scopes %(scopes)s.", route=route, scopes=scopes)
    if not caller.id:
        raise Unauthorized(
            "%(needed)s Send a token of `inkeek token create`, or sign in with the link that `inkeek token "
            "link` prints.",
            needed=needed,
        )
    raise Forbidden(
        "%(needed)s %(name)r has: %(scopes)s.", needed=needed, name=caller.name, scopes=", ".join(sorted(caller.scopes))
    )


def _check_origin(request: Request) -> None:
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site")
    if site in ("cross-site", "same-site"):
        raise Forbidden(
            "The request comes from a page of %(origin)r. Only this service's pages may write.", origin=origin or site
        )
    if origin is None or origin == (own := _own_origin(request)):
        return
    # A proxy may have dropped the port. No page can set Sec-Fetch-Site, in which the browser says whose page it is.
    if site == "same-origin" and _PORT.sub("", origin) == _PORT.sub("", own):
        return
    raise Forbidden(
        "The request comes from a page of %(origin)r (header Origin), and this service is at %(own)r (headers Host, "
        "X-Forwarded-Host and X-Forwarded-Proto). Only its own pages may write. A proxy must send on the Host that it "
        "got, with the port, and the scheme in X-Forwarded-Proto.",
        origin=origin,
        own=own,
    )


def _check_csrf(request: Request) -> None:
    """Refuse writes of a signed-in browser whose form does not come from us."""
    given = request.headers.get(CSRF_HEADER)
    if given is None and not is_api_path(request.path):
        given = request.form.get(CSRF_FIELD)
    if not is_csrf_token(request.cookies[cookie_name()], given or ""):
        raise Forbidden("The form does not belong to this session. Reload the page and send it again.")
