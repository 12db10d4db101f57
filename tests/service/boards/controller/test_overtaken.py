"""Presses without sense, more of them than can be looked at, and a release in the middle of them."""

import pytest

from inkeek.drivers import events as board_events
from inkeek.drivers.detection import diagnosis
from inkeek.records import NORTH, SOUTH
from inkeek.service.boards.controller import BoardReleased
from inkeek.service.boards.controller.core import LOG_BURST
from inkeek.service.boards.searches import NoSearch
from tests.service.boards.controller.conftest import BOOT
from tests.service.boards_double import commit, press, snapshot

NONSENSE = (*(9.0, 0.0, 7.0, 1.0) * 4, 3.0, 2.0)


@pytest.fixture
def searched(monkeypatch):
    """One entry for each search for what happened."""
    found = []
    weigh = diagnosis.weigh

    def count(*arguments):
        found.append(arguments)
        return weigh(*arguments)

    monkeypatch.setattr(diagnosis, "weigh", count)
    return found


def senseless(seq, side=SOUTH, action="commit"):
    return board_events.Button(BOOT, seq, 0, side, action, NONSENSE)


def test_of_many_senseless_presses_only_the_last_of_each_side_is_searched(playing, searched):
    playing.hear(*(senseless(seq, NORTH if seq % 3 else SOUTH) for seq in range(1, 51)))
    assert len(searched) == 2
    assert playing.connection.acknowledged[-1] == (BOOT, 50)
    assert playing.status["refusals"] == 2
    assert "overtaken" in playing.log()
    assert playing.log().count("overtaken") <= LOG_BURST


def test_a_turn_that_is_clear_is_recorded_even_if_the_button_was_pressed_again(playing):
    rules, turns = playing.games.load(playing.game).rules, [playing.turn()]
    while len(turns) < 3:
        position = turns[-1].position
        turns.append(rules.play(position, rules.legal_moves(position)[0]))
    playing.hear(*(commit(turn, seq) for seq, turn in enumerate(turns, 1)))
    assert playing.games.row(playing.game).ply == 3


def test_a_press_that_somebody_has_answered_is_not_overtaken(playing, searched):
    playing.hear(senseless(1), senseless(2, action="accept"), senseless(3))
    assert len(searched) == 2


def test_of_many_snapshots_only_the_last_is_searched(playing, searched):
    shown = snapshot(playing.position)
    senseless = board_events.Snapshot(BOOT, 0, NONSENSE, (15,) * len(NONSENSE))
    playing.hear(*[senseless] * 20)
    assert len(searched) == 1
    playing.hear(shown)
    assert playing.controller.disagrees is False


def test_a_release_ends_a_step_between_two_events(playing):
    asked = []

    def release(*question):
        asked.append(question)
        playing.controller.released.set()
        playing.controller.stop_if_released()

    playing.controller.explain = release
    with pytest.raises(BoardReleased):
        playing.hear(senseless(1, NORTH), senseless(2), press(playing.position, SOUTH, 3))
    assert len(asked) == 1
    assert playing.connection.acknowledged == []
    assert "unhandled" not in playing.log()


def test_a_press_without_a_search_is_refused_with_the_nearest_turn_and_the_reason(playing):
    def refuse(*question):
        raise NoSearch("The board has had enough.")

    playing.controller.explain = refuse
    playing.hear(senseless(1))
    refusal = playing.status["refusal"]
    assert "The board has had enough." in " ".join(refusal["sentences"])
    assert refusal["meant"] is not None
    assert playing.games.row(playing.game).ply == 0
    playing.controller.explain = diagnosis.diagnose
    playing.play(seq=2)
    assert playing.games.row(playing.game).ply == 1
