"""The ledger in the database.

SQLite has one writer at a time, so a transaction extends the ledger itself. PostgreSQL has many: there a transaction
leaves notes, which `seal` makes into entries once they are committed. Extending the ledger in the transaction would
let one writer at a time commit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    CompoundSelect,
    Connection,
    Integer,
    PrimaryKeyConstraint,
    Select,
    String,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
    text,
    union_all,
)

from inkeek.service.storage.clock import is_stamp
from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.integrity.chain import LedgerEntry, LedgerHead, LedgerNote, chained

from .declared import Hash, define_table
from .schema import events, games

SEAL_LOCK = 0x494E4B46  # PostgreSQL's advisory lock of those who extend the ledger: any number of our own
SEALED_AT_ONCE = 5000  # notes
CHANGES = "@changes"  # in the place of a game's id: the chain of changes of events and persons. No game has such an id


ledger = define_table(
    "ledger",
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("game_id", String(32), nullable=False),
    Column("number", Integer, nullable=False),
    Column("first", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("time", String(32), nullable=False),
    Column("head", Hash, nullable=False),
    Column("hash", Hash, nullable=False),
)

# The entries by the numbers of their games, for all but the last ones: listed `LISTED_AT_ONCE` at a time, so that few
# pages change for many entries. An index would change another page with each turn.
LISTED_AT_ONCE = 1000
listed = define_table(
    "ledger_games",
    Column("number", Integer, nullable=False),
    Column("position", BigInteger, nullable=False),
    PrimaryKeyConstraint("number", "position"),
    sqlite_with_rowid=False,
)

# Notes of events that are not in the ledger yet; always empty in SQLite.
unsealed = define_table(
    "unsealed",
    Column("id", BigInteger, primary_key=True),
    Column("game_id", String(32), nullable=False),
    Column("number", Integer, nullable=False),
    Column("first", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("time", String(32), nullable=False),
    Column("head", Hash, nullable=False),
)

_LAST = select(ledger.c.position, ledger.c.hash, ledger.c.time).order_by(ledger.c.position.desc()).limit(literal(1))
_AFTER = (
    select(ledger)
    .where(ledger.c.position > bindparam("after"))
    .order_by(ledger.c.position)
    .limit(bindparam("limit", type_=sqlalchemy.Integer))
)
_LIST = text(
    "INSERT INTO ledger_games SELECT number, position FROM ledger WHERE position > :after AND position <= :last "
    "ORDER BY number, position ON CONFLICT DO NOTHING"
)
_last = select(func.coalesce(func.max(ledger.c.position), 0)).scalar_subquery()
LISTED = _last - _last % LISTED_AT_ONCE  # the last entry that is listed


def positions_of(numbers: Any) -> CompoundSelect[tuple[int]]:
    """The positions of the entries of games with a number, or with one of those that a query finds."""

    def of_games(column: ColumnElement[int]) -> ColumnElement[bool]:
        return column.in_(numbers) if isinstance(numbers, Select) else column == numbers

    last_ones = select(ledger.c.position).where(ledger.c.position > LISTED, of_games(ledger.c.number))
    return union_all(select(listed.c.position).where(of_games(listed.c.number)), last_ones)


_OF_GAME = (
    select(ledger)
    .where(ledger.c.position.in_(positions_of(bindparam("number"))), ledger.c.game_id == bindparam("game_id"))
    .order_by(ledger.c.position)
)
_NUMBER = select(games.c.number).where(games.c.id == bindparam("game_id"))
_LOST_NUMBER = (
    select(ledger.c.number)
    .where(ledger.c.game_id == bindparam("game_id"))
    .order_by(ledger.c.position)
    .limit(literal(1))
)
_NOTES_OF_GAME = select(unsealed).where(unsealed.c.game_id == bindparam("game_id")).order_by(unsealed.c.id)
_OLDEST = select(unsealed.c.id).order_by(unsealed.c.id).limit(bindparam("limit", type_=sqlalchemy.Integer))
_TAKE = delete(unsealed).where(unsealed.c.id.in_(_OLDEST)).returning(unsealed)


_OLDEST_TIME = select(unsealed.c.time).order_by(unsealed.c.id).limit(literal(1))


class LedgerTable(SessionReader):
    def __init__(self, session: Connection) -> None:
        super().__init__(session)
        self._notes: dict[str, LedgerNote] = {}  # by game, of this transaction

    def note(self, game: str, number: int, seq: int, time: str, head: str) -> None:
        """Note a stored event. The events of a game come in their order. A `time` that is none of ours is not noted."""
        before = self._notes.get(game)
        first = seq if before is None else before.first
        self._notes[game] = LedgerNote(game, number, first, seq, time if is_stamp(time) else "", head)

    def store_notes(self) -> None:
        """Store what this transaction noted."""
        if not self._notes:
            return
        notes = list(self._notes.values())
        self._notes.clear()
        if self._session.dialect.name == "sqlite":
            self._extend(notes)
        else:
            names = unsealed.c.keys()[1:]
            self._session.execute(insert(unsealed), [dict(zip(names, note, strict=True)) for note in notes])

    def seal(self) -> bool:
        """Extend the ledger by committed notes, in PostgreSQL. Return whether there may be more of them."""
        self._lock(SEAL_LOCK)
        rows = self._session.execute(_TAKE, {"limit": SEALED_AT_ONCE}).all()
        self._extend([LedgerNote._make(row[1:]) for row in sorted(rows)])
        return len(rows) == SEALED_AT_ONCE

    def has_notes(self) -> bool:
        """Whether there are notes to be sealed."""
        return self._session.execute(_OLDEST, {"limit": 1}).first() is not None

    def oldest_note(self) -> str | None:
        """The time of the event that waits longest to be sealed."""
        return self._session.execute(_OLDEST_TIME).scalar()

    def head(self) -> LedgerHead:
        """The end of the ledger."""
        return self._end()[0]

    def _end(self) -> tuple[LedgerHead, str]:
        row = self._session.execute(_LAST).first()
        return (LedgerHead(), "") if row is None else (LedgerHead(row.position, row.hash), row.time)

    def entries_after(self, position: int, limit: int) -> list[LedgerEntry]:
        """At most `limit` entries after a position, in order."""
        rows = self._session.execute(_AFTER, {"after": position, "limit": limit}).all()
        return [LedgerEntry._make(row) for row in rows]

    def event_times(self, position: int, last: int) -> dict[int, str]:
        """The times of the events that the entries after a position name, up to the entry `last`, by position.

        Those that are no times are left out.
        """
        named = (events.c.number == ledger.c.number) & (events.c.seq == ledger.c.seq)
        query = select(ledger.c.position, events.c.time).join(events, named)
        rows = self._session.execute(query.where(ledger.c.position > position, ledger.c.position <= last))
        return {row.position: row.time for row in rows if is_stamp(row.time)}

    def of_game(self, game_id: str) -> tuple[list[LedgerEntry], list[LedgerNote]]:
        """The entries of a game, and the notes of it that are not entries yet."""
        values = {"game_id": game_id}
        row = self._session.execute(_NUMBER, values).first() or self._session.execute(_LOST_NUMBER, values).first()
        rows = self._session.execute(_OF_GAME, {**values, "number": row and row[0]}).all()
        notes = [] if self._session.dialect.name == "sqlite" else self._session.execute(_NOTES_OF_GAME, values).all()
        return [LedgerEntry._make(row) for row in rows], [LedgerNote._make(row[1:]) for row in notes]

    def counts(self, position: int) -> tuple[int, int]:
        """How many games and events the entries up to a position have."""
        events = func.coalesce(func.sum(ledger.c.seq - ledger.c.first + 1), 0)
        games = func.coalesce(func.sum(case((ledger.c.first == 1, 1), else_=0)), 0)
        query = select(games, events).where(ledger.c.position <= position, ledger.c.game_id != CHANGES)
        return tuple(self._session.execute(query).one())

    def _extend(self, notes: Iterable[LedgerNote]) -> None:
        head, time = self._end()
        entries = list(chained(head, notes, time))
        self._insert(ledger, entries)
        last = head.position + len(entries)
        if last // LISTED_AT_ONCE > head.position // LISTED_AT_ONCE:
            self._list(head.position - head.position % LISTED_AT_ONCE, last - last % LISTED_AT_ONCE)

    def _list(self, after: int, last: int) -> None:
        self._session.execute(_LIST, {"after": after, "last": last})

    def list_fault(self) -> str | None:
        """What is wrong with the list of entries by game."""
        is_listed = exists().where(listed.c.number == ledger.c.number, listed.c.position == ledger.c.position)
        wanted = ledger.c.position <= LISTED
        if self._count(ledger, wanted) == self._count(ledger, wanted, is_listed) == self._count(listed):
            return None
        return "the list of the ledger's entries by game differs from the ledger; it can be rebuilt from it"

    def list_again(self) -> None:
        """Rebuild the list of entries by game."""
        self._session.execute(delete(listed))
        last = self.head().position
        self._list(0, last - last % LISTED_AT_ONCE)
