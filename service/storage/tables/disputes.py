"""Disputes in the database, so that the open ones of all games are found, worked out from the events; and photographs
that are evidence in them, of which the events have the hash, the type and the length."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from sqlalchemy import (
    Column,
    Connection,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    PrimaryKeyConstraint,
    String,
    delete,
    exists,
    func,
    insert,
    select,
    tuple_,
)

from inkeek.records.notation.tags import carried_rules
from inkeek.service.errors import Invalid
from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.ids import ID_LENGTH
from inkeek.service.storage.integrity.chain import GameEvent
from inkeek.service.storage.rows import DisputeRow, GameRow, Limit
from inkeek.service.storage.search import OneOrMore, values_of

from .declared import declare_table, define_table
from .game_list import within_limit
from .games import GameTable
from .schema import events, games

disputes = declare_table(
    "disputes",
    DisputeRow,
    PrimaryKeyConstraint("game", "seq"),
    ForeignKeyConstraint(["game"], ["games.id"]),
    Index(None, "time", "game", "seq"),
    Index(None, "state", "time", "game", "seq"),
    Index("ix_disputes_slip", "slip", "time", "game", "seq"),
    instead={"about": [Column("about", String(8), nullable=False, server_default="turn")]},
)
photographs = define_table(
    "photographs",
    Column("game", String(32), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("game", "sha256"),
    ForeignKeyConstraint(["game"], ["games.id"]),
)
CURSOR = r"([0-9TZ:.-]{1,32})~([0-9a-z]{1,32})~([0-9]{1,9})"
_CURSOR = re.compile(CURSOR, re.ASCII)


class DisputeTable(SessionReader):
    def __init__(self, session: Connection, games: GameTable) -> None:
        super().__init__(session)
        self._games = games

    def of_game(self, game_id: str) -> tuple[DisputeRow, ...]:
        """The disputes of a game, in the order they were opened."""
        query = select(disputes).where(disputes.c.game == game_id).order_by(disputes.c.seq)
        return tuple(DisputeRow(**row._mapping) for row in self._session.execute(query))

    def page(
        self,
        limit: int,
        cursor: str | None,
        state: OneOrMore,
        within: Limit | None = None,
        slip: OneOrMore = None,
        game: OneOrMore = None,
        like: GameRow | None = None,
    ) -> tuple[list[DisputeRow], str | None]:
        """At most `limit` disputes in that state (None: in any) of the games that `within` covers, newest first, after
        `cursor` (the second value of the page before); and the cursor of the next page, None when this is the last.
        `slip`: only rulings about that kind of slip; `game`: only games by the rule set with that id; `like`:
        only games by the same rules as this one.

        :raises Invalid: the cursor is not from such a list.
        """
        order = (disputes.c.time, disputes.c.game, disputes.c.seq)
        query = select(disputes).order_by(*(column.desc() for column in order)).limit(limit + 1)
        if state is not None:
            query = query.where(disputes.c.state.in_(values_of(state)))
        if slip is not None:
            query = query.where(disputes.c.slip.in_(values_of(slip)))
        if within is not None or game is not None or like is not None:
            query = query.join(games, games.c.id == disputes.c.game)
        if within is not None:
            query = query.where(within_limit(within))
        if game is not None:
            query = query.where(games.c.game.in_(values_of(game)))
        if like is not None:
            query = query.where(games.c.game == like.game, games.c.rules == carried_rules(like.tags))
        if cursor is not None:
            after = _CURSOR.fullmatch(cursor)
            if after is None:
                raise Invalid(
                    f"cursor is {cursor[:80]!r}: expected the 'next' of a page of the same list", field="cursor"
                )
            query = query.where(tuple_(*order) < tuple_(after[1], after[2], int(after[3])))
        found = [DisputeRow(**row._mapping) for row in self._session.execute(query)]
        if len(found) <= limit:
            return found, None
        last = found[limit - 1]
        return found[:limit], f"{last.time}~{last.game}~{last.seq}"

    def standing_rulings(
        self, place: Limit, within: Limit | None, limit: int
    ) -> list[tuple[GameEvent, dict[str, str]]]:
        """At most `limit` rulings that stand in the games that `place` and `within` cover, newest first, each with the
        tags of its game."""
        ruled = (
            select(disputes.c.game, disputes.c.seq, disputes.c.ruled, games.c.number, games.c.tags)
            .join(games, games.c.id == disputes.c.game)
            .where(disputes.c.state == "ruled", within_limit(place))
            .order_by(disputes.c.ruled.desc())
            .limit(limit)
        )
        if within is not None:
            ruled = ruled.where(within_limit(within))
        last = ruled.subquery()
        is_ruling = (events.c.number == last.c.number) & (events.c.seq > last.c.seq) & (events.c.kind == "ruling")
        query = select(last, events.c.seq.label("ruling")).join(events, is_ruling)
        found: dict[tuple[str, int], tuple[GameEvent, dict[str, str]]] = {}
        for row in self._session.execute(query.order_by(last.c.ruled.desc(), events.c.seq.desc())):
            (event,) = self._games.events(row.game, row.ruling - 1, 1)
            if event.data["dispute"] == row.seq:  # else it is about another dispute of the game
                found.setdefault((row.game, row.seq), (event, row.tags))
        return list(found.values())

    def replace(self, game_id: str, rows: Sequence[DisputeRow]) -> None:
        """Store these as all disputes of the game."""
        self._session.execute(delete(disputes).where(disputes.c.game == game_id))
        if rows:
            self._session.execute(insert(disputes), [row._asdict() for row in rows])


class PhotographTable(SessionReader):
    def put(self, game_id: str, sha256: str, data: bytes) -> None:
        """Store a photograph, unless the game has it already. The caller has locked the game."""
        if sha256 not in self.hashes(game_id):
            self._session.execute(insert(photographs).values(game=game_id, sha256=sha256, data=data))

    def get(self, game_id: str, sha256: str) -> bytes | None:
        """The bytes of a photograph, None if they are missing."""
        query = select(photographs.c.data).where(photographs.c.game == game_id, photographs.c.sha256 == sha256)
        found = self._session.execute(query).scalar()
        return None if found is None else bytes(found)

    def delete(self, game_id: str, sha256: str) -> None:
        """Delete a photograph of a game."""
        self._session.execute(delete(photographs).where(photographs.c.game == game_id, photographs.c.sha256 == sha256))

    def size(self, *, game: str | None = None, event: str | None = None, keys: Collection[str] = ()) -> int:
        """The bytes of all photographs; of those of a `game`, of an `event`, or stored with some of the `keys`."""
        query = select(func.sum(func.length(photographs.c.data)))
        if game is not None:
            query = query.where(photographs.c.game == game)
        if event is not None or keys:
            query = query.join(games, games.c.id == photographs.c.game)
        if event is not None:
            query = query.where(games.c.event == event)
        if keys:
            stored = [events.c.number == games.c.number, events.c.kind == "evidence"]
            key = func.substr(events.c.source, func.length(events.c.source) - ID_LENGTH + 1)  # at its end
            stored += [events.c.data.contains(photographs.c.sha256), key.in_(keys)]
            query = query.where(exists().where(*stored))
        return int(self._session.execute(query).scalar_one() or 0)

    def hashes(self, game_id: str) -> set[str]:
        """The hashes of the photographs of a game."""
        query = select(photographs.c.sha256).where(photographs.c.game == game_id)
        return set(self._session.execute(query).scalars())
