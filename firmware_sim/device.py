"""The simulated device at work: time passes for world, hands and board, and bytes go over the cable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field

from .cable import Cable
from .firmware.board import BoardFirmware
from .firmware.panel import LightPanel
from .hands.hands import Hands, Report
from .world import World

TICK_MS = 10  # between two sensor readings, unless the scenario sets another value
MAX_TICKS = 200  # in one step; then the line is served
BUSY_S = 0.01  # longest wait for the line while hands play
IDLE_S = 0.05  # and while nobody plays


@dataclass
class SimulatedDevice:
    """A board in its world on a cable, with or without hands.

    `clock` returns seconds; `wait` waits for input on file descriptors, up to a number of seconds. The time of hands
    and sensors passes `speed` times as fast as the clock. With `speed` None it leaps ahead while hands are busy and
    the host keeps up with the events; otherwise it passes like the clock's. The line always follows the clock.
    """

    board: BoardFirmware
    world: World
    cable: Cable
    clock: Callable[[], float]
    wait: Callable[[list[int], float], None]
    _: KW_ONLY
    speed: float | None = 1.0
    tick_ms: int = TICK_MS  # the hands' time between two sensor readings
    report: Report = lambda event: None
    hands: Hands | None = field(default=None, init=False)
    now: int = field(default=0, init=False)  # milliseconds of the hands' time

    def __post_init__(self) -> None:
        self._stepped_at = self.clock()
        self._owed = 0.0  # milliseconds of the hands' time still to simulate
        self._plug_at: float | None = None
        self._off_at = 0.0
        self._restart: tuple[float, BoardFirmware] | None = None  # when the power returns, and the board it starts
        self._repairs: list[tuple[int, int]] = []  # when a sensor works again (the hands' time), and which

    @property
    def boot(self) -> str:
        """The id of the board's present run."""
        return self.board.boot

    @property
    def playing(self) -> bool:
        return self.hands is not None and not self.hands.done

    @property
    def acknowledged(self) -> bool:
        """Whether the host has acknowledged every event."""
        return not len(self.board.ring)

    def unplug(self, ply: int, moment: str, seconds: float) -> None:
        """Unplug the cable, and plug it in again after `seconds` of the clock."""
        self.report({"event": "unplugged", "ply": ply, "moment": moment, "seconds": seconds})
        self.cable.unplug()
        self._plug_at = self.clock() + seconds

    def brown_out(self, ply: int, moment: str, dip_ms: int, seconds: float, board: BoardFirmware) -> None:
        """Lower the supply for `dip_ms` (hands' time), cut it for `seconds` of the clock, then start `board`."""
        self.report({"event": "brown-out", "ply": ply, "moment": moment, "dip": dip_ms, "seconds": seconds})
        self.world.dip(self.now, dip_ms)
        on_at = self.clock() + dip_ms / 1000 / (self.speed or 1.0) + seconds
        self._off_at = on_at - seconds
        self._restart = on_at, board

    def fail_sensor(self, ply: int, moment: str, sensor: int, how: str, ms: int) -> None:
        """Make a sensor ``open`` or ``stuck`` for `ms` of the hands' time."""
        self.report({"event": "sensor", "ply": ply, "moment": moment, "sensor": sensor, "how": how, "ms": ms})
        self.world.fail(sensor, how)
        self._repairs = sorted([*self._repairs, (self.now + ms, sensor)])

    def restart(self, board: BoardFirmware) -> None:
        """Replace the board by a fresh one, with an empty ring and dark lights."""
        self.board = board
        if self.hands is not None:
            self.hands.lights = board.lights
        self.report({"event": "restarted", "boot": board.boot})

    def run(self, stop: Callable[[], bool]) -> None:
        """Let time pass until `stop` returns True.

        :raises GaveUp: the hands gave up.
        """
        while not stop():
            seconds = self.step()
            self.wait(self.cable.files(), seconds)  # after the step, which may have unplugged the cable

    def step(self) -> float:
        """Do whatever is due; return how many seconds may pass before the next step."""
        now = self.clock()
        if self._plug_at is not None and now >= self._plug_at:
            self._plug_at = None
            self.cable.plug()
            self.report({"event": "plugged", "url": self.cable.url})
        if self._restart is not None and now >= self._restart[0]:
            board, self._restart = self._restart[1], None
            self.restart(board)
        powered = self._restart is None or now < self._off_at
        if not powered and self.hands is not None and self.hands.lights is self.board.lights:
            self.hands.lights = LightPanel(len(self.board.sensors))  # all dark
        data = self.cable.receive()
        if powered:
            self.board.receive(data)
        leaping = self._may_leap()
        self._owed += (now - self._stepped_at) * 1000 * (self.speed or 1.0)
        self._stepped_at = now
        ticks = MAX_TICKS if leaping else min(MAX_TICKS, int(self._owed) // self.tick_ms)
        # A machine that slept does not catch up: drop what does not fit into one step.
        self._owed = 0.0 if leaping or ticks == MAX_TICKS else self._owed - ticks * self.tick_ms
        for _ in range(ticks):
            self._tick(powered)
            if leaping and not self._may_leap():
                break
        if powered:
            self.board.mark_sent(self.cable.send(self.board.output(int(now * 1000))))
        if self._may_leap():
            return 0.0
        return BUSY_S if self.playing else IDLE_S

    def _tick(self, powered: bool) -> None:
        self.now += self.tick_ms
        if self.hands is not None:
            self.hands.step(self.now)
        while self._repairs and self._repairs[0][0] <= self.now:
            self.world.repair(self._repairs.pop(0)[1])
        readings, contacts = self.world.readings(self.now), self.world.contacts(self.now)
        if powered:
            self.board.supply = self.world.supply
            self.board.sense(readings, contacts, self.now)

    def _may_leap(self) -> bool:
        """Whether the hands' time may run ahead of the clock."""
        if self.speed is not None or self.hands is None or self.hands.done or self.hands.waiting:
            return False
        return len(self.board.ring) < self.board.ring.size // 2
