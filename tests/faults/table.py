"""One table in virtual time: a simulated board, a cable in memory, and a desk that can be killed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from random import Random
from typing import Any

from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import DriverError, TransportError
from inkeek.drivers.ports.connection import PortConnection
from inkeek.firmware_sim.errors import GaveUp
from inkeek.firmware_sim.scenarios import Stage, Troubles, stage
from inkeek.records import Move
from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.controller import BoardController
from inkeek.service.errors import ServiceError
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from tests.faults.draws import STEP_MS, FaultyScenario
from tests.faulty_cable import FaultyCable, Wire
from tests.firmware_sim.conftest import MemoryCable

POLL_S = 0.2  # how long the desk waits for changes, as its setting `desk_poll`
READ_S = 0.05  # how long a read waits for the first byte, as `transport.READ_WAIT`
AGAIN_S = 1.0  # until the desk retries, as `desk.REOPEN_AFTER`
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
        boots: Iterator[str] | None = None,
        waits_for_layout: bool = False,
    ) -> None:
        self.now = 0.0
        self.events: list[Mapping[str, Any]] = []
        self.gave_up: str | None = None
        self.cable = MemoryCable()
        self.line: _Line | None = None  # the open port
        boots = boots or (f"{number:08x}" for number in count(1))
        random = Random(scenario.seed)
        self.wires = Wire(scenario.cable, random), Wire(scenario.cable, random)
        is_faulty = any(scenario.cable.rates)
        cable = FaultyCable(self.cable, *self.wires, self.clock) if is_faulty else self.cable
        self.stage: Stage = stage(scenario, cable, self.clock, lambda *_: None, self.events.append, boots, draw)
        self.cable.plug()
        self.games, self.boards = games, boards
        self.deaths = Deaths(deaths, self.clock)
        game = scenario.game
        self.game = games.create(game.ruleset, dict(game.options), {}, Write("api"), None).id
        self.board = boards.bind(f"/dev/virtual/{self.game}", "inkeek", self.game).id
        self.controller: BoardController | None = None
        self.connections: list[PortConnection] = []
        self.replays = self.deaths_died = self.entered = 0
        self._waits_for_layout = waits_for_layout
        self.helper: Callable[[int, int], None] = lambda ply, times: None
        self._refusals: Counter[Any] = Counter()  # by turn
        self._seen = 0  # events of the hands

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        """Let so much time pass."""
        end = self.now + seconds
        while self.now < end:
            self.tick()

    def tick(self) -> None:
        """Let one step of time pass."""
        self.now += STEP_MS / 1000
        self.pass_time()

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
        """Do what board and hands do in a step of time."""
        try:
            self.stage.device.step()
        except GaveUp as error:
            self.gave_up = str(error)
            self.stage.device.hands = None

    def serve(self) -> None:
        """Let the desk work a little; time passes meanwhile."""
        if self._waits_for_layout and not self.events:
            self.wait(POLL_S)
            return
        try:
            if self.controller is None:
                self.controller = self._connect()
            self.controller.step(POLL_S)
            self._read_events()
        except Killed:
            self.deaths_died += 1
            self._away(self.deaths.away)
        except (DriverError, ServiceError):
            if self.controller is not None:
                self.connections[-1].close()
            self._away(AGAIN_S)

    def run(self, seconds: float, stop: Callable[[], bool]) -> None:
        """Let the desk work for so long, or until `stop`."""
        end = self.now + seconds
        while self.now < end and not stop():
            self.serve()

    # What `inkeek.service.boards.desk` does

    def _connect(self) -> BoardController:
        board = self.boards.get(self.board)
        connection = StandardBoard().connect(_Environment(self), board.resume)
        self.connections.append(connection)
        mortal = _Mortal(connection, self.deaths), _Mortal(self.games, self.deaths), _Mortal(self.boards, self.deaths)
        controller = BoardController(board, *mortal, self.clock)  # type: ignore[arg-type]
        controller.game_changed.set()
        return controller

    def _away(self, seconds: float) -> None:
        """Do without a desk for so long. A dead desk sends nothing more."""
        self.line = None
        self.controller = None
        self.wait(seconds)

    def close(self) -> None:
        """End the session: the board is released."""
        self._away(0.0)
        self.boards.release(self.board)

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
    """The `drivers.base.Environment` of a table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.clock, self.wait = table.clock, table.wait

    def open(self) -> _Line:
        """:raises TransportError: nothing is plugged in, or the port is in use."""
        table = self._table
        if not table.cable.plugged or table.line is not None:
            raise TransportError("the port is in use" if table.cable.plugged else "the cable is unplugged")
        table.cable.to_host = b""
        table.line = _Line(table)
        return table.line

    def token(self) -> str:
        return "ffffffff"


class _Line:
    """An open port, on which the desk can die. Reading lets time pass."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._plugs = table.cable.plugs

    def read(self) -> bytes:
        table = self._table
        end = table.now + READ_S
        while not table.cable.to_host and table.now < end:
            table.tick()
        table.deaths.at("read")
        self._check()
        return table.cable.read()

    def write(self, data: bytes) -> None:
        if data:
            self._table.deaths.at("write")
            self._table.replays += data.count(b"$REPLAY")
        self._check()
        self._table.cable.write(data)

    def close(self) -> None:
        if self._table.line is self:
            self._table.line = None

    def _check(self) -> None:
        table = self._table
        if not table.cable.plugged or table.cable.plugs != self._plugs or table.line is not self:
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
