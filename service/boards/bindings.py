"""Which board plays which game: bound and released over HTTP, opened and reported on by the desk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from drivers.errors import UnknownDriverError, UrlError
from service.errors import BoardBound, Conflict, Invalid, NotFound
from service.games.repository import random_id
from service.storage import BoardRow, LogRow, RequestRow, Store, Transaction
from service.storage.clock import Clock, stamp, utc_now

from .remote.inbox import FAR, check_far

CLOSED_SHOWN = 20  # boards that were closed last, beside the open ones
MAX_REQUESTS = 40  # that wait for a board: a calibration of every pit and store, and some more
REQUESTS = ("tare", "seeds", "dismiss")

WAITING: dict[str, Any] = {
    "state": "waiting",
    "message": "Waiting for the desk to open the port.",
    "counts": None,
    "verdict": None,
    "sentences": [],
    "mend": {},
    "refusal": None,
    "note": None,
    "undo": None,
    "trial": None,
    "dispute": None,
    "ask": None,
    "before": None,
    "health": None,
}


@dataclass(frozen=True)
class KnownPort:
    """A serial port of this machine."""

    url: str
    title: str


@dataclass(frozen=True)
class KnownDriver:
    """An installed driver; `error` says why it cannot be used, None when it can."""

    name: str
    title: str
    error: str | None


def known_ports() -> list[KnownPort]:
    from drivers import registry  # imported when used: the web server starts sooner

    return [KnownPort(port.url, port.description) for port in registry.ports()]


def known_drivers() -> list[KnownDriver]:
    from drivers import registry

    listing = registry.drivers()
    good = [KnownDriver(name, driver.title, None) for name, driver in sorted(listing.drivers.items())]
    return good + [KnownDriver(broken.name, broken.target, broken.reason) for broken in listing.broken]


class Boards:
    """The boards in a store."""

    def __init__(
        self, store: Store, *, max_boards: int, clock: Clock = utc_now, new_id: Callable[[], str] = random_id
    ) -> None:
        self._store = store
        self._max_boards = max_boards
        self._clock = clock
        self._new_id = new_id

    def open(self) -> list[BoardRow]:
        """The boards that are to be open."""
        with self._store.reading() as transaction:
            return transaction.boards.open()

    def closed(self) -> list[BoardRow]:
        """The boards that were closed last."""
        with self._store.reading() as transaction:
            return transaction.boards.latest(CLOSED_SHOWN)

    def watched(self) -> tuple[dict[str, int], list[RequestRow]]:
        """The number of the last event of its game for each board that is to be open, and what is asked of them."""
        with self._store.reading() as transaction:
            return transaction.boards.watched(), transaction.boards.requests()

    def news(self, board_id: str, after: int, limit: int) -> tuple[BoardRow, list[LogRow]]:
        """The board, and the entries of its log with numbers above `after`.

        :raises NotFound: there is no such board.
        """
        with self._store.reading() as transaction:
            return _found(transaction, board_id), transaction.boards.entries(board_id, after, limit)

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that this thread stores in the block is stored at its end, or not at all."""
        with self._store.together():
            yield

    def ask(self, board_id: str, kind: str, data: Mapping[str, Any]) -> RequestRow:
        """Ask something of a board; the desk sees to it. `kind` is one of `REQUESTS`:

        * ``tare``: all its pits and stores are empty now; ``seeds`` ``{"pit", "seeds"}``: so many lie in that pit now;
        * ``dismiss``: what the board asks (`status.ask`) needs no answer.

        :raises NotFound: there is no such board. :raises Conflict: it is closed, or does not come to what it was asked.
        """
        with self._store.writing() as transaction:
            board = _found(transaction, board_id, lock=True)
            if board.wanted != "open":
                raise Conflict(f"board {board_id} is closed: nothing can be asked of it")
            if transaction.boards.requests_of(board_id) >= MAX_REQUESTS:
                raise Conflict(f"{MAX_REQUESTS} requests wait for board {board_id}: is it connected?")
            return transaction.boards.ask(board_id, kind, dict(data))

    def answered(self, request: RequestRow) -> None:
        """Take away what was asked: it has been seen to."""
        with self._store.writing() as transaction:
            transaction.boards.answered(request)

    def get(self, board_id: str) -> BoardRow:
        """:raises NotFound: there is no such board."""
        with self._store.reading() as transaction:
            return _found(transaction, board_id)

    def log(self, board_id: str, after: int = 0, limit: int = 200, last: int | None = None) -> list[LogRow]:
        """What happened at the board that is no event of its game; with `last`, only so many of the last entries.

        :raises NotFound: there is no such board.
        """
        self.get(board_id)
        with self._store.reading() as transaction:
            if last is not None:
                after, limit = transaction.boards.last_entry(board_id) - last, last
            return transaction.boards.entries(board_id, after, limit)

    def bind(self, url: str, driver: str, game_id: str, *, buttons: bool = True) -> BoardRow:
        """Ask the desk to open the port `url` with `driver` and to play the game on it. Without `buttons` a turn counts
        when the board has been still for a while, even if it has some.

        :raises Invalid: a driver or a URL that cannot be. :raises NotFound: no such game.
        :raises BoardBound: the port or the game has a board already, or too many are open.
        """
        try:
            if driver == FAR:
                check_far(url)
            else:
                from drivers import registry

                registry.check_url(registry.driver(driver), url)
        except UnknownDriverError as error:
            raise Invalid(f"driver: {error}") from error
        except UrlError as error:
            raise Invalid(f"port: {error}") from error
        now = stamp(self._clock())
        with self._store.writing() as transaction:
            row = transaction.games.get(game_id, lock=True)
            if row is None:
                raise NotFound(f"there is no game {game_id!r}")
            if row.state == "ended":
                raise Invalid(f"game {game_id} has ended: no board can play it")
            bound = transaction.boards.of_game(game_id)
            if bound is not None:
                raise BoardBound(f"game {game_id} is played on board {bound.id} at {bound.url}", board=bound.id)
            bound = transaction.boards.at(url)
            if bound is not None and _is_over(transaction, bound):
                closed = {**bound.status, "state": "closed", "message": "The board went on to another game."}
                transaction.boards.put(replace(bound, wanted="closed", status=closed, version=bound.version + 1))
            elif bound is not None:
                raise BoardBound(f"the board at {url} plays game {bound.game}", board=bound.id)
            if len(transaction.boards.open()) >= self._max_boards:
                raise BoardBound(f"{self._max_boards} boards are open: close one, or raise the setting max_boards")
            board = BoardRow(
                self._new_id(), driver, url, game_id, "open", None, None, 0, dict(WAITING), 1, now, now, buttons
            )
            transaction.boards.add(board)
            return board

    def release(self, board_id: str) -> BoardRow:
        """Ask the desk to close the port. Closing a closed board changes nothing.

        :raises NotFound: there is no such board.
        """

        def close(board: BoardRow) -> BoardRow:
            status = {**board.status, "state": "closed", "message": "The board was released."}
            return board if board.wanted == "closed" else replace(board, wanted="closed", status=status)

        with self._store.together() as transaction:
            transaction.boards.forget_requests(board_id)
            return self._change(board_id, close)

    def report(
        self, board_id: str, status: Mapping[str, Any], log: tuple[str, dict[str, Any]] | None = None
    ) -> BoardRow:
        """Replace what the board says of itself; with `log`, a (kind, data) for its log in the same transaction.

        A board that was closed says no more: the desk may not know it yet.
        """
        return self._change(board_id, lambda board: replace(board, status=_said(board, status)), log)

    def settle(
        self,
        board_id: str,
        serial: str,
        boot: str,
        seq: int,
        status: Mapping[str, Any],
        log: tuple[str, dict[str, Any]] | None = None,
    ) -> BoardRow:
        """Remember that everything up to (`boot`, `seq`) has been dealt with, and what the board says now."""
        return self._change(
            board_id,
            lambda board: replace(board, serial=serial, boot=boot, seq=seq, status=_said(board, status)),
            log,
        )

    def _change(
        self,
        board_id: str,
        change: Callable[[BoardRow], BoardRow],
        log: tuple[str, dict[str, Any]] | None = None,
    ) -> BoardRow:
        now = stamp(self._clock())
        with self._store.writing() as transaction:
            board = _found(transaction, board_id, lock=True)
            changed = change(board)
            if log is not None:
                transaction.boards.log(board_id, now, *log)
            if changed == board and log is None:
                return board
            changed = replace(changed, version=board.version + 1, updated=now)
            transaction.boards.put(changed)
            return changed


def _found(transaction: Transaction, board_id: str, *, lock: bool = False) -> BoardRow:
    board = transaction.boards.get(board_id, lock=lock)
    if board is None:
        raise NotFound(f"there is no board {board_id!r}")
    return board


def _said(board: BoardRow, status: Mapping[str, Any]) -> dict[str, Any]:
    return dict(status) if board.wanted == "open" else board.status


def _is_over(transaction: Transaction, board: BoardRow) -> bool:
    row = transaction.games.get(board.game)
    return row is not None and row.state == "ended"
