"""Scenes that went wrong once, with what must come of them; and some of each behaviour, drawn from fixed seeds."""

import random

import pytest

from .behaviours import BEHAVIOURS, make_scene
from .play import Play, Scene, WrongRecord, run, stand


@pytest.fixture(scope="module")
def at():
    with stand() as made:
        yield made


ASKED = [  # nothing wrong is recorded, and the program asks
    # Kalah: b, f and c with one press leave the board of f, b and c
    "kalah | 5.5.1.6.5.0/5.0.6.6.5.0 2-2 s 4 | stores=yes buttons=yes pits | play s b; play s f; play s c; press s",
    # a refusal is left open, and play goes on
    "oware | 1.2.1.2.4.9/0.4.0.3.13.0 3-6 s 30 | stores=no buttons=yes lifts | "
    "play s f; press s; play s b; press s; play n E; press n",
    # the board lies the wrong way round, and the question stays open
    "oware | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes lifts | "
    "sits-turned; play s c; press s; play n B; press n",
    # a beginner who is not the record's
    "oware | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes lifts | "
    "play n C; press n; play s b; press s; play n E; press n",
    # two turns and one press: the choices of the second leave equal counts
    "enkeshui pits=8 | 1.9.0.1.2.0.1.6/12.0.5.1.2.1.2.3 2-0 s 2 | stores=yes buttons=yes pits | "
    "play s b<; play n A<; press n",
    "enkeshui pits=8 | 1.9.0.1.2.0.1.6/12.0.5.1.2.1.2.3 2-0 s 2 | stores=yes buttons=yes pits | "
    "play s b<; press s; play n A<; press n",
    # given up, and the seeds put away
    "oware | 1.0.4.2.0.0/0.0.1.2.2.13 2-21 n 51 | stores=no buttons=yes lifts | clear all; press n",
    "oware | 1.0.4.2.0.0/0.0.1.2.2.13 2-21 n 51 | stores=no buttons=yes none | clear all; press n",
]
NOTHING = [  # nothing is recorded, and nobody need be asked
    "oware | 1.0.4.2.0.0/0.0.1.2.2.13 2-21 n 51 | stores=no buttons=no lifts | clear all; wait 5",
    "oware | 1.0.4.2.0.0/0.0.1.2.2.13 2-21 n 51 | stores=no buttons=no pits | clear all; wait 5",
]
RIGHT = [  # all that was played is recorded
    "oware | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes lifts | play s c; press s; play n B; press n",
    "kalah | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes lifts | play s c; press s; play s f; press s",
    "bof | 4.4.4.4.4/4.4.4.4.4 0-0 s 0 | stores=yes buttons=no pits | play s c; wait 3",
]


def played(at, line, check):
    play = Play(at, Scene.parse(line))
    try:
        for action in play.scene.actions:
            play.do(action)
        play.pass_time(1.0)
        check(play)
    finally:
        at.boards.release(play.board)


@pytest.mark.parametrize("line", ASKED)
def test_what_the_board_does_not_tell_is_asked(at, line):
    def check(play):
        assert play.status.refusal is not None or play.status.ask is not None

    played(at, line, check)


@pytest.mark.parametrize("line", NOTHING)
def test_a_cleared_board_is_no_turn(at, line):
    played(at, line, lambda play: None)


@pytest.mark.parametrize("line", RIGHT)
def test_what_was_played_is_recorded(at, line):
    def check(play):
        assert play.recorded == play.line(play.hands.played)

    played(at, line, check)


def test_the_judge_sees_a_turn_that_nobody_played(at):
    play = Play(at, Scene.parse(RIGHT[0]))
    play.do("play s c")
    play.hands.played.clear()
    with pytest.raises(WrongRecord):
        play.do("press s")
    at.boards.release(play.board)


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_nothing_wrong_is_recorded_and_nothing_lost(at, name):
    scene = make_scene(name, random.Random(name))
    assert scene is not None
    result = run(at, scene)
    assert result.outcome in ("right", "asked"), str(result)
