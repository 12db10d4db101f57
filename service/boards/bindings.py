"""Which board plays which game: bound and released over HTTP, opened and kept up to date by the desk."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from inkeek.service.errors import BoardBound, Conflict, ErrorText, Invalid, NotFound, OutsideLimit
from inkeek.service.games.validation import is_within
from inkeek.service.storage import BoardRow, Limit, LogRow, PluggedRow, RequestRow
from inkeek.service.storage.clock import Clock, stamp, utc_now
from inkeek.service.storage.ids import random_id
from inkeek.service.storage.rows import FAR

from .identity import Identity, clean_serial
from .ports import check_port
from .status import BoardStatus, read_status, status_json

if TYPE_CHECKING:
    from inkeek.service.storage.store import Store
    from inkeek.service.storage.transaction import Transaction

CLOSED_SHOWN = 20  # boards closed last, listed after the open ones
CLOSED_SOUGHT = 500  # boards closed last, among which those of an event are sought
SILENT_AFTER = 20.0  # seconds without a report after which a far board counts as disconnected
MAX_REQUESTS = 40  # that wait for a board: enough to calibrate every pit and store
SAID_OF = (("question",), ("at",))  # an answer names its question; who was not asked says what they saw
REQUESTS: Mapping[str, tuple[tuple[str, ...], ...]] = {  # what may be asked of a board, with the data of each
    "tare": ((),),
    "seeds": (("pit", "seeds"),),
    "dismiss": SAID_OF[:1],
    "turned": SAID_OF,
    "upright": SAID_OF,
    "retry": ((),),
}

LogKind = Literal[
    "connected",
    "other-board",
    "same-serial",
    "claimed",
    "gave-way",
    "driver-fault",
    "rebound",
    "refused-board",
    "gap",
    "button",
    "refused",
    "mended",
    "unchanged",
    "after-end",
    "disputed",
    "under-way",
    "unrecorded",
    "complaint",
    "turned",
    "unrecognised",
    "misfit",
    "unhandled",
    "overtaken",
    "touches",
    "not-recorded",
    "calibration-asked",
    "calibration-failed",
    "calibrated",
    "fault",
]
LogData = tuple[LogKind, dict[str, Any]]  # kind and data of an entry of the board's log


class Boards:
    """The boards in a store."""

    def __init__(
        self, store: Store, *, max_boards: int, clock: Clock = utc_now, new_id: Callable[[], str] = random_id
    ) -> None:
        self._store = store
        self._max_boards = max_boards
        self._clock = clock
        self._new_id = new_id

    def open(self, within: Limit | None = None) -> list[BoardRow]:
        """The boards that are open, or that the desk is to open; of games that `within` covers."""
        with self._store.reading() as transaction:
            return _of_games(transaction, transaction.boards.open(), within)

    def closed(self, within: Limit | None = None) -> list[BoardRow]:
        """The boards that were closed last; of games that `within` covers."""
        with self._store.reading() as transaction:
            latest = transaction.boards.latest(CLOSED_SHOWN if within is None else CLOSED_SOUGHT)
            return _of_games(transaction, latest, within)[:CLOSED_SHOWN]

    def desk(self) -> str | None:
        """The desk that works with the database, as a process on a machine; None: none does, so all requests wait."""
        with self._store.reading() as transaction:
            return transaction.machines.desk()

    def get(self, board_id: str) -> BoardRow:
        """:raises NotFound: there is no such board."""
        with self._store.reading() as transaction:
            return _get(transaction, board_id)

    def bound_to(self, game_id: str) -> list[BoardRow]:
        """All boards that were ever bound to the game, in the order in which they were."""
        with self._store.reading() as transaction:
            return transaction.boards.bound_to(game_id)

    def poll(self) -> tuple[dict[str, int], list[RequestRow]]:
        """What the desk must know: the last event's number of each open board's game, and all waiting requests."""
        with self._store.reading() as transaction:
            return transaction.boards.watched(), transaction.boards.requests()

    def updates(self, board_id: str, after: int, limit: int) -> tuple[BoardRow, list[LogRow]]:
        """The board, and the entries of its log with numbers above `after`.

        :raises NotFound: there is no such board.
        """
        with self._store.reading() as transaction:
            return _get(transaction, board_id), transaction.boards.entries(board_id, after, limit)

    def log(self, board_id: str, after: int = 0, limit: int = 200, last: int | None = None) -> list[LogRow]:
        """What happened at the board and is no event of its game; with `last`, only that many of the last entries.

        :raises NotFound: there is no such board.
        """
        with self._store.reading() as transaction:
            _get(transaction, board_id)
            if last is not None:
                after, limit = transaction.boards.last_entry(board_id) - last, last
            return transaction.boards.entries(board_id, after, limit)

    def last_entry(self, board_id: str) -> int:
        """The number of the last entry of the board's log.

        :raises NotFound: there is no such board.
        """
        with self._store.reading() as transaction:
            _get(transaction, board_id)
            return transaction.boards.last_entry(board_id)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Store all that this thread stores in the block at its end, or nothing of it, before what only boards say."""
        with self._store.together(joins=True, urgent=True):
            yield

    def bind(
        self,
        url: str,
        driver: str,
        game_id: str,
        *,
        buttons: bool = True,
        serial: str | None = None,
        limit: Limit | None = None,
    ) -> BoardRow:
        """Have the desk open the port `url` with `driver` and play the game on it, with the board that has this serial
        number; without one, with the first board that plays.

        Without `buttons` a turn counts when nothing has moved for a while, even on a board that has buttons.

        :raises Invalid: the driver, the port or the game cannot be used.
        :raises NotFound: there is no such game, or `limit` does not cover it.
        :raises OutsideLimit: with a limit, the port is no serial port of this machine: on the network it could be any
            program's.
        :raises BoardBound: the port or the game has a board already, or too many boards are open.
        """
        check_port(driver, url, limit)
        return self.bind_checked(url, driver, game_id, buttons=buttons, serial=serial, limit=limit)

    def bind_checked(
        self, url: str, driver: str, game_id: str, *, buttons: bool, serial: str | None, limit: Limit | None
    ) -> BoardRow:
        """As `bind`, with a port that was checked before."""
        now = stamp(self._clock())
        with self._store.writing() as transaction:
            row = transaction.games.get(game_id, lock=True)
            if row is None or not is_within(limit, row):
                raise NotFound("there is no game %(game)r", game=game_id)
            if row.state == "ended":
                raise Invalid("game %(game)s has ended: no board can play it", field="game", game=game_id)
            bound = transaction.boards.of_game(game_id)
            if bound is not None:
                raise BoardBound(
                    ErrorText(
                        "game %(game)s is played on board %(board)s at %(port)s",
                        game=game_id,
                        board=bound.id,
                        port=bound.url,
                    ),
                    board=bound.id,
                )
            bound = transaction.boards.at(url)
            if bound is not None:
                if not is_over(transaction, bound):
                    raise _port_in_use(transaction, bound, limit)
                closed = _closed(bound, ErrorText("The board went on to another game."))
                transaction.boards.put(closed._replace(version=bound.version + 1))
            if len(transaction.boards.open()) >= self._max_boards:
                raise BoardBound(
                    "%(boards)s boards are open: close one, or raise the setting max_boards", boards=self._max_boards
                )
            status = status_json(BoardStatus())
            bound_to = None if serial is None else clean_serial(serial)
            board = BoardRow(
                self._new_id(),
                driver,
                url,
                game_id,
                "open",
                bound_to,
                None,
                0,
                status,
                1,
                now,
                now,
                buttons,
            )
            transaction.boards.add(board)
            return board

    def release(self, board_id: str) -> BoardRow:
        """Have the desk close the port. A closed board stays as it is.

        :raises NotFound: there is no such board.
        """
        with self._store.together() as transaction:
            transaction.boards.forget_requests(board_id)
            return self._change(board_id, lambda board: _closed(board, ErrorText("The board was released.")))

    def identify(self, board_id: str, found: Identity, place: str) -> tuple[BoardRow, BoardRow | None]:
        """Bind the board that was found at the port `place`, if none is bound yet, or learn the number of its USB
        adapter.

        Return the board, and another one of this machine that was bound to the same serial number before: until a
        person chooses one of them, that one plays. Its log says so.
        """
        holder: BoardRow | None = None

        def change(board: BoardRow) -> BoardRow:
            nonlocal holder
            bound = None if board.serial is None else Identity(board.serial, board.adapter)
            if bound is not None and found.is_other(bound, board.driver):
                return board
            holder = next((one for one in _same_serial(transaction, board, found.serial) if _holds(one, board)), None)
            if holder is not None:
                return board
            return board._replace(serial=found.serial, adapter=found.adapter or board.adapter)

        with self._store.together() as transaction:
            transaction.boards.lock_serials()  # of two that say one number at once, one is first
            row = self._change(board_id, change)
            if holder is not None and read_status(row.status).found != found.serial:
                entry = {"serial": found.serial, "port": place}
                transaction.boards.note(holder.id, stamp(self._clock()), "claimed", entry)
            return row, holder

    def shares_serial(self, board: BoardRow) -> bool:
        """Whether another board of this machine is bound to the same serial number: it cannot be searched by it."""
        return board.serial is not None and any(
            other.serial == board.serial and other.id != board.id and other.driver != FAR for other in self.open()
        )

    def seen_at(self, board: BoardRow) -> list[str]:
        """The ports where a bound board was connected last, or may be in the place of another one that is bound there:
        one that found it there, or that plays on another port now."""
        if board.serial is None or board.driver == FAR:
            return []
        others = [other for other in self.open() if other.id != board.id and other.driver == board.driver]
        found = [(read_status(other.status), other.url) for other in others]
        ports = [status.port or url for status, url in found if status.found == board.serial]
        ports += [url for status, url in found if status.found is None and status.port not in (None, url)]
        return [*filter(None, [read_status(board.status).port]), *ports]

    def rebind(self, board_id: str, serial: str, limit: Limit | None = None) -> BoardRow:
        """Bind the board to this serial number: a person says that this is the board which plays from now on.

        What it has held so far counts for no turn, as with a board that is bound for the first time. Another board of
        this machine that is bound to the number is bound to none then.

        :param limit: of that person's key.
        :raises NotFound: there is no such board. :raises Conflict: it is closed.
        :raises OutsideLimit: another board of this machine, outside of the limit, is bound to that number.
        """
        wanted = clean_serial(serial)

        def change(board: BoardRow) -> BoardRow:
            if board.wanted != "open":
                raise Conflict("board %(board)s is closed: bind a new one", board=board_id)
            if board.serial == wanted and read_status(board.status).found is None:
                return board
            return bound_anew(board, wanted, ErrorText("Bound to board %(serial)s; waiting for it.", serial=wanted))

        with self._store.together() as transaction:
            before = _get(transaction, board_id, lock=True)
            for other in _same_serial(transaction, before, wanted):
                _check_limit(transaction, other, limit)
                data = {"serial": wanted, "port": before.url}
                text = ErrorText(
                    "Board %(serial)s plays at %(port)s from now on: this game waits for another board.", **data
                )
                self._change(other.id, partial(bound_anew, serial=None, message=text), ("gave-way", data))
                self._reopen(transaction, other)
            log: LogData | None = None
            if before.serial != wanted or read_status(before.status).found is not None:
                log = ("rebound", {"from": before.serial, "to": wanted})
                self._reopen(transaction, before)
            return self._change(board_id, change, log)

    def _reopen(self, transaction: Transaction, board: BoardRow) -> None:
        """Have the desk, or a far board's process, open a board again."""
        if board.wanted == "open" and transaction.boards.requests_of(board.id) < MAX_REQUESTS:
            transaction.boards.ask(board.id, "reopen", {}, stamp(self._clock()))

    def plugged(self) -> list[PluggedRow]:
        """The free ports of the desk's machine, and who is there."""
        with self._store.reading() as transaction:
            return transaction.boards.plugged()

    def put_plugged(self, rows: list[PluggedRow]) -> None:
        """Store which ports are free, and who is there."""
        with self._store.writing() as transaction:
            transaction.boards.put_plugged(rows)

    def add_request(self, board_id: str, kind: str, data: Mapping[str, Any]) -> RequestRow:
        """Add a request, which the desk carries out. `kind` is one of `REQUESTS`:

        * ``tare``: all pits and stores are empty now;
        * ``seeds``: pit ``data["pit"]`` now holds ``data["seeds"]`` seeds;
        * ``dismiss``: the board's question (`status.ask`) needs no answer;
        * ``turned``: the board lies the wrong way round; ``upright``: it does not. ``data["by"]`` says so;
          ``data["question"]`` is the name of the question that this answers, as with ``dismiss``. Who was not asked
          gives ``data["at"]``, the number of the game's last event: later it may not hold any more;
        * ``retry``: the driver that was stopped is tried again now.

        :raises NotFound: there is no such board.
        :raises Invalid: the kind has other data.
        :raises Conflict: the board is closed, or too many requests wait for it.
        """
        given = data.keys() - {"by"}
        nearest = min(REQUESTS[kind], key=lambda names: len(given ^ {*names}))
        if wrong := ({*nearest} - given) or (given - {*nearest}):
            raise Invalid(
                "kind is %(kind)r with %(given)s. Expected %(expected)s.",
                field=min(wrong),
                kind=kind,
                given=", ".join(sorted(given)) or "no other field",
                expected=" or ".join(", ".join(names) or "no other field" for names in REQUESTS[kind]),
            )
        with self._store.writing() as transaction:
            board = _get(transaction, board_id, lock=True)
            if board.wanted != "open":
                raise Conflict("board %(board)s is closed: it takes no requests", board=board_id)
            most = 2 * MAX_REQUESTS if kind == "retry" else MAX_REQUESTS  # the others wait until the board is back
            if transaction.boards.requests_of(board_id) >= most:
                raise Conflict(
                    "%(requests)s requests wait for board %(board)s: is it connected?", requests=most, board=board_id
                )
            if board.driver == FAR:  # its process waits for a new version
                transaction.boards.put(board._replace(version=board.version + 1))
            return transaction.boards.ask(board_id, kind, dict(data), stamp(self._clock()))

    def now(self) -> str:
        """The time by the clock of this machine."""
        return stamp(self._clock())

    def age(self, request: RequestRow) -> float:
        """Seconds since the request was made."""
        if not request.created:  # by an earlier version
            return math.inf
        return (self._clock() - datetime.fromisoformat(request.created)).total_seconds()

    def try_request(self, request: RequestRow) -> None:
        """Note that the desk begins to carry a request out."""
        with self._store.writing() as transaction:
            transaction.boards.count_try(request)

    def remove_request(self, request: RequestRow) -> None:
        """Remove a request that the desk carries out."""
        with self._store.writing() as transaction:
            transaction.boards.remove_request(request)

    def requests_to(self, board_id: str) -> list[RequestRow]:
        """What is asked of one board, in order."""
        with self._store.reading() as transaction:
            return [request for request in transaction.boards.requests() if request.board == board_id]

    def note_requests(self, board_id: str, tried: Collection[int], done: Collection[int]) -> None:
        """Note which requests to a far board were begun, and which are finished, by their numbers."""
        if not (tried or done):
            return
        with self._store.writing() as transaction:
            for request in transaction.boards.requests():
                if request.board == board_id and request.number in done:
                    transaction.boards.remove_request(request)
                elif request.board == board_id and request.number in tried:
                    transaction.boards.count_try(request)

    def note_heard(self, board_id: str, report: str | None = None) -> BoardRow:
        """Note that a far board's process was heard, and which of its reports was taken last."""
        with self._store.writing(joins=True) as transaction:
            board = _get(transaction, board_id, lock=True)
            board = board._replace(heard=stamp(self._clock()), report=report or board.report)
            transaction.boards.put(board)
            return board

    def note_silent(self) -> None:
        """Say of far boards whose process was not heard for `SILENT_AFTER` seconds that they are disconnected."""
        since = stamp(self._clock() - timedelta(seconds=SILENT_AFTER))
        message = ErrorText("its agent was silent for %(seconds)g seconds", seconds=SILENT_AFTER)
        message = ErrorText("The board is disconnected: %(reason)s", reason=message)
        for board in self.open():
            if board.driver == FAR and board.heard is not None and board.heard < since:
                status = read_status(board.status)
                if status.state not in ("gone", "waiting"):
                    self.update_status(board.id, replace(status, state="gone", message=message))

    def update_status(self, board_id: str, status: BoardStatus, log: LogData | None = None) -> BoardRow:
        """Replace the board's status, and add the `log` entry in the same transaction.

        The status of a closed board stays: the desk may not know yet that it is closed.
        """
        return self._change(board_id, lambda board: _with_status(board, status), log)

    def commit_event(
        self, board_id: str, serial: str, boot: str, seq: int, status: BoardStatus, log: LogData | None = None
    ) -> BoardRow:
        """Store that all events up to (`boot`, `seq`) of this board are handled; else as `update_status`.

        :raises Conflict: another board is bound now.
        """

        def change(board: BoardRow) -> BoardRow:
            if board.serial != serial:
                raise Conflict(
                    "board %(board)s is not bound to %(serial)r any more: its event is refused",
                    board=board_id,
                    serial=serial,
                )
            return _with_status(board, status)._replace(boot=boot, seq=seq)

        return self._change(board_id, change, log)

    def _change(self, board_id: str, change: Callable[[BoardRow], BoardRow], log: LogData | None = None) -> BoardRow:
        now = stamp(self._clock())
        with self._store.writing(joins=True) as transaction:
            board = _get(transaction, board_id, lock=True)
            changed = change(board)
            if log is not None:
                transaction.boards.log(board_id, now, *log)
            if changed == board and log is None:
                return board
            changed = changed._replace(version=board.version + 1, updated=now)
            transaction.boards.put(changed)
            return changed


def _of_games(transaction: Transaction, boards: list[BoardRow], within: Limit | None) -> list[BoardRow]:
    if within is None:
        return boards
    games = [transaction.games.get(board.game) for board in boards]
    return [board for board, game in zip(boards, games, strict=True) if game is not None and is_within(within, game)]


def _get(transaction: Transaction, board_id: str, *, lock: bool = False) -> BoardRow:
    board = transaction.boards.get(board_id, lock=lock)
    if board is None:
        raise NotFound("there is no board %(board)r", board=board_id)
    return board


def _same_serial(transaction: Transaction, board: BoardRow, serial: str) -> list[BoardRow]:
    """The other boards of this machine that are bound to a serial number, at games that go on.

    It is only what a board says: a far one keeps none out, and none keeps it out.
    """
    if board.driver == FAR or not Identity(serial).has_name(board.driver):
        return []
    return [
        other
        for other in transaction.boards.open()
        if other.serial == serial and other.id != board.id and other.driver != FAR and not is_over(transaction, other)
    ]


def _holds(other: BoardRow, board: BoardRow) -> bool:
    """Whether the other board plays, and this one waits, if both have the same serial number."""
    return board.serial != other.serial or (other.created, other.id) < (board.created, board.id)


def _check_limit(transaction: Transaction, board: BoardRow, limit: Limit | None) -> None:
    """:raises OutsideLimit: the limit does not cover the game of a board that has the serial number."""
    row = transaction.games.get(board.game)
    if row is not None and not is_within(limit, row):
        raise OutsideLimit(
            "The key is limited to %(limit)s. A board outside of it has the serial number %(serial)s.",
            limit=limit,
            serial=board.serial,
        )


def bound_anew(board: BoardRow, serial: str | None, message: str) -> BoardRow:
    """The board bound to another one, of which nothing is known yet; None: to the first one that plays."""
    status = replace(read_status(board.status), state="waiting", message=message, found=None, before=None, health=None)
    status = replace(status, turned=False, faulty={}, seen=None)
    return board._replace(serial=serial, adapter=None, boot=None, seq=0, status=status_json(status))


def _with_status(board: BoardRow, status: BoardStatus) -> BoardRow:
    return board._replace(status=status_json(status)) if board.wanted == "open" else board


def _closed(board: BoardRow, message: str) -> BoardRow:
    if board.wanted == "closed":
        return board
    status = replace(read_status(board.status), state="closed", message=message)
    return board._replace(wanted="closed", status=status_json(status))


def _port_in_use(transaction: Transaction, bound: BoardRow, limit: Limit | None) -> BoardBound:
    """The error for the port of an open board, which it names if the limit covers its game."""
    row = transaction.games.get(bound.game)
    if row is None or not is_within(limit, row):
        return BoardBound("the port %(port)s is in use: choose another", port=bound.url)
    return BoardBound("the board at %(port)s plays game %(game)s", port=bound.url, game=bound.game, board=bound.id)


def is_over(transaction: Transaction, board: BoardRow) -> bool:
    """Whether the game of the board is."""
    row = transaction.games.get(board.game)
    return row is not None and row.state == "ended"
