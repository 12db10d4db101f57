"""Who changed an event or a person: a chain of hashes, whose links the ledger has as it has the events of games.

A link covers a digest of what the change says, so that this can be deleted when a person is taken out. A random salt
keeps anybody from finding a deleted name by trying names.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import Column, Connection, Index, Integer, String, Text, insert, literal, select, update

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.integrity.chain import GENESIS, GameEvent, canonical_json, seal
from inkeek.service.storage.rows import REMOVAL, Change
from inkeek.service.storage.search import name_key
from inkeek.service.storage.text_json import load_stored

from .declared import KEY, define_table, one_of
from .ledger import CHANGES, LedgerTable

PG_CHANGES = 0x494E4B49  # PostgreSQL's advisory lock of those who note a change: each follows from the last

changes = define_table(
    "changes",
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("time", String(32), nullable=False),
    Column("actor", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("about", String(8), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("key", KEY, nullable=False),
    Column("data", Text),
    Column("undoes", Integer),
    Column("salt", String(32), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("prev_hash", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Index(None, "about", "key", "number"),
    Index(None, "undoes"),
    one_of("about", "event", "person"),
)
_FIELDS = [changes.c[name] for name in Change._fields if name != "undone"]


class ChangeTable(SessionReader):
    def __init__(self, session: Connection, ledger: LedgerTable) -> None:
        super().__init__(session)
        self._ledger = ledger

    def note(self, change: Change) -> None:
        """Store a change, with the next number. Call this when all else is locked: nobody else notes one until this
        transaction ends."""
        self._lock(PG_CHANGES)
        query = select(changes.c.number, changes.c.hash).order_by(changes.c.number.desc()).limit(1)
        last = self._session.execute(query).first()
        number, previous = (0, GENESIS) if last is None else (last.number, last.hash)
        row = change_row(change, number + 1, previous)
        self._session.execute(insert(changes).values(row))
        self._ledger.note(CHANGES, 0, row["number"], change.time, row["hash"])

    def newest(
        self,
        about: str,
        keys: Collection[str],
        limit: int,
        before: int | None = None,
        number: int | None = None,
        kind: str | None = None,
    ) -> list[Change]:
        """The newest changes of events or persons with these keys, of one `kind` or all: those `before` a number, or
        the one with `number`.

        :raises Damaged: one cannot be read.
        """
        undoing = changes.alias()
        is_undone = select(undoing.c.number).where(undoing.c.undoes == changes.c.number).exists()
        query = select(*_FIELDS, is_undone).where(changes.c.about == about, changes.c.key.in_(keys))
        if before is not None:
            query = query.where(changes.c.number < before)
        if number is not None:
            query = query.where(changes.c.number == number)
        if kind is not None:
            query = query.where(changes.c.kind == kind)
        return [_change(row) for row in self._session.execute(query.order_by(changes.c.number.desc()).limit(limit))]

    def forget(self, keys: Collection[str]) -> list[int]:
        """Delete what changes say that name one of these persons. Return their numbers."""
        found = []
        for row in self._session.execute(select(*_FIELDS, literal(False)).where(changes.c.data.is_not(None))):
            change = _change(row)
            named = {change.key} if change.about == "person" else set()
            if not named.union(map(name_key, _texts(change.data))).isdisjoint(keys):
                found.append(change)
        for change in found:
            left = {"data": None, "salt": "", "key": "" if change.about == "person" else change.key}
            self._session.execute(update(changes).where(changes.c.number == change.number).values(left))
        return [change.number for change in found]

    def check(self) -> tuple[list[str], list[GameEvent]]:
        """The faults of what each change says; and the links of the chain, which are not checked here."""
        faults, links, deleted, noted = [], [], set(), set()
        for row in self._session.execute(select(changes).order_by(changes.c.number)):
            links.append(_link(row._asdict()))
            if row.data is None:
                deleted.add(row.number)
            elif _digest(row.salt, row.key, row.data) != row.digest:
                faults.append(f"change {row.number} does not say what it said when it was stored")
            elif row.kind == REMOVAL:
                noted.update(load_stored(row.data, "a change").get("changes", ()))
        return faults + [f"what change {number} said was deleted" for number in sorted(deleted - noted)], links


def change_row(change: Change, number: int, previous: str) -> dict[str, Any]:
    """The row of a change that follows the one with the hash `previous`."""
    salt, text = secrets.token_hex(16), canonical_json(change.data).decode()
    row = {name: getattr(change, name) for name in ("time", "actor", "source", "about", "kind", "key", "undoes")}
    row |= {"number": number, "data": text, "salt": salt, "digest": _digest(salt, change.key, text)}
    row["prev_hash"] = previous
    return {**row, "hash": seal(*_link({**row, "hash": ""})[:-1]).hash}


def _digest(salt: str, key: str, text: str) -> str:
    return hashlib.sha256(canonical_json([salt, key, text])).hexdigest()


def _link(row: Mapping[str, Any]) -> GameEvent:
    number, time, actor, source, kind = (row[name] for name in ("number", "time", "actor", "source", "kind"))
    data = {name: row[name] for name in ("about", "undoes", "digest")}
    return GameEvent(CHANGES, number, time, actor, source, kind, data, row["prev_hash"], row["hash"])


def _change(row: Any) -> Change:
    number, time, actor, source, about, kind, key, data, undoes, undone = row
    found = None if data is None else load_stored(data, "a change")
    is_undone = bool(undone or (found or {}).get("undone"))
    return Change(number, time, actor, source, about, kind, key, found, undoes, is_undone)


def _texts(value: object) -> Iterator[str]:
    """All texts in JSON, keys of objects too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value:
            yield from _texts(item)
        for item in value.values() if isinstance(value, dict) else ():
            yield from _texts(item)
