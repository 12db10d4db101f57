"""Inboxes: where the events of a far board arrive, each once and in order, and wait for the desk (`docs/far.md`).

A far desk (`inkeek board attach`) claims the inbox of its board for its spool, then delivers events with consecutive
numbers. Delivering again what is here already changes nothing; leaving a number out is refused.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from drivers.base import Guidance, Resume
from drivers.errors import MessageError
from drivers.events import Connected, Disconnected, Event, Gap, Numbered, Refused
from drivers.recording.json_form import event_json, guidance_json, read_event
from service.errors import BoardClosed, Hole, InboxFull, InboxTaken, Invalid, NotFound
from service.storage import BoardRow, InboxNews, InboxRow, Store, Transaction
from service.storage.clock import Clock, stamp, utc_now

FAR = "far"  # the driver of boards whose events arrive here
LOOK_EVERY = 0.05  # seconds between looks for what is new
MAX_EVENTS = 10_000  # that wait for the desk
MAX_NUMBER = 2**53  # of events; what JSON's readers agree on
PREFIX = f"{FAR}:"  # of what stands for the port of such a board, which it tells from ports of this machine


def check_far(port: str) -> None:
    """:raises Invalid: this cannot stand for the port of a far board."""
    if not (port.startswith(PREFIX) and len(port) > len(PREFIX) and port.isprintable()):
        raise Invalid(f"port is {port[:80]!r}: that of a far board is {PREFIX} and a name, as far:bench:/dev/ttyACM0")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a far desk is told when it has claimed an inbox: the number of its claim, the last event that is here, and
    from where the board goes on for a spool that is new."""

    claim: int
    last: int
    resume: Resume | None


class Inboxes:
    """The inboxes in a store."""

    def __init__(self, store: Store, clock: Clock = utc_now) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._news: dict[str, InboxNews] = {}
        self._news_at = -math.inf  # by the monotonic clock

    # the far desk

    def claim(self, board_id: str, spool: str, held: tuple[int, int] | None, take_over: bool) -> Claim:
        """Have this spool fill the inbox; an earlier claim is void. `held`: the first number of an event that it still
        holds (or will have), and the last that it has had; None: it is new, and begins where the inbox ends.

        Events that are neither here nor there are told as a gap.
        :raises NotFound: no such board. :raises BoardClosed: it was released. :raises Invalid: it is no far board.
        :raises InboxTaken: another spool fills it, and `take_over` does not say that this is wanted; or this spool
        lacks what it once delivered.
        """
        now = stamp(self._clock())
        with self._writing() as transaction:
            board = _far_board(transaction, board_id)
            row = transaction.inboxes.get(board_id, lock=True)
            if row is None:
                here = held[0] - 1 if held is not None and board.boot is None else 0
                row = InboxRow(board_id, spool, 0, here, here, board.boot, board.seq, None, None, here, 0, now)
                transaction.inboxes.add(row)
            elif row.spool != spool and not take_over:
                raise InboxTaken(
                    f"board {board_id} is attached from elsewhere, last heard {row.heard}: --take-over has it attached "
                    "from here"
                )
            elif row.spool == spool and held is not None and row.last > held[1]:
                raise InboxTaken(
                    f"board {board_id}: event {row.last} was delivered, and the spool ends at {held[1]}: it is an "
                    "old copy; --take-over puts it away and begins a new one"
                )
            row = replace(row, spool=spool, claim=row.claim + 1, heard=now)
            if held is not None and held[0] > row.last + 1:
                row = self._skip(transaction, row, held[0] - 1)
            transaction.inboxes.put(row)
            return Claim(row.claim, row.last, None if row.boot is None else (row.boot, row.seq))

    @staticmethod
    def _skip(transaction: Transaction, row: InboxRow, to: int) -> InboxRow:
        """The row when events up to number `to` are lost for good, which a gap in their place tells."""
        lost = f"events {row.last + 1} to {to} of the far desk are lost: they were delivered, and are not here"
        boot = row.boot
        if boot is None:  # nothing was dealt with yet, so that nothing can be missed
            return replace(row, last=to)
        transaction.inboxes.fill(row.board, to, [event_json(Gap(lost, boot, row.seq))])
        return replace(row, last=to)

    def take(self, board_id: str, claim: int, first: int, events: Sequence[object]) -> InboxRow:
        """Store the events numbered from `first` on, but for those that are here already. They are durable when this
        returns; the answer tells the last one that is here, and what the lights should show.

        :raises Invalid: one of them is no event. :raises Hole: events before them are missing, or the claim is.
        :raises InboxTaken: the inbox was claimed since. :raises InboxFull: the desk does not deal with them.
        """
        read = [_read(number, event) for number, event in enumerate(events, first)]
        now = stamp(self._clock())
        with self._writing() as transaction:
            _far_board(transaction, board_id)
            row = transaction.inboxes.get(board_id, lock=True)
            if row is None or row.claim < claim:  # this database is an older copy: claimed again, it can go on
                raise Hole(f"claim {claim} of board {board_id} is not known here", expected=row.last + 1 if row else 1)
            if row.claim > claim:
                raise InboxTaken(f"board {board_id} is attached from elsewhere by now: claim {claim} is void")
            if first > row.last + 1:
                raise Hole(f"the first event is number {first}: expected {row.last + 1}", expected=row.last + 1)
            new = read[row.last + 1 - first :]
            if new and transaction.inboxes.count(board_id) + len(new) > MAX_EVENTS:
                raise InboxFull(f"{MAX_EVENTS} events of board {board_id} wait for the desk: it does not run")
            if new:
                transaction.inboxes.fill(board_id, row.last + 1, [event_json(event) for event in new])
            for event in new:
                if isinstance(event, Numbered | Gap):
                    row = replace(row, boot=event.boot, seq=event.seq)
            row = replace(row, last=row.last + len(new), heard=now)
            transaction.inboxes.put(row)
            return row

    def get(self, board_id: str) -> InboxRow:
        """How the inbox stands.

        :raises NotFound: there is no such board, or nobody has claimed its inbox.
        """
        with self._store.reading() as transaction:
            row = transaction.inboxes.get(board_id)
        if row is None:
            raise NotFound(f"board {board_id!r} is not attached from anywhere")
        return row

    def news(self, board_id: str) -> InboxNews | None:
        """How the inbox of an open board stood at most `LOOK_EVERY` seconds ago; what was done through this object is
        in it. Many may ask all the time: the database is asked once for all of them.
        """
        with self._lock:
            now = time.monotonic()
            if now - self._news_at >= LOOK_EVERY:
                with self._store.reading() as transaction:
                    self._news = transaction.inboxes.news()
                self._news_at = now
            return self._news.get(board_id)

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """A transaction whose outcome is news."""
        with self._store.writing() as transaction:
            yield transaction
        with self._lock:
            self._news_at = -math.inf

    # the desk

    def look(self, board_id: str, after: int, most: int) -> tuple[InboxRow | None, list[tuple[int, Event]]]:
        """How the inbox stands, and its events with numbers above `after`, `most` at most."""
        with self._store.reading() as transaction:
            row = transaction.inboxes.get(board_id)
            told = transaction.inboxes.events(board_id, after, most) if row is not None and row.last > after else []
        return row, [(number, read_event(event)) for number, event in told]

    def deal(self, board_id: str, events: Sequence[tuple[int, Event]]) -> None:
        """Drop these events, which have been dealt with."""
        upto = events[-1][0]
        with self._writing() as transaction:
            row = transaction.inboxes.get(board_id, lock=True)
            if row is None or row.dealt >= upto:
                return
            hello = row.hello
            for _, event in events:
                if isinstance(event, Connected):
                    hello = event_json(event)
                elif isinstance(event, Disconnected | Refused):
                    hello = None
            transaction.inboxes.drop(board_id, upto)
            transaction.inboxes.put(replace(row, dealt=upto, hello=hello))

    def show(self, board_id: str, guidance: Guidance) -> None:
        """Have the lights show this. It is told to the far desk even when they show it already."""
        with self._writing() as transaction:
            row = transaction.inboxes.get(board_id, lock=True)
            if row is not None:
                told = guidance_json(guidance)
                shown = replace(row, guidance=told, answers=row.dealt, version=row.version + 1)
                transaction.inboxes.put(shown)


def _far_board(transaction: Transaction, board_id: str) -> BoardRow:
    board = transaction.boards.get(board_id)
    if board is None:
        raise NotFound(f"there is no board {board_id!r}")
    if board.driver != FAR:
        raise Invalid(f"board {board_id} has the driver {board.driver!r}: only one with {FAR!r} is attached from afar")
    if board.wanted != "open":
        raise BoardClosed(f"board {board_id} was released")
    return board


def _read(number: int, value: object) -> Event:
    try:
        return read_event(value)
    except MessageError as error:
        raise Invalid(f"event {number}: {error}") from error
