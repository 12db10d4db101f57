"""A serial number is a claim: no far board keeps another one out, and of two local ones a person chooses."""

import pytest

from inkeek.service.boards.controller import BoardController
from inkeek.service.boards.ports import KnownPort
from inkeek.service.errors import Conflict, OutsideLimit
from inkeek.service.games.write import Write
from inkeek.service.storage import Limit
from inkeek.service.storage.rows import FAR
from tests.service.boards_double import SMALL, FakeConnection, commit, connected, snapshot

VICTIM = "VICTIM-1"


class Hall:
    """Boards of one desk, each at its game, moved step by step."""

    def __init__(self, services):
        self.services = services
        self.controllers = {}

    def game(self, event=None):
        tags = {} if event is None else {"Event": event}
        return self.services.games.create("enkeshui", SMALL, tags, Write("api")).id

    def near(self, port, limit=None, game=None, serial=None):
        """A board at a serial port of this machine."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("inkeek.service.boards.ports.known_ports", lambda: [KnownPort(port, "")])
            board = self.services.boards.bind(port, "inkeek", game or self.game(), limit=limit, serial=serial)
        return self._sit(board.id, FakeConnection())

    def far(self, port, limit=None, game=None, serial=None):
        board = self.services.boards.bind(f"far:{port}", FAR, game or self.game(), limit=limit, serial=serial)
        return self._sit(board.id, FakeConnection())

    def _sit(self, board_id, connection):
        boards = self.services.boards
        self.controllers[board_id] = BoardController(
            boards.get(board_id), connection, self.services.games, boards, lambda: 0.0
        )
        return board_id

    def open_again(self, board_id):
        """As the desk does when a board was bound anew."""
        self._sit(board_id, FakeConnection())

    def hear(self, board_id, *events):
        self.controllers[board_id].connection.say(*events)
        self.step()

    def step(self):
        for controller in self.controllers.values():
            controller.step(0.0)

    def greet(self, board_id, serial=VICTIM):
        position = self.services.games.load(self.row(board_id).game).position
        self.hear(board_id, connected(serial=serial), snapshot(position))

    def row(self, board_id):
        return self.services.boards.get(board_id)

    def state(self, board_id):
        return self.row(board_id).status["state"]

    def plays(self, board_id):
        """Whether a turn on the board is recorded."""
        loaded = self.services.games.load(self.row(board_id).game)
        self.hear(board_id, commit(loaded.rules.play(loaded.position, loaded.legal(1)[0]), 1))
        return self.services.games.row(loaded.row.id).ply == 1

    def kinds(self, board_id):
        return [entry.kind for entry in self.services.boards.log(board_id)]


@pytest.fixture
def hall(services, monkeypatch):
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: object())
    return Hall(services)


def limit_of(game):
    return Limit("game", game)


@pytest.mark.parametrize("first", ["victim", "attacker"])
@pytest.mark.parametrize("is_near", [True, False], ids=["near", "far"])
@pytest.mark.parametrize("is_confirmed", [True, False])
def test_a_far_board_that_says_the_serial_number_of_another_stops_nobody(hall, first, is_near, is_confirmed):
    own = hall.game()
    attacker = hall.far("attacker", limit_of(own), own)
    if is_confirmed:
        hall.services.boards.rebind(attacker, VICTIM, limit_of(own))
    victim = hall.near("/dev/a") if is_near else hall.far("victim")
    for board in (victim, attacker) if first == "victim" else (attacker, victim):
        hall.greet(board)
    hall.greet(attacker)
    assert (hall.row(victim).serial, hall.state(victim)) == (VICTIM, "connected")
    assert hall.plays(victim)
    assert hall.plays(attacker)  # at its own game, which its key may write


def test_a_board_that_is_plugged_in_here_does_not_keep_a_far_one_out(hall):
    hall.greet(hall.near("/dev/a"))
    far = hall.far("carried-home")
    hall.greet(far)
    assert hall.plays(far)


def test_of_two_boards_of_this_machine_both_are_named_and_a_person_chooses(hall):
    first, second = hall.near("/dev/a"), hall.near("/dev/b")
    hall.greet(first)
    hall.greet(second)
    assert (hall.state(first), hall.state(second)) == ("connected", "same-serial")
    message = hall.row(second).status["message"]
    assert [name for name in ("/dev/a", "/dev/b", VICTIM) if name not in message] == []
    assert [entry.data for entry in hall.services.boards.log(first) if entry.kind == "claimed"] == [
        {"serial": VICTIM, "port": "/dev/b"}
    ]
    assert hall.plays(first)
    assert not hall.plays(second)
    hall.services.boards.rebind(second, VICTIM)
    for board in (first, second):
        hall.open_again(board)
        hall.greet(board)
    assert (hall.row(first).serial, hall.state(first)) == (None, "same-serial")
    assert (hall.row(second).serial, hall.state(second)) == (VICTIM, "connected")
    assert hall.plays(second)
    assert "gave-way" in hall.kinds(first)


def test_the_board_that_a_person_did_not_choose_records_nothing_more(hall):
    """Not even before the desk has opened it again."""
    first, second = hall.near("/dev/a"), hall.near("/dev/b")
    hall.greet(first)
    hall.greet(second)
    hall.services.boards.rebind(second, VICTIM)
    with pytest.raises(Conflict):
        hall.plays(first)
    assert hall.services.games.row(hall.row(first).game).ply == 0
    assert hall.row(first).serial is None


def test_of_two_boards_that_are_bound_to_one_number_the_first_goes_on(hall):
    """Also after its game was over, and is not any more."""
    first, second = hall.near("/dev/a", serial=VICTIM), hall.near("/dev/b", serial=VICTIM)
    for board in (second, first, second):
        hall.greet(board)
    assert (hall.state(first), hall.state(second)) == ("connected", "same-serial")
    hall.services.boards.release(first)
    hall.greet(second)
    assert hall.state(second) == "connected"


def test_a_limited_key_takes_no_number_from_a_board_outside_of_the_limit(hall):
    victim = hall.near("/dev/a")
    hall.greet(victim)
    own = hall.game()
    other = hall.near("/dev/b", limit_of(own), own)
    with pytest.raises(OutsideLimit):
        hall.services.boards.rebind(other, VICTIM, limit_of(own))
    assert (hall.row(victim).serial, hall.row(other).serial) == (VICTIM, None)
    assert hall.plays(victim)
