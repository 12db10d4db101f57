"""The guard at the door of every request: which name was asked, who asks, how fast, and whether he may.

It runs before any view. A view that declares no scope (`scopes.needs`) keeps the application from starting.
"""

from __future__ import annotations

import functools
import hmac
from datetime import timedelta
from typing import NoReturn
from urllib.parse import urlsplit

from flask import Flask, Request, Response, abort, g, request

from service.errors import Forbidden, TooManyRequests, Unauthorized
from service.http.problems import is_api_path
from service.settings import Settings, is_address, is_loopback

from .caller import NOBODY, SESSION, TOKEN, Caller
from .keys import Keys, csrf_token
from .limiter import Limiter
from .scopes import Need, allows, need_of

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
FORWARDED = ("FORWARDED", "X_FORWARDED_FOR", "X_FORWARDED_HOST", "X_REAL_IP", "VIA")
MARKS = frozenset(f"HTTP_{name}" for name in FORWARDED)  # that a proxy leaves on a request
CSRF_FIELD = "csrf"
CSRF_HEADER = "X-CSRF-Token"
UNKNOWN = Need("read", open_locally=True)  # of paths that lead nowhere: who may read nothing may not probe either


class Guard:
    """Checks requests by the settings, the keys that are good, and how fast a client may ask."""

    def __init__(self, settings: Settings, keys: Keys) -> None:
        self._settings = settings
        self._keys = keys
        self._limiter = Limiter(settings.rate, settings.rate_burst)
        self._needs: dict[str, Need] = {}
        self._local = settings.is_local

    def guard(self, app: Flask) -> None:
        """Stand at the door of `app`, whose views are all there.

        :raises LookupError: a view declares no scope.
        """
        self._needs = {endpoint: need_of(view) for endpoint, view in app.view_functions.items()}
        app.before_request(self._check)

    def _check(self) -> None:
        # What is asked of the stand-in takes several times as long.
        asked: Request = request._get_current_object()  # type: ignore[attr-defined]
        host = _host(asked.host)
        local = self._is_local(host, asked)
        if not self._serves(host):
            abort(400, self._not_served())
        caller, why = self._caller(asked)
        here = g._get_current_object()
        here.inkeek_caller, here.inkeek_local = caller, local
        if not local:
            self._check_rate(caller)
        if why:
            raise Unauthorized(why)
        need = self._needs.get(asked.endpoint or "", UNKNOWN)
        if not (allows(caller.scopes, need.scope) or (local and need.open_locally)):
            _refuse(caller, need)
        if asked.method not in SAFE_METHODS:
            _check_sender()
            if caller.kind == SESSION:
                _check_form()

    def _is_local(self, host: str, asked: Request) -> bool:
        """Whether the request comes from this machine, and straight: a proxy may bring anybody's."""
        return (
            self._local
            and is_loopback(host)
            and is_loopback(asked.remote_addr or "")
            and MARKS.isdisjoint(asked.environ)
        )

    def _serves(self, host: str) -> bool:
        """Whether the service goes by that name. Any other name may be a stranger's, who has it lead here to have a
        browser talk to us as if to him (DNS rebinding); an address cannot be made to lead elsewhere."""
        if is_loopback(host) or host in self._settings.served_names or host == self._settings.host.lower():
            return True
        return not self._local and is_address(host)

    def _not_served(self) -> str:
        served = "only this machine's own names are served" if self._local else "it is not served"
        return f"the Host header is {request.host!r}: {served}; the setting allowed_hosts adds names"

    def _caller(self, asked: Request) -> tuple[Caller, str]:
        """Who asks; and, when he shows a key that is not good, what is wrong with it."""
        shown: str | None = asked.environ.get("HTTP_AUTHORIZATION")
        if shown is not None:
            scheme, _, secret = shown.partition(" ")
            if scheme.lower() != "bearer":
                return NOBODY, f"Authorization is of the kind {scheme[:20]!r}: expected 'Bearer' and a token"
            caller = self._keys.find(secret.strip(), TOKEN)
            return (caller, "") if caller else (NOBODY, "the token is not known here, was revoked or has expired")
        session = asked.cookies.get(cookie_name()) if "HTTP_COOKIE" in asked.environ else None
        caller = self._keys.find(session, SESSION) if session else None
        if caller is None or session is None:  # a browser that was signed in once is nobody, as any other
            return NOBODY, ""
        g.inkeek_csrf = csrf_token(session)
        return caller, ""

    def _check_rate(self, caller: Caller) -> None:
        wait = self._limiter.take(f"key {caller.id}" if caller.id else f"address {request.remote_addr}")
        if wait:
            raise TooManyRequests(
                f"more than {self._settings.rate_burst} requests at once, or {self._settings.rate:g} a second on "
                f"average: ask again in {wait} s",
                wait,
            )


def set_cookie(response: Response, session: str, lifetime: timedelta) -> None:
    """Have the browser keep a session: out of reach of scripts, never sent along by another site's page."""
    response.set_cookie(
        cookie_name(), session, max_age=lifetime, secure=request.is_secure, httponly=True, samesite="Strict"
    )


def drop_cookie(response: Response) -> None:
    response.delete_cookie(cookie_name(), secure=request.is_secure, httponly=True, samesite="Strict")


def cookie_name() -> str:
    """One for each port, since browsers give cookies to all ports of a name."""
    if request.is_secure:
        return "__Host-inkeek"  # a browser takes this name from nobody but the host itself, over TLS
    return f"inkeek_{urlsplit(request.host_url).port or 80}"


@functools.lru_cache(maxsize=256)  # it is asked of every request
def _host(host: str) -> str:
    """The name in a Host header, without a port; empty when there is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _refuse(caller: Caller, need: Need) -> NoReturn:
    if not caller.id:
        raise Unauthorized(
            f"{request.method} {request.path[:200]} needs the scope {need.scope!r}: show a token of 'inkeek token "
            "create', or sign in with the link that 'inkeek token link' prints"
        )
    held = ", ".join(sorted(caller.scopes))
    raise Forbidden(f"{request.method} {request.path[:200]} needs the scope {need.scope!r}: {caller.name!r} has {held}")


def _check_sender() -> None:
    """Refuse writes that another site's page sends."""
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site")
    if (origin is not None and origin != request.host_url.rstrip("/")) or site in ("cross-site", "same-site"):
        raise Forbidden(f"a page of {origin or site!r} cannot change anything here: only this service's own pages can")


def _check_form() -> None:
    """Refuse writes of a browser that is signed in but did not read the form from us."""
    given = request.headers.get(CSRF_HEADER)
    if given is None and not is_api_path(request.path):
        given = request.form.get(CSRF_FIELD)
    if not hmac.compare_digest((given or "").encode(), g.inkeek_csrf.encode()):
        raise Forbidden("the form was not filled in on a page of this session: load the page again, and send it then")
