"""Persons: how players are written and shown, and which names are one person's.

A name that nobody said anything about has no row: its key is the person's, and the oldest game says how it is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from sqlalchemy import Column, Index, Table, bindparam, delete, insert, or_, select, text

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.rows import PersonRow, PlayerKey
from inkeek.service.storage.search import GameFilter, initials, joined_keys, key_after_all, name_key

from .declared import KEY, WHERE, declare_table
from .schema import players

PG_JOINS = 0x494E4B48  # PostgreSQL's advisory lock of those who join names, shared by those who store them
AT_ONCE = 500  # names that are looked for at once
HIDDEN = "initials"

persons = declare_table(
    "persons",
    PersonRow,
    Index(None, "joined"),
    Index("ix_persons_initials", "key", info={WHERE: HIDDEN}),
    instead={"key": [Column("key", KEY, primary_key=True)], "joined": [Column("joined", KEY)]},
)
_OWNER = select(persons.c.joined).where(persons.c.key == bindparam("key"), persons.c.joined.is_not(None))


class PersonTable(SessionReader):
    def rows(self, keys: Collection[str]) -> dict[str, PersonRow]:
        """What is said about these names, by key."""
        return {row.key: PersonRow(*row) for row in self._in(persons, "key", keys)}

    def all(self) -> list[PersonRow]:
        """What is said about all names."""
        return [PersonRow(*row) for row in self._session.execute(select(persons).order_by(persons.c.key))]

    def owner(self, name: str) -> str:
        """The key of the person that a name belongs to."""
        found = self._session.execute(_OWNER, {"key": name_key(name)}).first()
        return name_key(name) if found is None else str(found[0])

    def resolve(self, where: GameFilter) -> GameFilter:
        """The filter with the persons that the names of players belong to."""
        return replace(where, player=tuple(map(self.owner, where.values("player"))) or None)

    def owners(self, keys: Collection[str]) -> dict[str, str]:
        """The persons that some of these names were joined to, by the keys of the names."""
        return {key: row.joined for key, row in self.rows(keys).items() if row.joined is not None}

    def joined_to(self, key: str) -> list[PersonRow]:
        """The names that were joined to a person."""
        query = select(persons).where(persons.c.joined == key).order_by(persons.c.key)
        return [PersonRow(*row) for row in self._session.execute(query)]

    def stored_keys(self, keys: Iterable[PlayerKey]) -> frozenset[PlayerKey]:
        """The keys of a game as they are stored: with the persons that names were joined to."""
        found = frozenset(keys)
        return joined_keys(found, self.owners({key.name for key in found}))

    def joined_from(self, prefix: str, limit: int) -> list[str]:
        """At most `limit` persons to whom a name that begins so was joined, and whose own name does not begin so."""
        low, end = name_key(prefix), key_after_all(name_key(prefix))
        query = select(persons.c.joined).distinct().where(persons.c.joined.is_not(None), persons.c.key >= low)
        query = (
            query.where(persons.c.joined < low)
            if end is None
            else query.where(persons.c.key < end, or_(persons.c.joined < low, persons.c.joined >= end))
        )
        return list(self._session.execute(query.order_by(persons.c.joined).limit(limit)).scalars())

    def joined_with(self, part: str, limit: int) -> list[str]:
        """At most `limit` persons to whom a name with this part was joined."""
        query = select(persons.c.joined).distinct().where(persons.c.key.contains(part, autoescape=True))
        query = query.where(persons.c.joined.is_not(None)).order_by(persons.c.joined).limit(limit)
        return list(self._session.execute(query).scalars())

    def lock_joins(self, *, alone: bool) -> None:
        """Keep names from being joined until this transaction ends; `alone`: also from being stored."""
        self._lock(PG_JOINS, shared=not alone)

    def hidden(self) -> dict[str, str]:
        """The initials of those who are shown by them, by all keys of their names."""
        of_person = persons.alias("of_person")
        is_theirs = text("of_person.initials"), of_person.c.key == persons.c.joined
        query = select(persons.c.key, persons.c.joined)
        query = query.where(or_(persons.c.initials, select(of_person.c.key).where(*is_theirs).exists()))
        return {row.key: initials(row.joined or row.key) for row in self._session.execute(query)}

    def count_hidden(self) -> int:
        """How many persons are shown by their initials."""
        return self._count(persons, persons.c.initials)

    def playing(self, keys: Collection[str]) -> list[str]:
        """Those of these keys that have games, in their order."""
        return sorted({row.name for row in self._in(players, "name", keys, "name")})

    def games_of_both(self, key: str, other: str) -> int:
        """How many games two persons have played against each other."""
        of_other = select(players.c.number).where(players.c.name == other)
        return self._count(players, players.c.name == key, players.c.number.in_(of_other))

    def put(self, key: str, row: PersonRow | None) -> None:
        """Set what is said about a name."""
        self._session.execute(delete(persons).where(persons.c.key == key))
        if row is not None:
            self._session.execute(insert(persons).values(row._asdict()))

    def forget(self, keys: Collection[str]) -> None:
        """Delete what is said about names."""
        self._session.execute(delete(persons).where(persons.c.key.in_(keys)))

    def _in(self, table: Table, name: str, keys: Collection[str], *columns: str) -> Iterator[Any]:
        wanted: list[Any] = [table.c[column] for column in columns] or [table]
        ordered = sorted(keys)
        for first in range(0, len(ordered), AT_ONCE):
            query = select(*wanted).distinct().where(table.c[name].in_(ordered[first : first + AT_ONCE]))
            yield from self._session.execute(query)
