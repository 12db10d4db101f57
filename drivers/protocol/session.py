"""The host's side of the board protocol as a state machine without a port (`docs/protocol.md`).

Bytes and ticks go in with the time they happened; events and bytes come out. `ports.connection` joins it to a port.
Times are seconds of a monotonic clock.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from enum import Enum

from drivers import events
from drivers.base import Resume
from drivers.errors import DriverError, MessageError
from drivers.events import Event, Gap, Numbered

from . import messages
from .frames import Frame, FrameDecoder, write_line
from .lights import Lights, LightSender
from .limits import (
    ASK_EVERY,
    COMPLAINTS_EVERY,
    GONE_AFTER,
    HELLO_EVERY,
    LOSSES_WITHIN,
    MAX_LOSSES,
    PING_AFTER,
    PROTOCOL,
)
from .messages import (
    NAK,
    PING,
    SNAPSHOT_REQUEST,
    TARE,
    BoardError,
    BoardHello,
    BoardMessage,
    LightsShown,
    StatusReport,
    parse,
)


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
        self._boot: str | None = resume[0] if resume is not None else None
        self._acknowledged = resume[1] if resume is not None else 0
        self._expected = self._acknowledged + 1  # the number of the next event to deliver
        self._decoder = FrameDecoder()
        self._outgoing: dict[str, Frame] = {}  # by type
        self._requested: dict[str, float] = {}  # when a request of each type was last sent
        self._received_at = 0.0
        self._awaits_snapshot = False
        self._lights = LightSender()
        self._lost = 0  # the last event of this boot that is lost for good
        self._button = 0  # the last button that was delivered
        self._lights_after = 0  # the event to acknowledge before lights are sent: they may answer it
        self._refusal: str | None = None
        self._refused_until = 0.0
        self._losses: deque[float] = deque(maxlen=MAX_LOSSES)  # when the last ones were passed on
        self._complained_at = -math.inf

    @property
    def gave_up(self) -> bool:
        """Whether the port is closed, or should be: the board was silent for too long."""
        return self.state is SessionState.CLOSED

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""
        return {"damaged": self.damaged, "misfits": self.misfits, "duplicates": self.duplicates}

    # --- the port -------------------------------------------------------------------------------------------

    def port_opened(self, now: float) -> None:
        """Greet whoever is there."""
        self.state = SessionState.GREETING
        self._decoder = FrameDecoder()
        self._outgoing.clear()
        self._requested.clear()
        self._lights.stop()
        self._received_at = now
        self._request(self._hello, now)

    def port_closed(self, reason: str) -> list[Event]:
        was_ready = self.state is SessionState.READY
        self.state = SessionState.CLOSED
        self._outgoing.clear()
        return [events.Disconnected(reason)] if was_ready else []

    def bytes_to_send(self) -> bytes:
        """Return the bytes to send now, each once."""
        lines = [write_line(frame) for frame in self._outgoing.values()]
        self._outgoing.clear()
        answered = max(self._acknowledged, self._lost)
        if self.board is not None and self.state is SessionState.READY and answered >= self._lights_after:
            lines.extend(map(write_line, self._lights.take(self.board, answered)))
        return b"".join(lines)

    # --- the caller -----------------------------------------------------------------------------------------

    def acknowledge(self, event: Numbered) -> None:
        """See `base.Connection.acknowledge`."""
        if event.boot != self._boot:
            return  # that run of the board is over, and its ring is gone
        if event.seq >= self._expected:
            raise DriverError(f"event {event.seq} of boot {event.boot} was not delivered: the next is {self._expected}")
        if self._acknowledged < self._button <= event.seq:
            self._lights.send_again()  # who pressed it must see an answer
        self._acknowledged = max(self._acknowledged, event.seq)
        if self.state is SessionState.READY:
            self._outgoing["ACK"] = messages.ack(event.boot, self._acknowledged)

    def set_lights(self, lights: Lights) -> None:
        """Send these lights instead of earlier ones, now and after each greeting.

        After a greeting they wait until all events the board held are acknowledged: lights may answer them.
        """
        self._lights.set(lights)

    def run_self_test(self, stop: bool = False) -> None:
        """See `base.SupportsSelfTest.run_self_test`."""
        if self.state is not SessionState.READY or self.board is None:
            raise DriverError("cannot run the self-test: no board is connected")
        if "test" not in self.board.capabilities:
            raise DriverError(f"board {self.board.serial!r} has no self-test")
        self._outgoing["TEST"] = messages.TEST_STOP if stop else messages.TEST

    def calibrate(self, pit: int | None, seeds: int) -> None:
        """See `base.SupportsCalibration.calibrate`."""
        if self.state is not SessionState.READY or self.board is None:
            raise DriverError("cannot calibrate: no board is connected")
        if "cal" not in self.board.capabilities:
            raise DriverError(f"board {self.board.serial!r} does not support calibration over the line")
        if pit is None:
            self._outgoing["CAL tare"] = TARE
        elif 0 <= pit < self.board.sensors and seeds >= 1:
            self._outgoing["CAL seeds"] = messages.calibrate_seeds(pit, seeds)
        else:
            expected = f"pit 0 to {self.board.sensors - 1}, 1 seed or more"
            raise DriverError(f"cannot calibrate pit {pit} with {seeds} seeds: expected {expected}")

    # --- time and bytes -------------------------------------------------------------------------------------

    def tick(self, now: float) -> list[Event]:
        """Do what is due at `now`: greet, repeat requests, ping, or give the board up."""
        if self.state is SessionState.GREETING:
            if self._refusal is None or now >= self._refused_until:
                self._request(self._hello, now, HELLO_EVERY)
        elif self.state is SessionState.READY:
            if now - self._received_at >= GONE_AFTER:
                return self.port_closed(f"the board sent nothing for {GONE_AFTER:g} seconds")
            if now - self._received_at >= PING_AFTER:
                self._request(PING, now, PING_AFTER)
            if self._lights.unconfirmed:
                self._request(PING, now, ASK_EVERY)  # its answer follows the confirmation, if the lights arrived
            if self._awaits_snapshot:
                self._request(SNAPSHOT_REQUEST, now, HELLO_EVERY)
        return []

    def receive(self, data: bytes, now: float) -> list[Event]:
        """Return the events in bytes from the board."""
        if self.state is SessionState.CLOSED:
            raise DriverError("received bytes from a port that is closed")
        before = self._decoder.damaged
        frames = self._decoder.feed(data)
        damaged = self._decoder.damaged - before
        self.damaged += damaged
        if damaged and self.state is SessionState.READY:
            self._request(NAK, now, ASK_EVERY)
        found: list[Event] = []
        for frame in frames:
            self._received_at = now
            try:
                message = parse(frame)
            except MessageError:
                self.misfits += 1
                continue
            if message is not None:
                found += self._handle(message, frame, now)
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
            return []  # it will be replayed, or requested, after the greeting
        if message.boot != self._boot:
            self._request(self._hello, now, HELLO_EVERY)  # the board restarted, and its HELLO was lost
            return []
        match message:
            case Numbered():
                return self._on_event(message, frame, now)
            case events.Snapshot():
                return self._on_snapshot(message, now)
            case StatusReport():
                self._lights.repeat()
                return [message.status]
            case LightsShown():
                self._lights.confirm(message.number)
                return []

    # --- the board's lines ----------------------------------------------------------------------------------

    def _on_hello(self, hello: BoardHello, now: float) -> list[Event]:
        board = hello.board
        if board.version[0] != PROTOCOL[0]:
            spoken = ".".join(map(str, board.version))
            return self._refuse(
                f"board {board.serial!r} speaks protocol version {spoken} and this host {PROTOCOL[0]}.x"
            )
        if self.state is SessionState.READY and board.boot == self._boot:
            self.board = board
            self._lights.send_again()
            self._request_missing(hello.last, now)
            return []
        loss = self._loss(hello)
        if (loss is not None or self._refusal is not None) and not self._accept_loss(now):
            return self._ignore_board(board.serial)
        found: list[Event] = [events.Disconnected("the board restarted")] if self.state is SessionState.READY else []
        self.state = SessionState.READY
        self._refusal, self._refused_until = None, 0.0
        self.board = board
        found.append(board)
        if board.boot != self._boot:
            self._boot, self._acknowledged, self._expected = board.boot, 0, 1
            self._lost = self._button = 0
        elif loss is not None:
            self._lost, self._button = hello.last, 0
            self._acknowledged, self._expected = min(self._acknowledged, hello.last), hello.last + 1
        if loss is not None:
            found.append(Gap(loss, board.boot, self._expected - 1))
        self._lights_after = hello.last
        self._requested.pop("REPLAY", None)
        self._request(messages.replay_request(board.boot, self._expected), now)
        self._request_snapshot(now)
        self._lights.send_again()
        return found

    def _loss(self, hello: BoardHello) -> str | None:
        """What is lost for good according to a greeting."""
        boot, delivered = hello.board.boot, self._expected - 1
        if self._boot is not None and boot != self._boot:
            return f"the board restarted (boot {boot}): events after {delivered} of boot {self._boot} are lost"
        if boot == self._boot and hello.last < delivered:
            return f"the board says that its last event was {hello.last}, but it has sent {delivered}"
        return None

    def _accept_loss(self, now: float) -> bool:
        """Whether to pass on one more loss; if so, it is counted."""
        if len(self._losses) == MAX_LOSSES and now - self._losses[0] < LOSSES_WITHIN:
            return False
        self._losses.append(now)
        return True

    def _ignore_board(self, serial: str) -> list[Event]:
        reason = (
            f"board {serial!r} restarted, lost events or changed its version {MAX_LOSSES} times within "
            f"{LOSSES_WITHIN:g} seconds and is ignored for that time: check its power supply and cable"
        )
        return self._refuse(reason, "the board is ignored for a while", self._losses[0] + LOSSES_WITHIN)

    def _refuse(self, reason: str, lost: str = "another board answered", until: float = math.inf) -> list[Event]:
        """Do not use the board, and do not greet it before `until`; `lost` is why the one before is gone."""
        found: list[Event] = []
        if self.state is SessionState.READY:
            found.append(events.Disconnected(lost))
        if reason != self._refusal:
            found.append(events.Refused(reason))
        self._refusal, self._refused_until = reason, until
        self.state = SessionState.GREETING
        self._outgoing.clear()
        return found

    def _on_error(self, error: BoardError, now: float) -> list[Event]:
        if error.code == "version":
            return self._refuse(f"the board refuses protocol version {'.'.join(map(str, PROTOCOL))}: {error.text}")
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
        if first <= self._expected:
            return []  # the answer to a repeated request
        if not self._accept_loss(now):
            return self._ignore_board("" if self.board is None else self.board.serial)
        lost = f"events {self._expected} to {first - 1}" if first - self._expected > 1 else f"event {self._expected}"
        self._expected = first
        self._lost = first - 1
        self._lights.send_again()
        self._request_snapshot(now)
        assert self._boot is not None  # since it is READY
        return [Gap(f"the board no longer holds {lost} of boot {self._boot}", self._boot, first - 1)]

    def _on_event(self, event: Numbered, frame: Frame, now: float) -> list[Event]:
        if event.seq < self._expected:
            self.duplicates += 1
            if event.seq <= self._acknowledged:
                self._request(messages.ack(event.boot, self._acknowledged), now, ASK_EVERY)  # the board has missed it
            return []
        if event.seq > self._expected:
            self._request_missing(event.seq, now)
            return []
        self._expected += 1
        if frame.fields[3:4] == ("BTN",):
            self._button = event.seq
        sensors = self.board.sensors if self.board is not None else 0
        match event:
            case events.Button(counts=counts):
                fits = len(counts) == sensors
            case (
                events.PitChanged(pit=pit) | events.Lifted(pit=pit) | events.Fault(pit=pit) | events.Calibrated(pit=pit)
            ):
                fits = pit < sensors
            case _:
                fits = True
        if fits:
            return [event]
        self.misfits += 1
        return [messages.unrecognized(event.boot, event.seq, frame)]

    def _on_snapshot(self, snapshot: events.Snapshot, now: float) -> list[Event]:
        if self.board is None or len(snapshot.counts) != self.board.sensors:
            self.misfits += 1
            return []
        if not self._awaits_snapshot:
            return []  # a repeated answer, or a board that floods the line
        self._awaits_snapshot = False
        self._request_missing(snapshot.last, now)
        return [snapshot]

    # --- requests -------------------------------------------------------------------------------------------

    def _request_missing(self, last: int, now: float) -> None:
        """Request the missing events, when the board's last event is `last`."""
        if last >= self._expected and self._boot is not None:
            self._request(messages.replay_request(self._boot, self._expected), now, ASK_EVERY)

    def _request(self, frame: Frame, now: float, every: float = 0.0) -> None:
        """Send `frame`, unless one of its type was sent less than `every` seconds ago."""
        last = self._requested.get(frame.type)
        if last is None or now - last >= every:
            self._requested[frame.type] = now
            self._outgoing[frame.type] = frame

    def _request_snapshot(self, now: float) -> None:
        self._awaits_snapshot = True
        self._request(SNAPSHOT_REQUEST, now)
