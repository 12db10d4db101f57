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
    exists,
    insert,
    or_,
    select,
    update,
)

from inkeek.service.storage.database.session_reader import Row, SessionReader
from inkeek.service.storage.rows import KeyRow, Limit
from inkeek.service.storage.search import name_key

from .declared import declare_table, one_of

keys = declare_table(
    "keys",
    KeyRow,
    PrimaryKeyConstraint("id"),
    one_of("kind", "token", "link", "session", "anyone"),
    one_of("limit_kind", "game", "match", "event", "table"),
    instead={
        "scopes": [Column("scopes", Text, nullable=False)],
        "limit": [Column("limit_kind", String(8)), Column("limit_value", Text)],
    },
)
aliased_keys = keys.alias()
Index("uq_keys_hash", keys.c.hash, unique=True)
Index("uq_keys_code", keys.c.code, unique=True)
Index(None, keys.c.giver)
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

    def kin(self, key_id: str) -> set[str]:
        """The ids of a key, of those that gave or lent it, up to one that an administrator gave, and of all that these
        gave or lent: of whom one person decides."""
        root = self.get(key_id)
        while root is not None and (above := root.lender or root.giver) is not None:
            giver = self.get(above)
            if giver is None or "admin" in giver.scopes:
                break
            root = giver
        found = select(keys.c.id).where(keys.c.id == (key_id if root is None else root.id)).cte(recursive=True)
        found = found.union(select(keys.c.id).where(or_(keys.c.giver == found.c.id, keys.c.lender == found.c.id)))
        return {key_id, *self._session.execute(select(found.c.id)).scalars()}

    def add(self, row: KeyRow) -> None:
        self._session.execute(insert(keys).values(_values(row)))

    def put(self, row: KeyRow) -> None:
        """Store a key. What it gave to others ends with it; what it lent to other devices may do as much, too."""
        self._session.execute(update(keys).where(keys.c.id == row.id).values(_values(row)))
        for key in self._given(row.id):
            lent = key.lender is not None and key.lender in (row.id, row.lender)
            follows = key._replace(scopes=row.scopes, limit=row.limit) if lent else key
            follows = follows._replace(revoked=row.revoked, expires=_earlier(key, row))
            if follows != key:
                self.put(follows)

    def _given(self, key_id: str) -> list[KeyRow]:
        query = select(keys).where(keys.c.giver == key_id, keys.c.revoked.is_(None))
        return [key_of(tuple(row)) for row in self._session.execute(query)]

    def given(self, key_id: str) -> list[KeyRow]:
        """The keys that end with a key."""
        return [one for key in self._given(key_id) for one in (key, *self.given(key.id))]

    def invitations(self, event: str, *, lock: bool = False) -> list[KeyRow]:
        """The links with a code to the event with that key, oldest first."""
        query = select(keys).where(keys.c.code.is_not(None)).order_by(keys.c.created, keys.c.id)
        rows = self._session.execute(query.with_for_update() if lock else query)
        return [key for key in (key_of(tuple(row)) for row in rows) if key.event and name_key(key.event) == event]

    def invitation_to(self, limit: Limit, now: str) -> KeyRow | None:
        """The link with a code and this limit that can be used at that time; None: there is none."""
        of_limit = and_(keys.c.limit_kind == limit.kind, keys.c.limit_value == limit.value)
        row = self._session.execute(select(keys).where(keys.c.code.is_not(None), of_limit, is_valid(now))).first()
        return None if row is None else key_of(tuple(row))

    def count_invitations(self, now: str) -> int:
        """How many links with a code can be used at that time."""
        return self._count(keys, keys.c.code.is_not(None), is_valid(now))

    def guests(self, event: str) -> list[KeyRow]:
        """The sessions that came with an invitation to the event with that key, oldest first."""
        came = [key.id for key in self.invitations(event)]
        query = select(keys).where(keys.c.giver.in_(came)).order_by(keys.c.created, keys.c.id)
        return [key_of(tuple(row)) for row in self._session.execute(query)]

    def invitation_of(self, key: KeyRow | None) -> KeyRow | None:
        """The invitation by which a person came, on whatever device; None for everybody else."""
        first = self.get(key.lender) if key is not None and key.lender is not None else key
        link = self.get(first.giver) if first is not None and first.giver is not None else None
        return link if link is not None and link.code is not None else None

    def forget(self, before: str) -> None:
        """Drop the keys that were over before that time, and gave nothing that is left."""
        given = aliased_keys.c.giver == keys.c.id
        over = or_(keys.c.expires < before, keys.c.revoked < before)
        self._session.execute(delete(keys).where(over, ~exists().where(given)))


def _earlier(key: KeyRow, giver: KeyRow) -> str | None:
    """When a key ends that another one gave. The end of a link says until when it can be used."""
    if giver.kind == "link" or giver.expires is None:
        return key.expires
    return giver.expires if key.expires is None else min(key.expires, giver.expires)


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
