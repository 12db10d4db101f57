"""Other people's apps: they register themselves, and who is signed in lends them a part of their own right.

What is lent is a token as others are. It ends with the session that lent it, and loses what that loses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import SplitResult, urlsplit

from service.errors import Conflict, ErrorText, Invalid, NotFound, TooManyRequests
from service.games.texts import check_text
from service.settings import is_loopback
from service.storage import AppRow, CodeRow, KeyRow, Limit, Store, Transaction, covers
from service.storage.clock import Clock, moment, stamp, utc_now
from service.storage.ids import random_id

from .caller import TOKEN, Caller, network_of
from .keys import MAX_NAME, NOT_IN_NAME, Keys, digest, is_good
from .limiter import Limiter
from .scopes import allows

LENDABLE = ("read", "record")
MAX_APPS = 500  # registered ones
MAX_LENT = 1000  # valid tokens of all apps
MAX_OF_ONE = 20  # apps to which one session has lent something
MAX_URIS, MAX_URI = 5, 500  # redirect addresses of an app, and their characters
RATE, BURST = 0.1, 20  # registrations of an address, a second and at once
CODE_LIFETIME = timedelta(minutes=2)
LENT_FOR = timedelta(days=30)  # at most
_VISIBLE = re.compile(r"[^\W_\u115f\u1160\u3164\uffa0]")  # a letter or a digit, but those that are drawn as nothing
_URI = re.compile(r"[!#-\[\]-~]+")  # what errors of OAuth may quote
_HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]+)?|\[[0-9A-Fa-f:]+\](:[0-9]+)?")
_SCOPE = re.compile(r"(game|match):([0-9A-Za-z]{1,32})")


@dataclass(frozen=True, slots=True)
class Loan:
    """What somebody lends to an app."""

    scopes: tuple[str, ...]
    limit: Limit | None
    until: datetime

    @property
    def scope(self) -> str:
        """As OAuth writes it. A limit that nobody asked for is the lender's own."""
        narrowed = self.limit is not None and self.limit.kind in ("game", "match")
        return " ".join([*self.scopes, *([f"{self.limit.kind}:{self.limit.value}"] if narrowed and self.limit else [])])


class Apps:
    """The apps in a store, and what is lent to them."""

    def __init__(self, store: Store, keys: Keys, *, clock: Clock = utc_now) -> None:
        self._store = store
        self._keys = keys
        self._clock = clock
        self._limiter = Limiter(RATE, BURST)

    def register(self, name: str, redirect_uris: list[str], address: str | None) -> AppRow:
        """Register an app from this network address.

        :raises Invalid: the name or an address cannot be one, or there are too many apps.
        :raises TooManyRequests: too many came from the same network.
        """
        check_text("client_name", name, MAX_NAME, NOT_IN_NAME)
        if not _VISIBLE.search(name):
            raise Invalid("client_name has no letter. Expected the name of the app, which people see.")
        if not 1 <= len(redirect_uris) <= MAX_URIS:
            found = len(redirect_uris)
            raise Invalid("redirect_uris has %(found)s addresses. Expected 1 to %(most)s.", found=found, most=MAX_URIS)
        for uri in redirect_uris:
            check_redirect_uri(uri)
        wait = self._limiter.take(network_of(address or ""))
        if wait:
            text = ErrorText("Too many apps registered. Try again in %(wait)s seconds.", wait=wait)
            raise TooManyRequests(text, wait)
        with self._store.writing() as transaction:
            over = transaction.apps.count() - MAX_APPS + 1
            if over > 0:
                transaction.apps.forget_unused(over, stamp(self._clock()))
            if transaction.apps.count() >= MAX_APPS:
                raise Invalid("There are %(most)s apps in use already. Somebody must end one first.", most=MAX_APPS)
            row = AppRow(random_id(), name.strip(), tuple(redirect_uris), stamp(self._clock()))
            transaction.apps.add(row)
        return row

    def get(self, app_id: str) -> AppRow | None:
        with self._store.reading() as transaction:
            return transaction.apps.get(app_id)

    def offer(self, caller: Caller, scope: str) -> Loan:
        """What a caller can lend of the scope that an app asks for.

        :raises NotFound: the game or match that it names does not exist, or is outside the caller's limit.
        """
        with self._store.reading() as transaction:
            return self._offer(transaction, self._keys.get(caller.id), scope)

    def _offer(self, transaction: Transaction, lender: KeyRow, scope: str) -> Loan:
        names, narrowed = read_scope(scope) or ((), None)
        limit = lender.limit if narrowed is None else narrowed
        if narrowed is not None:
            game = transaction.games.get(narrowed.value)
            own = narrowed if lender.limit is None else lender.limit
            within = game is not None and covers(narrowed, game) and covers(own, game)
            if not within or (narrowed.kind == "match" and own.kind == "game"):
                raise NotFound("There is no %(limit)s in what you have access to.", limit=narrowed)
        scopes = tuple(name for name in names if allows(lender.scopes, name)) or ("read",)
        until = self._clock() + LENT_FOR
        return Loan(scopes, limit, until if lender.expires is None else min(until, moment(lender.expires)))

    def add_code(self, code: str, caller: Caller, app: str, redirect_uri: str, scope: str, challenge: str) -> None:
        """Store the code that an app gets once the caller has said yes.

        :raises Conflict: the caller, or all together, have lent too much.
        """
        with self._store.writing() as transaction:
            now = self._clock()
            transaction.apps.forget_codes(stamp(now - timedelta(days=1)))
            if not _may_lend(transaction, caller.id, app, stamp(now)):
                raise Conflict("Too many apps act for people here. End one first, on the page Apps.")
            expires = stamp(now + CODE_LIFETIME)
            transaction.apps.add_code(CodeRow(digest(code), app, caller.id, redirect_uri, scope, challenge, expires))

    def find_code(self, code: str, app: str) -> CodeRow | None:
        """The code of an app, if it can be used. One that was used ends what was lent for it: it may be stolen."""
        with self._store.writing() as transaction:
            row, now = transaction.apps.code(digest(code), lock=True), stamp(self._clock())
            if row is None or row.app != app:
                return None
            key = transaction.keys.get(row.key, lock=True) if row.key else None
            if key is not None and key.revoked is None:
                transaction.keys.put(key._replace(revoked=now))
            return row if row.key is None and row.expires > now else None

    def redeem(self, code: CodeRow) -> tuple[Loan, str] | None:
        """Make the token for a code, in place of an earlier one of the same app from the same lender. None: the code
        was used, or the lender's right has ended."""
        with self._store.writing() as transaction:
            now = self._clock()
            row = transaction.apps.code(code.hash, lock=True)
            lender = transaction.keys.get(code.lender, lock=True)
            if row is None or row.key is not None or lender is None or not is_good(lender, now):
                return None
            if not _may_lend(transaction, lender.id, row.app, stamp(now)):  # other codes were used since this one
                return None
            try:
                loan = self._offer(transaction, lender, row.scope)
            except NotFound:
                return None
            transaction.apps.forget_lent(lender.id, row.app)
            made, secret = self._keys.add(
                transaction, TOKEN, lender.name, loan.scopes, loan.until, loan.limit, lender=lender.id, app=row.app
            )
            transaction.apps.use_code(row.hash, made.id)
        return loan, secret

    def lent_by(self, caller: Caller) -> list[tuple[KeyRow, AppRow]]:
        """What the caller lends now, and to which app."""
        with self._store.reading() as transaction:
            keys = transaction.apps.lent(caller.id, stamp(self._clock()))
            return [(key, app) for key in keys if (app := transaction.apps.get(key.app or "")) is not None]

    def find_lent(self, secret: str) -> KeyRow | None:
        """The token with that secret, if it is an app's."""
        key = self._store.key(digest(secret))
        return None if key is None or key.app is None else key

    def end(self, caller: Caller, key_id: str) -> None:
        """End what the caller lent.

        :raises NotFound: the caller lent no such token.
        """
        if all(key.id != key_id for key, _ in self.lent_by(caller)):
            raise NotFound("You have lent nothing with the id %(key_id)r.", key_id=key_id[:80])
        self._keys.revoke(key_id)


def _may_lend(transaction: Transaction, lender: str, app: str, now: str) -> bool:
    """Whether a key may lend something to one more app, or to this one again."""
    others = {key.app for key in transaction.apps.lent(lender, now)} - {app, None}
    return len(others) < MAX_OF_ONE and transaction.apps.count_lent(now) < MAX_LENT


def read_scope(scope: str) -> tuple[tuple[str, ...], Limit | None] | None:
    """The scopes and the limit that an app asks for, as ``record game:k3f9wm2abc``; None if it cannot be."""
    words = scope.split()
    names = tuple(name for name in LENDABLE if name in words)
    others = [_SCOPE.fullmatch(word) for word in words if word not in LENDABLE]
    if len(others) > 1 or None in others:
        return None
    limit = Limit(others[0][1], others[0][2]) if others and others[0] else None
    return names or ("read",), limit


def check_redirect_uri(uri: str) -> None:
    """:raises Invalid: codes cannot be sent there safely."""
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018 - raises
    except ValueError:
        parts = SplitResult("", "", "", "", "")
    web = parts.scheme in ("https", "http") and _HOST.fullmatch(parts.netloc)
    safe = parts.scheme == "https" or is_loopback(parts.hostname or "") if web else "." in parts.scheme
    if not safe or len(uri) > MAX_URI or not _URI.fullmatch(uri) or "#" in uri:
        raise Invalid(
            "redirect_uris: %(uri)r cannot be used. Expected https, http to the person's own machine (127.0.0.1, [::1] "
            "or localhost), or a scheme of your own with a dot, such as org.example.app:/signed-in; no fragment, at "
            "most %(most)s characters of ASCII.",
            uri=uri[:200],
            most=MAX_URI,
        )


def is_redirect_uri(app: AppRow, uri: str) -> bool:
    """Whether codes for the app may be sent there: exactly what it registered, but for the port on its own machine."""
    return uri in app.redirect_uris or _without_port(uri) in map(_without_port, app.redirect_uris)


def _without_port(uri: str) -> object:
    """What counts of the address of a program on the person's own machine, which takes any free port; else all."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    if parts.scheme != "http" or not is_loopback(parts.hostname or "") or not _HOST.fullmatch(parts.netloc):
        return uri
    return parts.hostname, parts.path, parts.query, parts.fragment


def answer_source(uri: str) -> str:
    """Where an answer goes, as a content security policy writes it: the origin, or the scheme of an app."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else f"{parts.scheme}:"
