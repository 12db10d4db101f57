"""A table with a game, a board and a controller, which the test moves step by step."""

from dataclasses import replace

import pytest

from inkeek.drivers import events as board_events
from inkeek.records import Move
from inkeek.service.boards.controller import FLUSH_AFTER, SETTLED_AFTER, BoardController
from inkeek.service.games.write import Write
from tests.service.boards_double import SMALL, FakeConnection, commit, connected, counts_of, snapshot

BOOT = "0000000a"


class Table:
    """A game, a board bound to it, and a controller that the test moves step by step."""

    def __init__(self, services, setup=None, game="enkeshui", **bound):
        self.games, self.boards = services.games, services.boards
        self.now = 0.0
        options = SMALL if game == "enkeshui" else {}
        self.game = self.games.create(game, options, {}, Write("api"), setup).id
        self.board = self.boards.bind("/dev/fake", "inkeek", self.game, **bound).id
        self.sit()

    def sit(self):
        """As the desk does at its start, and after it was killed."""
        self.connection = FakeConnection()
        self.controller = BoardController(
            self.boards.get(self.board), self.connection, self.games, self.boards, lambda: self.now
        )

    def hear(self, *events):
        self.connection.say(*events)
        self.step()

    def step(self):
        """As the desk does when something may have happened to the game."""
        self.controller.game_changed.set()
        self.controller.step(0.0)

    def later(self, seconds=FLUSH_AFTER):
        self.now += seconds
        self.step()

    def still(self):
        """Nothing moves for so long that the board counts as still."""
        self.later(SETTLED_AFTER)

    def ask_of_desk(self, kind, **data):
        """Have the desk carry out a request."""
        self.controller.add_request(self.boards.add_request(self.board, kind, data))
        self.step()

    def turn(self, text=None):
        """The next legal turn."""
        loaded = self.games.load(self.game)
        move = loaded.legal(1)[0] if text is None else Move.parse(text)
        return loaded.rules.play(loaded.position, move)

    def play(self, text=None, seq=1):
        """A turn on the board, with its button; the turn."""
        turn = self.turn(text)
        self.hear(commit(turn, seq))
        return turn

    def lay(self, position, first):
        """Every pit settles on what it has in `position`, one event each from the number `first` on; the next number.
        Counts are stored when they have waited long enough."""
        counts = counts_of(position)
        self.hear(
            *(board_events.PitChanged(BOOT, first + pit, 0, pit, count + 0.04) for pit, count in enumerate(counts))
        )
        self.later()
        return first + len(counts)

    @property
    def position(self):
        return self.games.load(self.game).position

    @property
    def stored(self):
        return self.boards.get(self.board)

    @property
    def status(self):
        return self.stored.status

    @property
    def shown(self):
        """What the lights show, but for the last turn's pits."""
        return replace(self.connection.shown[-1], last=frozenset())

    @property
    def last_pits(self):
        """The pits that the lights show as the last turn's."""
        return self.connection.shown[-1].last

    def log(self):
        """The kinds of the entries of the board's log."""
        return [entry.kind for entry in self.boards.log(self.board)]


@pytest.fixture
def drivers_installed(monkeypatch):
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: object())


@pytest.fixture
def table(services, drivers_installed):
    return Table(services)


@pytest.fixture
def playing(table):
    table.hear(connected(), snapshot(table.position))
    return table
