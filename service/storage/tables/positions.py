"""The positions of the stored games, and what was played from one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, case, delete, func, insert, select, text

from service.storage.database.session import Statement
from service.storage.database.session_reader import SessionReader
from service.storage.game_rows import position_rows
from service.storage.integrity.chain import canonical_json
from service.storage.search import EVERYTHING, GameFilter, position_key

from .game_list import GameList
from .persons import PersonTable
from .schema import games, positions, stale_positions

MAX_COUNTED = 20_000  # times that a position came up, the newest ones


class ContinuationRow(NamedTuple):
    """What came of the games in which one position followed another: how often, who won, South's seeds minus North's
    at the end on average (None if no game has a score), and the newest of these games."""

    key: int
    times: int
    south: int
    north: int
    drawn: int
    difference: float | None
    newest: str


class PositionTable(SessionReader):
    def mark_stale(self, number: int, ply: int) -> None:
        """Note that the positions of a game have changed from a ply on."""
        self._session.run(_MARK, {"number": number, "ply": ply})

    def mark_all_stale(self, numbers: Sequence[int]) -> None:
        """Note that no positions of these new games are stored."""
        self._session.insert_many(_MARK_NEW, [(number, 0) for number in numbers])

    def add(self, new: Sequence[tuple[int, Sequence[int]]]) -> None:
        """Store the positions of new games: of each its number, and the keys by ply."""
        self._session.insert_many(_ADD, [(number, ply, key) for number, keys in new for ply, key in enumerate(keys)])

    def add_missing(self, rows: Sequence[tuple[int, int, int]]) -> None:
        """Store positions of games that are stale as a whole, as number, ply and key; some may be stored. Those of
        other games are passed over: somebody has stored what they have now."""
        numbers = [number for number, _, _ in rows]
        stale = set(self._lock_new(min(numbers), max(numbers)))
        rows = [row for row in rows if row[0] in stale]
        if rows and self._session.dialect.name == "postgresql":  # one message instead of one for each row
            columns = dict(zip(("numbers", "plies", "keys"), map(list, zip(*rows, strict=True)), strict=True))
            self._session.run(_ADD_MISSING_ARRAYS, columns)
        else:
            self._session.run_many(_ADD_MISSING, rows)

    def settle(self, seqs: Mapping[int, int]) -> None:
        """Of these games, by number, all positions are stored that there were after the event of that number. One that
        has changed since stays stale."""
        stale = self._lock_new(min(seqs), max(seqs))
        found = self._session.execute(select(games.c.number, games.c.seq).where(games.c.number.in_(seqs)))
        settled = {row.number for row in found if row.seq == seqs[row.number]}.intersection(stale)
        self._session.execute(delete(stale_positions).where(stale_positions.c.number.in_(settled)))

    def _lock_new(self, first: int, last: int) -> Sequence[int]:
        """The numbers from `first` to `last` of games that are stale as a whole. Whoever plays a turn in one of them,
        or stores its positions, waits for the end of this transaction."""
        within = stale_positions.c.number.between(first, last) & (stale_positions.c.ply == 0)
        marks = select(stale_positions.c.number).where(within).order_by(stale_positions.c.number)
        return self._session.execute(marks.with_for_update()).scalars().all()

    def last_stale(self) -> int:
        """The greatest number of a game whose positions have changed since they were stored; 0 if there is none."""
        return self._session.execute(select(func.max(stale_positions.c.number))).scalar() or 0

    def stale(self, above: int, limit: int, *, begun: bool = False, lock: bool = False) -> list[tuple[str, int, int]]:
        """At most `limit` games with a number above `above` whose positions have changed since they were stored: id,
        number, and the ply from which on they have. `begun`: only those of which some are stored. `lock` keeps others
        from changing that until this transaction ends."""
        query = select(games.c.id, stale_positions.c.number, stale_positions.c.ply).join(
            games, games.c.number == stale_positions.c.number
        )
        query = query.where(stale_positions.c.number > above, stale_positions.c.ply >= int(begun))
        query = query.order_by(stale_positions.c.number).limit(limit)
        found = self._session.execute(query.with_for_update(of=stale_positions) if lock else query)
        return [(row.id, row.number, row.ply) for row in found]

    def take_stale(self, above: int, limit: int, *, begun: bool = False) -> list[tuple[str, int, int]]:
        """As `stale`, and these games are not any more. A turn that is stored meanwhile marks its game again."""
        taken = self.stale(above, limit, begun=begun, lock=True)
        marked = stale_positions.c.number.in_([number for _, number, _ in taken])
        self._session.execute(delete(stale_positions).where(marked))
        return taken

    def replace(self, number: int, game: str, texts: Sequence[str], ply: int = 0) -> None:
        """Store the positions of a game from a ply on; `texts` are all of them, from the start."""
        self._session.execute(delete(positions).where(positions.c.number == number, positions.c.ply >= ply))
        self._session.run_many(_ADD, position_rows(number, game, texts[ply:], ply))

    def stored_until(self, number: int) -> int | None:
        """The ply up to which the positions of a game are stored; None: all are."""
        query = select(stale_positions.c.ply).where(stale_positions.c.number == number)
        ply: int | None = self._session.execute(query).scalar()
        return ply

    def continuations(
        self, game: str, options: Mapping[str, Any], position: str, where: GameFilter = EVERYTHING
    ) -> list[ContinuationRow]:
        """What followed the text of a position, by the key of the next one, in games under just these options (those
        that differ from the rule set's), of those that match `where`."""
        reached = (
            select(positions.c.number, positions.c.ply)
            .join(games, games.c.number == positions.c.number)
            .where(positions.c.key == position_key(game, position), games.c.options == canonical_json(options).decode())
            .where(*GameList(PersonTable(self._session).resolve(where), None).checks())
            .order_by(positions.c.number.desc(), positions.c.ply.desc())
            .limit(MAX_COUNTED)
        )
        here = reached.subquery("here")
        following = positions.alias("following")
        newest = func.max(following.c.number).label("newest")

        def won(result: str) -> ColumnElement[int]:
            return func.sum(case((games.c.result == result, 1), else_=0))

        counts = (
            select(
                following.c.key,
                func.count().label("times"),
                won("1-0").label("south"),
                won("0-1").label("north"),
                won("1/2-1/2").label("drawn"),
                func.avg(games.c.score_south - games.c.score_north).label("difference"),
                newest,
            )
            .select_from(here)
            .join(following, (following.c.number == here.c.number) & (following.c.ply == here.c.ply + 1))
            .join(games, games.c.number == following.c.number)
            .group_by(following.c.key)
            .subquery("counts")
        )
        query = select(counts, games.c.id.label("game_id")).join(games, games.c.number == counts.c.newest)
        return [
            ContinuationRow(
                row.key,
                int(row.times),
                int(row.south),
                int(row.north),
                int(row.drawn),
                None if row.difference is None else float(row.difference),
                row.game_id,
            )
            for row in self._session.execute(query)
        ]


_ADD = Statement(insert(positions))
_ADD_MISSING = Statement(
    text("INSERT INTO positions (number, ply, key) VALUES (:number, :ply, :key) ON CONFLICT DO NOTHING")
)
_ADD_MISSING_ARRAYS = Statement(
    text(
        "INSERT INTO positions (number, ply, key) SELECT * FROM unnest("
        "CAST(:numbers AS integer[]), CAST(:plies AS integer[]), CAST(:keys AS bigint[])) ON CONFLICT DO NOTHING"
    )
)
_MARK_NEW = Statement(insert(stale_positions))
# A game that is marked already keeps its row as it is, so that no page changes.
_MARK = Statement(
    text(
        "INSERT INTO stale_positions (number, ply) VALUES (:number, :ply) "
        "ON CONFLICT (number) DO UPDATE SET ply = excluded.ply WHERE excluded.ply < stale_positions.ply"
    )
)
