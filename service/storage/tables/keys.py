"""Keys in the database: tokens, one-time links, sessions. Of their secrets only the hashes are kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Index,
    PrimaryKeyConstraint,
    String,
    Text,
    and_,
    bindparam,
    delete,
    insert,
    or_,
    select,
    update,
)

from service.storage.database.session_reader import Row, SessionReader
from service.storage.rows import KeyRow, Limit

from .declared import declare_table, one_of

keys = declare_table(
    "keys",
    KeyRow,
    PrimaryKeyConstraint("id"),
    one_of("kind", "token", "link", "session", "anyone"),
    one_of("limit_kind", "game", "match", "event", "table"),
    instead={"limit": [Column("limit_kind", String(8)), Column("limit_value", Text)]},
)
Index("uq_keys_hash", keys.c.hash, unique=True)
Index(None, keys.c.invitation)
Index(None, keys.c.lender)
Index("uq_keys_previous_hash", keys.c.previous_hash, unique=True)

_ID = select(keys).where(keys.c.id == bindparam("key_id"))
_BY_ID, _BY_ID_LOCKED = _ID, _ID.with_for_update()
_HASH = select(keys).where(or_(keys.c.hash == bindparam("digest"), keys.c.previous_hash == bindparam("digest")))
BY_HASH, _BY_HASH_LOCKED = _HASH, _HASH.with_for_update()


def is_valid(now: str) -> ColumnElement[bool]:
    """Whether a key is valid at that time."""
    return and_(keys.c.revoked.is_(None), or_(keys.c.expires.is_(None), keys.c.expires > now))


_COLUMNS = tuple(keys.c.keys())


class KeyTable(SessionReader):
    def get(self, key_id: str, *, lock: bool = False) -> KeyRow | None:
        row = self._session.execute(_BY_ID_LOCKED if lock else _BY_ID, {"key_id": key_id}).first()
        return None if row is None else key_of(row)

    def by_hash(self, digest: str, *, lock: bool = False) -> KeyRow | None:
        """The key whose secret, or secret before the last rotation, has this SHA-256, in hexadecimal digits."""
        row = self._session.execute(_BY_HASH_LOCKED if lock else BY_HASH, {"digest": digest}).first()
        return None if row is None else key_of(row)

    def of_kinds(self, kinds: Sequence[str], *, lock: bool = False) -> list[KeyRow]:
        """All keys of these kinds, oldest first."""
        query = select(keys).where(keys.c.kind.in_(kinds)).order_by(keys.c.created, keys.c.id)
        return [key_of(tuple(row)) for row in self._session.execute(query.with_for_update() if lock else query)]

    def valid_ids(self, ids: Collection[str], now: str) -> dict[str, KeyRow]:
        """Those of the keys with these ids that are valid at that time, by their ids."""
        return self._valid(keys.c.id, ids, now)

    def valid_secrets(self, hashes: Collection[str], now: str) -> dict[str, KeyRow]:
        """The keys of those of the secrets with these hashes that are valid at that time, by the hash."""
        return {
            **self._valid(keys.c.previous_hash, hashes, now, keys.c.previous_until > now),
            **self._valid(keys.c.hash, hashes, now),
        }

    def _valid(
        self, column: Column[Any], values: Collection[str], now: str, *more: ColumnElement[bool]
    ) -> dict[str, KeyRow]:
        if not values:
            return {}
        query = select(keys).where(column.in_(values), is_valid(now), *more)
        found = [key_of(tuple(row)) for row in self._session.execute(query)]
        return {getattr(key, column.name): key for key in found}

    def count_own(self, kind: str, now: str) -> int:
        """How many keys of a kind are valid at that time, without those that are lent."""
        return self._count(keys, keys.c.kind == kind, keys.c.lender.is_(None), is_valid(now))

    def holder(self, key_id: str) -> str:
        """The id of the key that lent this one, or lent the one that did; of one that nobody lent, its own."""
        while (found := self.get(key_id)) is not None and found.lender is not None:
            key_id = found.lender
        return key_id

    def lent(self, lender: str, now: str) -> list[KeyRow]:
        """The keys for other devices that a session lent and that are valid at that time, oldest first."""
        query = select(keys).where(keys.c.lender == lender, is_valid(now)).order_by(keys.c.created, keys.c.id)
        return [key_of(tuple(row)) for row in self._session.execute(query)]

    def sharers(self, key_id: str) -> set[str]:
        """The ids of the keys of a holder on all their devices, who shares what each holder may have."""
        lender = select(keys.c.lender).where(keys.c.id == key_id).scalar_subquery()
        query = select(keys.c.id).where(or_(keys.c.lender == lender, keys.c.lender == key_id, keys.c.id == lender))
        return {key_id, *self._session.execute(query).scalars()}

    def add(self, row: KeyRow) -> None:
        self._session.execute(insert(keys).values(_values(row)))

    def put(self, row: KeyRow) -> None:
        """Store a key. What it lent to other devices may do as much, and ends with it."""
        values = _values(row)
        self._session.execute(update(keys).where(keys.c.id == row.id).values(values))
        shared = {name: values[name] for name in ("scopes", "limit_kind", "limit_value", "revoked")}
        self._session.execute(update(keys).where(keys.c.lender == row.id, keys.c.revoked.is_(None)).values(shared))

    def forget(self, before: str) -> None:
        """Drop the keys that were over before that time."""
        self._session.execute(delete(keys).where(or_(keys.c.expires < before, keys.c.revoked < before)))


def _values(row: KeyRow) -> dict[str, Any]:
    values = {**row._asdict(), "scopes": " ".join(row.scopes)}
    del values["limit"]
    kind, value = (None, None) if row.limit is None else (row.limit.kind, row.limit.value)
    return {**values, "limit_kind": kind, "limit_value": value}


@lru_cache(maxsize=256)  # every request asks for one
def key_of(row: Row) -> KeyRow:
    """The key of a row with all columns."""
    values = dict(zip(_COLUMNS, row, strict=True))
    values["scopes"] = tuple(values["scopes"].split())
    kind, value = values.pop("limit_kind"), values.pop("limit_value")
    return KeyRow(**values, limit=None if kind is None else Limit(kind, value))
