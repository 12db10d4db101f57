"""Stored values as frozen types, free of SQLAlchemy: the process of a far board has them without a database. Tables
follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

# Types of fields, with the characters that their columns hold, or the bits of a number. See `tables.declared`.
Id = Annotated[str, 32]
Time = Annotated[str, 32]
Hash = Annotated[str, 64]
Word = Annotated[str, 8]  # one of a few
Boot = Annotated[str, 16]
TEXTS = "texts"
DataWithTexts = Annotated[dict[str, Any], TEXTS]  # with texts that pages show in their language: `text_json`
ShownText = Annotated[str, TEXTS]  # such a text alone


def dispute_id(game_id: str, seq: int) -> str:
    """The id of the dispute that event number `seq` of a game opened."""
    return f"{game_id}-{seq}"


class GameRow(NamedTuple):
    """A game as its events leave it. `start` and `position` are text; `winner` is ``South``, ``North`` or None. It may
    be the game number `match_game` of a match. `dispute` is the number of the dispute for whose ruling it waits."""

    id: Id
    game: Annotated[str, 64]
    options: dict[str, Any]
    tags: dict[str, str]
    created: Time
    updated: Time
    seq: int
    hash: Hash
    start: str
    position: str
    ply: int
    state: Word
    result: Word
    score: tuple[int, int] | None
    termination: Annotated[str, 32] | None
    winner: Word | None
    match_id: Id | None = None
    match_game: int | None = None
    dispute: int | None = None

    @property
    def dispute_id(self) -> str | None:
        """The id of the dispute for whose ruling the game waits."""
        return None if self.dispute is None else dispute_id(self.id, self.dispute)


class PlayerKey(NamedTuple):
    """A player in a game: the key of the name, the `search.game_key`, the `score` (``won``, ``lost``, ``drawn``,
    ``none`` for an end without a result, ``live``, or ``both`` if South and North have one name), whether the game
    opens a match."""

    name: str
    game: str
    score: str
    opens_match: bool


class GamePlace(NamedTuple):
    """Where a game counts: its id, that of its match, and the keys of its event and of its table."""

    game_id: str
    match_id: str | None
    event: str | None
    table: str


class NameRow(NamedTuple):
    """A player or an event: the key, and the name as it is shown."""

    key: str
    name: str


class PersonRow(NamedTuple):
    """What somebody said about a player: the `key` of the name, how it is written (None: as the oldest game writes it),
    the key of the person that the name was `joined` to, and whether the person is shown by `initials`."""

    key: str
    name: str | None = None
    joined: str | None = None
    initials: bool = False


REMOVAL = "removal"  # the kind of a change that lists, as `changes` of its data, those whose data was deleted


class Change(NamedTuple):
    """A change, number `number` of all, of the ``event`` or the ``person``, as `about` says, with this `key`: who made
    it, its `kind`, what changed, and the number of the change that it `undoes`. `data` is None once a person whom it
    named was taken out. `undone`: another one undoes it."""

    number: int
    time: str
    actor: str
    source: str
    about: str
    kind: str
    key: str
    data: dict[str, Any] | None
    undoes: int | None = None
    undone: bool = False

    @property
    def names(self) -> list[str]:
        """The normalized names that a change of a person is about."""
        return list((self.data or {}).get("after", ()))


class Days(NamedTuple):
    """From which day to which, as they are stored: ``1974-00-00`` to ``1974-12-31`` for a year. None for both: nobody
    knows."""

    first: str | None
    last: str | None

    def meets(self, other: Days) -> bool:
        """Whether a day may lie in both."""
        if self.first is None or self.last is None or other.first is None or other.last is None:
            return False
        return max(self.first, other.first) <= min(self.last, other.last)


class SearchKeys(NamedTuple):
    """What games are searched by besides their rows: players and event, days, positions by ply, the key of the rules
    that they carry. See `search`."""

    players: frozenset[PlayerKey]
    event: str | None
    days: Days
    positions: tuple[int, ...]
    rules: str | None = None


class DisputeRow(NamedTuple):
    """A dispute: the objection of `side` to turn `ply`, which is the event number `turn`; or, with `about` ``end``
    instead of ``turn``, to the end of the game after that turn, which that event says. A turn that lies on the board
    and is not recorded has no event: then `turn` is `seq`, and `ply` the number of the turn after the last one. `seq`
    is the number of the event that opened it, `seen` the position on the board, if it was given. `state` is ``open``,
    ``ruled`` or ``appealed``; the rest tells the last ruling. `slip` is the kind of the likeliest account of the
    finding that there was for who ruled."""

    game: Id
    seq: int
    time: Time
    ply: int
    turn: int
    side: Word
    claim: str
    seen: str | None
    by: str
    state: Word = "open"
    outcome: Annotated[str, 16] | None = None
    note: str | None = None
    arbiter: str | None = None
    ruled: Time | None = None
    about: Word = "turn"
    slip: Annotated[str, 32] | None = None

    @property
    def id(self) -> str:
        return dispute_id(self.game, self.seq)

    @property
    def is_unrecorded(self) -> bool:
        """Whether the disputed turn lies on the board only."""
        return self.turn == self.seq


class EventRules(NamedTuple):
    """The penalties of an event in the order in which a player gets them, and in how many minutes after a ruling an
    appeal is possible, and since when that holds; None: always."""

    ladder: tuple[str, ...]
    appeal_minutes: int | None = None
    appeal_since: Time | None = None


class EventPlanRow(NamedTuple):
    """What is planned for the event with the key `event`: its `name` as it is written, and the `plan` in the JSON of
    `inkeek.service.games.events.plan`. `version` grows with every change."""

    event: str
    name: str
    version: int
    plan: dict[str, Any]
    updated: Time


class RulesetRow(NamedTuple):
    """The file of a local rule set, as somebody added it; `by` is the source of that request, as of an event."""

    id: str
    text: str
    added: Time
    by: str


FAR = "far"  # the driver of boards that have a process of their own, which reports what it judges


class BoardRow(NamedTuple):
    """A board bound to a game: the one with the number `serial`, and, if it is known, a USB adapter with the number
    `adapter`; None: the first one that plays. `wanted` is ``open`` or ``closed``; (`boot`, `seq`) is the last event
    safely dealt with; `version` grows with every change of `status`. Without `buttons` a turn counts when the board is
    still. Of a far board, `heard` says when its process was heard last, and `report` is the last one taken from it."""

    id: Id
    driver: Annotated[str, 64]
    url: str
    game: str
    wanted: Word
    serial: str | None
    boot: Boot | None
    seq: int
    status: DataWithTexts
    version: int
    created: Time
    updated: Time
    buttons: bool = True
    adapter: str | None = None
    heard: Time | None = None
    report: Id | None = None

    @property
    def resume(self) -> tuple[str, int] | None:
        """The last event safely dealt with, after which a connection continues; None: there was none yet."""
        return None if self.boot is None else (self.boot, self.seq)


class PluggedRow(NamedTuple):
    """A free serial port of the desk's machine, and who is there. `state`: ``asked``, ``board``, ``nobody``, ``closed``
    (it cannot be opened; `reason` says why). Of a board its serial number, pits a row, and whether it has stores."""

    url: str
    title: str
    state: Word
    serial: str | None = None
    row: int | None = None
    stores: bool | None = None
    reason: ShownText = ""


class RequestRow(NamedTuple):
    """A request to a board of the time `created`; `number` grows with every request. `tries`: how often the desk has
    begun to carry it out."""

    board: str
    number: int
    kind: str
    data: dict[str, Any]
    created: str = ""
    tries: int = 0


class LogRow(NamedTuple):
    """An entry of a board's log; `number` counts from 1."""

    number: int
    time: Time
    kind: Annotated[str, 32]
    data: DataWithTexts


@dataclass(frozen=True, slots=True)
class Limit:
    """What a key is limited to: the ``game`` or the ``match`` with the id `value`, the ``event`` of that name, or a
    ``table`` of an event, written as ``3:Narok Open``."""

    kind: str
    value: str

    def __str__(self) -> str:
        return f"{self.kind} {self.value!r}"


class KeyRow(NamedTuple):
    """A key of a user. `kind` is ``token``, ``link`` or ``session``; `hash` is the SHA-256 of its secret in hexadecimal
    digits. `used` is when it was last used, to some minutes; None in `expires` means never. The secret before the last
    rotation, `previous_hash`, is valid until `previous_until`.

    `giver` is the key from which it has its right, and with which it ends: who made a link; the link by which a session
    came. A link is for `most` people, of whom `joined` have come. That of an invitation has a `code`, which people
    type; a guest `asked` then to keep the score of the table. The session `lender` lends a link, and the session that
    comes by it, to another device of a person. A session has the name of its `device`, and the `look` and `language` of
    pages that the person chose."""

    id: Id
    kind: Word
    name: str
    scopes: tuple[str, ...]
    hash: Hash
    created: Time
    expires: Time | None
    used: Time | None
    revoked: Time | None
    limit: Limit | None = None
    previous_hash: Hash | None = None
    previous_until: Time | None = None
    giver: Id | None = None
    code: Annotated[str, 16] | None = None
    most: int | None = None
    joined: int | None = None
    asked: Time | None = None
    lender: Id | None = None
    device: str | None = None
    look: Annotated[str, 32] | None = None
    language: Word | None = None

    @property
    def event(self) -> str:
        """The event to which it is limited, or to a table of which; empty: none."""
        if self.limit is None or self.limit.kind not in ("event", "table"):
            return ""
        return self.limit.value.partition(":")[2] if self.limit.kind == "table" else self.limit.value

    @property
    def table(self) -> str:
        return self.limit.value.partition(":")[0] if self.limit is not None and self.limit.kind == "table" else ""

    @property
    def game(self) -> str:
        return self.limit.value if self.limit is not None and self.limit.kind == "game" else ""
