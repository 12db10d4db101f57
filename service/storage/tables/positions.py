"""The positions of the stored games, and what was played from one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, case, delete, func, select

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.search import EVERYTHING, GameFilter, position_key, position_keys

from .game_list import GameList
from .persons import PersonTable
from .schema import games, positions

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
    def add(self, game: str, rows: Iterable[tuple[int, int, str]]) -> None:
        """Store positions that came up in games by one rule set: numbers of games, plies, and texts."""
        self._insert(positions, ((number, ply, position_key(game, text)) for number, ply, text in rows))

    def add_keys(self, keys: Iterable[tuple[int, Sequence[int]]]) -> None:
        """Store the positions of new games: of each its number, and the keys by ply."""
        self._insert(positions, ((number, ply, key) for number, of_game in keys for ply, key in enumerate(of_game)))

    def remove(self, number: int, *, above: int) -> None:
        """Remove the positions of a game that came up above a ply."""
        self._session.execute(_REMOVE, {"of_game": number, "above": above})

    def replace(self, number: int, game: str, texts: Sequence[str]) -> None:
        """Store the positions of a game in place of those that are stored; `texts` are all of them, from the start."""
        self.remove(number, above=-1)
        self.add_keys([(number, position_keys(game, texts))])

    def continuations(
        self,
        game: str,
        rules: str | None,
        options: Mapping[str, Any],
        position: str,
        where: GameFilter = EVERYTHING,
        *,
        whatever: str | None = None,
    ) -> list[ContinuationRow]:
        """What followed the text of a position, by the key of the next one, in games that carry rules with this key and
        have just these options (those that differ from the rule set's), of those that match `where`. `whatever`: an
        option that makes no difference."""
        reached = (
            select(positions.c.number, positions.c.ply)
            .join(games, games.c.number == positions.c.number)
            .where(positions.c.key == position_key(game, position))
            .where(*GameList(PersonTable(self._session).resolve(where), None).checks())
            .order_by(positions.c.number.desc(), positions.c.ply.desc())
            .limit(MAX_COUNTED)
        )
        same = [dict(options)]
        if whatever is not None:
            stored = select(reached.add_columns(games.c.options).subquery().c.options).distinct()
            for found in self._session.execute(stored).scalars():
                if {name: value for name, value in found.items() if name != whatever} == options:
                    same.append(found)
        here = reached.where(games.c.options.in_(same), games.c.rules == rules).subquery("here")
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


_REMOVE = delete(positions).where(positions.c.number == bindparam("of_game"), positions.c.ply > bindparam("above"))
