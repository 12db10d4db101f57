"""Keys in the database: tokens, one-time links, sessions. Of their secrets only the hashes are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import (
    Column,
    Index,
    Row,
    Select,
    String,
    Table,
    Text,
    bindparam,
    delete,
    insert,
    or_,
    select,
    update,
)

from .rows import KeyRow
from .session import Session
from .tables import metadata

keys = Table(
    "keys",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("created", String(32), nullable=False),
    Column("expires", String(32)),
    Column("used", String(32)),
    Column("revoked", String(32)),
)
Index("uq_keys_hash", keys.c.hash, unique=True)


_BY_ID = select(keys).where(keys.c.id == bindparam("key_id"))
_BY_HASH = select(keys).where(keys.c.hash == bindparam("digest"))


class KeyTable:
    """Reads and writes within the transaction of `session`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, key_id: str, *, lock: bool = False) -> KeyRow | None:
        return self._first(_BY_ID, lock, key_id=key_id)

    def by_hash(self, digest: str, *, lock: bool = False) -> KeyRow | None:
        """The key whose secret has this SHA-256, in hexadecimal digits."""
        return self._first(_BY_HASH, lock, digest=digest)

    def _first(self, query: Select[Any], lock: bool, **asked: str) -> KeyRow | None:
        row = self._session.execute(query.with_for_update() if lock else query, asked).first()
        return None if row is None else _key(row)

    def of_kinds(self, kinds: Sequence[str]) -> list[KeyRow]:
        """All keys of these kinds, oldest first."""
        query = select(keys).where(keys.c.kind.in_(kinds)).order_by(keys.c.created, keys.c.id)
        return [_key(row) for row in self._session.execute(query)]

    def add(self, row: KeyRow) -> None:
        self._session.execute(insert(keys).values(_values(row)))

    def put(self, row: KeyRow) -> None:
        self._session.execute(update(keys).where(keys.c.id == row.id).values(_values(row)))

    def forget(self, before: str) -> None:
        """Drop the keys that were over before that time."""
        self._session.execute(delete(keys).where(or_(keys.c.expires < before, keys.c.revoked < before)))


def _values(row: KeyRow) -> dict[str, Any]:
    return {**asdict(row), "scopes": " ".join(row.scopes)}


def _key(row: Row[Any]) -> KeyRow:
    values = dict(row._mapping)
    values["scopes"] = tuple(row.scopes.split())
    return KeyRow(**values)
