"""Boards and their log in the database."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, bindparam, delete, insert, literal_column, or_, select, update

from inkeek.drivers.ports.transport import real_name
from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.rows import FAR, BoardRow, LogRow, PluggedRow, RequestRow
from inkeek.service.storage.text_json import dump_texts

from .schema import board_log, board_requests, boards, games, plugged_ports

PG_SERIALS = 0x494E4B4B  # PostgreSQL's advisory lock of those who bind serial numbers: any number of our own
LOG_KEPT = 1000  # entries a board; a page of them is all anyone reads
LOG_BYTES = 512 << 10  # of all entries of a board
MAX_ENTRY = 64 << 10  # bytes of one

# Statements are made once: making one takes longer than what most of them do.
_VERSIONS = select(boards.c.game, boards.c.id, boards.c.version).where(boards.c.wanted == literal_column("'open'"))
_OF_GAME = select(boards).where(boards.c.game == bindparam("game_id"), boards.c.wanted == literal_column("'open'"))
_GET = select(boards).where(boards.c.id == bindparam("board_id"))
_GET_LOCKED = _GET.with_for_update()
_OPEN = select(boards).where(boards.c.wanted == "open").order_by(boards.c.created, boards.c.id)
_TOP = (
    select(board_log.c.number, board_log.c.total)
    .where(board_log.c.board_id == bindparam("board"))
    .order_by(board_log.c.number.desc())
    .limit(1)
)
_LOG = insert(board_log)
_CLEAR = delete(board_log).where(
    board_log.c.board_id == bindparam("board"),
    or_(board_log.c.number <= bindparam("upto"), board_log.c.total <= bindparam("size")),
)
_WATCHED = select(boards.c.id, games.c.seq).join(games, games.c.id == boards.c.game)
_WATCHED = _WATCHED.where(boards.c.wanted == "open", boards.c.driver != FAR)  # far ones have a process of their own
_IDLE = select(boards.c.game).join(games, games.c.id == boards.c.game)
_IDLE = _IDLE.where(boards.c.wanted == "open", games.c.state == "ended")
_PUT = (
    update(boards)
    .where(boards.c.id == bindparam("board_id"))
    .values({column: bindparam(column) for column in boards.c.keys() if column != "id"})  # noqa: SIM118
)
_NOTE = (
    update(boards)
    .where(boards.c.id == bindparam("board"))
    .values(version=boards.c.version + 1, updated=bindparam("time"))
)
_PLUGGED = select(plugged_ports).order_by(plugged_ports.c.url)
_REQUESTS = select(*(board_requests.c[name] for name in RequestRow._fields)).order_by(board_requests.c.number)


class BoardTable(SessionReader):
    def get(self, board_id: str, *, lock: bool = False) -> BoardRow | None:
        return self._first(_GET_LOCKED if lock else _GET, board_id=board_id)

    def of_game(self, game_id: str) -> BoardRow | None:
        """The open board that is bound to the game."""
        return self._first(_OF_GAME, game_id=game_id)

    def bound_to(self, game_id: str) -> list[BoardRow]:
        """All boards that were ever bound to the game, in the order in which they were."""
        query = select(boards).where(boards.c.game == game_id).order_by(boards.c.created, boards.c.id)
        return [BoardRow._make(row) for row in self._session.execute(query)]

    def games_of(self, board_ids: Collection[str]) -> dict[str, str]:
        """The game of each of these boards, as far as they are there."""
        if not board_ids:
            return {}
        query = select(boards.c.id, boards.c.game).where(boards.c.id.in_(board_ids))
        return {row[0]: row[1] for row in self._session.execute(query)}

    def versions(self) -> dict[str, tuple[str, int]]:
        """Id and version of each open board, by the game it is bound to."""
        return {game_id: (board_id, version) for game_id, board_id, version in self._session.execute(_VERSIONS).all()}

    def lock_serials(self) -> None:
        """Keep other boards from being bound to serial numbers until this transaction ends."""
        self._lock(PG_SERIALS)

    def at(self, url: str) -> BoardRow | None:
        """The open board on that port, under whatever name."""
        name = real_name(url)
        return next((board for board in self.open() if real_name(board.url) == name), None)

    def _first(self, query: Select[Any], **asked: str) -> BoardRow | None:
        row = self._session.execute(query, asked).first()
        return None if row is None else BoardRow._make(row)

    def open(self) -> list[BoardRow]:
        """The boards that are to be open, oldest first."""
        return [BoardRow._make(row) for row in self._session.execute(_OPEN)]

    def latest(self, limit: int) -> list[BoardRow]:
        """The boards that were closed last, at most `limit`."""
        query = select(boards).where(boards.c.wanted != "open").order_by(boards.c.updated.desc(), boards.c.id)
        return [BoardRow._make(row) for row in self._session.execute(query.limit(limit))]

    def watched(self) -> dict[str, int]:
        """The number of the last event of its game, by the id of each board that the desk is to open."""
        return {row.id: row.seq for row in self._session.execute(_WATCHED)}

    def idle(self) -> list[str]:
        """The games of open boards that are over."""
        return list(self._session.execute(_IDLE).scalars())

    def add(self, row: BoardRow) -> None:
        self._insert(boards, [row])

    def put(self, row: BoardRow) -> None:
        values = row._asdict()
        self._session.execute(_PUT, {**values, "board_id": values.pop("id")})

    def log(self, board_id: str, time: str, kind: str, data: dict[str, Any]) -> None:
        """Add an entry to the board's log, and drop what is older than `LOG_KEPT` entries or `LOG_BYTES` bytes."""
        last = self._session.execute(_TOP, {"board": board_id}).first()
        number, total = (1, 0) if last is None else (last.number + 1, last.total)
        if (size := len(dump_texts(data).encode())) > MAX_ENTRY:
            data = {"bytes": size}
        total += min(size, MAX_ENTRY)
        entry = {"board_id": board_id, "number": number, "time": time, "kind": kind, "data": data, "total": total}
        self._session.execute(_LOG, entry)
        self._session.execute(_CLEAR, {"board": board_id, "upto": number - LOG_KEPT, "size": total - LOG_BYTES})

    def note(self, board_id: str, time: str, kind: str, data: dict[str, Any]) -> None:
        """Add an entry to the board's log, and count it as a change of the board, so that its followers get it."""
        self.log(board_id, time, kind, data)
        self._session.execute(_NOTE, {"board": board_id, "time": time})

    def plugged(self) -> list[PluggedRow]:
        """The free ports, by name."""
        return [PluggedRow._make(row) for row in self._session.execute(_PLUGGED)]

    def put_plugged(self, rows: Collection[PluggedRow]) -> None:
        """Replace the free ports."""
        self._session.execute(delete(plugged_ports))
        self._insert(plugged_ports, rows)

    def last_entry(self, board_id: str) -> int:
        """The number of the last entry of the board's log, 0 without one."""
        last = self._session.execute(_TOP, {"board": board_id}).first()
        return 0 if last is None else int(last.number)

    def ask(self, board_id: str, kind: str, data: dict[str, Any], created: str) -> RequestRow:
        """Add a request."""
        added = insert(board_requests).values(board=board_id, kind=kind, data=data, created=created)
        (number,) = self._session.execute(added).inserted_primary_key or (0,)
        return RequestRow(board_id, number, kind, data, created)

    def requests(self) -> list[RequestRow]:
        """What is asked of all boards, in order."""
        return [RequestRow._make(row) for row in self._session.execute(_REQUESTS)]

    def requests_of(self, board_id: str) -> int:
        """How many requests wait for the board."""
        return self._count(board_requests, board_requests.c.board == board_id)

    def count_try(self, request: RequestRow) -> None:
        """Count one more try of a request."""
        counted = update(board_requests).where(board_requests.c.number == request.number)
        self._session.execute(counted.values(tries=board_requests.c.tries + 1))

    def remove_request(self, request: RequestRow) -> None:
        """Take a request away."""
        self._session.execute(delete(board_requests).where(board_requests.c.number == request.number))

    def forget_requests(self, board_id: str) -> None:
        """Take all requests to the board away."""
        self._session.execute(delete(board_requests).where(board_requests.c.board == board_id))

    def entries(self, board_id: str, after: int, limit: int) -> list[LogRow]:
        """The log's entries with numbers above `after`, in order."""
        query = (
            select(board_log)
            .where(board_log.c.board_id == board_id, board_log.c.number > after)
            .order_by(board_log.c.number)
            .limit(limit)
        )
        return [LogRow(row.number, row.time, row.kind, row.data) for row in self._session.execute(query)]
