"""The event loop of one board: which function handles which event, and what follows from changes made elsewhere."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from inkeek.drivers import events
from inkeek.drivers.base import Connection, SupportsPortReport
from inkeek.drivers.detection.verdicts import Clear, Turned, Unchanged
from inkeek.drivers.errors import DriverError
from inkeek.drivers.orientation import turn_event
from inkeek.records import Move
from inkeek.records.errors import joined_texts
from inkeek.service.boards.bindings import Boards, LogData
from inkeek.service.boards.identity import Identity, clean_serial
from inkeek.service.boards.status import Device, read_status
from inkeek.service.errors import ErrorText, ServiceError
from inkeek.service.games.repository import Games
from inkeek.service.storage import BoardRow, RequestRow

from . import answers, calibration, health, misfits, settled, trial, turns, undo
from .core import CONFIRMS_LIGHTS, BoardReleased, ControllerCore
from .dispute import dispute, mark_wrong_pits, settle
from .game_view import AGREES, Counts, GameView, to_mend
from .settled import SETTLED_AFTER

log = logging.getLogger(__name__)

DISAGREES = ErrorText("The board does not agree with the record.")
OUTDATED = ErrorText("The game was changed elsewhere before the button was heard: nothing was done. Press it again.")
TOO_LATE = ErrorText("An answer came late and was not taken: what it was about has changed. Look at the board again.")
NOT_LAID_OUT = ErrorText("The board is not as at the start. Lay out the start, unless the first turn was played.")

BUTTONS: dict[str, Callable[[ControllerCore, events.Button], None]] = {
    "commit": turns.commit,
    "undo": undo.undo,
    "dispute": dispute,
    "trial": trial.trial,
    "accept": answers.accept,
}
ABOUT_THE_RECORD = ("undo", "dispute", "trial")  # what these say depends on the last turn


class BoardController(ControllerCore):
    """Plays one game on one open board. One thread uses it, except for `add_request` and `game_changed`.

    `game_changed` is set by whoever notices that the game may have changed. Without buttons a turn counts when the
    board has been unchanged for `settled_after` seconds.
    """

    def __init__(
        self,
        row: BoardRow,
        connection: Connection,
        games: Games,
        boards: Boards,
        clock: Callable[[], float],
        settled_after: float = SETTLED_AFTER,
    ) -> None:
        super().__init__(row, connection, games, boards, clock)
        self.game_changed = threading.Event()
        self._settled_after = settled_after
        self._had_gap = False  # events were lost since the last snapshot
        self._requests: deque[RequestRow] = deque()

    def add_request(self, request: RequestRow) -> None:
        """Have the next step carry out a request to the board."""
        self._requests.append(request)

    def step(self, timeout: float) -> None:
        """Handle the events of about `timeout` seconds, then what changed elsewhere.

        :raises DriverError: the connection failed. :raises ServiceError: the storage failed. :raises BoardReleased: the
            board was released.
        """
        self.pressed_at = self.status.at
        arrived = self.gate.admit(self.read(timeout))
        passed = turns.overtaken(arrived)
        for number, event in enumerate(arrived):
            self.stop_if_released()
            self.is_overtaken = number in passed
            self._handle_or_pass(turn_event(event, self.row_size) if self.status.turned else event)
        self.is_overtaken = False
        if self.second is not None and self.clock() >= self.second.until:
            self._finish_reading(None)
        misfits.note_refusals(self)
        misfits.look_at_port(self)
        if self.game_changed.is_set():
            self.game_changed.clear()
            self._handle_game_change()
        while self._requests:
            self._handle_request(self._requests.popleft())
        calibration.work(self)
        if self.must_flush:
            if not self.refused:
                self._look_again()
            self.store()
        if self.fits and not self.unsynchronized and not self.refused:
            settled.check(self, self._settled_after)
            if self.kept() is not self.shows_kept:
                self.show()

    @property
    def is_another(self) -> bool:
        """Whether a board is on the port that does not play."""
        return self.refused and self.status.found is not None

    def finish(self) -> None:
        """Store what waits to be stored."""
        if self.state.flush_at is not None:
            self.store()

    # Events of the board

    def _handle_or_pass(self, event: events.Event) -> None:
        if self.second is not None and isinstance(event, events.Numbered | events.Snapshot | events.Gap):
            self._finish_reading(event.counts if isinstance(event, events.Snapshot | events.Button) else None)
        self._try(event, partial(self._handle, event))

    def _finish_reading(self, counts: Counts | None) -> None:
        assert self.second is not None
        self._try(self.second.event, partial(turns.finish_reading, self, counts))

    def _try(self, event: events.Event, action: Callable[[], None]) -> None:
        before = self.state
        try:
            action()
        except (BoardReleased, DriverError, ServiceError):
            raise
        except Exception as error:  # one event must not stop its board for good
            if self.gate.is_strict:  # perhaps the driver raised it, and what was to be stored is not
                raise
            log.exception("board %s: a %s event cannot be handled", self.row.id, type(event).__name__)
            before = replace(before, handled=self.state.handled, stored=self.state.stored, flush_at=self.state.flush_at)
            self.state = replace(before, row=self.boards.get(self.row.id))
            self.game_changed.set()  # some of it may have been stored
            misfits.pass_over(self, event, error)

    def _handle(self, event: events.Event) -> None:
        match event:
            case events.Connected():
                self._handle_connected(event)
            case events.Disconnected():
                self.connected_at, self.absent_since, self.heard_to = None, self.clock(), None
                self.update_status(found=None)
                self.update_status(
                    state="gone", message=ErrorText("The board is disconnected: %(reason)s", reason=event.reason)
                )
                self.store()
            case events.Refused():
                self.update_status(
                    state="failed", message=ErrorText("The board cannot be used: %(reason)s", reason=event.reason)
                )
                if self.log_share.take():
                    self.store(("refused-board", {"reason": event.reason}))
            case _ if self.refused:
                pass  # the board keeps its events
            case events.Gap():
                self._handle_gap(event)
            case events.Snapshot() if self.fits:
                self._handle_snapshot(event)
            case events.Numbered() if self.fits:
                self._handle_numbered(event)  # a board that does not fit keeps its events for another game
            case events.OfferShown():
                self.note_offer(event.question)
            case events.Status():
                health.update_health(self, event)
            case events.Complaint():
                misfits.note_complaint(self, event)

    def _handle_connected(self, event: events.Connected) -> None:
        row = self.game.position.row
        self.absent_since = self.heard_to = None
        self.fits = event.row == row
        if (self.fits or self.row.serial is not None) and not identify(self, event):
            return
        self.connected_at, self.left_with = self.clock(), self.status.counts
        self.note_dark()  # what it showed before it was away is not known
        self.confirms_lights = event.version >= CONFIRMS_LIGHTS
        self.serial = serial = clean_serial(event.serial)
        self.buttons = self.row.buttons and "buttons" in event.capabilities
        device = Device(event.firmware, tuple(sorted(event.capabilities)), event.row, event.stores)
        self.update_status(device=device, buttons=self.buttons)
        if not self.fits:
            message = ErrorText(
                "This board has %(pits)s pits in a row, but the game has %(row)s. Release it and bind another.",
                pits=event.row,
                row=row,
            )
            self.update_status(state="failed", message=message)
        else:
            self.update_status(state="connected", message=ErrorText("Board %(serial)s is connected.", serial=serial))
            if not self.unsynchronized:
                self.show()
        entry: LogData = ("connected", {"serial": event.serial, "boot": event.boot, "firmware": event.firmware})
        self.store(*self.logged(entry))

    def _handle_gap(self, event: events.Gap) -> None:
        self._had_gap, self.heard_to = True, None
        self.update_status(
            seen=None,
            note=ErrorText(
                "Events of the board were lost: %(reason)s. The counts are compared instead.", reason=event.reason
            ),
        )
        self.store()  # what came before the gap
        log = self.logged(("gap", {"reason": event.reason}))
        if self.serial is None or self.unsynchronized:
            row = self.boards.update_status(self.row.id, self.status, *log)
        else:  # with where the board goes on, so that a desk that dies now does not report the gap again
            name = name_run(self, event.boot)
            row = self.boards.commit_event(self.row.id, self.serial, name, event.seq, self.status, *log)
            self.refused = self.leaves = name != event.boot  # opened again, the connection uses that name
        self.state = replace(self.state, row=row)

    def _handle_snapshot(self, event: events.Snapshot) -> None:
        self.update_status(counts=event.counts)
        health.note_confidence(self, event, after_gap=self._had_gap or self.unsynchronized)
        self._had_gap = False
        if self.heard_to is None:
            self.heard_to = event.last
        if self.unsynchronized:
            self.unsynchronized = False
            assert self.serial is not None
            row = self.boards.commit_event(self.row.id, self.serial, event.boot, event.last, self.status)
            self.state = replace(self.state, row=row)
            self.show()
        self.moved = events.Numbered(event.boot, event.last, 0), self.clock()
        if self.game.dispute is None and self.status.refusal is None:
            self._compare(event.counts)
        elif self.game.dispute is None:
            self._look_again()
        if self.was_turned(event.counts):
            answers.ask_turned_since(self)
        self.store()

    def _handle_numbered(self, event: events.Numbered) -> None:
        if self.unsynchronized:
            self.defer_event(event)
            return
        if event.boot == self.row.boot and event.seq <= self.row.seq:
            self.connection.acknowledge(event)  # from before the binding, sent after the first snapshot
            return
        match event:
            case events.PitChanged():
                counts = self.status.counts
                if counts is not None and event.pit < len(counts):
                    self.update_status(counts=(*counts[: event.pit], event.seeds, *counts[event.pit + 1 :]))
                    self.note_board(event.ms)
                    if self.seems_turned and self.game.mover is not None:
                        answers.ask_turned_since(self)
                self._defer_move(event)
                if self.status.is_unanswered or self._is_as_recorded():  # perhaps only until another turn
                    self._look_again()
            case events.Lifted():
                trial.note_lift(self, event.pit)
                self.note_lift(event.pit)
                self._defer_move(event)
            case events.Button() if event.action in ABOUT_THE_RECORD and self._is_outdated():
                self.answer_button(event, OUTDATED)
            case events.Button():
                BUTTONS[event.action](self, event)
            case events.Fault():
                health.note_fault(self, event)
            case events.Calibrated():
                calibration.note_calibration(self, event)
            case events.Unrecognized():
                misfits.note_unrecognized(self, event)
            case _:
                self.defer_event(event)

    def _is_outdated(self) -> bool:
        """Whether the game was changed elsewhere since the lights showed it to whoever pressed a button."""
        self.refresh_game()
        return not self.is_current(self.pressed_at)

    def _defer_move(self, event: events.Numbered) -> None:
        self.moved = event, self.clock()
        self.defer_event(event)

    # Comparing the board with the record

    def _compare(self, counts: Counts) -> None:
        """Say whether the board agrees with the record. Nothing is recorded from a comparison."""
        if self.game.mover is None:
            return
        verdict = self.detect_turn(counts, None)
        self.disagrees = not isinstance(verdict, Unchanged)
        match verdict:
            case Unchanged():
                self.learn_rest(counts)
                mended = bool(self.status.mend)
                self.update_status(message=AGREES, sentences=(), mend={})
                if mended:
                    self.show()
            case Turned():
                answers.ask_turned(self, verdict)
            case Clear():
                turn = f"{self.game.cite(self.game.row.ply + 1)} {verdict.turn.move}"
                message = ErrorText("The board is as after %(turn)s. It is recorded if nothing moves.", turn=turn)
                if self.buttons:
                    message = ErrorText("The board is as after %(turn)s. Press the button to record it.", turn=turn)
                self.update_status(message=message, sentences=())
            case _:
                sentences = (*verdict.sentences, *health.unused_sentences(self))
                message = DISAGREES if self.game.row.ply else NOT_LAID_OUT
                self.update_status(message=message, sentences=sentences)

    def _is_as_recorded(self) -> bool:
        """Whether the board agrees with the record again, which it did not."""
        status = self.status
        is_pending = status.undo is not None or status.trial is not None
        return self.disagrees and not is_pending and self.agrees(self.game.position, status.counts)

    def _look_again(self) -> None:
        """Say so when the board agrees with the record again. Until then counts mean nothing: hands are at work."""
        status, game = self.status, self.game
        if status.undo is not None:
            if not undo.finish(self) and game.previous is not None:
                self.update_status(mend=to_mend(game.previous, status.counts, self.ignored))
                self.show()
        elif status.trial is not None:
            if status.trial.touched and self.agrees(game.position, status.counts):
                trial.end(self)
        elif status.counts and (status.is_unanswered or self.disagrees):
            if self.agrees(game.position, status.counts):
                self.update_status(self.put_right(), verdict="unchanged")
                self._compare(status.counts)
            elif turns.close_mended(self):
                self._compare(status.counts)
            elif status.refusal is None and status.mend:
                mark_wrong_pits(self)
            else:
                return
            self.show()

    # Changes made elsewhere

    def _handle_game_change(self) -> None:
        """A turn was entered or taken back elsewhere, a dispute opened or ruled on, or the game ended or reopened."""
        before = self.refresh_game()
        game, row = self.game, self.game.row
        if row.seq == before.row.seq:
            return
        has_moved = row.ply != before.row.ply or row.position != before.row.position
        if self.status.ask is not None and (has_moved or self.status.ask.kind == "trial"):
            self.update_status(ask=None)
        ruled = game.outcome_of(before.dispute)
        if self._is_answer(before):
            self._follow_answer(before)
        elif has_moved or not all(map(self.is_current, self.status.asked_at)):
            self.disagrees = True  # until the hands have followed
            layout = game.layout()
            message = ErrorText(
                "A turn was taken back or corrected elsewhere: lay the board out as %(layout)s.", layout=layout
            )
            if ruled is not None:
                message = ErrorText("The dispute was ruled on: lay the board out as %(layout)s.", layout=layout)
            elif game.mover is None and not has_moved:
                message = ErrorText("The game is over.")
            elif row.ply > before.row.ply:
                message = ErrorText("A turn was entered elsewhere: lay the board out as %(layout)s.", layout=layout)
            entered = before.mover if row.ply == before.row.ply + 1 else None
            self.update_status(self.status.cleared(entered), message=message, seen=None)
            if ruled is not None:
                mark_wrong_pits(self)
        elif before.mover is None and game.mover is not None:
            self.disagrees = True  # the seeds may have been taken off
            self.update_status(
                message=ErrorText("The game was reopened: lay the board out as %(layout)s.", layout=game.layout())
            )
            if ruled is not None:
                mark_wrong_pits(self)
        elif ruled is not None:
            settle(self)
        elif before.dispute is None and game.dispute is not None:
            self.update_status(message=ErrorText("A dispute is open: the game waits for the ruling."))
        self.store()
        if self.fits and not self.unsynchronized and not self.refused:
            self.show()

    def _is_answer(self, before: GameView) -> bool:
        """Whether the turn that was entered is one that the board fits, as it was asked about."""
        refusal, ply = self.status.refusal, self.game.row.ply
        if refusal is None or not before.row.ply + 1 == refusal.ply <= ply:
            return False
        if self.game.positions[: len(before.positions)] != before.positions:
            return False
        fitting = [choice.moves for choice in refusal.candidates if choice.fits]
        return list(self.game.moves[before.row.ply :]) in fitting and self.status.is_as_seen(self.status.counts)

    def _follow_answer(self, before: GameView) -> None:
        """Go on from a turn about which the board had asked: its counts are now known to be right."""
        counts, status, game = self.status.counts, self.status, self.game
        assert counts is not None
        self.disagrees = False
        message = ErrorText("Recorded: %(turn)s, as was answered.", turn=game.cite_last())
        note = joined_texts(health.unused_sentences(self, recorded=True)) or None
        self.update_status(status.cleared(), message=message, note=note, before=self.known(counts), seen=())
        if game.row.ply == before.row.ply + 1:
            self.learn_turn(game.rules.play(before.position, Move.parse(game.moves[-1])), status, counts)

    def _handle_request(self, request: RequestRow) -> None:
        """Carry out a request. A calibration step is kept until the board has answered."""
        match request.kind:
            case "reopen":
                self.boards.remove_request(request)
                self.leaves = True
            case "dismiss" | "turned" | "upright":
                self.boards.remove_request(request)
                if not self._is_about_now(request):
                    self.update_status(note=TOO_LATE)
                elif request.kind == "dismiss":
                    self.update_status(ask=None)
                else:
                    answers.turn_round(self, request.kind == "turned", request.data.get("by"))
                self.store()
            case _:
                self.calibration.waiting.append(request)

    def _is_about_now(self, request: RequestRow) -> bool:
        """Whether an answer is to the question that is open, or was given while the record was as it is."""
        ask, at = self.status.ask, request.data.get("at")
        if "question" in request.data:
            return ask is not None and ask.name == request.data["question"]
        return at is not None and self.is_current(at)


def identify(board: ControllerCore, event: events.Connected) -> bool:
    """Return whether this is the board that is bound, or the first one, which is bound now. Otherwise refuse it.

    The refusal names no other game: a key that is limited to this game reads it too.
    """
    report = board.connection.port_report if isinstance(board.connection, SupportsPortReport) else None
    port = None if report is None else report.port
    found = Identity(clean_serial(event.serial), None if port is None else port.adapter)
    place = board.row.url if port is None else port.url
    row, other = board.boards.identify(board.row.id, found, place)
    board.use_row(row)
    bound = None if row.serial is None else Identity(row.serial, row.adapter)
    log: LogData
    if other is not None:
        elsewhere = read_status(other.status).port or other.url
        message = ErrorText(
            "The board at %(place)s says that it is %(serial)s, but so is the board of another game, at %(other)s: "
            "nothing of it is recorded. Release that one, give one of them another number, or confirm that this one "
            "plays from now on.",
            place=place,
            serial=found.serial,
            other=elsewhere,
        )
        log = ("same-serial", {"serial": found.serial, "port": place, "others": elsewhere})
        _refuse(board, "same-serial", found.serial, message, log)
    elif bound is not None and (found.is_other(bound, row.driver) or found.serial != bound.serial):
        message = ErrorText(
            "Board %(found)s is at %(place)s, but board %(bound)s is bound: nothing of it is recorded. "
            "Plug in board %(bound)s, or confirm that board %(serial)s plays from now on.",
            found=str(found),
            place=place,
            bound=str(bound),
            serial=found.serial,
        )
        log = ("other-board", {"bound": row.serial, "found": str(found), "port": place})
        _refuse(board, "refused", found.serial, message, log)
    else:
        board.refused = False
        board.update_status(found=None)
        return True
    board.leaves = True  # another board may need the port
    return False


def name_run(board: ControllerCore, boot: str) -> str:
    """A name for the run that begins now: the boot id, or ``<boot id>.<count>`` if an earlier run of this game had it.

    A connection knows only the runs since it was opened, and the last one before.
    """
    known = board.row.boot or ""
    if boot.partition(".")[0] == known.partition(".")[0]:
        return boot  # the connection has taken care of it
    count, name = 1, boot
    while board.games.has_run(board.row.game, f"board:{board.serial}:{name}:"):
        count += 1
        name = f"{boot}.{count}"
    return name


def _refuse(board: ControllerCore, state: str, found: str, message: str, log: LogData) -> None:
    is_known = (board.status.state, board.status.found) == (state, found)
    board.refused = True
    board.update_status(state=state, found=found, message=message)
    board.store(None if is_known else log)
