"""One table in virtual time: a simulated board, a cable in memory, and a desk that can be killed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from random import Random
from typing import Any

from inkeek.drivers.base import Connection, Driver, OpenPort, Resume, SupportsRecording
from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import DriverError
from inkeek.drivers.ports.connection import PortConnection
from inkeek.firmware_sim.errors import GaveUp
from inkeek.firmware_sim.scenarios import Stage, Troubles, stage
from inkeek.records import Move
from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.board_work import Opener
from inkeek.service.boards.controller import BoardController
from inkeek.service.boards.identity import Identity
from inkeek.service.errors import ServiceError
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage import BoardRow
from tests.faults.draws import FaultyScenario
from tests.faults.room import Line, MemoryCable, Room
from tests.faulty_cable import FaultyCable, Wire

POLL_S = 0.2  # how long the desk waits for changes, as its setting `desk_poll`
AGAIN_S = 1.0  # until the desk retries, as `desk.REOPEN_AFTER`
GONE_AFTER = 10.0  # as in the desk
CHANGES = frozenset({"play", "edit", "commit_event", "update_status", "acknowledge"})


class Killed(BaseException):
    """The desk dies here."""


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
    """A game on a board, from the stones to the record. `events` are those of the hands.

    `boots`: the board's boot ids. `waits_for_layout`: the desk opens the port when the seeds are laid out.
    `helper`: a person who sees that a turn was refused. It is called with the turn's number and how often that was.
    """

    def __init__(
        self,
        scenario: FaultyScenario,
        games: Games,
        boards: Boards,
        draw: Callable[..., Troubles],
        deaths: list[tuple[float, str, float]],
        *,
        room: Room | None = None,
        boots: Iterator[str] | None = None,
        waits_for_layout: bool = False,
        helper: Callable[[int, int], None] = lambda ply, times: None,
    ) -> None:
        self.room = room or Room()
        self.events: list[Mapping[str, Any]] = []
        self.gave_up: str | None = None
        self.cable = MemoryCable()
        boots = boots or (f"{number:08x}" for number in count(1))
        random = Random(scenario.seed)
        self.wires = Wire(scenario.cable, random), Wire(scenario.cable, random)
        is_faulty = any(scenario.cable.rates)
        cable = FaultyCable(self.cable, *self.wires, self.room.clock) if is_faulty else self.cable
        self.stage: Stage = stage(scenario, cable, self.room.clock, lambda *_: None, self.events.append, boots, draw)
        self.cable.plug()
        self.games, self.boards = games, boards
        self.deaths = Deaths(deaths, self.room.clock)
        game = scenario.game
        self.game = games.create(game.ruleset, dict(game.options), {}, Write("api"), None).id
        self.port = f"/dev/virtual/{self.game}"
        self.board = boards.bind(self.port, "inkeek", self.game).id
        self.controller: BoardController | None = None
        self.connections: list[PortConnection] = []
        self.replays = self.deaths_died = self.entered = 0
        self._waits_for_layout = waits_for_layout
        self.helper = helper
        self._refusals: Counter[Any] = Counter()  # by turn
        self._seen = 0  # events of the hands
        self._lines: list[Line] = []
        self._opener = Opener(StandardBoard(), self.port, self._open_with, self.room.listed, self.room.clock)
        self.cable.serial = scenario.board.serial
        self.room.ports[self.port] = self.cable
        self.room.tables.append(self)

    @property
    def now(self) -> float:
        return self.room.now

    @property
    def played(self) -> bool:
        """Whether the hands are done."""
        return self.gave_up is not None or not self.stage.device.playing

    @property
    def quiet(self) -> bool:
        """Whether nothing is in transit between the stones and the record."""
        return (
            self.controller is not None
            and self.controller.state.flush_at is None
            and self.stage.device.acknowledged
            and not self.cable.to_host
            and not self.cable.to_board
        )

    def pass_time(self) -> None:
        """Let one step of time pass for the board and the hands."""
        try:
            self.stage.device.step()
        except GaveUp as error:
            self.gave_up = str(error)
            self.stage.device.hands = None

    def serve(self) -> None:
        """Let the desk work a little; time passes meanwhile."""
        if self._waits_for_layout and not self.events:
            self.room.wait(POLL_S)
            return
        try:
            if self.controller is None:
                self.controller = self._connect()
            self.controller.step(POLL_S)
            self._read_events()
            if self.controller.leaves or self._is_elsewhere(self.controller):
                self._leave(self.controller)
        except Killed:
            self.deaths_died += 1
            self._away(self.deaths.away)
        except (DriverError, ServiceError):
            if self.controller is not None:
                self.connections[-1].close()
            self._away(AGAIN_S)

    def run(self, seconds: float, stop: Callable[[], bool]) -> None:
        """Let the desk work at all tables of the room for so long, or until `stop`."""
        end = self.now + seconds
        while self.now < end and not stop():
            for table in self.room.tables:
                table.serve()

    # What `inkeek.service.boards.desk` does

    def _connect(self) -> BoardController:
        board = self.boards.get(self.board)
        connection = self._opener.open(_identity(board), board.resume, search=not self.boards.shares_serial(board))
        assert isinstance(connection, PortConnection)
        self.connections.append(connection)
        mortal = _Mortal(connection, self.deaths), _Mortal(self.games, self.deaths), _Mortal(self.boards, self.deaths)
        controller = BoardController(board, *mortal, self.room.clock)  # type: ignore[arg-type]
        controller.game_changed.set()
        return controller

    def _is_elsewhere(self, controller: BoardController) -> bool:
        since = controller.absent_since
        if since is None or self.now - since < GONE_AFTER:
            return False
        controller.absent_since = self.now
        return self._opener.can_follow(_identity(controller.row))

    def _leave(self, controller: BoardController) -> None:
        if controller.is_another or controller.absent_since is not None:
            self._opener.avoid(controller.status.port or self.port, is_another=controller.is_another)
        controller.finish()
        self.connections[-1].close()
        self._away(AGAIN_S)

    def _away(self, seconds: float) -> None:
        """Do without a desk for so long. A dead desk sends nothing more."""
        for line in self._lines:
            line.close()
        self._lines.clear()
        self.controller = None
        self.room.wait(seconds)

    def _open_with(self, driver: Driver, url: str, resume: Resume | None) -> Connection:
        assert isinstance(driver, SupportsRecording)
        return driver.connect(_Environment(self, url), resume)

    def open_line(self, port: str) -> MortalLine:
        """Open a port of the room."""
        self._lines.append(self.room.open(port))
        return MortalLine(self._lines[-1], self)

    def close(self) -> None:
        """End the session: the board is released, and its cable is unplugged."""
        self._away(0.0)
        self.boards.release(self.board)
        self.room.tables.remove(self)

    def _read_events(self) -> None:
        """Tell the helper of refusals."""
        for event in self.events[self._seen :]:
            self._seen += 1
            if event["event"] == "refused":
                self._refusals[event["ply"]] += 1
                self.helper(event["ply"], self._refusals[event["ply"]])

    def enter(self, ply: int) -> None:
        """Enter on the page what the hands have played as turn `ply`."""
        if self.games.row(self.game).ply == ply - 1:
            self.games.play(self.game, Move.parse(self.stage.plan.turn(ply).move), Write("api", expected_ply=ply))
            self.entered += 1
            assert self.controller is not None
            self.controller.game_changed.set()

    def say_turned(self) -> None:
        """Say on the page that the board lies the wrong way round."""
        assert self.controller is not None
        ask = self.controller.status.ask
        about = {"at": self.games.row(self.game).seq} if ask is None else {"question": ask.name}
        self.controller.add_request(self.boards.add_request(self.board, "turned", about))


class _Environment:
    """A `drivers.base.Environment`: a port of the room, or ``board:`` and the serial number of a board on any port."""

    def __init__(self, table: Table, url: str) -> None:
        self._table = table
        self._url = url
        self.open_port: OpenPort | None = None
        self.clock, self.wait = table.room.clock, table.room.wait

    def open(self) -> MortalLine:
        """:raises TransportError: nothing is plugged in, or there is no such board."""
        port = self._url
        if port.startswith("board:"):
            port = self._table.room.port_of(port.removeprefix("board:"))
        line = self._table.open_line(port)
        self.open_port = OpenPort(port, None)
        return line

    def token(self) -> str:
        return "ffffffff"


class MortalLine:
    """A `inkeek.drivers.ports.connection.Line` on which the desk can die. Reading lets time pass."""

    def __init__(self, line: Line, table: Table) -> None:
        self._line = line
        self._table = table

    def read(self) -> bytes:
        self._line.wait()
        self._table.deaths.at("read")
        return self._line.read()

    def write(self, data: bytes) -> None:
        if data:
            self._table.deaths.at("write")
            self._table.replays += data.count(b"$REPLAY")
        self._line.write(data)

    def close(self) -> None:
        self._line.close()


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


def _identity(board: BoardRow) -> Identity | None:
    return None if board.serial is None else Identity(board.serial, board.adapter)


def draw_deaths(random: Random, most: int, within: float) -> list[tuple[float, str, float]]:
    """Draw when and where the desk dies."""
    places = ("read", "write", "before", "after", "acknowledged")
    times = sorted(random.uniform(0, within) for _ in range(random.randint(1, most)))
    return [(time, random.choice(places), random.choice([0.05, random.uniform(0, 3)])) for time in times]
