"""Other people's apps, and the codes with which they fetch the tokens that were lent to them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from sqlalchemy import Index, PrimaryKeyConstraint, delete, insert, select, update

from service.storage.database.session_reader import SessionReader
from service.storage.rows import Hash, Id, KeyRow, Time
from service.storage.tables.declared import declare_table
from service.storage.tables.keys import is_valid, key_of, keys


class AppRow(NamedTuple):
    """An app that registered itself. Its answers go to one of its `redirect_uris`."""

    id: Id
    name: str
    redirect_uris: tuple[str, ...]
    created: Time


class CodeRow(NamedTuple):
    """A code, by the SHA-256 `hash` of it: the key `lender` lends the app `scope`. `challenge` is that of PKCE. `key`
    is the id of the token that was made for it."""

    hash: Hash
    app: Id
    lender: Id
    redirect_uri: str
    scope: str
    challenge: str
    expires: Time
    key: Id | None = None


apps = declare_table("apps", AppRow, PrimaryKeyConstraint("id"), Index(None, "created"))
codes = declare_table("app_codes", CodeRow, PrimaryKeyConstraint("hash"))


class AppTable(SessionReader):
    def get(self, app_id: str) -> AppRow | None:
        row = self._session.execute(select(apps).where(apps.c.id == app_id)).first()
        return None if row is None else _app_of(row)

    def add(self, row: AppRow) -> None:
        values = {**row._asdict(), "redirect_uris": json.dumps(row.redirect_uris)}
        self._session.execute(insert(apps).values(values))

    def count(self) -> int:
        return self._count(apps)

    def forget_unused(self, most: int, now: str) -> None:
        """Drop the oldest apps to which nothing is lent at that time, so many at most."""
        in_use = select(keys.c.app).where(keys.c.app.is_not(None), is_valid(now))
        oldest = select(apps.c.id).where(apps.c.id.not_in(in_use)).order_by(apps.c.created).limit(most)
        self._session.execute(delete(apps).where(apps.c.id.in_(oldest.scalar_subquery())))

    def lent(self, lender: str, now: str) -> list[KeyRow]:
        """The tokens that a key lent and that are valid at that time, oldest first."""
        query = select(keys).where(keys.c.lender == lender, is_valid(now)).order_by(keys.c.created, keys.c.id)
        return [key_of(tuple(row)) for row in self._session.execute(query)]

    def count_lent(self, now: str) -> int:
        """How many tokens of apps are valid at that time."""
        return self._count(keys, keys.c.app.is_not(None), is_valid(now))

    def forget_lent(self, lender: str, app: str) -> None:
        """Drop what a key lent to an app."""
        self._session.execute(delete(keys).where(keys.c.lender == lender, keys.c.app == app))

    def code(self, hash: str, *, lock: bool = False) -> CodeRow | None:
        query = select(codes).where(codes.c.hash == hash)
        row = self._session.execute(query.with_for_update() if lock else query).first()
        return None if row is None else CodeRow(*tuple(row))

    def add_code(self, row: CodeRow) -> None:
        self._session.execute(insert(codes).values(row._asdict()))

    def use_code(self, hash: str, key: str) -> None:
        self._session.execute(update(codes).where(codes.c.hash == hash).values(key=key))

    def forget_codes(self, before: str) -> None:
        """Drop the codes that ended before that time."""
        self._session.execute(delete(codes).where(codes.c.expires < before))


def _app_of(row: Any) -> AppRow:
    app_id, name, redirect_uris, created = row
    return AppRow(app_id, name, tuple(json.loads(redirect_uris)), created)
