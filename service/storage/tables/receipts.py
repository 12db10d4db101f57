"""Answers to requests that came with an ``Idempotency-Key``, kept so that the same request is not done twice."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Text,
    delete,
    select,
    update,
)

from inkeek.service.storage.database.session_reader import SessionReader

from .declared import Json, define_table, is_json

receipts = define_table(
    "receipts",
    Column("caller", String(32), nullable=False),
    Column("key", String(255), nullable=False),
    Column("request", String(64), nullable=False),
    Column("created", String(32), nullable=False),
    Column("status", Integer),
    Column("headers", Json()),
    Column("body", Text),
    PrimaryKeyConstraint("caller", "key"),
    Index(None, "created"),
    *is_json("headers"),
)


class Receipt(NamedTuple):
    """What was answered to the request that has the hash `request`."""

    request: str
    status: int
    headers: dict[str, str]
    body: str


class ReceiptTable(SessionReader):
    def claim(self, caller: str, key: str, request: str, now: str, kept_since: str) -> Receipt | None:
        """Return the earlier answer to this key. None: the key now belongs to the request with this hash, until `fill`.

        A simultaneous request with the same key waits here. Keys from before `kept_since` are deleted.
        """
        self._session.execute(delete(receipts).where(receipts.c.created < kept_since))
        if self._session.dialect.name == "postgresql":
            from sqlalchemy.dialects.postgresql import insert
        else:
            from sqlalchemy.dialects.sqlite import insert  # type: ignore[assignment]
        values: dict[str, Any] = {"caller": caller, "key": key, "request": request, "created": now}
        claimed = insert(receipts).values(values).on_conflict_do_nothing().returning(receipts.c.key)
        if self._session.execute(claimed).first() is not None:
            return None
        query = select(receipts).where(receipts.c.caller == caller, receipts.c.key == key)
        row = self._session.execute(query).one()
        return Receipt(row.request, row.status, row.headers, row.body)

    def fill(self, caller: str, key: str, receipt: Receipt) -> None:
        """Keep the answer to the request that claimed the key."""
        values = {"status": receipt.status, "headers": receipt.headers, "body": receipt.body}
        self._session.execute(update(receipts).where(receipts.c.caller == caller, receipts.c.key == key).values(values))
