"""Faulty sensors, contradicting reports, questions and turned boards, on an independent board."""

from random import Random

import pytest

from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import TransportError
from inkeek.records import PASS, Position, Rules, Turn, ruleset
from inkeek.service.boards.choices import answer_question
from inkeek.service.boards.controller import FLUSH_AFTER, BoardController
from inkeek.service.boards.status import read_status
from inkeek.service.errors import Conflict, Invalid
from inkeek.service.games.write import Write
from tests.drivers.detection.weighing import turns_that_differ_in_one_pit
from tests.foreign_board import Bench, ForeignBoard

BOF, OWARE = ruleset("bof"), ruleset("oware")


class Table:
    """A foreign board that plays a game. `turned`: it lies the wrong way round."""

    def __init__(self, services, game, position=None, *, stores=False, buttons=True, turned=False, confidence=None):
        self.games, self.boards = services.games, services.boards
        self.rules: Rules = ruleset(game)
        self.game = self.games.create(game, {}, {}, Write("api"), None if position is None else str(position)).id
        self.row, self.turned, self.bench = self.position.row, turned, Bench(TransportError)
        self.board = ForeignBoard(self.row, stores=stores, clock=self.bench.clock, serial=f"FB-{self.game}")
        self.board.confidence = confidence or self.board.confidence
        self.environment = self.bench.plug("a", self.board)
        for pit, seeds in enumerate(self.places(self.position)):
            self.board.seeds[self.sensor(pit)] = seeds
        self.id = self.boards.bind(f"/dev/{self.game}", "inkeek", self.game, buttons=buttons).id
        self.start()

    def start(self):
        """As a desk that was just started."""
        row = self.boards.get(self.id)
        connection = StandardBoard().connect(self.environment, row.resume)
        self.controller = BoardController(row, connection, self.games, self.boards, self.bench.clock)
        self.step(12)

    def step(self, times=6):
        """Let events be read and stored."""
        for _ in range(times):
            self.controller.game_changed.set()
            self.controller.step(FLUSH_AFTER)

    def sensor(self, pit):
        """The sensor under a pit of the game."""
        size = 2 * self.row
        return pit if not self.turned else (pit + self.row) % size if pit < size else size + 1 - (pit - size)

    def places(self, position):
        return (*position.pits, *position.stores)[: self.board.sensors]

    def sow(self, turn: Turn, *, lifted=None, dead=()):
        """Sow a turn. `lifted`: the pits that are lifted, if they are not its own; `dead` sensors do not see it."""
        own = [pit for pit in range(2 * self.row) if turn.emptied >> pit & 1 and turn.before.pits[pit]]
        for pit in own if lifted is None else lifted:
            if pit not in dead:
                self.board.lift(self.sensor(pit))
        for pit, seeds in enumerate(self.places(turn.position)):
            if pit not in dead and self.board.seeds[self.sensor(pit)] != seeds:
                self.board.put(self.sensor(pit), seeds)

    def press(self, side, action="commit"):
        sides = "ns" if self.turned else "sn"
        self.board.press(sides[side], action)
        self.step()

    def play(self, turn: Turn, **how):
        self.sow(turn, **how)
        self.press(turn.before.to_move)

    def answer(self, move, *, question=None, ply=None):
        refusal = self.status.refusal
        question = refusal.question if question is None else question
        ply = refusal.ply if ply is None else ply
        write = Write("page:Ann:1", actor="Ann")
        played = answer_question(self.boards, self.games, self.id, question, ply, str(move), write)
        self.step()
        return played

    def ask_of_desk(self, kind):
        ask = self.status.ask
        about = {"at": self.games.row(self.game).seq} if ask is None else {"question": ask.name}
        self.controller.add_request(self.boards.add_request(self.id, kind, {"by": "Ann", **about}))
        self.step()

    @property
    def position(self) -> Position:
        return self.games.load(self.game).position

    @property
    def ply(self) -> int:
        return self.games.load(self.game).row.ply

    @property
    def moves(self):
        return [ply.move for ply in self.games.load(self.game).record.plies]

    @property
    def status(self):
        return read_status(self.boards.get(self.id).status)

    @property
    def lit(self):
        """The pits of the game that are lit, and how."""
        return {self.sensor(sensor): light for sensor, light in self.board.lights.pits.items()}


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: StandardBoard())


# Faulty sensors


@pytest.mark.parametrize("case", range(3))
def test_a_dead_sensor_decides_between_no_two_turns(services, case):
    found = list(turns_that_differ_in_one_pit(BOF))
    one, other, dead = found[case * (len(found) - 1) // 2]
    table = Table(services, "bof", one.before)
    table.board.fault(dead)
    table.step()
    table.board.seeds[dead] = other.position.pits[dead]  # what it reads is the other turn's
    table.play(one, lifted=(), dead=(dead,))
    assert table.ply == 0
    candidates = table.status.refusal.candidates
    assert {str(one.move), str(other.move)} <= {choice.move for choice in candidates}
    assert candidates[0].probability == pytest.approx(candidates[1].probability, abs=0.1)
    assert [turn.move for turn in table.answer(one.move)] == [one.move]
    assert table.status.refusal is None
    assert not table.status.mend


def test_one_dead_sensor_does_not_force_entry_by_hand(services):
    table, random, dead, asked = Table(services, "bof"), Random(4), 3, 0
    table.board.fault(dead, confidence=15)  # a board that is always confident
    table.step()
    assert table.status.faulty == {str(dead): "open"}
    while (legal := [turn for turn in table.rules.turns(table.position) if turn.move != PASS]) and table.ply < 20:
        turn, ply = random.choice(legal), table.ply
        table.play(turn, dead=(dead,))
        if table.ply == ply:
            asked += 1
            assert str(dead) not in table.status.mend
            table.answer(turn.move)
        assert table.moves[-1] == turn.move
        assert table.ply == ply + 1
        if table.ply == 10:
            table.start()  # a new desk knows it too
            assert str(dead) in table.status.faulty
    assert table.ply >= 15
    assert asked <= 5
    table.board.fault(dead, "ok")
    table.step()
    assert table.status.faulty == {}


@pytest.mark.parametrize("level", [0, 1, 3])
def test_a_sensor_of_low_confidence_is_no_evidence(services, level):
    one, other, dead = next(turns_that_differ_in_one_pit(BOF))
    table = Table(services, "bof", one.before, confidence=[level if pit == dead else 15 for pit in range(10)])
    assert list(table.status.faulty) == [str(dead)]
    table.board.seeds[dead] = other.position.pits[dead]
    table.play(one, lifted=(), dead=(dead,))
    assert table.ply == 0
    table.board.confidence[dead] = 15
    table.board.seeds[dead] = one.position.pits[dead]
    table.start()
    assert table.status.faulty == {}
    table.press(one.before.to_move)
    assert table.moves == [one.move]


def test_a_health_report_names_faulty_sensors_too(services):
    one, other, dead = next(turns_that_differ_in_one_pit(BOF))
    table = Table(services, "bof", one.before)
    table.board.faults = [f"stuck{dead}"]
    table.step(24)  # the host asks every two seconds
    table.board.seeds[dead] = other.position.pits[dead]
    table.play(one, lifted=(), dead=(dead,))
    assert table.ply == 0


# Reports that contradict the counts


def test_another_pit_lifted_than_the_counts_say_is_a_question(services):
    table = Table(services, "oware")
    legal = table.rules.turns(table.position)
    turn, other = legal[5], legal[4]
    table.play(turn, lifted=(4,))
    assert table.ply == 0
    assert {str(turn.move), str(other.move)} == {choice.move for choice in table.status.refusal.candidates}
    table.start()  # the reports outlive the desk
    table.press(0)
    assert table.ply == 0
    table.answer(turn.move)
    assert table.moves == [turn.move]


def test_seeds_taken_and_put_back_are_no_question(services):
    table, random = Table(services, "oware"), Random(2)
    for ply in range(30):
        turn = random.choice(table.rules.turns(table.position))
        silent = ply % 3 == 2  # the board reports nothing now and then
        for pit in random.sample([pit for pit, seeds in enumerate(turn.before.pits) if seeds], 0 if silent else 2):
            table.board.lift(pit)
            table.board.put(pit, turn.before.pits[pit])
        table.play(turn, lifted=() if silent else None)
        assert table.ply == ply + 1
        assert table.status.ask is None


def test_seeds_that_move_without_any_pit_emptied_are_a_question_once_the_board_is_known(services):
    table, random = Table(services, "oware"), Random(2)
    for _ in range(24):
        table.play(random.choice(table.rules.turns(table.position)))
    assert table.ply == 24
    table.play(table.rules.turns(table.position)[0], lifted=())
    assert table.ply == 24
    assert table.status.refusal is not None
    assert table.status.refusal.candidates


# Answers


def asking(services):
    one, other, dead = next(turns_that_differ_in_one_pit(BOF))
    table = Table(services, "bof", one.before)
    table.board.fault(dead)
    table.play(one, dead=(dead,), lifted=())
    return table, one, other


def test_an_answer_is_recorded_once_as_what_a_person_says(services):
    table, one, other = asking(services)
    refusal = table.status.refusal
    assert table.answer(one.move)
    assert table.answer(one.move, question=refusal.question, ply=refusal.ply) == ()
    assert table.moves == [one.move]
    with pytest.raises(Conflict):
        table.answer(other.move, question=refusal.question, ply=refusal.ply)
    snapshot = table.games.load(table.game)
    comments = " ".join(snapshot.record.plies[0].comments)
    assert refusal.question in comments
    assert "Ann" in comments
    assert "%board" not in comments
    assert not table.status.refusal
    assert table.status.before is not None  # the counts are known to be right


def test_an_answer_that_is_not_offered_or_too_late_is_refused(services):
    table, one, _ = asking(services)
    offered = {choice.move for choice in table.status.refusal.candidates}
    wrong = next(turn for turn in table.rules.turns(one.before) if str(turn.move) not in offered)
    with pytest.raises(Invalid):
        table.answer(wrong.move)
    with pytest.raises(Conflict):
        table.answer(one.move, question="00000001:999")
    full = max(range(10), key=lambda pit: table.board.seeds[pit])
    table.board.put(full, 0)
    table.step()
    with pytest.raises(Conflict):
        table.answer(one.move)
    assert table.ply == 0


def test_a_long_press_takes_the_likeliest_turn_that_the_lights_have_shown(services):
    table = Table(services, "oware")
    turn = table.rules.turns(table.position)[5]
    table.play(turn, lifted=(4,))
    assert table.lit[5] == "blink"
    table.press(0, "accept")  # of the press that was refused: nobody had seen the lights
    assert table.ply == 0
    table.press(0)
    table.press(1, "accept")
    assert table.ply == 0
    table.press(0)
    table.press(0, "accept")
    assert table.moves == [turn.move]
    table.press(0, "accept")
    assert table.ply == 1


def test_seeds_moved_after_the_question_are_not_accepted(services):
    table = Table(services, "oware")
    turn = table.rules.turns(table.position)[5]
    table.play(turn, lifted=(4,))
    table.press(0)
    table.board.put(0, 3)
    table.press(0, "accept")
    assert table.ply == 0


def test_a_hand_on_a_pit_is_named(services):
    table = Table(services, "oware")
    turn = table.rules.turns(table.position)[2]
    table.sow(turn)
    table.board.put(5, turn.position.pits[5] + 37)
    table.board.put(9, turn.position.pits[9] + 3)
    table.press(0)
    assert table.ply == 0
    assert "37" in table.status.sentences[0]
    assert "pit f" in table.status.sentences[0]
    assert table.status.refusal.offered is None
    table.board.put(9, turn.position.pits[9])
    table.press(0)
    assert "37" in (table.status.note or table.status.sentences[0])


# Turned boards


def test_a_board_laid_the_wrong_way_round_is_told_by_its_first_turn(services):
    table, random = Table(services, "oware", turned=True), Random(5)
    turn = table.rules.turns(table.position)[2]
    table.play(turn)
    assert table.ply == 0
    assert (table.status.ask.kind, table.status.ask.move) == ("turned", str(turn.move))
    table.ask_of_desk("turned")
    assert table.status.turned
    assert table.status.ask is None
    table.press(0)
    assert table.moves == [turn.move]
    for ply in range(1, 12):
        turn = random.choice(table.rules.turns(table.position))
        table.play(turn)
        assert table.ply == ply + 1
        assert table.lit == {turn.move.pit_index(6): "on", turn.last_pit: "on"}
        assert list(table.board.lights.rows) == ["sn"[1 - table.position.to_move]]
        if ply == 6:
            table.start()


def test_a_board_turned_in_mid_game_can_be_accepted_with_the_button(services):
    position = OWARE.turns(OWARE.start())[3].position
    table = Table(services, "oware", position, turned=True)
    turn = table.rules.turns(position)[2]
    table.play(turn)
    table.press(1, "accept")
    assert not table.status.turned
    assert set(table.lit.values()) == {"blink"}
    assert turn.move.pit_index(6) in table.lit
    table.press(1)
    table.press(1, "accept")
    assert table.status.turned
    assert table.moves == [turn.move]


def test_no_button_says_that_a_board_lies_the_wrong_way_round_where_the_other_side_may_have_begun(services):
    """The lights would be those of its turn."""
    table = Table(services, "oware", turned=True)
    table.play(table.rules.turns(table.position)[2])
    assert table.status.ask.kind == "turned"
    assert not table.lit
    table.press(0)
    table.press(0, "accept")
    assert not table.status.turned
    assert table.ply == 0


@pytest.mark.parametrize("game", ["oware", "bof", "enkeshui", "layli-goobalay"])
def test_no_first_turn_is_recorded_on_a_turned_board(services, game):
    """With a button or without one, whatever the first turn is."""
    start = ruleset(game).start()
    rules = ruleset(game)
    for number, turn in enumerate(rules.turns(start)[:8]):
        table = Table(services, game, turned=True, buttons=bool(number % 2), stores=number % 4 < 2)
        table.sow(turn)
        if number % 2:
            table.press(turn.before.to_move)
        else:
            table.step(24)
        assert table.ply == 0
        assert table.status.ask is not None
        assert table.status.ask.kind == "turned"
        table.ask_of_desk("turned")
        if number % 2:
            table.press(turn.before.to_move)
        else:
            table.step(24)
        assert table.moves in ([turn.move], []), number
        assert table.moves or table.status.refusal


def test_a_board_turned_in_mid_game_is_told_before_the_next_turn(services):
    position = OWARE.turns(OWARE.start())[3].position
    table = Table(services, "oware", position, turned=True, stores=True)
    assert table.status.ask.kind == "turned"
    table.ask_of_desk("turned")
    assert table.status.turned
    turn = table.rules.turns(position)[1]
    table.play(turn)
    assert table.moves == [turn.move]
    table.turned = False
    for pit, seeds in enumerate(table.places(table.position)):
        table.board.put(pit, seeds)
    table.press(table.position.to_move)
    assert table.ply == 1
    table.ask_of_desk("upright")
    assert not table.status.turned
    turn = table.rules.turns(table.position)[1]
    table.play(turn)
    assert table.ply == 2


def test_what_a_turned_board_says_of_its_sensors_is_turned_too(services):
    table = Table(services, "oware", turned=True)
    table.board.fault(table.sensor(4))
    table.step()
    table.ask_of_desk("turned")
    assert list(table.status.faulty) == ["4"]
    table.board.fault(table.sensor(4), "ok")
    table.board.fault(table.sensor(7), "stuck")
    table.step()
    assert table.status.faulty == {"7": "stuck"}
