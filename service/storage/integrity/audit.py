"""What a check of the whole database asks: whether the file is sound, and for rows that belong to no game."""

from __future__ import annotations

from sqlalchemy import MetaData, delete, exists, func, select, text

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.migrate import latest, room_faults, schema_faults
from inkeek.service.storage.tables.ledger import CHANGES, ledger
from inkeek.service.storage.tables.schema import events, games, players, positions

SEARCHED = {"players": players, "positions": positions}
NUMBERED = {"events": events, **SEARCHED}  # tables with rows by a game's number


class Audit(SessionReader):
    """Reads within the transaction of `session`."""

    def schema_faults(self, *, strict: bool = False) -> list[str]:
        """How the tables differ from those that this version of the project needs, with `strict` from those that it
        makes: then nothing may have been added."""
        return schema_faults(self._session, latest(), strict=strict)

    def room_faults(self, tables: MetaData) -> list[str]:
        """As `migrate.room_faults`."""
        return room_faults(self._session, tables)

    def file_faults(self, most: int) -> list[str]:
        """At most `most` faults of an SQLite file: of its pages and indexes, of values that their tables do not allow,
        and of references to rows that do not exist. Reads the whole file."""
        if self._session.dialect.name != "sqlite":
            return []
        rows = self._session.execute(text(f"PRAGMA integrity_check({most})")).scalars()
        faults = [line for row in rows for line in str(row).splitlines() if line != "ok"]
        for table, row, other, _ in self._session.execute(text("PRAGMA foreign_key_check")):
            faults.append(f"row {row} of {table} refers to a row of {other} that does not exist")
        return faults[:most]

    def lost_games(self, after: int, limit: int) -> tuple[list[str], int | None]:
        """Look at the next `limit` entries of the ledger. Return the ids of games in them that do not exist, and the
        last position looked at, None if there was none."""
        some = select(ledger.c.position).where(ledger.c.position > after).order_by(ledger.c.position).limit(limit)
        last: int | None = self._session.execute(select(func.max(some.subquery().c.position))).scalar()
        if last is None:
            return [], None
        query = select(ledger.c.game_id).where(ledger.c.position > after, ledger.c.position <= last)
        query = query.where(ledger.c.game_id != CHANGES, ~exists().where(games.c.id == ledger.c.game_id)).distinct()
        return list(self._session.execute(query.order_by(ledger.c.game_id)).scalars()), last

    def strays(self, table: str, after: int, limit: int) -> tuple[list[int], int | None]:
        """Look at the next `limit` numbers of games in a table of `NUMBERED`, after a number.

        Return those without a game, and the last one looked at, None if there was none.
        """
        column = NUMBERED[table].c.number
        query = select(column).where(column > after).distinct().order_by(column).limit(limit)
        numbers = list(self._session.execute(query).scalars())
        if not numbers:
            return [], None
        query = select(games.c.number).where(games.c.number.between(numbers[0], numbers[-1]))
        there = set(self._session.execute(query).scalars())
        return [number for number in numbers if number not in there], numbers[-1]

    def ids_without_row(self) -> list[str]:
        """Games that only have events, which cannot be unless somebody tampered with the database. The ledger has their
        ids."""
        lost = exists().where(events.c.number == ledger.c.number), ~exists().where(games.c.number == ledger.c.number)
        query = select(ledger.c.game_id).where(ledger.c.first == 1, *lost).distinct().order_by(ledger.c.game_id)
        return list(self._session.execute(query).scalars())

    def delete_orphans(self) -> None:
        """Delete players and positions of games that do not exist."""
        for table in SEARCHED.values():
            self._session.execute(delete(table).where(~exists().where(games.c.number == table.c.number)))
