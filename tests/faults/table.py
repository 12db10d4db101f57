"""One table in virtual time: a simulated board, a cable in memory, and a desk that can be killed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from random import Random
from typing import Any

from drivers.boards.standard import StandardBoard
from drivers.errors import DriverError, TransportError
from drivers.ports.connection import PortConnection
from firmware_sim.errors import GaveUp
from firmware_sim.scenarios.scenario import Scenario
from firmware_sim.scenarios.stage import Stage, Troubles, stage
from service.boards.bindings import Boards
from service.boards.controller import BoardController
from service.errors import ServiceError
from service.games.repository import Games
from service.games.write import Write

STEP_MS = 20  # of virtual time
READ_S = 0.05  # how long a read waits for the first byte, as `transport.READ_WAIT`
POLL_S = 0.2  # how long the desk waits for changes, as its setting `desk_poll`
AGAIN_S = 1.0  # until the desk retries, as `desk.REOPEN_AFTER`
CHANGES = frozenset({"play", "edit", "commit_event", "update_status", "acknowledge"})


class Killed(BaseException):
    """The desk dies here."""


class MemoryCable:
    """Both ends of the cable: a `firmware_sim.cable.ports.Cable` for the board, bytes for the host."""

    url = "/dev/virtual"

    def __init__(self) -> None:
        self.plugged = False
        self.plugs = 0  # counts the plugs: a line opened before the last one is dead
        self.to_host = bytearray()
        self.to_board = bytearray()

    def plug(self) -> None:
        self.plugged = True
        self.plugs += 1

    def unplug(self) -> None:
        self.plugged = False
        self.to_host.clear()
        self.to_board.clear()

    def files(self) -> list[int]:
        return []

    def receive(self) -> bytes:
        data = bytes(self.to_board)
        self.to_board.clear()
        return data

    def send(self, data: bytes) -> int:
        if self.plugged:
            self.to_host += data
        return len(data)


class Deaths:
    """When the desk dies, and where: in a ``read`` or ``write``, ``before`` or ``after`` something is stored, or when
    an event is about to be ``acknowledged``."""

    def __init__(self, due: list[tuple[float, str, float]], clock: Callable[[], float]) -> None:
        """:param due: when, where, and for how many seconds; the earliest first."""
        self.due = due
        self.away = 0.0
        self._clock = clock

    def at(self, where: str) -> None:
        """:raises Killed: the desk dies here."""
        if self.due and self.due[0][1] == where and self._clock() >= self.due[0][0]:
            self.away = self.due.pop(0)[2]
            raise Killed


class Table:
    """A game on a board, from the stones to the record. `events` are those of the hands."""

    def __init__(
        self,
        scenario: Scenario,
        games: Games,
        boards: Boards,
        draw: Callable[..., Troubles],
        deaths: list[tuple[float, str, float]],
    ) -> None:
        self.now = 0.0
        self.events: list[Mapping[str, Any]] = []
        self.gave_up: str | None = None
        self.cable = MemoryCable()
        boots = (f"{number:08x}" for number in count(1))
        self.stage: Stage = stage(scenario, self.cable, self.clock, lambda *_: None, self.events.append, boots, draw)
        self.cable.plug()
        self.games, self.boards = games, boards
        self.deaths = Deaths(deaths, self.clock)
        game = scenario.game
        self.game = games.create(game.ruleset, dict(game.options), {}, Write("api"), None).id
        self.board = boards.bind(f"/dev/virtual/{self.game}", "inkeek", self.game).id
        self.controller: BoardController | None = None
        self.connections: list[PortConnection] = []
        self.replays = self.deaths_died = 0

    @property
    def played(self) -> bool:
        """Whether the hands are done."""
        return self.gave_up is not None or not self.stage.device.playing

    def pass_time(self) -> None:
        """Advance virtual time by one step for the board and the hands."""
        self.now += STEP_MS / 1000
        try:
            self.stage.device.step()
        except GaveUp as error:
            self.gave_up = str(error)
            self.stage.device.hands = None

    def run(self, seconds: float, stop: Callable[[], bool]) -> None:
        """Let the desk work for so long, or until `stop`."""
        end = self.now + seconds
        while self.now < end and not stop():
            try:
                if self.controller is None:
                    self.controller = self._connect()
                self.controller.step(POLL_S)
            except Killed:
                self.deaths_died += 1
                self._away(self.deaths.away)
            except (DriverError, ServiceError):
                self._away(AGAIN_S)

    def _away(self, seconds: float) -> None:
        self.controller = None
        self.wait(seconds)

    def _connect(self) -> BoardController:
        """Connect the board as `service.boards.desk` does."""
        board = self.boards.get(self.board)
        connection = StandardBoard().connect(self, None if board.boot is None else (board.boot, board.seq))
        self.connections.append(connection)
        mortal = _Mortal(connection, self.deaths), _Mortal(self.games, self.deaths), _Mortal(self.boards, self.deaths)
        controller = BoardController(board, *mortal, self.clock)  # type: ignore[arg-type]
        controller.game_changed.set()
        return controller

    # The methods of `drivers.base.Environment`

    def open(self) -> _Line:
        """:raises TransportError: the cable is unplugged."""
        if not self.cable.plugged:
            raise TransportError("the cable is unplugged")
        self.cable.to_host.clear()
        return _Line(self, self.cable.plugs)

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.pass_time()

    def token(self) -> str:
        return "ffffffff"


class _Line:
    """A `drivers.ports.connection.Line`: reading lets time pass."""

    def __init__(self, table: Table, plugs: int) -> None:
        self._table = table
        self._plugs = plugs

    def read(self) -> bytes:
        table, cable = self._table, self._table.cable
        end = table.now + READ_S
        while not cable.to_host and table.now < end:
            table.pass_time()
        table.deaths.at("read")
        self._check()
        data = bytes(cable.to_host)
        cable.to_host.clear()
        return data

    def write(self, data: bytes) -> None:
        self._check()
        if data:
            self._table.deaths.at("write")
            self._table.replays += data.count(b"$REPLAY")
            self._table.cable.to_board += data

    def close(self) -> None:
        """There is nothing to close."""

    def _check(self) -> None:
        if not self._table.cable.plugged or self._table.cable.plugs != self._plugs:
            raise TransportError("the cable is unplugged")


class _Mortal:
    """Wraps a connection, `Games` or `Boards`: the desk can die before and after each call that changes one."""

    def __init__(self, real: Any, deaths: Deaths) -> None:
        self._real = real
        self._deaths = deaths

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if name not in CHANGES:
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            self._deaths.at("acknowledged" if name == "acknowledge" else "before")
            result = found(*arguments, **named)
            self._deaths.at("after")
            return result

        return call


def draw_deaths(random: Random, most: int, within: float) -> list[tuple[float, str, float]]:
    """Draw when and where the desk dies."""
    places = ("read", "write", "before", "after", "acknowledged")
    times = sorted(random.uniform(0, within) for _ in range(random.randint(1, most)))
    return [(time, random.choice(places), random.choice([0.05, random.uniform(0, 3)])) for time in times]
