"""Whose claim of a serial number counts, and that nobody outside of a limit makes a board wait."""

import pytest

from drivers.recording.json_form import event_json
from service.boards.claims import SerialClaim, check_claim, reach_text
from service.boards.controller import BoardController
from service.boards.identity import FAR
from service.boards.ports import KnownPort
from service.boards.remote.driver import RemoteDriver
from service.errors import OutsideLimit
from service.games.write import Write
from service.storage import BoardRow, Limit
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
            patch.setattr("service.boards.ports.known_ports", lambda: [KnownPort(port, "")])
            board = self.services.boards.bind(port, "inkeek", game or self.game(), limit=limit, serial=serial)
        return self._sit(board.id, FakeConnection())

    def far(self, port, limit=None, game=None, serial=None):
        board = self.services.boards.bind(f"far:{port}", FAR, game or self.game(), limit=limit, serial=serial)
        self.services.inboxes.claim(board.id, "a" * 32, None, False)
        driver = RemoteDriver(self.services.boards, self.services.inboxes, lambda: 0.0)
        return self._sit(board.id, driver.open(f"far:{port}"))

    def _sit(self, board_id, connection):
        boards = self.services.boards
        self.controllers[board_id] = BoardController(
            boards.get(board_id), connection, self.services.games, boards, lambda: 0.0
        )
        return board_id

    def hear(self, board_id, *events):
        connection = self.controllers[board_id].connection
        if isinstance(connection, FakeConnection):
            connection.say(*events)
        else:
            row = self.services.inboxes.get(board_id)
            read = [event_json(event) for event in events]
            self.answer = self.services.inboxes.append(board_id, row.claim, row.last + 1, read)
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
    monkeypatch.setattr("drivers.registry.driver", lambda name: object())
    return Hall(services)


def limit_of(hall, game):
    return Limit("game", game)


@pytest.mark.parametrize("first", ["victim", "attacker"])
@pytest.mark.parametrize("is_near", [True, False], ids=["near", "far"])
def test_a_far_board_that_says_the_serial_number_of_another_stops_nobody(hall, first, is_near):
    own = hall.game()
    attacker = hall.far("attacker", limit_of(hall, own), own)
    victim = hall.near("/dev/a") if is_near else hall.far("victim")
    for board in (victim, attacker) if first == "victim" else (attacker, victim):
        hall.greet(board)
    for _ in range(3):  # its heartbeats
        hall.hear(attacker)
        hall.greet(attacker)
    assert hall.state(victim) == "connected"
    assert hall.plays(victim)
    if is_near:  # a board of this machine counts at all games, a far one at its own alone
        assert hall.state(attacker) in ("refused", "same-serial")
        assert not hall.plays(attacker)
        assert {"other-board", "same-serial"} & set(hall.kinds(attacker))


def test_the_answer_to_a_claim_says_that_it_is_refused(hall):
    hall.greet(hall.near("/dev/a"))
    own = hall.game()
    attacker = hall.far("attacker", limit_of(hall, own), own)
    hall.greet(attacker)
    assert [(refused.number, VICTIM in refused.reason) for refused in hall.answer.refused] == [(1, True)]


@pytest.mark.parametrize("is_near", [True, False], ids=["near", "far"])
def test_a_limited_key_that_binds_its_board_to_the_number_of_another_stops_nobody(hall, is_near):
    """The other one has never been connected, so its number is not bound to it yet."""
    own = hall.game()
    attacker = hall.far("attacker", limit_of(hall, own), own)
    hall.services.boards.rebind(attacker, VICTIM, limit_of(hall, own))
    victim = hall.near("/dev/a") if is_near else hall.far("victim")
    hall.greet(victim)
    hall.greet(attacker)
    hall.step()
    assert (hall.row(victim).serial, hall.state(victim)) == (VICTIM, "connected")
    assert hall.plays(victim)


@pytest.mark.parametrize("is_near", [True, False], ids=["near", "far"])
def test_a_limited_key_cannot_bind_its_board_to_a_number_that_is_bound_outside(hall, is_near):
    victim = hall.near("/dev/a") if is_near else hall.far("victim")
    hall.greet(victim)
    own = hall.game()
    limit = limit_of(hall, own)
    attacker = hall.far("attacker", limit, own)
    with pytest.raises(OutsideLimit):
        hall.services.boards.rebind(attacker, VICTIM, limit)
    assert hall.row(attacker).serial is None
    assert hall.kinds(attacker) == ["claim-refused"]
    hall.services.boards.release(attacker)
    with pytest.raises(OutsideLimit):
        hall.far("attacker", limit, own, VICTIM)
    assert hall.plays(victim)


def test_a_board_that_a_limited_key_binds_stops_none_outside(hall):
    """Also on a port of this machine, which may lead elsewhere."""
    own = hall.game()
    attacker = hall.near("socket://there:1", limit_of(hall, own), own)
    hall.greet(attacker)
    assert hall.row(attacker).serial == VICTIM
    victim = hall.near("/dev/a")
    hall.greet(victim)
    hall.step()
    assert (hall.state(victim), hall.state(attacker)) == ("connected", "same-serial")
    assert "claimed" in hall.kinds(victim)
    assert hall.plays(victim)
    hall.services.boards.release(victim)
    hall.controllers.pop(victim)
    hall.step()
    assert hall.controllers[attacker].leaves  # it is opened again, and plays


def test_within_an_event_who_was_bound_first_goes_on(hall):
    limit = Limit("event", "Cup")
    first, second = (hall.near(f"/dev/{name}", limit, hall.game("Cup")) for name in "ab")
    for board in (first, second, first):
        hall.greet(board)
    assert (hall.state(first), hall.state(second)) == ("connected", "same-serial")
    assert hall.plays(first)


def test_who_has_proved_its_number_goes_on(hall):
    first, second = hall.near("/dev/a"), hall.near("/dev/b", serial=VICTIM)
    hall.greet(first)
    hall.services.boards.presence.leave(first)
    hall.greet(second)
    hall.services.boards.presence.prove(second)
    hall.greet(first)
    assert (hall.state(first), hall.state(second)) == ("same-serial", "connected")
    assert hall.plays(second)


def test_an_order_of_claims_has_no_cycles_and_no_ties(hall):
    games = [hall.services.games.row(hall.game(event)) for event in ("Cup", "Cup", None)]
    reaches = [None, "all", reach_text(Limit("event", "Cup")), reach_text(Limit("game", games[0].id))]
    row = BoardRow("b", "inkeek", "p", "g", "open", None, None, 0, {}, 1, "t", "t")
    claims = [
        SerialClaim(
            row._replace(id=f"{at}", driver=driver, game=game.id, serial=serial, reach=reach), game, "S", "", proved
        )
        for at, (driver, game, serial, reach, proved) in enumerate(
            (driver, game, serial, reach, proved)
            for driver in ("inkeek", FAR)
            for game in games
            for serial in ("S", None)
            for reach in reaches
            for proved in (True, False)
        )
    ]
    for one in claims:
        assert not one.outranks(one)
        for other in claims:
            assert not (one.outranks(other) and other.outranks(one))
            if one is not other and one.reaches(other) and one.proved is other.proved:
                assert one.outranks(other) or other.outranks(one)


def test_a_key_without_a_limit_may_bind_any_number(hall):
    hall.greet(hall.near("/dev/a"))
    with hall.services.store.reading() as transaction:
        check_claim(transaction, VICTIM, None)
        with pytest.raises(OutsideLimit):
            check_claim(transaction, VICTIM, Limit("event", "Cup"))
