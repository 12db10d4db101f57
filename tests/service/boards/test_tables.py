import time

import pytest

from inkeek.drivers.errors import DriverError
from inkeek.service.errors import BoardBound, Invalid
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, TableBoard, plan_of
from inkeek.service.games.write import Write
from tests.service.boards.desk_thread import DeskThread
from tests.service.waiting import until

WRITE = Write("api")
FIRST, SECOND = TableBoard(1, "/dev/first"), TableBoard(2, "/dev/second", serial="B-2", buttons=False)


@pytest.fixture
def cup(services):
    """An event of four with a board at each of its two tables, in its first round."""
    players = tuple(EventPlayer(id, name) for id, name in enumerate("ABCD", 1))
    plan = EventPlan("Cup", games=(OfferedGame("bof"),), players=players, format="all", boards=(FIRST, SECOND))
    services.events.create(plan, WRITE)
    return Cup(services)


class Cup:
    def __init__(self, services):
        self._services = services
        self.begin_round()

    def begin_round(self):
        self._services.events.begin_round("cup", None, WRITE)

    def set_boards(self, *boards):
        def changed(plan):
            return EventPlan(**{**{name: getattr(plan, name) for name in plan.__struct_fields__}, "boards": boards})

        self._services.events.change("cup", None, changed, Write("api"))

    def game(self, table, number=-1):
        plan = plan_of(self._services.events.load("cup"))
        return plan.rounds[number].pairings[table - 1].game

    def end(self, game_id):
        self._services.games.end(game_id, "agreement", None, WRITE)

    def bound(self):
        """The game of each open board, by its port."""
        return {board.url: board.game for board in self._services.boards.open()}


def test_each_round_brings_the_boards_to_their_new_games(services, cup):
    assert cup.bound() == {"/dev/first": cup.game(1), "/dev/second": cup.game(2)}
    board = services.boards.open()[1]
    assert (board.serial, board.buttons) == ("B-2", False)
    for table in (1, 2):
        cup.end(cup.game(table))
    cup.begin_round()
    assert cup.bound() == {"/dev/first": cup.game(1), "/dev/second": cup.game(2)}
    assert cup.game(1) != cup.game(1, 0)


def test_a_board_whose_game_goes_on_comes_when_that_is_over(services, cup):
    cup.end(cup.game(2))
    cup.begin_round()
    assert cup.bound() == {"/dev/first": cup.game(1, 0), "/dev/second": cup.game(2)}
    services.tables.seat_idle()
    assert cup.bound()["/dev/first"] == cup.game(1, 0)
    with pytest.raises(BoardBound):
        services.tables.bind(plan_of(services.events.load("cup")), 1)
    cup.end(cup.game(1, 0))
    services.tables.seat_idle()
    assert cup.bound()["/dev/first"] == cup.game(1)


def test_a_board_comes_from_a_game_outside_of_the_event(services, cup, monkeypatch):
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: object())
    other = services.games.create("bof", {}, {}, WRITE).id
    cup.set_boards(SECOND)
    services.boards.bind("/dev/first", "inkeek", other)
    cup.set_boards(FIRST, SECOND)
    assert cup.bound()["/dev/first"] == other
    cup.end(other)
    services.tables.seat_idle()
    assert cup.bound()["/dev/first"] == cup.game(1)


def test_boards_change_places_in_the_middle_of_a_round(cup):
    cup.set_boards(TableBoard(1, "/dev/second"), TableBoard(2, "/dev/first"))
    assert cup.bound() == {"/dev/second": cup.game(1), "/dev/first": cup.game(2)}
    cup.set_boards(TableBoard(1, "/dev/second"))
    assert cup.bound() == {"/dev/second": cup.game(1)}


def test_a_board_follows_a_changed_pairing(services, cup):
    services.events.change_table("cup", None, 1, 1, {"south": 1, "north": None}, WRITE)
    assert services.games.row(cup.bound()["/dev/first"]).state == "ended"
    services.events.change_table("cup", None, 1, 1, {"south": 1, "north": 4}, WRITE)
    assert cup.bound()["/dev/first"] == cup.game(1)


def test_the_desk_has_a_board_play_both_games_of_a_match(services):
    players = (EventPlayer(1, "A"), EventPlayer(2, "B"))
    plan = EventPlan("Duel", games=(OfferedGame("bof"),), players=players, format="all", legs=2, boards=(FIRST,))
    services.events.create(plan, WRITE)
    first = plan_of(services.events.begin_round("duel", None, WRITE)).rounds[0].pairings[0].game
    services.games.end(first, "resignation", "South", WRITE)
    second = services.matches.go_on(first, "", {}, WRITE).id
    with DeskThread(services, refuse, time.monotonic, services.tables):
        until(lambda: [board.game for board in services.boards.open()] == [second])


def refuse(name):
    """A driver that is not there."""
    raise DriverError(name)


@pytest.mark.parametrize(
    "boards",
    [
        (TableBoard(0, "/dev/first"),),
        (TableBoard(100, "/dev/first"),),
        (TableBoard(1, ""),),
        (TableBoard(1, "/dev/" + 300 * "x"),),
        (FIRST, TableBoard(1, "/dev/second")),
        (FIRST, TableBoard(2, "/dev/first")),
    ],
)
def test_what_is_wrong_with_the_boards_of_a_plan_is_refused(cup, boards):
    with pytest.raises(Invalid):
        cup.set_boards(*boards)
