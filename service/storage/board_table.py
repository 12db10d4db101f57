"""Boards and their log in the database."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from sqlalchemy import Row, Select, bindparam, delete, func, insert, literal_column, select, update

from .rows import BoardRow, LogRow, RequestRow
from .session import Statement
from .session_reader import SessionReader
from .tables import board_log, board_requests, boards, games

LOG_KEPT = 1000  # entries a board; a page of them is all anyone reads

# Statements are made once: making one takes longer than what most of them do.
_VERSIONS = Statement(
    select(boards.c.game_id, boards.c.id, boards.c.version).where(boards.c.wanted == literal_column("'open'"))
)
_OF_GAME = Statement(
    select(boards).where(boards.c.game_id == bindparam("game_id"), boards.c.wanted == literal_column("'open'"))
)
_GET = select(boards).where(boards.c.id == bindparam("board_id"))
_GET_LOCKED = _GET.with_for_update()
_OPEN = select(boards).where(boards.c.wanted == "open").order_by(boards.c.created, boards.c.id)
_TOP = select(func.max(board_log.c.number)).where(board_log.c.board_id == bindparam("board"))
_LOG = insert(board_log)
_CLEAR = delete(board_log).where(board_log.c.board_id == bindparam("board"), board_log.c.number <= bindparam("upto"))
_WATCHED = select(boards.c.id, games.c.seq).join(games, games.c.id == boards.c.game_id).where(boards.c.wanted == "open")
_PUT = (
    update(boards)
    .where(boards.c.id == bindparam("board_id"))
    .values({column: bindparam(column) for column in boards.c.keys() if column != "id"})  # noqa: SIM118
)
_FIELDS = tuple(field.name for field in fields(BoardRow))
_REQUESTS = select(board_requests).order_by(board_requests.c.number)


class BoardTable(SessionReader):
    """Reads and writes within the transaction of `session`."""

    def get(self, board_id: str, *, lock: bool = False) -> BoardRow | None:
        return self._first(_GET_LOCKED if lock else _GET, board_id=board_id)

    def of_game(self, game_id: str) -> BoardRow | None:
        """The open board that is bound to the game."""
        row = self._session.first(_OF_GAME, {"game_id": game_id})
        return None if row is None else _board(row)

    def bound_to(self, game_id: str) -> list[BoardRow]:
        """All boards that were ever bound to the game, in the order in which they were."""
        query = select(boards).where(boards.c.game_id == game_id).order_by(boards.c.created, boards.c.id)
        return [_board(row) for row in self._session.execute(query)]

    def versions(self) -> dict[str, tuple[str, int]]:
        """Id and version of each open board, by the game it is bound to."""
        return {game_id: (board_id, version) for game_id, board_id, version in self._session.all(_VERSIONS, {})}

    def at(self, url: str) -> BoardRow | None:
        """The open board on that port."""
        return self._first(select(boards).where(boards.c.url == url, boards.c.wanted == "open"))

    def _first(self, query: Select[Any], **asked: str) -> BoardRow | None:
        row = self._session.execute(query, asked).first()
        return None if row is None else _board(row)

    def open(self) -> list[BoardRow]:
        """The boards that are to be open, oldest first."""
        return [_board(row) for row in self._session.execute(_OPEN)]

    def latest(self, limit: int) -> list[BoardRow]:
        """The boards that were closed last, at most `limit`."""
        query = select(boards).where(boards.c.wanted != "open").order_by(boards.c.updated.desc(), boards.c.id)
        return [_board(row) for row in self._session.execute(query.limit(limit))]

    def watched(self) -> dict[str, int]:
        """The number of the last event of its game, by the id of each board that is to be open."""
        return {row.id: row.seq for row in self._session.execute(_WATCHED)}

    def add(self, row: BoardRow) -> None:
        self._session.execute(insert(boards).values(_values(row)))

    def put(self, row: BoardRow) -> None:
        values = _values(row)
        self._session.execute(_PUT, {**values, "board_id": values.pop("id")})

    def log(self, board_id: str, time: str, kind: str, data: dict[str, Any]) -> None:
        """Add an entry to the board's log and drop what is older than the last `LOG_KEPT`."""
        number = (self._session.execute(_TOP, {"board": board_id}).scalar() or 0) + 1
        text = json.dumps(data, ensure_ascii=False)
        self._session.execute(_LOG, {"board_id": board_id, "number": number, "time": time, "kind": kind, "data": text})
        self._session.execute(_CLEAR, {"board": board_id, "upto": number - LOG_KEPT})

    def last_entry(self, board_id: str) -> int:
        """The number of the last entry of the board's log, 0 without one."""
        return int(self._session.execute(_TOP, {"board": board_id}).scalar() or 0)

    def ask(self, board_id: str, kind: str, data: dict[str, Any], created: str) -> RequestRow:
        """Add a request."""
        text = json.dumps(data, ensure_ascii=False)
        added = insert(board_requests).values(board_id=board_id, kind=kind, data=text, created=created)
        (number,) = self._session.execute(added).inserted_primary_key or (0,)
        return RequestRow(board_id, number, kind, data, created)

    def requests(self) -> list[RequestRow]:
        """What is asked of all boards, in order."""
        rows = self._session.execute(_REQUESTS)
        return [
            RequestRow(row.board_id, row.number, row.kind, json.loads(row.data), row.created, row.tries) for row in rows
        ]

    def requests_of(self, board_id: str) -> int:
        """How many requests wait for the board."""
        query = select(func.count()).select_from(board_requests).where(board_requests.c.board_id == board_id)
        return int(self._session.execute(query).scalar_one())

    def count_try(self, request: RequestRow) -> None:
        """Count one more try of a request."""
        counted = update(board_requests).where(board_requests.c.number == request.number)
        self._session.execute(counted.values(tries=board_requests.c.tries + 1))

    def remove_request(self, request: RequestRow) -> None:
        """Take a request away."""
        self._session.execute(delete(board_requests).where(board_requests.c.number == request.number))

    def forget_requests(self, board_id: str) -> None:
        """Take all requests to the board away."""
        self._session.execute(delete(board_requests).where(board_requests.c.board_id == board_id))

    def entries(self, board_id: str, after: int, limit: int) -> list[LogRow]:
        """The log's entries with numbers above `after`, in order."""
        query = (
            select(board_log)
            .where(board_log.c.board_id == board_id, board_log.c.number > after)
            .order_by(board_log.c.number)
            .limit(limit)
        )
        rows = self._session.execute(query)
        return [LogRow(row.number, row.time, row.kind, json.loads(row.data)) for row in rows]


def _values(row: BoardRow) -> dict[str, Any]:
    values = {field: getattr(row, field) for field in _FIELDS if field != "game"}
    values["game_id"] = row.game
    values["status"] = json.dumps(row.status, ensure_ascii=False)
    return values


def _board(row: Row[Any] | tuple[Any, ...]) -> BoardRow:
    values = dict(zip(boards.c.keys(), row, strict=True))
    values["game"] = values.pop("game_id")
    values["buttons"] = bool(values["buttons"])  # SQLite has numbers only
    values["status"] = json.loads(values["status"])
    return BoardRow(**values)
