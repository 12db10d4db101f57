"""Boards and ports in every order: each game gets the turns of its own board, or none."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from inkeek.drivers import registry
from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.ports.environment import SystemEnvironment
from inkeek.drivers.ports.transport import Port
from inkeek.records import Position
from inkeek.service.boards import board_work, plugged
from inkeek.service.boards.plugged import PluggedPorts
from inkeek.service.games.write import Write
from tests.foreign_board import ForeignBoard, Hand, PtyPort
from tests.service.boards.desk_thread import DeskThread
from tests.service.boards_double import SMALL
from tests.service.waiting import until


class Room:
    """Games, boards and ports whose names come and go, and a desk at work. `listed` is the system's list of ports."""

    def __init__(self, services, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.services, self.folder = services, folder
        self.listed: list[Port] = []
        self.lists = True  # whether the system lists ports
        self.plugged: dict[str, tuple[PtyPort, ExitStack]] = {}
        self.hands: dict[str, Hand] = {}
        self.desk = DeskThread(services, self.find, plugged=PluggedPorts(services.boards, 0.05))
        monkeypatch.setattr("inkeek.drivers.ports.transport.READ_WAIT", 0.01)
        monkeypatch.setattr("inkeek.drivers.ports.connection.REOPEN_EVERY", 0.05)
        monkeypatch.setattr("inkeek.service.boards.board_work.REOPEN_AFTER", 0.05)
        monkeypatch.setattr("inkeek.service.boards.board_work.GONE_AFTER", 0.5)
        monkeypatch.setattr(board_work, "AVOIDED_FOR", 0.5)
        monkeypatch.setattr("inkeek.drivers.ports.environment.ANSWER_WITHIN", 1.0)
        monkeypatch.setattr("inkeek.drivers.ports.environment.ASK_AGAIN", 0.2)
        monkeypatch.setattr(registry, "ports", lambda: list(self.listed))

    def plug(self, name: str, board: ForeignBoard, adapter: str | None = None) -> str:
        port = PtyPort(board, link=self.folder / name)
        stack = ExitStack()
        stack.enter_context(port)
        self.plugged[name] = port, stack
        if self.lists:
            self.listed = [*self.listed, Port(port.url, "A cable", adapter)]
        return port.url

    def pull(self, name: str) -> ForeignBoard:
        port, stack = self.plugged.pop(name)
        self.listed = [listed for listed in self.listed if listed.url != port.url]
        stack.close()
        return port.board

    def free(self) -> dict[str, tuple[str, str | None]]:
        """The state of each free port, and the serial number of its board."""
        return {Path(row.url).name: (row.state, row.serial) for row in self.services.boards.plugged()}

    def bind(self, url: str, serial: str | None = None, driver: str = "inkeek") -> tuple[str, str]:
        """A game, and the board that is bound to it."""
        game = self.services.games.create("enkeshui", SMALL, {}, Write("api")).id
        return game, self.services.boards.bind(url, driver, game, serial=serial).id

    def hand(self, game: str, board: ForeignBoard) -> Hand:
        """A hand that plays the game on a board, which it lays out."""
        loaded = self.services.games.load(game)
        return Hand(board, loaded.rules, loaded.position)

    def play(self, game: str, board: ForeignBoard) -> Position:
        """The next turn on a board, with its button; the position after it."""
        return self.hand(game, board).play(self.services.games.load(game).legal(1)[0])

    def find(self, name: str) -> StandardBoard:
        """The driver, with the room's list of ports."""
        room = self

        class Board(StandardBoard):
            def environment(self, url: str) -> SystemEnvironment:
                return SystemEnvironment(url, self.probe, ports=lambda: list(room.listed))

        return Board()

    def ply(self, game: str) -> int:
        return int(self.services.games.row(game).ply)

    def status(self, board: str) -> dict:
        return self.services.boards.get(board).status

    def is_connected(self, board: str) -> bool:
        return self.status(board)["state"] == "connected" and self.services.boards.get(board).boot is not None

    def kinds(self, board: str) -> list[str]:
        return [entry.kind for entry in self.services.boards.log(board)]


@pytest.fixture
def room(services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    room = Room(services, tmp_path, monkeypatch)
    yield room
    room.desk.end()
    for name in list(room.plugged):
        room.pull(name)


def foreign(serial: str) -> ForeignBoard:
    return ForeignBoard(row=8, stores=True, serial=serial, clock=time.monotonic)


def two_games(room: Room, adapters: tuple[str | None, str | None]) -> tuple[ForeignBoard, ForeignBoard, list[str]]:
    """Two boards at two ports, each with its game, one turn played on each. Games and boards' ids."""
    one, two = foreign("B-1"), foreign("B-2")
    first = room.bind(room.plug("ttyACM0", one, adapters[0]))
    second = room.bind(room.plug("ttyACM1", two, adapters[1]))
    room.desk.start()
    for (game, bound), board in ((first, one), (second, two)):
        room.hand(game, board)
        until(lambda b=bound: room.is_connected(b))
        room.play(game, board)
        until(lambda g=game: room.ply(g) == 1)
    return one, two, [*first, *second]


@pytest.mark.parametrize(
    ("adapters", "listed"),
    [((None, None), True), (("U1", "U2"), True), ((None, None), False)],
    ids=["no-usb-numbers", "usb-numbers", "not-listed"],
)
def test_each_game_follows_its_board_when_ports_come_back_exchanged(room: Room, adapters, listed: bool) -> None:
    """Where the system does not list the ports, each board is found where the other one is missed."""
    room.lists = listed
    one, two, (game1, bound1, game2, bound2) = two_games(room, adapters)
    room.pull("ttyACM0")
    room.pull("ttyACM1")
    room.plug("ttyACM0", two, adapters[1])
    room.plug("ttyACM1", one, adapters[0])
    room.play(game1, one)  # at once: the boards keep it
    until(lambda: room.ply(game1) == 2)
    room.play(game2, two)
    until(lambda: room.ply(game2) == 2)
    assert (room.services.boards.get(bound1).serial, room.services.boards.get(bound2).serial) == ("B-1", "B-2")
    assert (room.ply(game1), room.ply(game2)) == (2, 2)


def test_a_new_desk_finds_exchanged_boards(room: Room) -> None:
    one, two, (game1, _, game2, _) = two_games(room, (None, None))
    room.desk.end()
    room.pull("ttyACM0")
    room.pull("ttyACM1")
    room.plug("ttyACM0", two)
    room.plug("ttyACM1", one)
    room.desk.start()
    room.play(game1, one)
    room.play(game2, two)
    until(lambda: (room.ply(game1), room.ply(game2)) == (2, 2))


def test_another_board_is_refused_until_a_person_confirms_it(room: Room) -> None:
    one, other = foreign("B-1"), foreign("B-9")
    game, bound = room.bind(room.plug("ttyACM0", one))
    room.hand(game, one)
    room.desk.start()
    until(lambda: room.is_connected(bound))
    room.play(game, one)
    until(lambda: room.ply(game) == 1)
    room.pull("ttyACM0")
    room.plug("ttyACM0", other)
    room.play(game, other)
    status = until(lambda: (s := room.status(bound)).get("found") == "B-9" and s)
    assert status["state"] == "refused"
    assert [name for name in ("B-1", "B-9") if name not in status["message"]] == []
    (entry,) = [entry for entry in room.services.boards.log(bound) if entry.kind == "other-board"]
    assert (entry.data["bound"], entry.data["found"]) == ("B-1", "B-9")
    held = len(other.held)
    assert room.ply(game) == 1
    room.services.boards.rebind(bound, "B-9")
    until(lambda: room.is_connected(bound))
    assert room.services.boards.get(bound).serial == "B-9"
    assert room.ply(game) == 1  # what it had held counts for no turn
    assert held == len(other.events)  # it had kept everything
    other.press("n")  # the seeds lie as after the turn
    until(lambda: room.ply(game) == 2)


def test_a_refused_board_makes_room_for_the_right_one(room: Room) -> None:
    one, other = foreign("B-1"), foreign("B-9")
    url = room.plug("ttyACM0", other)
    game, bound = room.bind(url, "B-1")
    room.desk.start()
    until(lambda: room.status(bound).get("found") == "B-9")
    room.pull("ttyACM0")
    room.plug("ttyACM0", one)
    room.hand(game, one)
    until(lambda: room.is_connected(bound))
    assert room.status(bound).get("found") is None
    room.play(game, one)
    until(lambda: room.ply(game) == 1)
    assert other.events == [] or len(other.held) == len(other.events)


def test_a_board_is_followed_to_a_new_port(room: Room) -> None:
    one = foreign("B-1")
    game, bound = room.bind(room.plug("ttyACM0", one))
    room.hand(game, one)
    room.desk.start()
    until(lambda: room.is_connected(bound))
    room.pull("ttyACM0")
    url = room.plug("ttyACM7", one)
    room.play(game, one)
    until(lambda: room.ply(game) == 1)
    assert room.status(bound)["port"] == url


def test_a_free_board_is_found_and_each_port_is_asked_once(room: Room, monkeypatch) -> None:
    asked: list[str] = []
    probe = plugged.probe_ports

    def ask(ports, *more):
        asked.append(Path(ports[0].url).name)
        return probe(ports, *more)

    monkeypatch.setattr(plugged, "probe_ports", ask)
    monkeypatch.setattr(plugged, "ASK_AGAIN", 600.0)
    board = foreign("B-1")
    game, bound = room.bind(room.plug("ttyACM0", board))
    room.listed = [*room.listed, Port("/dev/ttyS0", "A console", None), Port("/dev/no-such", "Gone", None)]
    room.plug("ttyUSB0", silent := foreign("X"))
    monkeypatch.setattr(silent, "receive", lambda data: None)
    room.desk.start()
    until(lambda: room.is_connected(bound))
    until(lambda: room.free() == {"ttyUSB0": ("nobody", None), "no-such": ("closed", None)})

    url = room.plug("ttyACM1", foreign("B-2"))
    until(lambda: room.free().get("ttyACM1") == ("board", "B-2"))
    (found,) = (row for row in room.services.boards.plugged() if row.url == url)
    assert (found.row, found.stores, found.title) == (8, True, "A cable")
    other = room.bind(url, "B-2")[1]
    until(lambda: room.is_connected(other))
    until(lambda: "ttyACM1" not in room.free())
    room.services.boards.release(bound)
    until(lambda: room.free().get("ttyACM0") == ("board", "B-1"))
    assert sorted(asked) == ["no-such", "ttyACM0", "ttyACM1", "ttyUSB0"]
    room.pull("ttyACM0")
    until(lambda: "ttyACM0" not in room.free())
    assert room.ply(game) == 0
    room.desk.end()
    assert room.free() == {}
