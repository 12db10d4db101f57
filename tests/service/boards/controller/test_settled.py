import pytest

from inkeek.drivers import events
from inkeek.drivers.base import Guidance
from inkeek.records import NORTH, SOUTH
from inkeek.service.boards.controller import SETTLED_AFTER
from inkeek.service.games.write import Write
from tests.service.boards.controller.conftest import BOOT, Table
from tests.service.boards_double import connected, press, snapshot


@pytest.fixture
def bare(services, drivers_installed):
    """A board without buttons."""
    table = Table(services)
    table.hear(connected(can=()), snapshot(table.position))
    return table


def test_a_turn_counts_when_the_board_lies_still(bare):
    turn = bare.turn()
    last = bare.lay(turn.position, 1) - 1
    bare.later(SETTLED_AFTER - 0.5)
    assert bare.games.row(bare.game).ply == 0
    bare.later(0.5)
    assert bare.position == turn.position
    event = bare.games.load(bare.game).events[-1]
    assert event.source == f"board:T-0001:{BOOT}:{last}"
    assert bare.shown == Guidance(NORTH)
    assert bare.stored.seq == last


def test_every_movement_begins_the_wait_anew(bare):
    turn = bare.turn()
    following, start = bare.lay(turn.position, 1), turn.move.pit_index(8)
    for _ in range(3):
        bare.later(SETTLED_AFTER - 0.5)
        counts = bare.status["counts"]
        bare.hear(
            events.Lifted(BOOT, following, 0, start), events.PitChanged(BOOT, following + 1, 0, start, counts[start])
        )
        following += 2
    assert bare.games.row(bare.game).ply == 0
    bare.still()
    assert bare.position == turn.position


def test_a_whole_game_is_played_without_a_button(bare):
    following = 1
    for ply in range(1, 7):
        turn = bare.turn()
        following = bare.lay(turn.position, following)
        bare.still()
        assert (bare.games.row(bare.game).ply, bare.position) == (ply, turn.position)


def test_a_board_with_buttons_can_be_bound_without_them(services, drivers_installed):
    table = Table(services, buttons=False)
    table.hear(connected(), snapshot(table.position))
    turn = table.turn()
    table.lay(turn.position, 1)
    table.still()
    assert table.position == turn.position
    assert table.status["buttons"] is False


def test_a_board_with_buttons_waits_for_them(playing):
    playing.lay(playing.turn().position, 1)
    playing.still()
    assert playing.games.row(playing.game).ply == 0


def test_seeds_in_a_hand_are_no_mistake_yet(bare):
    start = bare.position
    following = bare.lay(start.replaced(pits=(*start.pits[:4], 0, *start.pits[5:])), 1)
    bare.still()
    assert bare.status["refusal"] is None
    assert "refused" not in bare.log()
    turn = bare.turn()
    bare.lay(turn.position, following)
    bare.still()
    assert bare.position == turn.position


def test_a_mistake_is_refused_once_lit_and_mended(bare):
    turn = bare.turn()
    seeds = list(turn.position.pits)
    seeds[7], seeds[8] = seeds[7] - 1, seeds[8] + 1
    following = bare.lay(turn.position.replaced(pits=tuple(seeds)), 1)
    bare.still()
    assert bare.status["mend"] == {"7": 1, "8": -1}
    assert bare.shown == Guidance(SOUTH, frozenset({7, 8}), refused=True)
    bare.still()
    assert bare.log().count("refused") == 1
    bare.lay(turn.position, following)
    bare.still()
    assert bare.position == turn.position
    assert bare.log()[-1] == "mended"
    assert bare.shown == Guidance(NORTH)


def test_a_board_put_back_after_a_mistake_lies_right_again(bare):
    start = bare.position
    following = bare.lay(start.replaced(pits=(start.pits[0] + 1, *start.pits[1:])), 1)
    bare.still()
    assert bare.status["refusal"] is not None
    bare.lay(start, following)
    bare.still()
    assert bare.status["refusal"] is None
    assert bare.shown == Guidance(SOUTH)


def test_a_turn_that_lay_there_when_the_desk_died_is_recorded_once(bare):
    turn = bare.turn()
    last = bare.lay(turn.position, 1) - 1
    for _ in range(2):
        bare.sit()
        bare.hear(connected(can=()), snapshot(turn.position, last))
        bare.still()
        assert bare.games.row(bare.game).ply == 1


def test_an_answer_to_a_question_that_was_replaced_is_not_taken(bare):
    start, turn = bare.position, bare.turn()
    seq, names = 1, []
    for _ in range(2):  # the same question twice, and between them its answer
        seq = bare.lay(turn.position, seq)
        bare.still()
        seq = bare.lay(start, seq)
        bare.still()
        names.append(bare.status["ask"]["name"])
        if len(names) == 1:
            bare.ask_of_desk("dismiss", question=names[0])
            assert bare.status["ask"] is None
    bare.ask_of_desk("dismiss", question=names[0])  # who answered twice, or looked at an old page
    assert bare.status["ask"]["name"] == names[1]
    assert "late" in bare.status["note"]
    bare.ask_of_desk("turned", at=bare.games.row(bare.game).seq - 1)  # said before the last turn
    assert not bare.status["turned"]
    assert bare.boards.poll()[1] == []


def test_turns_are_taken_back_only_by_people(bare):
    start = bare.position
    turn = bare.turn()
    following = bare.lay(turn.position, 1)
    bare.still()
    bare.lay(start, following)
    bare.still()
    assert bare.games.row(bare.game).ply == 1
    ask = bare.status["ask"]
    assert (ask["kind"], ask["ply"]) == ("taken-back", 1)
    assert "1. " in ask["message"]
    bare.still()
    from inkeek.service.games.corrections import take_back

    take_back(bare.games, bare.game, "agreement", Write("page", expected_ply=1))
    bare.step()
    assert bare.status["ask"] is None
    assert bare.shown == Guidance(SOUTH)


def test_nothing_is_recorded_while_a_dispute_waits(bare):
    turn = bare.turn()
    following = bare.lay(turn.position, 1)
    bare.still()
    bare.hear(press(bare.position, NORTH, following, "dispute"))
    bare.lay(bare.turn().position, following + 1)
    bare.still()
    assert bare.games.row(bare.game).ply == 1
