"""Keys: made, shown once, looked up by their hash, revoked. A secret is 256 random bits, so that SHA-256 without salt
is enough: there is nothing to guess it from.

`Keys` takes the store, the clock and the source of chance as arguments, and knows nothing of HTTP.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from service.errors import Invalid, NotFound, ServiceError, Unauthorized
from service.games.repository import random_id
from service.games.validation import check_text
from service.processes.logs import SECRET
from service.settings import Settings
from service.storage import KeyRow, Store, Transaction
from service.storage.clock import Clock, stamp, utc_now

from .caller import LINK, SESSION, TOKEN, Caller
from .scopes import SCOPES

log = logging.getLogger(__name__)

PREFIX = {TOKEN: "ink_t_", LINK: "ink_l_", SESSION: "ink_s_"}
MAX_NAME = 60  # characters
MAX_KEYS = 1000  # of one kind that are good at once
MAX_DAYS = 3650
USED_EVERY = timedelta(minutes=5)  # how coarse the time of the last use is: a request is not to cost a write
FRESH = timedelta(seconds=1)  # how long a key that was found is not looked up again
MAX_KNOWN = 1000  # keys remembered so
KEPT = timedelta(days=90)  # how long a key that is over stays on the list


def digest(secret: str) -> str:
    """The hash that is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def csrf_token(session: str) -> str:
    """What the forms of a session carry, so that no other site's page can send them: bound to the session's secret."""
    return hmac.new(session.encode(), b"csrf", hashlib.sha256).hexdigest()


def is_good(key: KeyRow, now: datetime) -> bool:
    """Whether the key may be used: not revoked, not expired."""
    return key.revoked is None and (key.expires is None or key.expires > stamp(now))


class Keys:
    """The keys in a store."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock = utc_now,
        new_id: Callable[[], str] = random_id,
        new_secret: Callable[[], str] = lambda: secrets.token_urlsafe(32),
    ) -> None:
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._new_secret = new_secret
        self._known: dict[str, tuple[Caller, datetime]] = {}  # by a key's hash: its holder, and when that was looked up

    def create(self, kind: str, name: str, scopes: Collection[str], lifetime: timedelta | None) -> tuple[KeyRow, str]:
        """A new key and its secret, which is kept nowhere. `lifetime` None: until it is revoked.

        :raises Invalid: no name, no scopes or unknown ones, a lifetime out of bounds, or too many keys.
        """
        _check(name, scopes, lifetime)
        with self._store.writing() as transaction:
            return self._add(transaction, kind, name, scopes, lifetime)

    def sign_in(self, link: str, lifetime: timedelta) -> tuple[KeyRow, str]:
        """Use up a one-time link: the session it opens, with the link's name and scopes, and the session's secret.

        :raises Unauthorized: the link was used, is too old, was revoked or never was.
        """
        with self._store.writing() as transaction:
            key = transaction.keys.by_hash(digest(link), lock=True) if SECRET.fullmatch(link) else None
            now = self._clock()
            if key is None or key.kind != LINK or not is_good(key, now):
                raise Unauthorized(
                    "this link signs nobody in: it was used before, is too old, or was never given out; "
                    "'inkeek token link' prints a new one"
                )
            transaction.keys.put(replace(key, used=stamp(now), revoked=stamp(now)))
            return self._add(transaction, SESSION, key.name, key.scopes, lifetime)

    def find(self, secret: str, kind: str) -> Caller | None:
        """Who holds this secret; None when no good key of that kind has it. Notes the use, to some minutes.

        A key that another process revokes, or that expires, is found for `FRESH` longer.
        """
        if not SECRET.fullmatch(secret):
            return None
        now, hash = self._clock(), digest(secret)
        known = self._known.get(hash)
        if known is None or not timedelta(0) <= now - known[1] < FRESH:
            caller = self._look_up(hash, now)
            if caller is None:
                return None
            known = caller, now
            if len(self._known) >= MAX_KNOWN:
                self._known = {}
            self._known[hash] = known
        return known[0] if known[0].kind == kind else None

    def _look_up(self, hash: str, now: datetime) -> Caller | None:
        """Who holds the key with that hash, if it is good; notes its use."""
        with self._store.reading() as transaction:
            key = transaction.keys.by_hash(hash)
        if key is None or not is_good(key, now):
            return None
        if key.used is None or key.used < stamp(now - USED_EVERY):
            self._note_use(key.id, stamp(now))
        return Caller(key.kind, key.id, key.name, frozenset(key.scopes))

    def _note_use(self, key_id: str, now: str) -> None:
        """Write down when the key was used; when that fails, what it was used for still goes on."""
        try:
            with self._store.writing() as transaction:
                key = transaction.keys.get(key_id, lock=True)
                if key is not None:
                    transaction.keys.put(replace(key, used=now))
        except ServiceError as error:
            log.warning("the use of key %s was not noted: %s", key_id, error)

    def list(self) -> list[KeyRow]:
        """Tokens and sessions, oldest first; those that are over stay on it for `KEPT`."""
        with self._store.reading() as transaction:
            return transaction.keys.of_kinds((TOKEN, SESSION))

    def is_good(self, key: KeyRow) -> bool:
        """Whether the key may be used now."""
        return is_good(key, self._clock())

    def still_good(self, key_ids: Collection[str]) -> set[str]:
        """Those of the keys that may be used now, whichever process revoked the others."""
        with self._store.reading() as transaction:
            found = [transaction.keys.get(key_id) for key_id in key_ids]
        return {key.id for key in found if key is not None and self.is_good(key)}

    def revoke(self, key_id: str) -> KeyRow:
        """End a key at once. Revoking a revoked key changes nothing.

        :raises NotFound: there is no such key.
        """
        with self._store.writing() as transaction:
            key = transaction.keys.get(key_id, lock=True)
            if key is None:
                raise NotFound(f"there is no token {key_id!r}: 'inkeek token list' tells their ids")
            if key.revoked is None:
                key = replace(key, revoked=stamp(self._clock()))
                transaction.keys.put(key)
        self._known.pop(key.hash, None)
        return key

    def _add(
        self, transaction: Transaction, kind: str, name: str, scopes: Collection[str], lifetime: timedelta | None
    ) -> tuple[KeyRow, str]:
        now = self._clock()
        transaction.keys.forget(stamp(now - KEPT))
        good = sum(is_good(key, now) for key in transaction.keys.of_kinds((kind,)))
        if good >= MAX_KEYS:
            raise Invalid(f"there are {good} keys of the kind {kind!r}: revoke one first")
        secret = PREFIX[kind] + self._new_secret()
        kept = tuple(scope for scope in SCOPES if scope in scopes)
        expires = None if lifetime is None else stamp(now + lifetime)
        key = KeyRow(self._new_id(), kind, name, kept, digest(secret), stamp(now), expires, None, None)
        transaction.keys.add(key)
        return key, secret


@contextmanager
def open_keys(settings: Settings) -> Iterator[Keys]:
    """Open the keys in the database that the settings name, for programs beside the service. Migrates the database."""
    store = Store(settings.database_url, settings.lock_timeout)
    try:
        store.upgrade()
        yield Keys(store)
    finally:
        store.close()


def _check(name: str, scopes: Collection[str], lifetime: timedelta | None) -> None:
    check_text("name", name, MAX_NAME, '":')
    if not name.strip() or name != name.strip():
        raise Invalid(f"name is {name!r}: expected who or what will hold the key, as 'score desk'")
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        said = f"{unknown[0][:40]!r} is none" if unknown else "none is given"
        raise Invalid(f"scopes: {said}; expected some of {', '.join(SCOPES)}")
    if lifetime is not None and not timedelta(0) < lifetime <= timedelta(days=MAX_DAYS):
        raise Invalid(f"the key would be good for {lifetime}: expected more than nothing and at most {MAX_DAYS} days")
