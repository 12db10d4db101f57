"""Which board is on the port, seen by the controller; boot ids that come again."""

import pytest

from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import TransportError
from inkeek.drivers.events import Disconnected, Gap
from inkeek.service.boards.controller import FLUSH_AFTER, BoardController
from inkeek.service.boards.identity import Identity
from inkeek.service.boards.status import read_status
from inkeek.service.errors import Conflict
from inkeek.service.games.write import Write
from tests.foreign_board import Bench, ForeignBoard, Hand
from tests.service.boards_double import SMALL, commit, connected, snapshot

BOOT = "0000000a"


def test_another_board_in_mid_game_is_not_recorded(playing):
    playing.play()
    acknowledged = list(playing.connection.acknowledged)
    other = playing.turn()
    playing.hear(Disconnected("cable"), connected(serial="T-0002"), Gap("x", BOOT, 0), snapshot(other.before))
    playing.hear(commit(other, 2))
    playing.later()
    assert playing.games.row(playing.game).ply == 1
    assert playing.connection.acknowledged == acknowledged
    assert (playing.stored.serial, playing.status["found"], playing.status["state"]) == ("T-0001", "T-0002", "refused")
    assert playing.controller.leaves  # another board may need the port


def test_nothing_is_stored_for_a_board_that_is_bound_no_more(playing):
    playing.play()
    playing.boards.rebind(playing.board, "T-0002")
    with pytest.raises(Conflict):
        playing.boards.commit_event(playing.board, "T-0001", BOOT, 9, read_status(playing.status))
    row = playing.stored
    assert (row.serial, row.boot, row.seq) == ("T-0002", None, 0)
    assert [entry.data for entry in playing.boards.log(playing.board) if entry.kind == "rebound"] == [
        {"from": "T-0001", "to": "T-0002"}
    ]


def test_a_board_without_a_serial_number_is_not_refused_by_it(table):
    table.hear(connected(serial="counts"), snapshot(table.position))
    other = table.games.create("enkeshui", SMALL, {}, Write("api")).id
    second = table.boards.bind("/dev/other", "counts", other)
    assert table.status["state"] == "connected"
    row, blocking = table.boards.identify(second.id, Identity("counts"), "/dev/other")
    assert (row.serial, blocking) == ("counts", None)


class Seat:
    """A game on a foreign board in virtual time; the desk may die and start again."""

    def __init__(self, services):
        self.services = services
        self.bench = Bench(TransportError)
        self.board = ForeignBoard(row=8, stores=True, clock=self.bench.clock, boot=BOOT, serial="FB-7")
        self.environment = self.bench.plug("a", self.board)
        self.game = services.games.create("enkeshui", SMALL, {}, Write("api")).id
        self.id = services.boards.bind("/dev/a", "inkeek", self.game).id
        self.hand()
        self.start()

    def start(self):
        row = self.services.boards.get(self.id)
        self.connection = StandardBoard().connect(self.environment, row.resume)
        self.controller = BoardController(
            row, self.connection, self.services.games, self.services.boards, self.bench.clock
        )

    def run(self, seconds=4.0):
        until = self.bench.now + seconds
        while self.bench.now < until:
            self.controller.step(0.2)
            if self.controller.leaves:
                self.connection.close()
                self.start()
        self.bench.now += FLUSH_AFTER

    def hand(self):
        loaded = self.services.games.load(self.game)
        return Hand(self.board, loaded.rules, loaded.position)

    def play(self):
        self.bench.now += 1.7
        self.hand().play(self.services.games.load(self.game).legal(1)[0])

    @property
    def ply(self):
        return self.services.games.row(self.game).ply

    @property
    def kinds(self):
        return [entry.kind for entry in self.services.boards.log(self.id)]


@pytest.fixture
def seat(services, drivers_installed):
    seat = Seat(services)
    seat.run()
    return seat


@pytest.mark.parametrize("desk_dies", [False, True])
@pytest.mark.parametrize("greets", [True, False])
def test_a_press_after_a_restart_with_the_same_boot_id_is_recorded(seat, desk_dies, greets):
    for ply in (1, 2):
        seat.play()
        seat.run()
        assert seat.ply == ply
    seat.bench.now += 5.0
    seat.board.restart(BOOT)
    if not greets:
        seat.board.take()
    if desk_dies:
        seat.start()
    seat.board.heard.clear()
    seat.play()  # its numbers were all stored before
    seat.run(8.0)
    assert seat.ply == 3
    assert seat.services.boards.get(seat.id).boot == f"{BOOT}.2"
    assert seat.kinds.count("gap") == 1
    last = seat.board.last
    assert all(int(line[2]) <= last for line in seat.board.heard if line[0] == "ACK")


def test_a_boot_id_of_an_earlier_run_is_noticed_by_a_new_desk(seat):
    seat.play()
    seat.run()
    seat.board.restart("0000000b")
    seat.run()
    seat.start()  # this connection knows nothing of the first run
    seat.run()
    seat.board.restart(BOOT)
    seat.play()
    seat.run(8.0)
    assert seat.ply == 2
    assert seat.services.boards.get(seat.id).boot == f"{BOOT}.2"
