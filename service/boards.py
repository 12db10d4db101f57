"""Which board plays which game: bound and released over HTTP, opened and reported on by the desk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from drivers import registry
from drivers.errors import UnknownDriverError, UrlError

from .clock import Clock, stamp, utc_now
from .errors import BoardBound, Invalid, NotFound
from .games import random_id
from .storage import BoardRow, LogRow, Store, Transaction

WAITING: dict[str, Any] = {
    "state": "waiting",
    "message": "Waiting for the desk to open the port.",
    "counts": None,
    "verdict": None,
    "sentences": [],
    "mend": {},
    "refusal": None,
    "note": None,
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
    return [KnownPort(port.url, port.description) for port in registry.ports()]


def known_drivers() -> list[KnownDriver]:
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

    def get(self, board_id: str) -> BoardRow:
        """:raises NotFound: there is no such board."""
        with self._store.reading() as transaction:
            board = transaction.boards.get(board_id)
        if board is None:
            raise NotFound(f"there is no board {board_id!r}")
        return board

    def log(self, board_id: str, after: int = 0, limit: int = 200) -> list[LogRow]:
        """What happened at the board that is no event of its game.

        :raises NotFound: there is no such board.
        """
        self.get(board_id)
        with self._store.reading() as transaction:
            return transaction.boards.entries(board_id, after, limit)

    def bind(self, url: str, driver: str, game_id: str) -> BoardRow:
        """Ask the desk to open the port `url` with `driver` and to play the game on it.

        :raises Invalid: a driver or a URL that cannot be. :raises NotFound: no such game.
        :raises BoardBound: the port or the game has a board already, or too many are open.
        """
        try:
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
            board = BoardRow(self._new_id(), driver, url, game_id, "open", None, None, 0, dict(WAITING), 1, now, now)
            transaction.boards.add(board)
            return board

    def release(self, board_id: str) -> BoardRow:
        """Ask the desk to close the port. Closing a closed board changes nothing.

        :raises NotFound: there is no such board.
        """

        def close(board: BoardRow) -> BoardRow:
            status = {**board.status, "state": "closed", "message": "The board was released."}
            return board if board.wanted == "closed" else replace(board, wanted="closed", status=status)

        return self._change(board_id, close)

    def report(
        self, board_id: str, status: Mapping[str, Any], log: tuple[str, dict[str, Any]] | None = None
    ) -> BoardRow:
        """Replace what the board says of itself; with `log`, a (kind, data) for its log in the same transaction."""
        return self._change(board_id, lambda board: replace(board, status=dict(status)), log)

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
            lambda board: replace(board, serial=serial, boot=boot, seq=seq, status=dict(status)),
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
            board = transaction.boards.get(board_id, lock=True)
            if board is None:
                raise NotFound(f"there is no board {board_id!r}")
            changed = change(board)
            if log is not None:
                transaction.boards.log(board_id, now, *log)
            if changed == board:
                return board
            changed = replace(changed, version=board.version + 1, updated=now)
            transaction.boards.put(changed)
            return changed


def _is_over(transaction: Transaction, board: BoardRow) -> bool:
    row = transaction.games.get(board.game)
    return row is not None and row.state == "ended"
