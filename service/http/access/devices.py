"""A person's other devices: a session lends all of its right to them, with a link that works once.

They end with the session that lent it, which is the first one, and may do what that may do.
"""

from __future__ import annotations

from datetime import timedelta

from inkeek.service.errors import Conflict, NotFound
from inkeek.service.storage import KeyRow, Store, Transaction
from inkeek.service.storage.clock import Clock, stamp, utc_now

from .caller import LINK, SESSION, Caller
from .keys import Keys, is_full, is_good

MAX_DEVICES = 10  # besides the first one
LINK_LIFETIME = timedelta(minutes=5)


class Devices:
    """The devices of people in a store."""

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
