"""Keys: created, looked up by their hash, revoked. The secret is shown once.

A secret has 256 random bits, so SHA-256 without a salt is enough. The store, the clock and randomness are arguments.
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
MAX_KEYS = 1000  # valid ones of one kind
MAX_DAYS = 3650
USED_EVERY = timedelta(minutes=5)  # precision of the time of the last use, so that not every request writes
FRESH = timedelta(seconds=1)  # for which a key is cached
MAX_KNOWN = 1000  # keys in the cache
KEPT = timedelta(days=90)  # for which expired and revoked keys stay on the list


def digest(secret: str) -> str:
    """The stored hash of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def csrf_token(session: str) -> str:
    """The CSRF token of a session's forms, derived from its secret: other sites' pages cannot know it."""
    return hmac.new(session.encode(), b"csrf", hashlib.sha256).hexdigest()


def is_good(key: KeyRow, now: datetime) -> bool:
    """Whether the key is valid: neither revoked nor expired."""
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
        self._known: dict[str, tuple[Caller, datetime]] = {}  # cache by hash, with the time of the lookup

    def create(self, kind: str, name: str, scopes: Collection[str], lifetime: timedelta | None) -> tuple[KeyRow, str]:
        """Create a key. Returns its secret too, which is not stored. `lifetime` None: until it is revoked.

        :raises Invalid: no name, no scopes or unknown ones, a lifetime out of bounds, or too many keys.
        """
        _check(name, scopes, lifetime)
        with self._store.writing() as transaction:
            return self._add(transaction, kind, name, scopes, lifetime)

    def sign_in(self, link: str, lifetime: timedelta) -> tuple[KeyRow, str]:
        """Use up a one-time link. Returns a session with the link's name and scopes, and its secret.

        :raises Unauthorized: the link is unknown, was used, was revoked or has expired.
        """
        with self._store.writing() as transaction:
            key = transaction.keys.by_hash(digest(link), lock=True) if SECRET.fullmatch(link) else None
            now = self._clock()
            if key is None or key.kind != LINK or not is_good(key, now):
                raise Unauthorized(
                    "The link is unknown, was used before or has expired. Run `inkeek token link` for a new one."
                )
            transaction.keys.put(replace(key, used=stamp(now), revoked=stamp(now)))
            return self._add(transaction, SESSION, key.name, key.scopes, lifetime)

    def find(self, secret: str, kind: str) -> Caller | None:
        """The holder of a secret; None unless a valid key of that kind has it. Notes the use, to within minutes.

        A key that expires, or that another process revokes, is found for `FRESH` longer.
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
        """The holder of the key with that hash, if it is valid; notes its use."""
        with self._store.reading() as transaction:
            key = transaction.keys.by_hash(hash)
        if key is None or not is_good(key, now):
            return None
        if key.used is None or key.used < stamp(now - USED_EVERY):
            self._note_use(key.id, stamp(now))
        return Caller(key.kind, key.id, key.name, frozenset(key.scopes))

    def _note_use(self, key_id: str, now: str) -> None:
        """Store when the key was used. A failure does not stop the request."""
        try:
            with self._store.writing() as transaction:
                key = transaction.keys.get(key_id, lock=True)
                if key is not None:
                    transaction.keys.put(replace(key, used=now))
        except ServiceError as error:
            log.warning("The use of key %s was not stored: %s", key_id, error)

    def list(self) -> list[KeyRow]:
        """Tokens and sessions, oldest first; expired and revoked ones stay for `KEPT`."""
        with self._store.reading() as transaction:
            return transaction.keys.of_kinds((TOKEN, SESSION))

    def is_good(self, key: KeyRow) -> bool:
        """Whether the key is valid now."""
        return is_good(key, self._clock())

    def still_good(self, key_ids: Collection[str]) -> set[str]:
        """Those of the keys that are still valid, whichever process revoked the others."""
        with self._store.reading() as transaction:
            found = [transaction.keys.get(key_id) for key_id in key_ids]
        return {key.id for key in found if key is not None and self.is_good(key)}

    def revoke(self, key_id: str) -> KeyRow:
        """Revoke a key at once. Revoking it again changes nothing.

        :raises NotFound: there is no such key.
        """
        with self._store.writing() as transaction:
            key = transaction.keys.get(key_id, lock=True)
            if key is None:
                raise NotFound(f"There is no token {key_id!r}. `inkeek token list` shows the ids.")
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
            raise Invalid(f"There are {good} keys of the kind {kind!r} already. Revoke one first.")
        secret = PREFIX[kind] + self._new_secret()
        ordered = tuple(scope for scope in SCOPES if scope in scopes)
        expires = None if lifetime is None else stamp(now + lifetime)
        key = KeyRow(self._new_id(), kind, name, ordered, digest(secret), stamp(now), expires, None, None)
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
        raise Invalid(f"name is {name!r}. Expected the holder of the key, such as 'score desk'.")
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        problem = f"{unknown[0][:40]!r} is unknown" if unknown else "none is given"
        raise Invalid(f"scopes: {problem}. Expected some of {', '.join(SCOPES)}.")
    if lifetime is not None and not timedelta(0) < lifetime <= timedelta(days=MAX_DAYS):
        raise Invalid(f"The lifetime is {lifetime}. Expected at most {MAX_DAYS} days.")
