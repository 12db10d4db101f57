"""The host's side of the board protocol as a state machine without a port (`docs/protocol.md`).

Bytes and ticks go in with the time they happened; events and bytes come out. `ports.connection` joins it to a port.
Times are seconds of a monotonic clock.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from inkeek.drivers import events
from inkeek.drivers.attention import Attention
from inkeek.drivers.base import RefusedLine, Resume
from inkeek.drivers.errors import DriverError, MessageError
from inkeek.drivers.events import Event, Gap, Numbered
from inkeek.drivers.gate import misfit
from inkeek.records import Side
from inkeek.records.errors import ErrorText

from . import messages
from .frames import Frame, FrameDecoder, write_line
from .limits import (
    ASK_EVERY,
    COMPLAINTS_EVERY,
    GONE_AFTER,
    HELLO_EVERY,
    LOSSES_WITHIN,
    MAX_LOSSES,
    MAX_NUMBER,
    MAX_REFUSED,
    PING_AFTER,
    PROTOCOL,
    TRUSTED,
)
from .line_report import LineInspector
from .messages import (
    LIGHTS_OUT,
    NAK,
    PING,
    SNAPSHOT_REQUEST,
    BoardError,
    BoardHello,
    BoardMessage,
    StatusReport,
    all_lights,
    error_light,
    parse,
    pit_light,
    row_light,
)
from .runs import Losses, RunEvidence, RunNames

ANOTHER = ErrorText("another board answered")

# What a board's lights show, and whether the board must be sent it.

LETTERS = {"off": "0", "on": "1", "blink": "b", "error": "e"}  # of the states, in `LED,all`


@dataclass(frozen=True, slots=True)
class Lights:
    """All lights of a board: the states of the pits that are not off, of South's and North's row; the error light.

    `question`: what they offer an answer to.
    """

    pits: Mapping[int, str] = field(default_factory=dict)
    rows: tuple[str, str] = ("off", "off")
    error: bool = False
    question: str = ""

    def lines(self) -> list[Frame]:
        """Return the lines for a board of protocol 1.0."""
        lines = [LIGHTS_OUT]
        lines += (row_light(side, state) for side, state in zip(Side, self.rows, strict=True) if state != "off")
        if self.error:
            lines.append(error_light(True))
        lines += (pit_light(pit, state) for pit, state in sorted(self.pits.items()))
        return lines

    def line(self, number: int, boot: str, seq: int, sensors: int) -> Frame:
        """Return the one line for a board of protocol 1.1; see `messages.all_lights`."""
        pits = "".join(LETTERS[self.pits.get(pit, "off")] for pit in range(sensors))
        return all_lights(number, boot, seq, pits, "".join(map(LETTERS.__getitem__, self.rows)), self.error)


class LightSender:
    """Decides when a board is sent its lights.

    After a greeting they wait until the events that the board held are stored: players would take them for the answer.
    The host tells a board of protocol 1.1 which events the lights answer, and sends them until the board confirms.
    """

    def __init__(self) -> None:
        self.unconfirmed = False
        self.offer = ""  # the question that the confirmed lights offer an answer to, until that is said
        self._lights: Lights | None = None
        self._due = False
        self._number = 0  # of the set sent last
        self._answered = 0  # the last event of this run that is stored or lost
        self._after = 0  # the event to answer first
        self._button = 0  # the last button that was delivered

    def set(self, lights: Lights) -> None:
        """Show these lights from now on."""
        self._lights = lights
        self.send_again()

    def send_again(self) -> None:
        """Send the lights, if any are set: to a board that does not have them, or as the answer to a button."""
        if self._lights is not None:
            self._due = True
            self.offer = ""
            self._number += 1

    def repeat(self) -> None:
        """Send the same set again if it is not confirmed: the board has answered a later line."""
        self._due = self._due or self.unconfirmed

    def stop(self) -> None:
        """Do not send the lights again: the port is closed, or the board refuses them."""
        self._due = self.unconfirmed = False
        self.offer = ""

    def confirm(self, number: int) -> bool:
        """Note that the board shows the set with this number. Return whether it offers an answer since."""
        if number != self._number or not self.unconfirmed or self._lights is None:
            return False
        self.unconfirmed = False
        self.offer = self._lights.question
        return bool(self.offer)

    def begin_run(self) -> None:
        """Note that the board has begun another run."""
        self._answered = self._button = 0
        self.offer = ""

    def wait_for(self, last: int) -> None:
        """Send the lights to a board that has greeted, once event `last` is answered."""
        self._after = last
        self.send_again()

    def note_button(self, seq: int) -> None:
        """Note that this event is a button. Who pressed it must see an answer, even if no light changes."""
        self._button = seq

    def note_answered(self, seq: int) -> None:
        """Note that all events up to this one are stored or lost."""
        if self._answered < self._button <= seq:
            self.send_again()
        self._answered = max(self._answered, seq)

    def take(self, board: events.Connected, boot: str) -> list[Frame]:
        """Return the lines to send now to a board whose run has this boot id."""
        if not self._due or self._lights is None or self._answered < self._after or "leds" not in board.capabilities:
            return []
        self._due = False
        if not all_lights.is_known_to(board):
            return self._lights.lines()
        self.unconfirmed = True
        return [self._lights.line(self._number, boot, self._answered, board.sensors)]


# The session.


class Outbox:
    """Lines for one greeting after another on one port: at most one of each type waits."""

    def __init__(self) -> None:
        self._frames: dict[str, Frame] = {}  # by type
        self._requested: dict[str, float] = {}  # when a request of each type was last made

    def put(self, frame: Frame, kind: str | None = None) -> None:
        """Send this line instead of one of its type, or `kind`, that still waits."""
        self._frames[kind or frame.type] = frame

    def request(self, frame: Frame, now: float, every: float = 0.0) -> None:
        """Send a request, unless one of its type was made less than `every` seconds ago."""
        last = self._requested.get(frame.type)
        if last is None or now - last >= every:
            self._requested[frame.type] = now
            self.put(frame)

    def forget(self, kind: str) -> None:
        """Let the next request of this type be sent, whenever the last one was made."""
        self._requested.pop(kind, None)

    def take(self) -> list[Frame]:
        """The lines that wait; none of them waits any more."""
        frames = list(self._frames.values())
        self.drop()
        return frames

    def drop(self) -> None:
        """Send none of the lines that wait."""
        self._frames.clear()


class SessionState(Enum):
    CLOSED = "closed"  # no port
    GREETING = "greeting"  # a port, but no usable board yet
    READY = "ready"


class ProtocolSession:
    """One board on one line, over any number of reconnections and restarts.

    `duplicates` counts events that came again, `damaged` damaged lines, `misfits` good lines that do not fit. At most
    one line of each type and one set of lights wait to be sent.
    """

    def __init__(self, host_name: str, host_version: str, resume: Resume | None = None) -> None:
        """:raises MessageError: the name or version has characters that a line cannot carry."""
        self._hello = messages.host_hello(PROTOCOL, host_name, host_version)
        write_line(self._hello)
        self.state = SessionState.CLOSED
        self.board: events.Connected | None = None
        self.duplicates = self.damaged = self.misfits = 0
        self._names = RunNames(None if resume is None else resume[0])
        self._evidence = RunEvidence()  # that the board has begun another run
        self._acknowledged = resume[1] if resume is not None else 0
        self._expected = self._acknowledged + 1  # the number of the next event to deliver
        self._decoder = FrameDecoder()
        self._inspector = LineInspector()
        self._refused_lines: deque[RefusedLine] = deque(maxlen=MAX_REFUSED)
        self.is_understood = False  # see `ports.connection.SupportsRefusedLines`
        self._outbox = Outbox()
        self._received_at = 0.0
        self._attention = Attention(0.0)
        self._pinged_at: float | None = None  # since the board was heard
        self._is_new = False  # a board has greeted, and the caller has not seen that yet
        self._repeated = 0  # the last number of an acknowledged event that came again
        self._awaits_snapshot = False
        self._unsure: set[int] = set()  # sensors of low confidence in the last snapshot
        self._lights = LightSender()
        self._lights.note_answered(self._acknowledged)
        self._before_offer: int | None = None  # the last event from before the lights' offer; None: not known yet
        self._refusal: str | None = None
        self._refused_until = 0.0
        self._losses = Losses()
        self._complained_at = -math.inf

    @property
    def gave_up(self) -> bool:
        """Whether the port is closed, or should be: the board was silent for too long."""
        return self.state is SessionState.CLOSED

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""
        return {"damaged": self.damaged, "misfits": self.misfits, "duplicates": self.duplicates}

    @property
    def refused_lines(self) -> Sequence[RefusedLine]:
        """See `ports.connection.SupportsRefusedLines`. They are kept until a board answers."""
        return self._refused_lines

    # --- the port -------------------------------------------------------------------------------------------

    def port_opened(self, now: float) -> None:
        """Greet whoever is there."""
        self.state = SessionState.GREETING
        self._decoder = FrameDecoder()
        self._inspector = LineInspector()
        self._refused_lines.clear()
        self.is_understood = False
        if self._refused_until == math.inf:
            self._refusal = None  # said again: another board may be there
        self._outbox = Outbox()
        self._received_at, self._pinged_at = now, None
        self._attention = Attention(now)
        self._lights.stop()
        self._outbox.request(self._hello, now)

    def port_closed(self, reason: str) -> list[Event]:
        was_ready = self.state is SessionState.READY
        self.state = SessionState.CLOSED
        self._outbox.drop()
        return [events.Disconnected(reason)] if was_ready else []

    def bytes_to_send(self) -> bytes:
        """Return the bytes to send now, each once."""
        lines = [write_line(frame) for frame in self._outbox.take()]
        if self.state is SessionState.READY and not self._is_new and self.board is not None:
            lines.extend(map(write_line, self._lights.take(self.board, self._names.boot or "")))
        return b"".join(lines)

    # --- the caller -----------------------------------------------------------------------------------------

    def acknowledge(self, event: Numbered) -> None:
        """See `base.Connection.acknowledge`."""
        if event.boot != self._names.current:
            return  # that run of the board is over, and its ring is gone
        if event.seq >= self._expected:
            raise DriverError(f"event {event.seq} of boot {event.boot} was not delivered: the next is {self._expected}")
        self._acknowledged = max(self._acknowledged, event.seq)
        self._lights.note_answered(event.seq)
        if self.state is SessionState.READY:
            self._outbox.put(self._ack(self._acknowledged))

    def set_lights(self, lights: Lights) -> None:
        """Send these lights instead of earlier ones, now and after each greeting.

        After a greeting they wait until all events the board held are acknowledged: lights may answer them.
        """
        self._is_new = False
        self._lights.set(lights)

    def request_snapshot(self) -> bool:
        """See `base.SupportsSnapshots.request_snapshot`."""
        if self.state is not SessionState.READY:
            return False
        self._awaits_snapshot = True
        self._outbox.put(SNAPSHOT_REQUEST)
        return True

    def run_self_test(self, stop: bool = False) -> None:
        """See `base.SupportsSelfTest.run_self_test`."""
        if self.state is not SessionState.READY or self.board is None:
            raise DriverError("cannot run the self-test: no board is connected")
        if "test" not in self.board.capabilities:
            raise DriverError(f"board {self.board.serial!r} has no self-test")
        self._outbox.put(messages.TEST_STOP if stop else messages.TEST)

    def calibrate(self, pit: int | None, seeds: int) -> None:
        """See `base.SupportsCalibration.calibrate`."""
        if self.state is not SessionState.READY or self.board is None:
            raise DriverError("cannot calibrate: no board is connected")
        self._outbox.put(messages.calibration(self.board, pit, seeds), "CAL tare" if pit is None else "CAL seeds")

    # --- time and bytes -------------------------------------------------------------------------------------

    def tick(self, now: float) -> list[Event]:
        """Do what is due at `now`: greet, repeat requests, ping, or give the board up."""
        listening = self._attention.at(now)
        if self.state is SessionState.GREETING:
            if self._refusal is None or now >= self._refused_until:
                self._outbox.request(self._hello, now, HELLO_EVERY)
        elif self.state is SessionState.READY:
            if now - self._received_at >= PING_AFTER:
                self._pinged_at = listening if self._pinged_at is None else self._pinged_at
                if listening - self._pinged_at >= GONE_AFTER - PING_AFTER:
                    reason = ErrorText("the board sent nothing for %(seconds)g seconds", seconds=GONE_AFTER)
                    return self.port_closed(reason)
                self._outbox.request(PING, now, PING_AFTER)
            if self._lights.unconfirmed:
                self._outbox.request(PING, now, ASK_EVERY)  # its answer follows the confirmation, if the lights arrived
            if self._awaits_snapshot or self._evidence.doubts(now):
                self._outbox.request(SNAPSHOT_REQUEST, now, HELLO_EVERY)
            if self._evidence.doubts(now):
                self._outbox.request(self._hello, now, ASK_EVERY)
        return []

    def receive(self, data: bytes, now: float) -> list[Event]:
        """Return the events in bytes from the board."""
        if self.state is SessionState.CLOSED:
            raise DriverError("received bytes from a port that is closed")
        self._is_new = False  # the caller goes on with this board
        if self.state is SessionState.GREETING:
            for report in self._inspector.feed(data):
                self.is_understood |= report.accepted
                if not report.accepted:
                    self._refused_lines.append(RefusedLine(report.line, report.reason))
        before = self._decoder.damaged
        frames = self._decoder.feed(data)
        damaged = self._decoder.damaged - before
        self.damaged += damaged
        if damaged and self.state is SessionState.READY:
            self._outbox.request(NAK, now, ASK_EVERY)
        found: list[Event] = []
        self._repeated = 0
        for frame in frames:
            self._received_at, self._pinged_at = now, None
            try:
                message = parse(frame)
            except MessageError:
                self.misfits += 1
                continue
            if message is not None:
                found += self._handle(message, frame, now)
        if self._repeated:  # it has missed that; never a number that this run has not sent
            self._outbox.request(self._ack(self._repeated), now, ASK_EVERY)
        return found

    def _handle(self, message: BoardMessage, frame: Frame, now: float) -> list[Event]:
        if now < self._refused_until < math.inf:
            return []  # the board is ignored for a while
        match message:
            case BoardHello():
                return self._on_hello(message, now)
            case BoardError():
                return self._on_error(message, now)
            case events.SelfTestReport():
                return [message] if self.state is SessionState.READY else []
        if self.state is not SessionState.READY:
            if isinstance(message, Numbered) and message.boot == self._names.boot:
                return self._greeted_by(message, frame, now)
            return []  # it will be replayed, or requested, after the greeting
        if message.boot != self._names.boot:
            self._outbox.request(self._hello, now, HELLO_EVERY)  # the board restarted, and its HELLO was lost
            return []
        if isinstance(message, messages.LightsShown):
            if self._lights.confirm(message.number):
                self._before_offer = None
                self._outbox.put(PING)  # the answer says what was pressed before, even if that is still missing here
            return []
        if reason := self._evidence.contradiction(message, frame, self._expected, now):
            return self._on_evidence(reason, now)
        if self._evidence.doubts(now):
            if not isinstance(message, events.Snapshot):
                return []  # events are replayed
            self._evidence.refute(now)
            self._request_missing(message.last, now)
        match message:
            case Numbered():
                return self._on_event(message, frame, now)
            case events.Snapshot():
                return self._on_snapshot(message, now)
            case StatusReport():
                self._lights.repeat()
                self._before_offer = message.last if self._before_offer is None else self._before_offer
                return [message.status, *self._offer_shown()]

    # --- the board's lines ----------------------------------------------------------------------------------

    def _on_hello(self, hello: BoardHello, now: float) -> list[Event]:
        board = hello.board
        if board.version[0] != PROTOCOL[0]:
            reason = ErrorText(
                "board %(serial)r speaks protocol version %(spoken)s and this host %(version)s.x",
                serial=board.serial,
                spoken=".".join(map(str, board.version)),
                version=PROTOCOL[0],
            )
            return self._refuse(reason)
        if board.boot == self._names.boot and (self.board is None or board.serial == self.board.serial):
            if self.board is not None and (board.row, board.stores) != (self.board.row, self.board.stores):
                loss = ErrorText(
                    "the board uses boot id %(boot)s again, and has %(now)s sensors instead of %(before)s: it has "
                    "restarted. Events after %(event)s may be lost",
                    boot=board.boot,
                    now=board.sensors,
                    before=self.board.sensors,
                    event=self._expected - 1,
                )
                return self._begin_run(board, hello.last, loss, now)
            if hello.last < self._expected - 1:
                reason = ErrorText("it says that its last event was %(event)s", event=hello.last)
                return self._on_evidence(reason, now, board)
            return self._go_on(board, hello.last, now)
        return self._begin_run(board, hello.last, self._loss(board), now)

    def _go_on(self, board: events.Connected, last: int, now: float) -> list[Event]:
        """The board is in the same run."""
        before, self.board = self.board, replace(board, boot=self._run)
        self._lights.send_again()
        is_ready, has_changed = self.state is SessionState.READY, before not in (None, self.board)
        if is_ready and not has_changed:
            self._request_missing(last, now)
            return []
        if (self._refusal is not None or (is_ready and has_changed)) and not self._losses.accept(now):
            return self._ignore_board(board.serial)
        self._set_ready(last, now)
        return [self.board]

    def _begin_run(self, board: events.Connected, last: int, loss: str | None, now: float) -> list[Event]:
        """The board has begun another run, or is another board. `loss`: why events are lost; None: it is the first."""
        if (loss is not None or self._refusal is not None) and not self._losses.accept(now):
            return self._ignore_board(board.serial)
        is_other = self.board is not None and board.serial != self.board.serial
        reason = ErrorText("another board answers") if is_other else ErrorText("the board restarted")
        found: list[Event] = [events.Disconnected(reason)] if self.state is SessionState.READY else []
        self._outbox.drop()  # it was for another run
        self.board = replace(board, boot=self._names.begin(board.boot))
        self._acknowledged, self._expected = 0, 1
        self._evidence, self._repeated = RunEvidence(), 0
        self._lights.begin_run()
        self._set_ready(last, now)
        found.append(self.board)
        return found if loss is None else [*found, Gap(loss, self.board.boot, 0)]

    def _set_ready(self, last: int, now: float) -> None:
        """Continue after event `_expected` - 1; the board's last event is `last`."""
        self.state = SessionState.READY
        self._refusal, self._refused_until = None, 0.0
        self._refused_lines.clear()
        self._is_new = True
        self._lights.wait_for(last)
        self._outbox.forget("REPLAY")
        assert self._names.boot is not None
        self._outbox.request(messages.replay_request(self._names.boot, self._expected), now)
        self._request_snapshot(now)

    def _loss(self, board: events.Connected) -> str | None:
        """What is lost for good now that another run has begun."""
        if self._names.current is None:
            return None
        values = {"boot": board.boot, "event": self._expected - 1, "run": self._names.current}
        if self.board is None or board.serial == self.board.serial:
            return ErrorText(
                "the board restarted (boot %(boot)s): events after %(event)s of boot %(run)s are lost", **values
            )
        return ErrorText("another board (boot %(boot)s): events after %(event)s of boot %(run)s are lost", **values)

    def _greeted_by(self, event: Numbered, frame: Frame, now: float) -> list[Event]:
        """An event before the greeting will be replayed, but it may be of another run."""
        reason = self._evidence.contradiction(event, frame, self._expected, now)
        return [] if reason is None else self._on_evidence(reason, now)

    def _on_evidence(self, reason: str, now: float, board: events.Connected | None = None) -> list[Event]:
        """The board seems to have restarted with the same boot id: ask it, and believe the second line that says so."""
        if not self._evidence.is_proof(now):
            self._outbox.request(self._hello, now, ASK_EVERY)
            self._outbox.request(SNAPSHOT_REQUEST, now, ASK_EVERY)
            return []
        board = board or self.board
        assert board is not None
        assert self._names.boot is not None
        loss = ErrorText(
            "the board restarted and uses boot id %(boot)s again: %(reason)s, but it has sent %(event)s. "
            "Events in between may be lost",
            boot=self._names.boot,
            reason=reason,
            event=self._expected - 1,
        )
        return self._begin_run(replace(board, boot=self._names.boot), 0, loss, now)

    def _ignore_board(self, serial: str) -> list[Event]:
        reason = ErrorText(
            "board %(serial)r restarted, lost events or changed its version %(losses)s times within %(seconds)g "
            "seconds and is ignored for that time: check its power supply and cable",
            serial=serial,
            losses=MAX_LOSSES,
            seconds=LOSSES_WITHIN,
        )
        return self._refuse(reason, ErrorText("the board is ignored for a while"), self._losses.forgive())

    def _refuse(self, reason: str, lost: str = ANOTHER, until: float = math.inf) -> list[Event]:
        """Do not use the board, and do not greet it before `until`; `lost` is why the one before is gone."""
        found: list[Event] = []
        if self.state is SessionState.READY:
            found.append(events.Disconnected(lost))
        if reason != self._refusal:
            found.append(events.Refused(reason))
        self._refusal, self._refused_until = reason, until
        self._refused_lines.clear()
        self.state = SessionState.GREETING
        self._outbox.drop()
        return found

    def _on_error(self, error: BoardError, now: float) -> list[Event]:
        if error.code == "version":
            reason = ErrorText(
                "the board refuses protocol version %(version)s: %(reason)s",
                version=".".join(map(str, PROTOCOL)),
                reason=error.text,
            )
            return self._refuse(reason)
        if self.state is not SessionState.READY:
            return []
        if error.code == "overflow":
            return self._on_overflow(error, now)
        if error.code == "damaged":
            self._lights.send_again()  # every other line is sent again anyway
        elif error.code == "range" and error.text.startswith("LED"):
            self._lights.stop()
        if now - self._complained_at < COMPLAINTS_EVERY:
            return []
        self._complained_at = now
        return [events.Complaint(error.code, error.text)]

    def _on_overflow(self, error: BoardError, now: float) -> list[Event]:
        first = int(error.text) if error.text.isascii() and error.text.isdigit() and len(error.text) <= 10 else 0
        if not self._expected < first <= MAX_NUMBER:
            return []  # the answer to a repeated request, or no number
        if not self._losses.accept(now):
            return self._ignore_board("" if self.board is None else self.board.serial)
        lost, self._expected = self._expected, first
        self._lights.note_answered(first - 1)
        self._lights.send_again()
        self._request_snapshot(now)
        return [
            Gap(
                ErrorText(
                    "the board no longer holds events %(first)s to %(last)s of boot %(boot)s",
                    first=lost,
                    last=first - 1,
                    boot=self._run,
                ),
                self._run,
                first - 1,
            )
        ]

    def _on_event(self, event: Numbered, frame: Frame, now: float) -> list[Event]:
        if event.seq < self._expected:
            self.duplicates += 1
            if event.seq <= self._acknowledged and not self._is_new:
                self._repeated = event.seq
            return []
        if event.seq > self._expected:
            self._request_missing(event.seq, now)
            return []
        self._expected += 1
        self._evidence.note_delivered(event)
        if frame.fields[3:4] == ("BTN",):
            self._lights.note_button(event.seq)
        event = replace(event, boot=self._run)
        sensors = self.board.sensors if self.board is not None else 0
        if misfit(event, sensors) is None:
            if isinstance(event, events.PitChanged) and event.pit in self._unsure:
                self._request_snapshot(now)  # is the sensor sure now?
            return [event, *self._offer_shown()]
        self.misfits += 1
        return [messages.unrecognized(event.boot, event.seq, frame), *self._offer_shown()]

    def _offer_shown(self) -> list[Event]:
        """That the board shows an offer, once all events from before are delivered: later presses have seen it."""
        question, before = self._lights.offer, self._before_offer
        if not question or before is None or self._expected <= before:
            return []
        self._lights.offer = ""
        return [events.OfferShown(question)]

    def _on_snapshot(self, snapshot: events.Snapshot, now: float) -> list[Event]:
        if self.board is None or misfit(snapshot, self.board.sensors) is not None:
            self.misfits += 1
            return []
        if not self._awaits_snapshot:
            return []  # a repeated answer, or a board that floods the line
        self._awaits_snapshot = False
        self._unsure = {pit for pit, confidence in enumerate(snapshot.confidence) if confidence < TRUSTED}
        self._request_missing(snapshot.last, now)
        return [replace(snapshot, boot=self._run)]

    @property
    def _run(self) -> str:
        """The name of the board's run, for events."""
        assert self._names.current is not None  # since a board has greeted
        return self._names.current

    def _ack(self, seq: int) -> Frame:
        assert self._names.boot is not None
        return messages.ack(self._names.boot, seq)

    # --- requests -------------------------------------------------------------------------------------------

    def _request_missing(self, last: int, now: float) -> None:
        """Request the missing events, when the board's last event is `last`."""
        if last >= self._expected and self._names.boot is not None:
            self._outbox.request(messages.replay_request(self._names.boot, self._expected), now, ASK_EVERY)

    def _request_snapshot(self, now: float) -> None:
        self._awaits_snapshot = True
        self._outbox.request(SNAPSHOT_REQUEST, now)
