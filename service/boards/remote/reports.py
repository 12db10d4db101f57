"""What the process of a far board (`docs/far.md`) reports: changes of its game, its status, entries of its log.

The process judges the board's events itself, on a copy of the game. So a change names the event that it follows. It is
carried out as one of the service's own boards would, under the source that names the board's event: once, however
often it is reported.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from inkeek.records import Move, RecordsError
from inkeek.records.errors import message_of
from inkeek.records.structs import convert
from inkeek.service.boards.bindings import Boards, LogData, LogKind
from inkeek.service.boards.identity import Identity, clean_serial
from inkeek.service.boards.share import Share
from inkeek.service.boards.status import BoardStatus, read_status
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.disputes.event_data import DisputeData, RulingData
from inkeek.service.disputes.rulings import withdraw
from inkeek.service.errors import BoardClosed, Conflict, Damaged, ErrorText, Invalid, Stale, TooManyRequests
from inkeek.service.games.corrections import take_back
from inkeek.service.games.event_data import EventData, RetractionData, TrialData, TurnData, given
from inkeek.service.games.people import try_move
from inkeek.service.games.plies import BY_RULES
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage import BoardRow, GameEvent, dispute_id
from inkeek.service.storage.rows import FAR
from inkeek.service.storage.text_json import load_texts

CHANGES: Mapping[str, type[EventData]] = {
    kind.kind: kind for kind in (TurnData, RetractionData, TrialData, DisputeData, RulingData)
}
# Kinds of events on which it depends what a press means.
DECISIVE = frozenset(
    ("created", "turn", "retraction", "ended", "correction", "reopening", "dispute", "ruling", "appeal")
)
BURST = 3000.0  # reports that a board may send at once: what it kept in some hours without a network
RATE = 30.0  # more of them a second
MAX_SHARES = 1000  # boards whose shares are kept
_SOURCE = re.compile(r"[^:]{1,40}:[0-9]{1,15}(?::[0-9]{1,3})?", re.ASCII)  # after ``board:<serial>:``
# A text's template, without widths, which could be millions.
_TEMPLATE = re.compile(r"(?:[^%]|%%|%\(\w+\)(?:\.[0-9])?[a-z])*", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class ReportedChange:
    """An event of the game that follows from one of the board, as its process expects it. `follows`: the last decisive
    event before it, by its hash, or, if that was only expected too, by its source."""

    kind: str
    source: str
    follows: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FarReport:
    """What a far board's process reports at once. `serial` and `adapter` are those of its board. (`boot`, `seq`): all
    events of the board up to this one are handled. `status` and the data of `log` are as they are stored. `tried`,
    `done`: the numbers of requests that were begun, and finished."""

    id: str
    serial: str | None = None
    adapter: str | None = None
    boot: str | None = None
    seq: int = 0
    status: Mapping[str, Any] | None = None
    log: Sequence[tuple[LogKind, Mapping[str, Any]]] = ()
    changes: Sequence[ReportedChange] = ()
    tried: Sequence[int] = ()
    done: Sequence[int] = ()


def decisive(events: Sequence[GameEvent]) -> GameEvent:
    """The last event on which it depends what a press means, and that the rules did not bring."""
    return [event for event in events if event.kind in DECISIVE and event.source != BY_RULES][-1]


class Reports:
    """What far boards report. `seconds` is monotonic time."""

    def __init__(self, boards: Boards, games: Games, seconds: Callable[[], float] = time.monotonic) -> None:
        self._boards = boards
        self._games = games
        self._seconds = seconds
        self._lock = threading.Lock()
        self._shares: dict[str, Share] = {}  # of reports, by the board

    def take(self, board_id: str, report: FarReport) -> BoardRow:
        """Do what a report says, in one transaction; nothing if it is the one that was taken last.

        :raises NotFound: no such board. :raises BoardClosed: it was released. :raises Stale: the game has changed since
            a press was judged. :raises Conflict: another board is bound, or the service judges otherwise.
        :raises Invalid: the report has another form, or is no far board's. :raises TooManyRequests: the board has
            reported more than its share.
        """
        self._check_share(board_id)
        boards, games = self._boards, self._games
        entries = [(kind, _texts(data)) for kind, data in report.log]
        status = None if report.status is None else _status(report.status)
        with boards.transaction():
            board = far_board(boards, board_id)
            if report.id == board.report:
                return boards.note_heard(board_id)
            if report.serial is not None and board.serial != report.serial:
                board = _bind(boards, board, Identity(report.serial, report.adapter))
            for change in report.changes:
                if not games.has(board.game, change.source):
                    _carry_out(games, board, change)
            boards.note_requests(board_id, report.tried, report.done)
            _store(boards, board, report, status, entries)
            return boards.note_heard(board_id, report.id)

    def _check_share(self, board_id: str) -> None:
        """Count a report, so that no board makes the others wait for the database."""
        with self._lock:
            share = self._shares.pop(board_id, None) or Share(BURST, RATE, self._seconds)
            self._shares[board_id] = share  # the last one that reported last
            if len(self._shares) > MAX_SHARES:
                del self._shares[next(iter(self._shares))]
            if not share.take():
                message = ErrorText(
                    "Board %(board)s has sent more than %(burst)g reports, and %(rate)g a second after them.",
                    board=board_id,
                    burst=BURST,
                    rate=RATE,
                )
                raise TooManyRequests(message, 1)


def far_board(boards: Boards, board_id: str) -> BoardRow:
    """The far board with that id.

    :raises NotFound: there is none. :raises Invalid: it is no far board. :raises BoardClosed: it was released.
    """
    board = boards.get(board_id)
    if board.driver != FAR:
        raise Invalid(
            f"board {board_id} has the driver {board.driver!r}: only a board with {FAR!r} can be attached",
            field="board",
        )
    if board.wanted != "open":
        raise BoardClosed(f"board {board_id} was released")
    return board


def _bind(boards: Boards, board: BoardRow, found: Identity) -> BoardRow:
    if found.serial != clean_serial(found.serial):
        raise Invalid(f"serial is {found.serial[:80]!r}: it cannot stand in a record", field="serial")
    if board.serial is not None:
        raise Conflict(
            "board %(board)s is bound to %(bound)r, not to %(serial)r",
            board=board.id,
            bound=board.serial,
            serial=found.serial,
        )
    return boards.identify(board.id, found, board.url)[0]


def _store(
    boards: Boards, board: BoardRow, report: FarReport, status: BoardStatus | None, entries: Sequence[LogData]
) -> None:
    status = status or read_status(board.status)
    for entry in entries:
        boards.update_status(board.id, status, entry)
    if report.serial is None or report.boot is None:
        boards.update_status(board.id, status)
    else:
        boards.commit_event(board.id, report.serial, report.boot, report.seq, status)


def _carry_out(games: Games, board: BoardRow, change: ReportedChange) -> None:
    """:raises Conflict, Invalid, RecordsError: it cannot be done, or is judged otherwise here."""
    prefix = f"board:{board.serial}:"
    if not change.source.startswith(prefix) or not _SOURCE.fullmatch(change.source.removeprefix(prefix)):
        raise Invalid(f"source is {change.source[:80]!r}: expected an event of board {board.serial}")
    game = board.game
    last = decisive(games.load(game).events)
    if change.follows not in (last.hash, last.source):
        raise Stale("the game has changed since the board was judged", current=games.row(game))
    write = Write(change.source, f"board {board.serial}")
    match _data(change):
        case TurnData() as data:
            write = Write(change.source, write.actor, expected_ply=data.ply)
            played = games.play(game, Move.parse(data.turn.move), write, data.turn.comments)
            if str(played.turn.position) != data.position:
                raise Conflict(
                    "%(move)s leads to %(position)s here, and to %(other)s for the board's program: is it of another "
                    "version?",
                    move=data.turn.move,
                    position=str(played.turn.position),
                    other=data.position[:200],
                )
        case RetractionData() as data:
            write = Write(change.source, write.actor, expected_ply=data.ply)
            take_back(games, game, "team", write, data.side, data.note)
        case TrialData() as data:
            try_move(games, game, Move.parse(data.move), Write(change.source, expected_ply=data.ply))
        case DisputeData() as data:
            ply = games.row(game).ply
            open_dispute(
                games,
                game,
                data.side,
                data.claim,
                write,
                data.seen,
                ply=data.ply if data.ply > ply else None,
                sensors=given(data.sensors, None),
            )
        case RulingData() as data if given(data.withdrawn, False):
            course = games.load(game).state.course(data.dispute)
            withdraw(games, dispute_id(game, data.dispute), Write(change.source, course.row.side), given(data.note, ""))
        case _:
            raise Invalid(f"a board reports no event of the kind {change.kind!r} with this data")


def _data(change: ReportedChange) -> EventData:
    kind = CHANGES.get(change.kind)
    try:
        if kind is None:
            raise Invalid(f"kind is {change.kind[:80]!r}: expected one of {', '.join(CHANGES)}", field="kind")
        return convert(change.data, kind)
    except msgspec.ValidationError as error:
        raise Invalid(f"data of the kind {change.kind!r}: {error}") from error


def _status(data: Mapping[str, Any]) -> BoardStatus:
    try:
        return read_status(_texts(data))
    except RecordsError as error:
        raise Invalid(f"status: {message_of(error)}", field="status") from error


def _texts(data: Mapping[str, Any]) -> dict[str, Any]:
    """Stored data, whose texts are made anew: their templates must be such as the program has.

    :raises Invalid: they are not.
    """
    for template in _templates(data):
        if not isinstance(template, str) or not _TEMPLATE.fullmatch(template):
            raise Invalid(f"{str(template)[:80]!r} is no template of a text")
    try:
        found: dict[str, Any] = load_texts(json.dumps(data), "a report")
    except Damaged as error:
        raise Invalid(message_of(error)) from error
    return found


def _templates(data: Any) -> Sequence[Any]:
    if isinstance(data, Mapping):
        own = [data["$text"]] if "$text" in data else []
        return [*own, *(one for item in data.values() for one in _templates(item))]
    return [one for item in data for one in _templates(item)] if isinstance(data, list) else []
