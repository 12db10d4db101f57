"""Boards and their log in the database."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, insert, literal_column, select, update

from .direct import Direct
from .rows import BoardRow, LogRow
from .tables import board_log, boards

LOG_KEPT = 1000  # entries a board; a page of them is all anyone reads


_VERSIONS = select(boards.c.game_id, boards.c.id, boards.c.version).where(boards.c.wanted == "open")
_OF_GAME = Direct(
    select(boards).where(boards.c.game_id == bindparam("game_id"), boards.c.wanted == literal_column("'open'"))
)


class BoardTable:
    """Reads and writes within the transaction of `connection`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, board_id: str, *, lock: bool = False) -> BoardRow | None:
        query = select(boards).where(boards.c.id == board_id)
        return self._first(query.with_for_update() if lock else query)

    def of_game(self, game_id: str) -> BoardRow | None:
        """The open board that is bound to the game."""
        row = _OF_GAME.first(self._connection, {"game_id": game_id})
        return None if row is None else _board(row)

    def versions(self) -> dict[str, tuple[str, int]]:
        """Id and version of each open board, by the game it is bound to."""
        return {row.game_id: (row.id, row.version) for row in self._connection.execute(_VERSIONS)}

    def at(self, url: str) -> BoardRow | None:
        """The open board on that port."""
        return self._first(select(boards).where(boards.c.url == url, boards.c.wanted == "open"))

    def _first(self, query: Select[Any]) -> BoardRow | None:
        row = self._connection.execute(query).first()
        return None if row is None else _board(row)

    def open(self) -> list[BoardRow]:
        """The boards that are to be open, oldest first."""
        query = select(boards).where(boards.c.wanted == "open").order_by(boards.c.created, boards.c.id)
        return [_board(row) for row in self._connection.execute(query)]

    def add(self, row: BoardRow) -> None:
        self._connection.execute(insert(boards).values(_values(row)))

    def put(self, row: BoardRow) -> None:
        self._connection.execute(update(boards).where(boards.c.id == row.id).values(_values(row)))

    def log(self, board_id: str, time: str, kind: str, data: dict[str, Any]) -> None:
        """Add an entry to the board's log and drop what is older than the last `LOG_KEPT`."""
        top = select(func.max(board_log.c.number)).where(board_log.c.board_id == board_id)
        number = (self._connection.execute(top).scalar() or 0) + 1
        self._connection.execute(
            insert(board_log).values(
                board_id=board_id,
                number=number,
                time=time,
                kind=kind,
                data=json.dumps(data, ensure_ascii=False),
            )
        )
        self._connection.execute(
            board_log.delete().where(board_log.c.board_id == board_id, board_log.c.number <= number - LOG_KEPT)
        )

    def entries(self, board_id: str, after: int, limit: int) -> list[LogRow]:
        """The log's entries with numbers above `after`, in order."""
        query = (
            select(board_log)
            .where(board_log.c.board_id == board_id, board_log.c.number > after)
            .order_by(board_log.c.number)
            .limit(limit)
        )
        rows = self._connection.execute(query)
        return [LogRow(row.number, row.time, row.kind, json.loads(row.data)) for row in rows]


def _values(row: BoardRow) -> dict[str, Any]:
    values = asdict(row)
    values["game_id"] = values.pop("game")
    values["status"] = json.dumps(row.status, ensure_ascii=False)
    return values


def _board(row: Row[Any] | tuple[Any, ...]) -> BoardRow:
    values = dict(zip(boards.c.keys(), row, strict=True))
    values["game"] = values.pop("game_id")
    values["status"] = json.loads(values["status"])
    return BoardRow(**values)
