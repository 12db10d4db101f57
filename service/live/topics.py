"""What can be followed live, and what is new of it: a game, a board, all boards. Read once for all who follow.

A topic names it: the id of a game, `board_topic` of a board, `lights_topic` of a far one's lights, `BOARDS`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.http.json_views import board_json, event_json, log_json
from service.storage import BoardRow, GameEvent, LogRow, Transaction

if TYPE_CHECKING:
    from .publisher import Follower

BATCH = 200  # events read at once
BOARDS = "boards"
_BOARD = "board "  # no game's id has a space in it
_LIGHTS = "lights "


@dataclass(frozen=True, slots=True)
class Message:
    """A message of Server-Sent Events: an event of the game, or an entry of the board's log, with the number `seq`; or
    the state (id, version) of a `board`, None when there is none."""

    text: bytes
    seq: int | None = None
    board: tuple[str, int] | None = None


def event_message(event: GameEvent) -> Message:
    return Message(_text(event.kind, event_json(event), f"id: {event.seq}\n"), event.seq)


def log_message(entry: LogRow) -> Message:
    return Message(_text("log", log_json(entry), f"id: {entry.number}\n"), entry.number)


def board_message(board: BoardRow | None) -> Message:
    if board is None:
        return Message(_text("board", None))
    return Message(_text("board", board_json(board)), board=(board.id, board.version))


def _text(kind: str, data: object, number: str = "") -> bytes:
    return f"{number}event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def board_topic(board_id: str) -> str:
    return _BOARD + board_id


def board_of(topic: str) -> str:
    """The board that `board_topic` named."""
    return topic.removeprefix(_BOARD)


def lights_topic(board_id: str) -> str:
    return _LIGHTS + board_id


@dataclass(frozen=True, slots=True)
class Heads:
    """What tells at a glance whether something is new: last events by game, and the (id, version) of the open board by
    the game it is bound to."""

    events: Mapping[str, int]
    boards: Mapping[str, tuple[str, int]]


@dataclass(eq=False)
class Topic(ABC):
    """Something that is followed. `seq` is its last number that the followers were told of; nothing was looked up yet
    while `fresh`."""

    topic: str
    seq: int
    fresh: bool = True
    followers: set[Follower] = field(default_factory=set)

    @abstractmethod
    def read(self, transaction: Transaction, heads: Heads) -> list[Message]:
        """What is new since it was read before."""


@dataclass(eq=False)
class _GameTopic(Topic):
    """A game, with the state of the board that is bound to it."""

    board: tuple[str, int] | None = None

    def read(self, transaction: Transaction, heads: Heads) -> list[Message]:
        messages: list[Message] = []
        while self.seq < heads.events.get(self.topic, 0):
            messages += map(event_message, transaction.games.events(self.topic, self.seq, BATCH))
            self.seq = messages[-1].seq or 0
        if self.fresh or self.board != heads.boards.get(self.topic):
            messages.append(board_message(transaction.boards.of_game(self.topic)))
            self.board, self.fresh = messages[-1].board, False
        return messages


@dataclass(eq=False)
class _BoardTopic(Topic):
    """A board: its log, and its state. Every entry of the log comes with a new version."""

    known: tuple[str, int] | None = None  # its state when it was open and looked at last

    def read(self, transaction: Transaction, heads: Heads) -> list[Message]:
        board_id = board_of(self.topic)
        now = next((board for board in heads.boards.values() if board[0] == board_id), None)
        if now == self.known and not self.fresh:
            return []
        self.known, self.fresh = now, False
        messages: list[Message] = []
        while entries := transaction.boards.entries(board_id, self.seq, BATCH):
            messages += map(log_message, entries)
            self.seq = entries[-1].number
        board = transaction.boards.get(board_id)
        return messages if board is None else [*messages, board_message(board)]


@dataclass(eq=False)
class _BoardsTopic(Topic):
    """All boards: the state of each that has changed; and of those that were closed."""

    known: dict[str, int] = field(default_factory=dict)

    def read(self, transaction: Transaction, heads: Heads) -> list[Message]:
        now = dict(heads.boards.values())
        changed = [] if self.fresh else [*(b for b in now if self.known.get(b) != now[b]), *(self.known.keys() - now)]
        self.known, self.fresh = now, False
        found = (transaction.boards.get(board_id) for board_id in changed)
        return [board_message(board) for board in found if board is not None]


@dataclass(eq=False)
class _LightsTopic(Topic):
    """A far board's lights: that they were set anew, or that more of its events were dealt with, and no more."""

    known: tuple[int, int] | None = None

    def read(self, transaction: Transaction, heads: Heads) -> list[Message]:
        inbox = transaction.inboxes.get(self.topic.removeprefix(_LIGHTS))
        now = None if inbox is None else (inbox.version, inbox.dealt)
        if now == self.known and not self.fresh:
            return []
        self.known, self.fresh = now, False
        return [Message(_text("lights", now))]


def open_channel(topic: str, seq: int) -> Topic:
    """The channel of a topic, whose followers know all up to `seq`."""
    if topic == BOARDS:
        return _BoardsTopic(topic, seq)
    if topic.startswith(_LIGHTS):
        return _LightsTopic(topic, seq)
    return (_BoardTopic if topic.startswith(_BOARD) else _GameTopic)(topic, seq)
