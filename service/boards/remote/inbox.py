"""Inboxes: where the events of a remote board arrive, each once and in order, and wait for the desk (`docs/far.md`).

An agent (`inkeek board attach`) claims the inbox of its board for its spool, then delivers events with consecutive
numbers. Delivering an event again changes nothing; leaving out a number is refused.
"""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from inkeek.drivers.base import Guidance, Resume
from inkeek.drivers.errors import MessageError
from inkeek.drivers.events import Connected, Disconnected, Event, Gap, Numbered, Refused
from inkeek.drivers.gate import Gate
from inkeek.drivers.recording.json_form import UnknownKind, event_json, guidance_json, read_event
from inkeek.records.errors import message_of
from inkeek.service.boards.identity import FAR, FAR_VERSION
from inkeek.service.boards.share import Share
from inkeek.service.errors import (
    BoardClosed,
    ErrorText,
    Hole,
    InboxFull,
    InboxTaken,
    Invalid,
    NotFound,
    TooManyRequests,
)
from inkeek.service.storage import BoardRow, InboxNews, InboxRow, Store, Transaction
from inkeek.service.storage.clock import Clock, stamp, utc_now

LOOK_EVERY = 0.05  # seconds between looks into the database
MAX_EVENTS = 10_000  # that wait for the desk
MAX_BYTES = 8 << 20  # of these
MAX_EVENT = 8 << 10  # bytes of one that the gate has passed: so few events cannot have too many bytes
BURST = 5000.0  # events that a board may deliver at once: the spool of some hours without a network
RATE = 200.0  # more of them a second
MAX_SHARES = 1000  # boards whose shares are kept
MAX_NUMBER = 2**53  # of events; all readers of JSON agree on integers up to here

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Claim:
    """The answer to a claim: its number, the last event that is here, and where a new spool begins on the board."""

    claim: int
    last: int
    resume: Resume | None
    far_version: int = FAR_VERSION


@dataclass(frozen=True, slots=True)
class RefusedEvent:
    """An event that was not stored as it came: its number, and why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """The answer to a delivery: the inbox after it, and the events that were refused."""

    row: InboxRow
    refused: tuple[RefusedEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class InboxBatch:
    """Events of an inbox with their numbers, all up to number `upto`. `hello`: the board that was connected before."""

    row: InboxRow
    events: tuple[tuple[int, Event], ...]
    upto: int
    hello: Event | None


class Inboxes:
    """The inboxes in a store."""

    def __init__(self, store: Store, clock: Clock = utc_now, seconds: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._seconds = seconds
        self._lock = threading.Lock()
        self._shares: dict[str, Share] = {}  # of events, by the board
        self._news: dict[str, InboxNews] = {}
        self._news_at = -math.inf  # by the monotonic clock

    # For the agent

    def claim(self, board_id: str, spool: str, held: tuple[int, int] | None, take_over: bool) -> Claim:
        """Let this spool fill the inbox; any earlier claim becomes void.

        `held` is the number of the oldest event that the spool holds (or will hold) and of the last that it had; None:
        it is new and begins where the inbox ends. A gap replaces events that are neither here nor in the spool.

        :raises NotFound: no such board. :raises BoardClosed: it was released. :raises Invalid: it is no remote board.
        :raises InboxTaken: another spool fills the inbox and `take_over` is false, or this spool lacks events that it
            delivered earlier.
        """
        now = stamp(self._clock())
        with self._writing() as transaction:
            board = _remote_board(transaction, board_id)
            row = transaction.inboxes.get(board_id, lock=True)
            if row is None:
                here = held[0] - 1 if held is not None and board.boot is None else 0
                row = InboxRow(board_id, spool, 0, here, here, board.boot, board.seq, None, None, here, 0, now)
                transaction.inboxes.add(row)
            elif row.spool != spool and not take_over:
                raise InboxTaken(
                    "board %(board)s is attached from elsewhere, last heard %(heard)s: use --take-over to attach it "
                    "from here",
                    board=board_id,
                    heard=row.heard,
                )
            elif row.spool == spool and held is not None and row.last > held[1]:
                raise InboxTaken(
                    "board %(board)s: event %(last)s was delivered, but this spool ends at %(held)s, so it is an old "
                    "copy: use --take-over to begin a new one",
                    board=board_id,
                    last=row.last,
                    held=held[1],
                )
            row = row._replace(spool=spool, claim=row.claim + 1, heard=now)
            if held is not None and held[0] > row.last + 1:
                row = self._skip(transaction, row, held[0] - 1)
            transaction.inboxes.put(row)
            return Claim(row.claim, row.last, None if row.boot is None else (row.boot, row.seq))

    @staticmethod
    def _skip(transaction: Transaction, row: InboxRow, to: int) -> InboxRow:
        """Put a gap in the place of the events up to number `to`, which are lost."""
        if row.boot is None:  # no event was handled yet, so none can be missed
            return row._replace(last=to)
        reason = f"events {row.last + 1} to {to} were delivered to the service, which has lost them"
        transaction.inboxes.fill(row.board, [(to, _event_text(Gap(reason, row.boot, row.seq)))])
        return row._replace(last=to)

    def append(self, board_id: str, claim: int, first: int, events: Sequence[object]) -> Delivery:
        """Store the events numbered from `first` on, except those that are here already.

        They are durable when this returns. Those that do not fit the board, or are of a kind that only later versions
        know, are refused: their numbers are taken, the board's log says why, and they have no effect.

        :raises Invalid: an event is invalid. :raises Hole: events before these are missing, or the claim is.
        :raises InboxTaken: the inbox was claimed since. :raises InboxFull: the desk does not read the inbox.
        :raises TooManyRequests: the board has delivered more events than its share.
        """
        self._check_share(board_id, len(events))
        read = [_read_event(number, event) for number, event in enumerate(events, first)]
        now = stamp(self._clock())
        with self._writing() as transaction:
            _remote_board(transaction, board_id)
            row = transaction.inboxes.get(board_id, lock=True)
            if row is None or row.claim < claim:  # this database is an older copy; after a new claim it can go on
                raise Hole(f"claim {claim} of board {board_id} is unknown here", expected=row.last + 1 if row else 1)
            if row.claim > claim:
                raise InboxTaken(f"board {board_id} is now attached from elsewhere: claim {claim} is void")
            if first > row.last + 1:
                raise Hole(f"the first event is number {first}: expected {row.last + 1}", expected=row.last + 1)
            new = read[row.last + 1 - first :]
            admitted, refused = _admit(row, new)
            if admitted:
                _check_room(transaction, board_id, [event for _, event in admitted])
                transaction.inboxes.fill(board_id, [(number, _event_text(event)) for number, event in admitted])
            for _, event in admitted:
                match event:
                    case Numbered() | Gap():
                        row = row._replace(boot=event.boot, seq=event.seq)
                    case Connected():
                        row = row._replace(last_hello=event_json(event))
                    case Disconnected() | Refused():
                        row = row._replace(last_hello=None)
            if refused:
                transaction.boards.note(board_id, now, "misfit", {"reason": refused[0].reason, "count": len(refused)})
            row = row._replace(last=row.last + len(new), heard=now)
            transaction.inboxes.put(row)
            return Delivery(row, refused)

    def get(self, board_id: str) -> InboxRow:
        """The inbox's row.

        :raises NotFound: there is no such board, or its inbox was never claimed.
        """
        with self._store.reading() as transaction:
            row = transaction.inboxes.get(board_id)
        if row is None:
            raise NotFound(f"board {board_id!r} is not attached from anywhere")
        return row

    # For the desk

    def peek(self, board_id: str) -> InboxNews | None:
        """What changes in an inbox, at most `LOOK_EVERY` seconds old, except for changes made through this object.

        Cheap: the database is asked once for all inboxes.
        """
        with self._lock:
            now = time.monotonic()
            if now - self._news_at >= LOOK_EVERY:
                with self._store.reading() as transaction:
                    self._news = transaction.inboxes.news()
                self._news_at = now
            return self._news.get(board_id)

    def read(self, board_id: str, after: int, limit: int) -> InboxBatch | None:
        """At most `limit` events with numbers above `after`; None without an inbox.

        An event that this version cannot read is left out, as those are that were refused.
        """
        with self._store.reading() as transaction:
            row = transaction.inboxes.get(board_id)
            if row is None:
                return None
            stored = transaction.inboxes.events(board_id, after, limit) if row.last > after else []
        readable = ((number, _stored_event(board_id, data)) for number, data in stored)
        events = tuple((number, event) for number, event in readable if event is not None)
        hello = None if row.hello is None else _stored_event(board_id, row.hello)
        upto = after
        if len(stored) < limit:
            upto = max(after, row.last)
        elif stored:
            upto = stored[-1][0]
        return InboxBatch(row, events, upto, hello)

    def discard(self, board_id: str, events: Sequence[tuple[int, Event]]) -> None:
        """Remove events that were handled."""
        last = events[-1][0]
        with self._writing() as transaction:
            row = transaction.inboxes.get(board_id, lock=True)
            if row is None or row.dealt >= last:
                return
            hello = row.hello
            for _, event in events:
                if isinstance(event, Connected):
                    hello = event_json(event)
                elif isinstance(event, Disconnected | Refused):
                    hello = None
            transaction.inboxes.drop(board_id, last)
            transaction.inboxes.put(row._replace(dealt=last, hello=hello))

    def show(self, board_id: str, guidance: Guidance) -> None:
        """Set the board's lights. Notify the agent even if they stay the same."""
        with self._writing() as transaction:
            row = transaction.inboxes.get(board_id, lock=True)
            if row is not None:
                lights = guidance_json(guidance)
                transaction.inboxes.put(row._replace(guidance=lights, answers=row.dealt, version=row.version + 1))

    def _check_share(self, board_id: str, count: int) -> None:
        """Count events that a board delivers, so that none makes the others wait for the database."""
        with self._lock:
            share = self._shares.pop(board_id, None) or Share(BURST, RATE, self._seconds)
            self._shares[board_id] = share  # the last delivered last
            if len(self._shares) > MAX_SHARES:
                del self._shares[next(iter(self._shares))]
            if not share.take(count):
                raise TooManyRequests(
                    ErrorText(
                        "Board %(board)s has delivered more than %(burst)g events, and %(rate)g a second after them. "
                        "Deliver fewer at once, or try again.",
                        board=board_id,
                        burst=BURST,
                        rate=RATE,
                    ),
                    math.ceil((count - share.left) / RATE),
                )

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """A transaction that the next `peek` sees."""
        with self._store.writing() as transaction:
            yield transaction
        with self._lock:
            self._news_at = -math.inf


def _remote_board(transaction: Transaction, board_id: str) -> BoardRow:
    board = transaction.boards.get(board_id)
    if board is None:
        raise NotFound(f"there is no board {board_id!r}")
    if board.driver != FAR:
        raise Invalid(f"board {board_id} has the driver {board.driver!r}: only a board with {FAR!r} can be attached")
    if board.wanted != "open":
        raise BoardClosed(f"board {board_id} was released")
    return board


def _admit(
    row: InboxRow, events: Sequence[Event | UnknownKind]
) -> tuple[list[tuple[int, Event]], tuple[RefusedEvent, ...]]:
    """What of the events that follow the inbox's last one may be stored, each with its number, and what is refused."""
    known = None if row.last_hello is None else _stored_event(row.board, row.last_hello)
    gate = Gate(known if isinstance(known, Connected) else None)
    admitted: list[tuple[int, Event]] = []
    refused: list[RefusedEvent] = []
    for number, event in enumerate(events, row.last + 1):
        if isinstance(event, UnknownKind):
            refused.append(RefusedEvent(number, message_of(event)))
            continue
        admitted += [(number, passed) for passed in gate.admit([event])[-1:]]
        refused += [RefusedEvent(number, refusal.reason) for refusal in gate.take_refusals()]
    return admitted, tuple(refused)


def _check_room(transaction: Transaction, board_id: str, events: Sequence[Event]) -> None:
    """:raises InboxFull: the inbox has no room for these events."""
    count = transaction.inboxes.count(board_id) + len(events)
    if count > MAX_EVENTS:
        raise InboxFull(f"{MAX_EVENTS} events of board {board_id} wait for the desk, which does not run")
    if count * MAX_EVENT > MAX_BYTES:
        size = transaction.inboxes.size(board_id) + sum(len(_event_text(event)) for event in events)
        if size > MAX_BYTES:
            raise InboxFull(f"events of board {board_id} with {MAX_BYTES} bytes wait for the desk")


def _event_text(event: Event) -> str:
    return json.dumps(event_json(event))


def _stored_event(board_id: str, data: object) -> Event | None:
    """An event that was stored; None if this version cannot read it."""
    try:
        return read_event(data)
    except MessageError as error:
        log.warning("board %s: a stored event is dropped: %s", board_id, error)
        return None


def _read_event(number: int, value: object) -> Event | UnknownKind:
    try:
        return read_event(value)
    except UnknownKind as error:
        return error
    except MessageError as error:
        raise Invalid(f"event {number}: {error}") from error
