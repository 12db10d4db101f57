"""The device at work: time passes over world, hands and board, and bytes go over the cable."""

from __future__ import annotations

from collections.abc import Callable

from .cable.ports import Link
from .errors import GaveUp
from .firmware.board import Board
from .firmware.lights import Lights
from .hands.hands import Hands, Tell
from .world import World

TICK_MS = 10  # between two looks at the sensors, unless told otherwise
MAX_TICKS = 200  # made at once, then the line is served
BUSY_S = 0.01  # longest wait for the line while hands play
STILL_S = 0.05  # and while nobody plays


class Device:
    """A board in its world on a cable, with hands or without.

    `clock` gives seconds, `wait` waits for a host's bytes on some files for at most so many seconds. The
    hands' time (and the sensors') passes `speed` times as fast as the clock's. With `speed` None it leaps
    ahead while hands are busy, as long as the host keeps up with the events, and otherwise passes as the
    clock's does. The line always lives by the clock.
    """

    def __init__(
        self,
        board: Board,
        world: World,
        link: Link,
        clock: Callable[[], float],
        wait: Callable[[list[int], float], None],
        *,
        speed: float | None = 1.0,
        give_up: float | None = None,
        tick_ms: int = TICK_MS,
        tell: Tell = lambda event: None,
    ) -> None:
        """:param give_up: seconds that the hands wait for an answer; None for ever. :param tick_ms: of the hands' time,
        between two looks at the sensors."""
        self.hands: Hands | None = None
        self.now = 0  # milliseconds of the hands' time
        self._board = board
        self._world = world
        self._link = link
        self._clock = clock
        self._wait = wait
        self._speed = speed
        self._give_up = give_up
        self._tick_ms = tick_ms
        self._tell = tell
        self._seen = clock()  # when `step` was last here
        self._owed = 0.0  # milliseconds of the hands' time that have not been lived yet
        self._waiting_since: float | None = None
        self._plug_at: float | None = None
        self._off_from = 0.0  # when the power went, or will go,
        self._on_at: float | None = None  # and when it will be back
        self._next: Board | None = None  # what it will be when it has
        self._mended: list[tuple[int, int]] = []  # sensors that will work again: when, of the hands' time

    @property
    def boot(self) -> str:
        """The id of the board's present run."""
        return self._board.boot

    @property
    def playing(self) -> bool:
        return self.hands is not None and not self.hands.done

    @property
    def heard(self) -> bool:
        """Whether the host has acknowledged every event."""
        return not len(self._board.ring)

    def pull(self, ply: int, moment: str, seconds: float) -> None:
        """Pull the cable out, and put it back after so many seconds of the clock."""
        self._tell({"event": "unplugged", "ply": ply, "moment": moment, "seconds": seconds})
        self._link.unplug()
        self._plug_at = self._clock() + seconds

    def brown_out(self, ply: int, moment: str, dip_ms: int, seconds: float, board: Board) -> None:
        """The supply is low for `dip_ms` (hands' time), then away for `seconds` of the clock; then `board` has it."""
        self._tell({"event": "brown-out", "ply": ply, "moment": moment, "dip": dip_ms, "seconds": seconds})
        self._world.dip(self.now, dip_ms)
        self._on_at = self._clock() + dip_ms / 1000 / (self._speed or 1.0) + seconds
        self._off_from = self._on_at - seconds
        self._next = board

    def fail(self, ply: int, moment: str, sensor: int, how: str, ms: int) -> None:
        """A sensor is `how` (``open`` or ``stuck``) for so many milliseconds of the hands' time."""
        self._tell({"event": "sensor", "ply": ply, "moment": moment, "sensor": sensor, "how": how, "ms": ms})
        if how == "stuck":
            self._world.stick(sensor)
        else:
            self._world.broken.add(sensor)
        self._mended = sorted([*self._mended, (self.now + ms, sensor)])

    def restart(self, board: Board) -> None:
        """The board has started again: from now on it is `board`, whose ring is empty and whose lights are out."""
        self._board = board
        if self.hands is not None:
            self.hands.lights = board.lights
        self._tell({"event": "restarted", "boot": board.boot})

    def run(self, stop: Callable[[], bool]) -> None:
        """Let time pass until `stop`.

        :raises GaveUp: the hands did.
        """
        while not stop():
            seconds = self.step()
            self._wait(self._link.files(), seconds)  # asked now: the step may have pulled the cable

    def step(self) -> float:
        """Do all that is due; the answer is how many seconds may pass before there is more."""
        real = self._clock()
        if self._plug_at is not None and real >= self._plug_at:
            self._plug_at = None
            self._link.plug()
            self._tell({"event": "plugged", "url": self._link.url})
        if self._next is not None and self._on_at is not None and real >= self._on_at:
            board, self._next, self._on_at = self._next, None, None
            self.restart(board)
        powered = self._on_at is None or real < self._off_from
        if not powered and self.hands is not None and self.hands.lights is self._board.lights:
            self.hands.lights = Lights(len(self._board.sensors))  # all are out
        data = self._link.receive()
        if powered:
            self._board.receive(data)
        leaping = self._leaps()
        self._owed += (real - self._seen) * 1000 * (self._speed or 1.0)
        self._seen = real
        ticks = MAX_TICKS if leaping else min(MAX_TICKS, int(self._owed) // self._tick_ms)
        # A machine that slept does not make up for it: what could not be lived at once is dropped.
        self._owed = 0.0 if leaping or ticks == MAX_TICKS else self._owed - ticks * self._tick_ms
        for _ in range(ticks):
            self._tick(powered)
            if leaping and not self._leaps():
                break
        if powered:
            self._board.sent(self._link.send(self._board.pump(int(real * 1000))))
        self._check_patience(real)
        if self._leaps():
            return 0.0
        return BUSY_S if self.playing else STILL_S

    def _tick(self, powered: bool) -> None:
        self.now += self._tick_ms
        if self.hands is not None:
            self.hands.step(self.now)
        while self._mended and self._mended[0][0] <= self.now:
            self._world.heal(self._mended.pop(0)[1])
        readings, contacts = self._world.readings(self.now), self._world.contacts(self.now)
        if powered:
            self._board.supply, self._board.temperature = self._world.supply, round(10 * self._world.temperature)
            self._board.sense(readings, contacts, self.now)

    def _leaps(self) -> bool:
        """Whether time may run ahead of the clock."""
        if self._speed is not None or self.hands is None or self.hands.done or self.hands.waiting:
            return False
        return len(self._board.ring) < self._board.ring.size // 2

    def _check_patience(self, real: float) -> None:
        if self.hands is None or self.hands.done or not self.hands.waiting:
            self._waiting_since = None
        elif self._waiting_since is None:
            self._waiting_since = real
        elif self._give_up is not None and real - self._waiting_since >= self._give_up:
            raise GaveUp(f"the lights have not changed for {self._give_up:g} seconds")
