"""Keys: created, looked up by their hash, revoked. The secret is shown once. `Devices` lends a session's right.

A secret has 256 random bits, so SHA-256 without a salt is enough. The store, the clock and randomness are arguments.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from typing import Any

from inkeek.records.text import BARRED
from inkeek.service.errors import (
    Conflict,
    ErrorText,
    Forbidden,
    Invalid,
    LastAdmin,
    NotFound,
    ServiceError,
    StorageBusy,
    Unauthorized,
)
from inkeek.service.games.record_check import check_shown_name
from inkeek.service.games.rights import Right, ended_rights
from inkeek.service.processes.logs import SECRET, Trouble
from inkeek.service.rooms import room_tables
from inkeek.service.settings import Settings
from inkeek.service.storage import KeyRow, Limit
from inkeek.service.storage.clock import Clock, moment, stamp, utc_now
from inkeek.service.storage.ids import random_id
from inkeek.service.storage.store import Store
from inkeek.service.storage.transaction import Transaction

from .caller import ANYONE, LINK, NOBODY, SESSION, TOKEN, Caller
from .limits import check_limit, is_part
from .scopes import SCOPES, allows

log = logging.getLogger(__name__)

PREFIX = {TOKEN: "ink_t_", LINK: "ink_l_", SESSION: "ink_s_"}
CSRF_LENGTH, NONCE = 64, 16  # digits of a CSRF token, and of them those that differ from token to token
MAX_NAME = 60  # characters
NOT_IN_NAME = '":'
HOLDER = rf"[^\s{NOT_IN_NAME}{BARRED}](?:[^{NOT_IN_NAME}{BARRED}]*[^\s{NOT_IN_NAME}{BARRED}])?"  # who holds a key
MAX_KEYS = 1000  # valid ones of one kind
MAX_DAYS = 3650
FRESH = timedelta(minutes=5)  # from signing in, for which the cookie is enough to administer the service
MAX_GRACE = timedelta(days=7)  # for which a secret that was replaced can stay valid
USED_EVERY = timedelta(minutes=5)  # precision of the time of the last use, so that not every request writes
KEPT = timedelta(days=90)  # for which expired and revoked keys stay on the list
REPLACED = ErrorText("The secret was replaced by a rotation. Nothing about keys can be done with it: use the new one.")


def digest(secret: str) -> str:
    """The stored hash of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


ANYONE_HASH = digest(ANYONE)  # no secret: only `Keys.anyone` looks for it


def csrf_token(session: str) -> str:
    """A CSRF token for the forms of a session, derived from its secret: other sites' pages cannot know it.

    Each is another one. So nobody can guess it from the lengths of compressed pages (BREACH).
    """
    return _csrf_token(session, secrets.token_hex(NONCE // 2))


def is_csrf_token(session: str, token: str) -> bool:
    """Whether the token is one of the session."""
    return hmac.compare_digest(token.encode(), _csrf_token(session, token[:NONCE]).encode())


def _csrf_token(session: str, nonce: str) -> str:
    signed = hmac.new(session.encode(), b"csrf" + nonce.encode(), hashlib.sha256).hexdigest()
    return nonce + signed[: CSRF_LENGTH - NONCE]


def is_good(key: KeyRow, now: datetime) -> bool:
    """Whether the key is valid: neither revoked nor expired."""
    return key.revoked is None and (key.expires is None or moment(key.expires) > now)


def is_full(link: KeyRow) -> bool:
    """Whether everybody whom a link is for has come."""
    return link.most is not None and (link.joined or 0) >= link.most


def check_gift(
    transaction: Transaction, giver: KeyRow | None, scopes: Collection[str], limit: Limit | None, now: datetime
) -> None:
    """Check that a key may give others these scopes within this limit; None: whoever runs the service gives them.

    :raises Forbidden: it would be more than the giver has.
    """
    if giver is None:
        return
    more = [scope for scope in scopes if not allows(giver.scopes, scope)]
    if more or not is_good(giver, now):
        raise Forbidden(
            "%(name)s may not give to others what takes the scopes %(scopes)s: nobody gives more than they have.",
            name=giver.name,
            scopes=", ".join(more or scopes),
        )
    if not is_part(transaction, limit, giver.limit):
        raise Forbidden("%(name)s may give to others no more than %(limit)s.", name=giver.name, limit=giver.limit)


def opens(key: KeyRow, hash: str, now: datetime) -> bool:
    """Whether the secret with this hash, one of the key's two, is valid."""
    if not is_good(key, now):
        return False
    return key.hash == hash or (key.previous_until is not None and moment(key.previous_until) > now)


def caller_of(key: KeyRow, hash: str) -> Caller:
    """The holder of a key, who has shown the secret with that hash."""
    scopes, is_replaced = frozenset(key.scopes), key.hash != hash
    return Caller(
        key.kind,
        key.id,
        key.name,
        scopes,
        key.limit,
        hash,
        is_replaced,
        key.lender or "",
        key.look or "",
        key.language or "",
    )


def _good_link(key: KeyRow | None, now: datetime) -> KeyRow:
    """:raises Unauthorized: the key is no one-time link, was used, was revoked or has expired."""
    if key is None or key.kind != LINK or key.code or not is_good(key, now) or is_full(key):
        raise Unauthorized(
            "The link is unknown, was used before or has expired. Start Inkeek again, or ask who runs it for a new one."
        )
    return key


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
        self._notes_of_use = Trouble(log, "when keys were used is not stored")
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._new_secret = new_secret

    def create(
        self,
        kind: str,
        name: str,
        scopes: Collection[str],
        lifetime: timedelta | None,
        limit: Limit | None = None,
        *,
        giver: Caller = NOBODY,
    ) -> tuple[KeyRow, str]:
        """Create a key. Returns its secret too, which is not stored. `lifetime` None: until it is revoked. Who comes by
        a link of a `giver` has to leave with that.

        :raises Invalid: no name, no scopes or unknown ones, a lifetime out of bounds, a limit to what is not there, or
            too many keys. :raises Forbidden: the giver may do less.
        """
        check_key(name, scopes, lifetime)
        with self._store.writing() as transaction:
            if limit is not None:
                check_limit(transaction, limit, scopes)
            until = None if lifetime is None else self._clock() + lifetime
            return self.add(transaction, kind, name, scopes, until, limit, giver=giver.id or None)

    def sign_in(self, link: str, lifetime: timedelta, name: str = "", device: str = "") -> tuple[KeyRow, str]:
        """Use up a one-time link. Returns a session with the link's scopes and limit, and its secret. Its name is that
        of the link, unless another is given. `device`: what the person calls the device.

        :raises Unauthorized: the link is unknown, was used, was revoked or has expired. :raises Invalid: the name is
            too long or has control characters.
        """
        check_shown_name("name", name, MAX_NAME, NOT_IN_NAME)
        check_shown_name("device", device, MAX_NAME)
        with self._store.writing() as transaction:
            now = self._clock()
            key = _good_link(transaction.keys.by_hash(digest(link), lock=True), now)
            owner = transaction.keys.get(key.lender) if key.lender else None
            more = {} if owner is None else {"look": owner.look, "language": owner.language}
            more = {**more, "lender": key.lender, "device": device}
            return self.use(transaction, key, owner.name if owner else name or key.name, now + lifetime, **more)

    def use(
        self,
        transaction: Transaction,
        link: KeyRow,
        name: str,
        until: datetime,
        scopes: Collection[str] | None = None,
        **more: Any,
    ) -> tuple[KeyRow, str]:
        """Let somebody in by a link: a session with its scopes, or fewer, and its limit, and the secret."""
        transaction.keys.put(link._replace(joined=(link.joined or 0) + 1, used=stamp(self._clock())))
        giver = transaction.keys.get(link.giver) if link.giver else None
        if giver is not None and giver.expires is not None:
            until = min(until, moment(giver.expires))
        scopes = link.scopes if scopes is None else scopes
        return self.add(transaction, SESSION, name, scopes, until, link.limit, giver=link.id, **more)

    def link_name(self, link: str) -> str:
        """The name of whom a one-time link signs in. The link stays good.

        :raises Unauthorized: as `sign_in`.
        """
        return _good_link(self._store.key(digest(link)), self._clock()).name

    def find(self, secret: str, kind: str) -> Caller | None:
        """The holder of a secret; None unless a valid key of that kind has it. Notes the use, to within minutes.

        The database is asked each time, so that a key is revoked at once in all processes.
        """
        key = self.find_key(secret, kind)
        return None if key is None else caller_of(key, digest(secret))

    def find_key(self, secret: str, kind: str) -> KeyRow | None:
        """As `find`, the key itself."""
        if not SECRET.fullmatch(secret):
            return None
        now, hash = self._clock(), digest(secret)
        key = self._store.key(hash)
        if key is None or key.kind != kind or not opens(key, hash, now):
            return None
        if key.used is None or now - moment(key.used) > USED_EVERY:
            self._note_use(key.id, stamp(now))
        return key

    def is_owner(self, caller: Caller, link: str) -> bool:
        """Whether who shows an administrator's session has more than its cookie, which all ports of this machine get:
        the used link that signed this session in; or the session has just begun."""
        key = self._store.key(digest(link)) if SECRET.fullmatch(link) else None
        session = self.get(caller.id)
        return (key is not None and key.id == session.giver) or self._clock() - moment(session.created) < FRESH

    def let_others_in(self, caller: Caller) -> bool:
        """Whether other people may do something only as long as the caller's key is good."""
        with self._store.reading() as transaction:
            given = transaction.keys.given(caller.id)
        return any(key.lender is None and is_good(key, self._clock()) for key in given)

    def anyone(self) -> str:
        """The hash of the key that stands for whoever watches without one; empty if nobody may."""
        key = self._store.key(ANYONE_HASH)
        return "" if key is None or key.revoked is not None else ANYONE_HASH

    def let_anyone_watch(self, may: bool) -> None:
        """Let everybody who reaches the service read without a key, or nobody any more."""
        with self._store.writing() as transaction:
            key, now = transaction.keys.by_hash(ANYONE_HASH, lock=True), stamp(self._clock())
            if key is not None:
                transaction.keys.put(key._replace(revoked=None if may else key.revoked or now))
            elif may:
                transaction.keys.add(
                    KeyRow(self._new_id(), ANYONE, ANYONE, ("read",), ANYONE_HASH, now, None, None, None)
                )

    def _note_use(self, key_id: str, now: str) -> None:
        """Store when the key was used. A failure does not stop the request, nor do other writers: it may only read."""
        try:
            with self._store.writing(waits=False) as transaction:
                key = transaction.keys.get(key_id, lock=True)
                if key is not None:
                    transaction.keys.put(key._replace(used=now))
        except StorageBusy:
            pass  # a later request stores it
        except ServiceError as error:
            self._notes_of_use.note(error)
        else:
            self._notes_of_use.over()

    def list(self) -> list[KeyRow]:
        """Tokens and sessions, oldest first; expired and revoked ones stay for `KEPT`."""
        with self._store.reading() as transaction:
            return transaction.keys.of_kinds((TOKEN, SESSION))

    def is_good(self, key: KeyRow) -> bool:
        """Whether the key is valid now."""
        return is_good(key, self._clock())

    def ended(self, rights: Collection[Right]) -> set[Right]:
        """Those of the rights that have ended."""
        with self._store.reading() as transaction:
            return ended_rights(transaction, rights, stamp(self._clock()))

    def get(self, key_id: str) -> KeyRow:
        """The key with that id.

        :raises NotFound: there is no such key.
        """
        with self._store.reading() as transaction:
            return _get_key(transaction, key_id)

    def rotate(
        self,
        key_id: str,
        grace: timedelta = timedelta(0),
        lifetime: timedelta | None = None,
        by: Caller = NOBODY,
    ) -> tuple[KeyRow, str]:
        """Replace the secret of a token. Returns the new one too, which is not stored.

        The old secret is valid for `grace` longer, but not beyond the next rotation; one from before the last rotation
        ends now. `lifetime`: until the token expires; None: as before. `by`: the caller, who may be the token itself.

        :raises NotFound: there is no such key. :raises Conflict: it is not valid any more.
        :raises Forbidden: it rotates itself, and another rotation has just replaced the secret it was called with.
        :raises Invalid: it is no token, or grace or lifetime are out of bounds.
        """
        if not timedelta(0) <= grace <= MAX_GRACE:
            raise Invalid("The grace is %(grace)s. Expected at most %(days)s days.", grace=grace, days=MAX_GRACE.days)
        _check_lifetime(lifetime)
        with self._store.writing() as transaction:
            key, now = _get_key(transaction, key_id, lock=True), self._clock()
            _check_current(key, by)
            if key.kind != TOKEN:
                raise Invalid("%(key_id)r is a %(kind)s. Only tokens can be rotated.", key_id=key_id, kind=key.kind)
            if not is_good(key, now):
                raise Conflict("Token %(key_id)s was revoked or has expired. Create a new one.", key_id=key_id)
            secret = PREFIX[TOKEN] + self._new_secret()
            key = key._replace(
                hash=digest(secret),
                expires=key.expires if lifetime is None else stamp(now + lifetime),
                previous_hash=key.hash if grace else None,
                previous_until=stamp(now + grace) if grace else None,
            )
            transaction.keys.put(key)
            return key, secret

    def revoke(self, key_id: str, *, keep_admin: bool = False, by: Caller = NOBODY) -> KeyRow:
        """Revoke a key at once. Revoking it again changes nothing.

        :raises NotFound: there is no such key. :raises Forbidden: as `rotate`.
        :raises LastAdmin: with `keep_admin`, it is the last valid token or session with the scope admin.
        """
        with self._store.writing() as transaction:
            all_keys = transaction.keys.of_kinds((TOKEN, SESSION), lock=True) if keep_admin else []
            key, now = _get_key(transaction, key_id, lock=True), self._clock()
            _check_current(key, by)
            admins = {other.id for other in all_keys if "admin" in other.scopes and is_good(other, now)}
            if admins and admins <= {key_id, *(one.id for one in transaction.keys.given(key_id))}:
                raise LastAdmin(
                    "%(name)r is the last valid %(kind)s with the scope admin. Create another one first, "
                    "rotate it, or run `inkeek token revoke %(key_id)s` on the machine of the service.",
                    name=key.name,
                    kind=key.kind,
                    key_id=key_id,
                )
            if key.revoked is None:
                key = key._replace(revoked=stamp(now))
                transaction.keys.put(key)
        return key

    def add(
        self,
        transaction: Transaction,
        kind: str,
        name: str,
        scopes: Collection[str],
        until: datetime | None,
        limit: Limit | None,
        *,
        giver: str | None = None,
        code: str | None = None,
        most: int = 1,
        **more: Any,
    ) -> tuple[KeyRow, str]:
        """Add a key, with `more` fields of its row. Returns its secret too, which is not stored. It ends with its
        `giver`, at the latest. A link is for so many people; with a `code`, that is its secret.

        :raises Invalid: there are too many keys. :raises Forbidden: the giver may do less.
        """
        now = self._clock()
        transaction.keys.forget(stamp(now - KEPT))
        if kind == LINK:
            by = transaction.keys.get(giver) if giver else None
            check_gift(transaction, by, scopes, limit, now)
            if by is not None and by.expires is not None:
                until = min(until or moment(by.expires), moment(by.expires))
        good = 0 if more.get("lender") else transaction.keys.count_own(kind, stamp(now))
        if good >= MAX_KEYS:
            raise Invalid(
                "There are %(good)s keys of the kind %(kind)r already. Revoke one first.", good=good, kind=kind
            )
        secret = code or PREFIX[kind] + self._new_secret()
        ordered = tuple(scope for scope in SCOPES if scope in scopes)
        expires = None if until is None else stamp(until)
        key = KeyRow(
            self._new_id(),
            kind,
            name,
            ordered,
            digest(secret),
            stamp(now),
            expires,
            None,
            None,
            limit,
            None,
            None,
            giver,
            code,
            most if kind == LINK else None,
            0 if kind == LINK else None,
            **more,
        )
        transaction.keys.add(key)
        return key, secret


@contextmanager
def open_keys(settings: Settings, *, must_exist: bool = False) -> Iterator[Keys]:
    """Open the keys in the database that the settings name, for programs beside the service. Creates or upgrades the
    database, except with `must_exist`.

    :raises StorageError: it must exist, and does not or is of another version.
    """
    with closing(Store(settings.database_url, settings.lock_timeout)) as store:
        if must_exist:
            store.check_revision(tables=False)
        else:
            store.upgrade(room_tables(settings.left_out))
        yield Keys(store)


def check_key(name: str, scopes: Collection[str], lifetime: timedelta | None) -> None:
    """:raises Invalid: a key cannot have this name, these scopes or this lifetime."""
    check_shown_name("name", name, MAX_NAME, NOT_IN_NAME)
    if not name.strip() or name != name.strip():
        raise Invalid(
            "name is %(name)r. Expected the holder of the key, such as 'score desk'.", field="name", name=name
        )
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        problem = ErrorText("%(scope)r is unknown", scope=unknown[0][:40]) if unknown else ErrorText("none is given")
        raise Invalid(
            "scopes: %(problem)s. Expected some of %(scopes)s.",
            field="scopes",
            problem=problem,
            scopes=", ".join(SCOPES),
        )
    _check_lifetime(lifetime)


def _check_lifetime(lifetime: timedelta | None) -> None:
    if lifetime is not None and not timedelta(0) < lifetime <= timedelta(days=MAX_DAYS):
        raise Invalid(
            "The lifetime is %(lifetime)s. Expected at most %(max_days)s days.", lifetime=lifetime, max_days=MAX_DAYS
        )


def _check_current(key: KeyRow, by: Caller) -> None:
    if by.id == key.id and by.hash != key.hash:
        raise Forbidden(REPLACED)


def _get_key(transaction: Transaction, key_id: str, *, lock: bool = False) -> KeyRow:
    key = transaction.keys.get(key_id, lock=lock)
    if key is None:
        raise NotFound("There is no token %(key_id)r. `inkeek token list` shows the ids.", key_id=key_id[:80])
    return key


MAX_DEVICES = 10  # besides the first one
LINK_LIFETIME = timedelta(minutes=5)


class Devices:
    """A person's other devices: a session lends all of its right to them, with a link that works once.

    They end with the session that lent it, which is the first one, and may do what that may do.
    """

    def __init__(self, store: Store, keys: Keys, *, clock: Clock = utc_now) -> None:
        self._store = store
        self._keys = keys
        self._clock = clock

    def add_link(self, caller: Caller) -> tuple[KeyRow, str]:
        """A link that signs another device in as the caller, in place of the one before. Returns its secret too, which
        is not stored.

        :raises Conflict: the caller is not signed in with a browser, or there are too many devices.
        """
        with self._store.writing() as transaction:
            first = self._first(transaction, caller)
            if first is None:
                raise Conflict("Only who is signed in with a browser can sign in another device.")
            now = self._clock()
            lent = transaction.keys.lent(first.id, stamp(now))
            if sum(key.kind == SESSION for key in lent) >= MAX_DEVICES:
                raise Conflict("You are signed in on %(most)s other devices. End one first.", most=MAX_DEVICES)
            for key in lent:
                if key.kind == LINK and not is_full(key):
                    transaction.keys.put(key._replace(revoked=stamp(now)))
            until, id = now + LINK_LIFETIME, first.id
            return self._keys.add(transaction, LINK, first.name, first.scopes, until, first.limit, giver=id, lender=id)

    def others(self, caller: Caller) -> list[KeyRow]:
        """The sessions of the caller on other devices, the first one first."""
        with self._store.reading() as transaction:
            return [key for key in self._sessions(transaction, caller) if key.id != caller.id]

    def keep(self, caller: Caller, *, look: str = "", language: str = "") -> None:
        """Have pages be as a person chose on all their devices: their `look`, or `language`. Does nothing for guests,
        whose browser keeps that."""
        if caller.kind != SESSION or caller.limit is not None:
            return
        with self._store.writing() as transaction:
            for key in self._sessions(transaction, caller):
                chosen = key._replace(look=look or key.look, language=language or key.language)
                transaction.keys.put(chosen)

    def end(self, caller: Caller, key_id: str) -> None:
        """End a session of the caller on another device.

        :raises NotFound: there is none with that id.
        """
        if all(key.id != key_id for key in self.others(caller)):
            raise NotFound("You are not signed in on a device with the id %(key_id)r.", key_id=key_id[:80])
        self._keys.revoke(key_id)

    def _sessions(self, transaction: Transaction, caller: Caller) -> list[KeyRow]:
        first = self._first(transaction, caller)
        lent = [] if first is None else [first, *transaction.keys.lent(first.id, stamp(self._clock()))]
        return [key for key in lent if key.kind == SESSION]

    def _first(self, transaction: Transaction, caller: Caller) -> KeyRow | None:
        """The session that lends to the others; None if the caller has none."""
        key = transaction.keys.get(caller.lender or caller.id, lock=True) if caller.kind == SESSION else None
        return key if key is not None and is_good(key, self._clock()) else None
