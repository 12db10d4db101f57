"""The inboxes of far boards in the database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select, true, update

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.rows import InboxNews, InboxRow
from inkeek.service.storage.text_json import load_stored

from .schema import boards, inbox_events, inboxes

_OBJECTS = ("hello", "last_hello", "guidance")  # columns that hold JSON
_ONE = select(inboxes).where(inboxes.c.board_id == bindparam("board"))
_NEWS = (
    select(inboxes.c.board_id, inboxes.c.last, inboxes.c.dealt, inboxes.c.version, inboxes.c.heard)
    .join(boards, boards.c.id == inboxes.c.board_id)
    .where(boards.c.wanted == "open")
)
_EVENTS = (
    select(inbox_events.c.number, inbox_events.c.event)
    .where(inbox_events.c.board_id == bindparam("board"), inbox_events.c.number > bindparam("after"))
    .order_by(inbox_events.c.number)
    .limit(bindparam("most"))
)


class InboxTable(SessionReader):
    def get(self, board: str, *, lock: bool = False) -> InboxRow | None:
        row = self._session.execute(_ONE.with_for_update() if lock else _ONE, {"board": board}).first()
        if row is None:
            return None
        values = dict(row._mapping)
        for name in _OBJECTS:
            values[name] = None if values[name] is None else load_stored(values[name], f"the inbox of board {board}")
        return InboxRow(board=values.pop("board_id"), **values)

    def news(self) -> dict[str, InboxNews]:
        """How the inboxes of all open boards stand, by the board."""
        rows: Iterable[Any] = self._session.execute(_NEWS)
        return {board: InboxNews(*values) for board, *values in rows}

    def add(self, row: InboxRow) -> None:
        self._session.execute(insert(inboxes).values(_values(row)))

    def put(self, row: InboxRow) -> None:
        self._session.execute(update(inboxes).where(inboxes.c.board_id == row.board).values(_values(row)))

    def fill(self, board: str, events: Sequence[tuple[int, str]]) -> None:
        """Store events, as JSON, under their numbers."""
        rows = [{"board_id": board, "number": number, "event": event} for number, event in events]
        self._session.execute(insert(inbox_events), rows)

    def events(self, board: str, after: int, most: int) -> list[tuple[int, dict[str, Any]]]:
        """The events with numbers above `after`, in order, `most` at most."""
        asked = {"board": board, "after": after, "most": most}
        return [
            (row.number, load_stored(row.event, f"the inbox of board {board}"))
            for row in self._session.execute(_EVENTS, asked)
        ]

    def count(self, board: str) -> int:
        """How many events are held."""
        return self._count(inbox_events, inbox_events.c.board_id == board)

    def size(self, board: str) -> int:
        """How many characters the events have that are held."""
        query = select(func.sum(func.length(inbox_events.c.event))).where(inbox_events.c.board_id == board)
        return int(self._session.execute(query).scalar_one() or 0)

    def drop(self, board: str, upto: int | None = None) -> None:
        """Drop the events up to that number; None: all."""
        of_board = inbox_events.c.board_id == board
        self._session.execute(
            delete(inbox_events).where(of_board, true() if upto is None else inbox_events.c.number <= upto)
        )


def _values(row: InboxRow) -> dict[str, Any]:
    values = row._asdict()
    values["board_id"] = values.pop("board")
    for name in _OBJECTS:
        values[name] = None if values[name] is None else json.dumps(values[name])
    return values
