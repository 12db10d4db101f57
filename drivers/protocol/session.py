"""The host's part of a conversation with a board: the protocol as a state machine without a port
(`docs/protocol.md`).

Bytes and ticks go in with the time they happened, events and bytes come out. `link` joins it to a port.
Times are seconds of any clock that never goes back.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from enum import Enum

from drivers.base import Resume
from drivers.errors import DriverError, MessageError
from drivers.events import (
    Button,
    Calibrated,
    Complaint,
    Connected,
    Disconnected,
    Event,
    Fault,
    Gap,
    Lifted,
    Numbered,
    PitChanged,
    Refused,
    Snapshot,
    Status,
    Unrecognized,
)
from records import Side

from .frames import Decoder, Frame, encode, parse
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
    SIDES,
    Ack,
    BoardError,
    BoardEvent,
    BoardHello,
    BoardMessage,
    BoardSnapshot,
    BoardStatus,
    ButtonEvent,
    CalibrateSeeds,
    CalibrationEvent,
    FaultEvent,
    HostHello,
    HostMessage,
    LiftEvent,
    Nak,
    OtherEvent,
    Ping,
    PitEvent,
    Replay,
    SnapRequest,
    Tare,
)


class State(Enum):
    CLOSED = "closed"  # no port
    GREETING = "greeting"  # a port, no usable board yet
    READY = "ready"


class Session:
    """One board on one line, over any number of reconnections and restarts.

    `duplicates`, `damaged` and `misfits` count events had before, damaged lines, and good lines that did not
    fit. What waits to be sent is at most one line of each type and one set of lights.
    """

    def __init__(self, host_name: str, host_version: str, resume: Resume | None = None) -> None:
        self._hello = HostHello(PROTOCOL, host_name, host_version)
        encode(self._hello)  # a name that cannot be said should fail here, not on the line
        self.state = State.CLOSED
        self.board: BoardHello | None = None
        self.duplicates = self.damaged = self.misfits = 0
        self._boot: str | None = resume[0] if resume is not None else None
        self._acked = resume[1] if resume is not None else 0
        self._expected = self._acked + 1  # the number of the next event to deliver
        self._decoder = Decoder()
        self._due: dict[type[HostMessage], HostMessage] = {}
        self._asked: dict[type[HostMessage], float] = {}  # when each was last asked for
        self._heard = 0.0
        self._awaits_snapshot = False
        self._lights: tuple[HostMessage, ...] = ()
        self._lights_due = False
        self._lights_after = 0  # lights wait until this event is acknowledged: they may answer it
        self._refusal: str | None = None
        self._refused_until = 0.0
        self._losses: deque[float] = deque(maxlen=MAX_LOSSES)  # when the last ones were believed
        self._complained: float | None = None

    @property
    def gave_up(self) -> bool:
        """Whether the port is closed, or should be: the board was silent for too long."""
        return self.state is State.CLOSED

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""
        return {"damaged": self.damaged, "misfits": self.misfits, "duplicates": self.duplicates}

    # --- the port -------------------------------------------------------------------------------------------

    def opened(self, now: float) -> None:
        """The port is open: greet whoever is there."""
        self.state = State.GREETING
        self._decoder = Decoder()
        self._due.clear()
        self._asked.clear()
        self._heard = now
        self._ask(self._hello, now)

    def closed(self, reason: str) -> list[Event]:
        """The port is gone, for `reason`."""
        was_ready = self.state is State.READY
        self.state = State.CLOSED
        self._due.clear()
        return [Disconnected(reason)] if was_ready else []

    def take(self) -> bytes:
        """The bytes to send now; each is handed out once."""
        lines = [encode(message) for message in self._due.values()]
        self._due.clear()
        if self._lights_due and self.state is State.READY and self._acked >= self._lights_after:
            lines.extend(encode(message) for message in self._lights)
            self._lights_due = False
        return b"".join(lines)

    # --- the caller -----------------------------------------------------------------------------------------

    def acknowledge(self, event: Numbered) -> None:
        """See `base.Connection.acknowledge`."""
        if event.boot != self._boot:
            return  # that run of the board is over, and its ring with it
        if event.seq >= self._expected:
            raise DriverError(f"event {event.seq} of boot {event.boot} was not delivered: the next is {self._expected}")
        self._acked = max(self._acked, event.seq)
        if self.state is State.READY:
            self._due[Ack] = Ack(event.boot, self._acked)

    def show(self, lights: Sequence[HostMessage]) -> None:
        """Have these lines sent, now and after each greeting; they replace what was shown before.

        After a greeting they wait until all that the board had to tell is acknowledged: they may answer it.
        """
        self._lights = tuple(lights)
        self._light_up()

    def calibrate(self, pit: int | None, seeds: int) -> None:
        """See `base.SupportsCalibration.calibrate`."""
        if self.state is not State.READY or self.board is None:
            raise DriverError("no board is connected that could be calibrated")
        if "cal" not in self.board.capabilities:
            raise DriverError(f"board {self.board.serial!r} does not say that it can be calibrated from here")
        step = Tare() if pit is None else CalibrateSeeds(pit, seeds)
        if isinstance(step, CalibrateSeeds) and not (0 <= step.pit < self.board.sensors and step.seeds >= 1):
            raise DriverError(f"pit {pit} with {seeds} seeds: the board has {self.board.sensors} sensors, from 0 on")
        encode(step)  # what cannot be said should fail here, not on the line
        self._due[type(step)] = step

    # --- time and bytes -------------------------------------------------------------------------------------

    def tick(self, now: float) -> list[Event]:
        """Do what is due at `now`: greet, ask again, ping, or give the board up for gone."""
        if self.state is State.GREETING:
            if self._refusal is None or now >= self._refused_until:
                self._ask(self._hello, now, HELLO_EVERY)
        elif self.state is State.READY:
            if now - self._heard >= GONE_AFTER:
                return self.closed(f"nothing was heard for {GONE_AFTER:g} seconds")
            if now - self._heard >= PING_AFTER:
                self._ask(Ping(), now, PING_AFTER)
            if self._awaits_snapshot:
                self._ask(SnapRequest(), now, HELLO_EVERY)
        return []

    def receive(self, data: bytes, now: float) -> list[Event]:
        """The events in bytes that came from the board."""
        if self.state is State.CLOSED:
            raise DriverError("bytes came from a port that is closed")
        before = self._decoder.damaged
        frames = self._decoder.feed(data)
        damaged = self._decoder.damaged - before
        self.damaged += damaged
        if damaged and self.state is State.READY:
            self._ask(Nak(), now, ASK_EVERY)
        events: list[Event] = []
        for frame in frames:
            self._heard = now
            message = self._read(frame)
            if message is not None:
                events += self._handle(message, frame, now)
        return events

    def _read(self, frame: Frame) -> BoardMessage | None:
        try:
            return parse(frame)
        except MessageError:
            self.misfits += 1
            return None

    def _handle(self, message: BoardMessage, frame: Frame, now: float) -> list[Event]:
        if now < self._refused_until < math.inf:
            return []  # whatever it says
        match message:
            case BoardHello():
                return self._on_hello(message, now)
            case BoardError():
                return self._on_error(message, now)
        if self.state is not State.READY:
            return []  # it will be replayed, or asked for, after the greeting
        if message.boot != self._boot:
            self._ask(self._hello, now, HELLO_EVERY)  # restarted, and its own HELLO was lost
            return []
        match message:
            case BoardEvent():
                return self._on_event(message, frame, now)
            case BoardSnapshot():
                return self._on_snapshot(message, now)
            case BoardStatus():
                volts, celsius = message.millivolts / 1000, message.temperature / 10
                return [Status(volts, celsius, message.faults, message.held)]

    # --- the board's lines ----------------------------------------------------------------------------------

    def _on_hello(self, hello: BoardHello, now: float) -> list[Event]:
        if hello.version[0] != PROTOCOL[0]:
            spoken = ".".join(map(str, hello.version))
            return self._refuse(
                f"board {hello.serial!r} speaks version {spoken} of the protocol: known is {PROTOCOL[0]}.x"
            )
        if self.state is State.READY and hello.boot == self._boot:
            self.board = hello
            self._light_up()
            return self._missing(hello.last, now)
        loss = self._loss(hello)
        if (loss is not None or self._refusal is not None) and not self._believe(now):
            return self._not_listen(hello.serial)
        events: list[Event] = [Disconnected("the board started again")] if self.state is State.READY else []
        self.state = State.READY
        self._refusal, self._refused_until = None, 0.0
        self.board = hello
        events.append(
            Connected(
                hello.serial,
                hello.firmware,
                hello.version,
                hello.boot,
                hello.row,
                hello.stores,
                hello.capabilities,
            )
        )
        if hello.boot != self._boot:
            self._boot, self._acked, self._expected = hello.boot, 0, 1
        elif loss is not None:
            self._acked, self._expected = min(self._acked, hello.last), hello.last + 1
        if loss is not None:
            events.append(Gap(loss, hello.boot, self._expected - 1))
        self._lights_after = hello.last
        self._asked.pop(Replay, None)
        self._ask(Replay(hello.boot, self._expected), now)
        self._want_snapshot(now)
        self._light_up()
        return events

    def _loss(self, hello: BoardHello) -> str | None:
        """What a greeting says is lost for good, if anything."""
        had = self._expected - 1
        if self._boot is not None and hello.boot != self._boot:
            return (
                f"the board started again (boot {hello.boot}): what came after event {had} of boot {self._boot} is lost"
            )
        if hello.boot == self._boot and hello.last < had:
            return f"the board says its last event was {hello.last}, but it has sent {had}"
        return None

    def _believe(self, now: float) -> bool:
        """Whether one more loss is to be passed on; if so, it is counted."""
        if len(self._losses) == MAX_LOSSES and now - self._losses[0] < LOSSES_WITHIN:
            return False
        self._losses.append(now)
        return True

    def _not_listen(self, serial: str) -> list[Event]:
        reason = (
            f"board {serial!r} has started again, lost events or changed its version {MAX_LOSSES} times within "
            f"{LOSSES_WITHIN:g} seconds: look after its supply and its cable; it is listened to again after that time"
        )
        return self._refuse(reason, "it is not listened to for a while", self._losses[0] + LOSSES_WITHIN)

    def _refuse(self, reason: str, why: str = "another board answered", until: float = math.inf) -> list[Event]:
        """Do not use the board, and do not greet it again before `until`."""
        events: list[Event] = []
        if self.state is State.READY:
            events.append(Disconnected(why))
        if reason != self._refusal:
            events.append(Refused(reason))
        self._refusal, self._refused_until = reason, until
        self.state = State.GREETING
        self._due.clear()
        return events

    def _on_error(self, error: BoardError, now: float) -> list[Event]:
        if error.code == "version":
            return self._refuse(
                f"the board refuses version {'.'.join(map(str, PROTOCOL))} of the protocol: {error.text}"
            )
        if self.state is not State.READY:
            return []
        if error.code == "overflow":
            return self._on_overflow(error, now)
        if error.code == "damaged":
            self._light_up()  # the one line that is not asked for again by what follows
        if self._complained is not None and now - self._complained < COMPLAINTS_EVERY:
            return []
        self._complained = now
        return [Complaint(error.code, error.text)]

    def _on_overflow(self, error: BoardError, now: float) -> list[Event]:
        first = int(error.text) if error.text.isascii() and error.text.isdigit() and len(error.text) <= 10 else 0
        if first <= self._expected:
            return []  # the answer to a question asked twice
        if not self._believe(now):
            return self._not_listen("" if self.board is None else self.board.serial)
        lost = f"events {self._expected} to {first - 1}" if first - self._expected > 1 else f"event {self._expected}"
        self._expected = first
        self._want_snapshot(now)
        assert self._boot is not None  # since it is READY
        return [Gap(f"the board no longer holds {lost} of boot {self._boot}", self._boot, first - 1)]

    def _on_event(self, event: BoardEvent, frame: Frame, now: float) -> list[Event]:
        if event.seq < self._expected:
            self.duplicates += 1
            if event.seq <= self._acked:
                self._ask(Ack(event.boot, self._acked), now, ASK_EVERY)  # the board has missed it
            return []
        if event.seq > self._expected:
            return self._missing(event.seq, now)
        self._expected += 1
        return [self._convert(event, frame)]

    def _on_snapshot(self, snapshot: BoardSnapshot, now: float) -> list[Event]:
        if self.board is None or len(snapshot.counts) != self.board.sensors:
            self.misfits += 1
            return []
        if not self._awaits_snapshot:
            return []  # answered twice; or a board that floods the line with what nobody asked for
        self._awaits_snapshot = False
        self._missing(snapshot.last, now)
        return [Snapshot(snapshot.boot, snapshot.last, _seeds(snapshot.counts), snapshot.confidence)]

    def _convert(self, event: BoardEvent, frame: Frame) -> Event:
        """The event in the words of the program; what does not fit this board stays as it came."""
        sensors = self.board.sensors if self.board is not None else 0
        head = (event.boot, event.seq, event.ms)
        match event:
            case PitEvent(pit=pit, count=count) if pit < sensors:
                return PitChanged(*head, pit, count / 100)
            case LiftEvent(pit=pit) if pit < sensors:
                return Lifted(*head, pit)
            case ButtonEvent(side=side, action=action, counts=counts) if len(counts) == sensors:
                return Button(*head, Side(SIDES.index(side)), action, _seeds(counts))
            case FaultEvent(pit=pit, code=code) if pit < sensors:
                return Fault(*head, pit, code)
            case CalibrationEvent(pit=pit, ok=ok) if pit < sensors:
                return Calibrated(*head, pit, ok)
            case OtherEvent(kind=kind, fields=fields):
                return Unrecognized(*head, kind, fields)
        self.misfits += 1
        return Unrecognized(*head, frame.fields[3], frame.fields[4:])

    # --- asking ---------------------------------------------------------------------------------------------

    def _missing(self, last: int, now: float) -> list[Event]:
        """Ask for what is missing when the board's last event is `last`."""
        if last >= self._expected and self._boot is not None:
            self._ask(Replay(self._boot, self._expected), now, ASK_EVERY)
        return []

    def _ask(self, message: HostMessage, now: float, every: float = 0.0) -> None:
        """Send `message`, unless one of its type was sent less than `every` seconds ago."""
        asked = self._asked.get(type(message))
        if asked is None or now - asked >= every:
            self._asked[type(message)] = now
            self._due[type(message)] = message

    def _want_snapshot(self, now: float) -> None:
        self._awaits_snapshot = True
        self._ask(SnapRequest(), now)

    def _light_up(self) -> None:
        self._lights_due = bool(self._lights) and self.board is not None and "leds" in self.board.capabilities


def _seeds(counts: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(count / 100 for count in counts)
