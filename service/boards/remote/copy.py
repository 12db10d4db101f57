"""The store of a far board's process: its board and its game in memory, whose changes are reported to the service.

To `Games` and `Boards` this is a `Store` like that of the service, so the process judges, records, asks and lights as
the service's desk does. A transaction that changes something is a report: if it is refused, the transaction raises.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from inkeek.drivers.errors import SpoolError
from inkeek.service.boards.bindings import LogData, LogKind, bound_anew
from inkeek.service.errors import Conflict, ErrorText, Stale, StorageError
from inkeek.service.games.state import GameState, game_state
from inkeek.service.storage import BoardRow, DisputeRow, GameEvent, GameRow, RequestRow, canonical_json
from inkeek.service.storage.clock import Clock, stamp, utc_now
from inkeek.service.storage.search import name_key
from inkeek.service.storage.text_json import dump_texts

from .client import RequestRefused, reading
from .delivery import Delivery
from .reports import decisive
from .spool import Known, Spool, read_events


@dataclass
class _Draft:
    """What a transaction changes, besides what is known after it."""

    before: Known
    log: list[LogData] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)
    tried: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)


class CopyStore:
    """`known` is what is known now. One thread at a time uses it."""

    def __init__(self, known: Known, delivery: Delivery, spool: Spool, clock: Clock = utc_now) -> None:
        self.known = known
        self.offset = timedelta(0)  # how far the clock of the service is ahead
        self._delivery = delivery
        self._spool = spool
        self._clock = clock
        self._lock = threading.RLock()
        self._draft: _Draft | None = None
        self._says_again = False  # the service took the process for dead
        self.games = _Games(self)
        self.boards = _Boards(self)
        self.disputes = _Disputes(self)
        self.persons = _Persons()
        delivery.know(known)

    # As `Store`

    def version(self, game_id: str) -> tuple[str, BoardRow] | None:
        with self.reading():
            known = self.known
            return (known.events[-1].hash, known.board) if game_id == known.board.game else None

    @contextmanager
    def reading(self, *, anew: bool = False) -> Iterator[CopyStore]:
        with self._lock:
            self._absorb()
            yield self

    @contextmanager
    def writing(self, *, joins: bool = False, urgent: bool = False, waits: bool = True) -> Iterator[CopyStore]:
        with self._lock:
            if self._draft is not None:
                yield self
                return
            self._absorb()
            self._draft = _Draft(self.known)
            try:
                yield self
                self._report(self._draft)
            except BaseException:
                self.known = self._draft.before
                raise
            finally:
                self._draft = None

    together = writing

    # What the service says

    def _absorb(self) -> None:
        """Go on from what the service said last. What was only expected is forgotten: it is in the game, or refused."""
        news = None if self._draft is not None else self._delivery.take_news()
        if news is None:
            return
        with reading("the service"):
            known = self._confirmed(news)
            self.offset = datetime.fromisoformat(news["time"]) - self._clock()
        is_new = known != self.known
        self.known = known
        self._delivery.know(known)
        if is_new:
            self._remember()
        if self._says_again:
            with self.writing():
                """Its status is reported."""

    def _confirmed(self, news: Mapping[str, Any]) -> Known:
        known, said = self.known, news["board"]
        events = (*known.events[: news["after"]], *read_events(known.board.game, news))
        if len(events) < known.confirmed and news["after"]:
            events = known.events[: known.confirmed]  # an answer from before the last one
        now = self._clock()
        requests = tuple(
            RequestRow(
                known.board.id,
                one["number"],
                one["kind"],
                one["data"],
                stamp(now - timedelta(seconds=one["age"])),
                one["tries"],
            )
            for one in news["requests"]
        )
        board = known.board
        if said["serial"] not in (None, board.serial):
            text = ErrorText("Bound to board %(serial)s; waiting for it.", serial=said["serial"])
            board = bound_anew(board, said["serial"], text)
        if said["wanted"] != board.wanted:
            board = board._replace(wanted=said["wanted"])
        if said["state"] == "gone" != board.status.get("state"):
            self._says_again = True
        return Known(board, events, len(events), requests)

    # What is reported

    def add_event(self, event: GameEvent) -> None:
        """Expect an event of the game."""
        assert self._draft is not None
        known = self.known
        if event.source.startswith("board:"):
            last = decisive(known.events)
            follows = last.hash if last.seq <= known.confirmed else last.source
            change = {"kind": event.kind, "source": event.source, "follows": follows, "data": event.data}
            self._draft.changes.append(change)
        self.known = replace(known, events=(*known.events, event))

    @property
    def draft(self) -> _Draft:
        assert self._draft is not None
        return self._draft

    def _report(self, draft: _Draft) -> None:
        before, board = draft.before.board, self.known.board
        body: dict[str, Any] = {}
        if board.status != before.status or self._says_again:
            body["status"] = json.loads(dump_texts(board.status))
        if draft.log:
            body["log"] = [{"kind": kind, "data": json.loads(dump_texts(data))} for kind, data in draft.log]
        body |= {name: list(found) for name in ("changes", "tried", "done") if (found := getattr(draft, name))}
        if not body and (board.boot, board.seq, board.serial) == (before.boot, before.seq, before.serial):
            return
        is_counts = not body.keys() - {"status"}
        body |= {"serial": board.serial, "adapter": board.adapter, "boot": board.boot, "seq": board.seq}
        body.setdefault("status", json.loads(dump_texts(board.status)))
        try:
            self._delivery.send(body, self.known, is_counts=is_counts)
        except RequestRefused as error:
            kind = Stale if error.slug == "stale" else Conflict
            raise kind("%(reason)s", reason=str(error.body.get("detail") or error.message)) from error
        except SpoolError as error:
            raise StorageError(str(error)) from error
        self._says_again = False
        self._delivery.know(self.known)
        self._take_answer()

    def _take_answer(self) -> None:
        """Go on from the answer, if there is one already."""
        news = self._delivery.take_news()
        if news is None:
            return
        with reading("the service"):
            self.known = self._confirmed(news)
        self._delivery.know(self.known)
        self._remember()

    def _remember(self) -> None:
        try:
            self._spool.remember(self.known)
        except SpoolError as error:
            self._delivery.notify(str(error))


class _Games:
    """As `GameTable`."""

    def __init__(self, store: CopyStore) -> None:
        self._store = store
        self._state: tuple[tuple[GameEvent, ...], GameState] | None = None

    @property
    def state(self) -> GameState:
        events = self._store.known.events
        if self._state is None or self._state[0] is not events:
            self._state = events, game_state(events)
        return self._state[1]

    def get(self, game_id: str, *, lock: bool = False) -> GameRow | None:
        return self.state.row if game_id == self._store.known.board.game else None

    def put(self, row: GameRow, line: Sequence[str] | None = None) -> None:
        """The row follows from the events."""

    def append(self, event: GameEvent, text: bytes | None = None) -> None:
        self._store.add_event(event)

    def events(self, game_id: str, after: int = 0, limit: int | None = None) -> list[GameEvent]:
        return list(self._store.known.events[after:][:limit])

    def characters(self, game_id: str) -> int:
        return sum(len(canonical_json(event.data)) for event in self._store.known.events)

    def has_event(self, game_id: str, source: str) -> bool:
        return any(event.source == source for event in self._store.known.events)

    def has_run(self, game_id: str, prefix: str) -> bool:
        return any(event.source.startswith(prefix) for event in self._store.known.events)

    def of_match(self, match_id: str) -> list[GameRow]:
        """The service knows the other games, and checks them."""
        row = self.state.row
        return [row] if match_id == row.match_id else []


class _Boards:
    """As `BoardTable`."""

    def __init__(self, store: CopyStore) -> None:
        self._store = store

    def get(self, board_id: str, *, lock: bool = False) -> BoardRow | None:
        board = self._store.known.board
        return board if board.id == board_id else None

    def of_game(self, game_id: str) -> BoardRow | None:
        return next((board for board in self.open() if board.game == game_id), None)

    def open(self) -> list[BoardRow]:
        board = self._store.known.board
        return [board] if board.wanted == "open" else []

    def watched(self) -> dict[str, int]:
        return {board.id: len(self._store.known.events) for board in self.open()}

    def lock_serials(self) -> None:
        """There is one board."""

    def put(self, row: BoardRow) -> None:
        self._store.known = replace(self._store.known, board=row)

    def log(self, board_id: str, time: str, kind: LogKind, data: dict[str, Any]) -> None:
        self._store.draft.log.append((kind, data))

    def requests(self) -> list[RequestRow]:
        return list(self._store.known.requests)

    def requests_of(self, board_id: str) -> int:
        return len(self._store.known.requests)

    def count_try(self, request: RequestRow) -> None:
        self._store.draft.tried.append(request.number)

    def remove_request(self, request: RequestRow) -> None:
        known = self._store.known
        self._store.draft.done.append(request.number)
        left = tuple(one for one in known.requests if one.number != request.number)
        self._store.known = replace(known, requests=left)


class _Disputes:
    """As `DisputeTable`: they follow from the events."""

    def __init__(self, store: CopyStore) -> None:
        self._store = store

    def of_game(self, game_id: str) -> tuple[DisputeRow, ...]:
        return self._store.games.state.disputes

    def replace(self, game_id: str, rows: Collection[DisputeRow]) -> None:
        """They follow from the events."""


class _Persons:
    """As `PersonTable`: the service knows who has several names."""

    def owner(self, name: str) -> str:
        return name_key(name)
