"""Boards that prove their serial numbers, boards that do not, and boards that cannot."""

import hashlib
import hmac
import json

import pytest

from drivers import events as board_events
from service.boards.controller import BoardController
from service.boards.controller.proof import MAX_TRIES, REPEAT_AFTER, key_id
from service.boards.ports import KnownPort
from service.http.answers.boards import BoardJson
from service.http.answers.shape import to_builtins
from service.storage import Limit
from tests.service.boards_double import SERIAL, FakeConnection, commit, connected, snapshot

BOOT = "0000000a"
CAN = ("buttons", "leds", "key")


class Flash:
    """What a board keeps when it restarts. `room`: for secrets."""

    def __init__(self, room=4):
        self.secrets = {}
        self.room = room


class ProvingConnection(FakeConnection):
    """A connection to a board with a flash. Lines to it are lost while `deaf` is positive, and counted down."""

    def __init__(self, flash, serial=SERIAL):
        super().__init__()
        self.flash, self.serial, self.deaf = flash, serial, 0
        self.given = []
        self.challenged = []

    def give_secret(self, key, secret):
        self.given.append(secret)
        if self._hears():
            if key in self.flash.secrets or len(self.flash.secrets) < self.flash.room:
                self.flash.secrets[key] = secret
            self.say(board_events.SecretKept(key, key in self.flash.secrets))

    def challenge(self, key, nonce):
        self.challenged.append(nonce)
        if self._hears():
            secret = self.flash.secrets.get(key)
            mac = "-"
            if secret is not None:
                text = f"inkeek,{self.serial},{BOOT},{nonce}".encode()
                mac = hmac.new(bytes.fromhex(secret), text, hashlib.sha256).hexdigest()
            self.say(board_events.SerialProof(BOOT, key, nonce, mac))

    def _hears(self):
        self.deaf -= 1
        return self.deaf < 0


@pytest.fixture
def greet(table):
    """Greet the table's controller as a board with this flash does; returns the connection."""

    def greet(flash, can=CAN, deaf=0):
        table.connection = connection = ProvingConnection(flash)
        connection.deaf = deaf
        table.controller = BoardController(
            table.boards.get(table.board), connection, table.games, table.boards, lambda: table.now
        )
        table.hear(connected(can=can), snapshot(table.position))
        for _ in range(4):
            table.later(0.3)
        return connection

    return greet


def test_a_board_is_given_a_secret_once_and_proves_its_number_with_it(table, greet):
    flash = Flash()
    first = greet(flash)
    assert (len(first.given), len(first.challenged)) == (1, 1)
    assert table.status["identity"] == "proved"
    secret = table.boards.secret(SERIAL)
    assert secret.held
    assert flash.secrets == {key_id(secret.secret): secret.secret}
    again = greet(flash)
    assert (again.given, len(again.challenged), table.status["identity"]) == ([], 1, "proved")
    assert first.challenged != again.challenged
    log = [entry.data for entry in table.boards.log(table.board)]
    shown = json.dumps([to_builtins(BoardJson.of(table.stored)), log])
    assert secret.secret not in shown + repr(secret)
    assert "unproved" not in table.log()


@pytest.mark.parametrize("flash", [Flash(), Flash(room=0)], ids=["new", "full"])
def test_a_board_without_the_secret_is_not_proved_but_plays(table, greet, flash):
    greet(Flash())
    greet(flash)
    assert (table.status["identity"], table.log()[-1]) == ("says", "unproved")
    turn = table.turn()
    table.hear(commit(turn, 1))
    assert table.games.row(table.game).ply == 1


def test_a_wrong_proof_is_none(table, greet):
    flash = Flash()
    greet(flash)
    for key in flash.secrets:
        flash.secrets[key] = "5a" * 32
    greet(flash)
    assert (table.status["identity"], table.log()[-1]) == ("says", "unproved")


def test_lines_that_are_lost_are_sent_again_for_a_while(table, greet):
    flash = Flash()
    connection = greet(flash, deaf=3)
    for _ in range(5):
        table.later(REPEAT_AFTER)
        table.step()
    assert table.status["identity"] == "proved"
    assert len(set(connection.given)) == 1
    silent = greet(flash, deaf=1000)
    for _ in range(MAX_TRIES + 3):
        table.later(REPEAT_AFTER)
    assert len(silent.challenged) == MAX_TRIES
    assert (table.status["identity"], table.log()[-1]) == ("says", "unproved")


def test_a_secret_whose_keeping_was_not_confirmed_is_given_again(table, greet):
    flash = Flash()
    first = greet(flash, deaf=1000)
    second = greet(flash)
    assert set(first.given) == set(second.given)
    assert table.status["identity"] == "proved"


def test_a_board_without_room_is_not_proved(table, greet):
    greet(Flash(room=0))
    assert (table.status["identity"], table.boards.secret(SERIAL)) == ("says", None)


def test_a_board_that_cannot_is_given_nothing(table, greet):
    connection = greet(Flash(), can=("buttons",))
    assert (connection.given, connection.challenged) == ([], [])
    assert (table.status["identity"], table.boards.secret(SERIAL)) == ("says", None)


def test_a_limited_key_gets_no_secret_for_a_number(table, greet, monkeypatch):
    table.boards.release(table.board)
    monkeypatch.setattr("service.boards.ports.known_ports", lambda: [KnownPort("/dev/fake", "")])
    table.board = table.boards.bind("/dev/fake", "inkeek", table.game, limit=Limit("game", table.game)).id
    connection = greet(Flash())
    assert (connection.given, table.boards.secret(SERIAL)) == ([], None)


def test_an_answer_to_an_earlier_challenge_proves_nothing(table, greet):
    flash = Flash()
    greet(flash)
    connection = greet(flash, deaf=1)
    (old, *_) = connection.challenged
    table.controller.challenge.nonce = "00" * 16
    (key,) = flash.secrets
    connection.challenge(key, old)
    table.step()
    assert table.status["identity"] == "says"


def test_a_person_who_confirms_a_board_has_it_given_another_secret(table, greet):
    greet(Flash())
    before = table.boards.secret(SERIAL)
    greet(Flash())
    table.boards.rebind(table.board, SERIAL)
    assert table.boards.secret(SERIAL) is None
    greet(flash := Flash())
    assert table.status["identity"] == "proved"
    assert before.secret not in flash.secrets.values()
