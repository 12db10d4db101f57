"""What clients can subscribe to: a game, a board, all boards, the lights of a remote board, or the feed of all games.

A topic's key is the id of a game, `board_topic(id)`, `ALL_BOARDS` or `FEED`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from inkeek.service.storage import BoardRow, GameEvent, LogRow, PluggedRow
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.feed import FeedCursor, FeedEvent, FeedFilter
from inkeek.service.storage.transaction import Transaction

BATCH = 200  # rows read at once
FEED_BATCH = 1000  # events of the feed read at once
ALL_BOARDS = "boards"
FEED = "feed"
_BOARD = "board "  # ids have no spaces

Ports = tuple[PluggedRow, ...]  # the free ones
Update = GameEvent | FeedEvent | LogRow | BoardRow | Ports | None  # None: no board is bound to the game
BoardVersion = tuple[str, int]  # id and version of a board


@dataclass(frozen=True, slots=True)
class StreamMessage:
    """An encoded update. `seq` is the number of its event or log entry; `board` the board whose state it carries;
    `item` the event of the feed that it carries."""

    text: bytes
    seq: int | None = None
    board: BoardVersion | None = None
    item: FeedEvent | None = None


def board_topic(board_id: str) -> str:
    return _BOARD + board_id


@dataclass(frozen=True, slots=True)
class Heads:
    """The last event of each game, and the open board of each game."""

    events: Mapping[str, int]
    boards: Mapping[str, BoardVersion]


@dataclass(eq=False)
class Topic(ABC):
    """A topic with subscribers. `seq` is the last number that was published; `fresh` until the first read."""

    key: str
    seq: int
    fresh: bool = True

    @abstractmethod
    def read(self, transaction: Transaction, heads: Heads) -> list[Update]:
        """Read what is new since the last call."""


@dataclass(eq=False)
class _GameTopic(Topic):
    """A game and the state of its board."""

    board: BoardVersion | None = None

    def read(self, transaction: Transaction, heads: Heads) -> list[Update]:
        updates: list[Update] = []
        while self.seq < heads.events.get(self.key, 0):
            events = transaction.games.shown_events(self.key, self.seq, BATCH)
            updates += events
            self.seq = events[-1].seq
        if self.fresh or self.board != heads.boards.get(self.key):
            board = transaction.boards.of_game(self.key)
            updates.append(board)
            self.board, self.fresh = None if board is None else (board.id, board.version), False
        return updates


@dataclass(eq=False)
class _BoardTopic(Topic):
    """A board and its log. Every log entry comes with a new version of the board."""

    known: BoardVersion | None = None

    def read(self, transaction: Transaction, heads: Heads) -> list[Update]:
        board_id = self.key.removeprefix(_BOARD)
        now = next((board for board in heads.boards.values() if board[0] == board_id), None)
        if now == self.known and not self.fresh:
            return []
        self.known, self.fresh = now, False
        updates: list[Update] = []
        while entries := transaction.boards.entries(board_id, self.seq, BATCH):
            updates += entries
            self.seq = entries[-1].number
        board = transaction.boards.get(board_id)
        return updates if board is None else [*updates, board]


@dataclass(eq=False)
class _AllBoardsTopic(Topic):
    """The state of every board that changed or closed, and the free ports when they change."""

    known: dict[str, int] = field(default_factory=dict)
    plugged: Ports = ()

    def read(self, transaction: Transaction, heads: Heads) -> list[Update]:
        now = dict(heads.boards.values())
        changed = [*(board for board in now if self.known.get(board) != now[board]), *(self.known.keys() - now)]
        self.known, self.fresh = now, False
        updates: list[Update] = [board for board in map(transaction.boards.get, changed) if board is not None]
        before, self.plugged = self.plugged, tuple(transaction.boards.plugged())
        return updates if self.plugged == before else [*updates, self.plugged]


@dataclass(eq=False)
class _FeedTopic(Topic):
    """The events of all games. `seq` is the number of a `FeedCursor`."""

    def read(self, transaction: Transaction, heads: Heads) -> list[Update]:
        last = transaction.ledger.head().position
        page = transaction.feed.read(FeedCursor.of(self.seq), FEED_BATCH, last, FeedFilter())
        self.seq, self.fresh = page.after.number, page.more
        return list(page.items)


def open_topic(key: str, seq: int, store: Store) -> Topic:
    """The topic with that key, to be read from number `seq` on; of all boards, from what they are now."""
    if key == ALL_BOARDS:
        with store.reading() as transaction:
            known = dict(transaction.boards.versions().values())
            return _AllBoardsTopic(key, seq, known=known, plugged=tuple(transaction.boards.plugged()))
    if key == FEED:
        return _FeedTopic(key, seq)
    return (_BoardTopic if key.startswith(_BOARD) else _GameTopic)(key, seq)
