"""Scenes that went wrong once, with what must come of them; and some of each behaviour, drawn from fixed seeds."""

import random
from dataclasses import replace

import pytest

from inkeek.records import Move
from inkeek.service.games.write import Write

from .behaviours import BEHAVIOURS, make_scene
from .play import Play, Scene, WrongRecord, run, stand


@pytest.fixture(scope="module")
def at():
    with stand() as made:
        yield made


ASKED = [  # nothing wrong is recorded, and the program asks
    # the board is turned round between two turns, laid as at the start, which looks the same both ways, and played on
    "anywoli pits=7 | 4.4.4.4.4.4.4/4.4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes pits | "
    "play n G; press n; play s f; turn180; lay record; play n F; press n",
    # a turn is taken back elsewhere, the board laid out so, and both play at once, North out of turn first
    "kalah | 1.0.1.1.3.4/8.0.0.1.0.5 6-18 n 22 | stores=yes buttons=yes lifts | "
    "begin n A 1; play s d; press s; undo s; retract; lay record; play n D; play s c; press n",
    # North played out of turn before South, and the board looks as if North had only begun
    "bof | 8.8.2.0.3/8.0.0.3.1 7-0 n 3 | stores=no buttons=yes pits | play n E; press n; play n C; play s c; press s",
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
    # a forgotten button, and then a slip that everybody can see
    "layli-goobalay pits=6 | 0.2.0.7n.2.1/0.0.10n.3.1.2 2-18 s 8 | stores=yes buttons=yes pits | "
    "play s b; slip a F; play n F; press n",
    # a turn that nobody presses in the middle of a chain, thrown away as a slip
    "kalah | 0.0.0.0.2.1/0.5.1.1.1.4 13-20 n 35 | stores=yes buttons=yes lifts | play n B; play s f; play n C; press n",
    "kalah | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=no buttons=yes pits | "
    "play s a; press s; play s c; play n E; press n",
    # a question outlives the record that it was asked of: the turn before is taken back while no desk runs
    "enkeshui pits=8 setup=fours-right | 1.1.5.5.5.0.0.1/0.5.8.1.5.1.2.8 0-0 n 5 | stores=no buttons=yes none | "
    "play n H; press n; play s b; press s; note; desk-down; retract; enter E; desk; answer b; press s",
    # a question about a turn that was put back, and another one played at once that leaves equal counts
    "anywoli pits=7 | 1.0.0.1.1.2.1/0.1.12.1.11.1.0 16-8 n 11 | stores=no buttons=no lifts | "
    "play n B; wait 3; note; putback; play n C; wait 3; answer B",
    # a turn out of turn, and then the mover's: the same board as after the two in the other order
    "kalah | 4.4.4.0.5.5/5.4.4.4.4.4 1-0 n 1 | stores=yes buttons=no pits | play s e; play n F; wait 3",
    # a second turn whose choices leave equal counts, in a chain
    "enkeshui pits=8 setup=fours-right | 0.0.4.4.0.5.5.5/1.0.4.4.4.4.4.4 0-0 n 1 | stores=no buttons=yes pits | "
    "play n H; play s f<>; press s",
    # a slip is refused and left, and with the turn that is played then the counts are those of another
    "enkeshui | 1.4s.0.5n.0.0.1.0.0.0.0.1/0.2.0.3.2.0.2.1.1.1.5.0 10-9 n 15 | stores=no buttons=yes search=no lifts | "
    "slip J K 1; press n; play n K; press n",
    "enkeshui | 1.4s.0.5n.0.0.1.0.0.0.0.1/0.2.0.3.2.0.2.1.1.1.5.0 10-9 n 15 | stores=no buttons=yes search=yes lifts | "
    "slip J K 1; press n; play n K; press n",
]
NOTHING = [  # nothing wrong is recorded, whatever is said
    "oware | 1.0.4.2.0.0/0.0.1.2.2.13 2-21 n 51 | stores=no buttons=no lifts | clear all; wait 5",
    "oware | 1.0.4.2.0.0/0.0.1.2.2.13 2-21 n 51 | stores=no buttons=no pits | clear all; wait 5",
    # an undo that waited, of a turn that was taken back and entered again meanwhile
    "oware | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes lifts | "
    "play s a; press s; undo s; desk-down; retract; enter a; desk; lay start; wait 1; press n",
    # a long press, where the answer to the first press was never seen
    "enkeshui pits=8 setup=fours-right | 0.0.4.4.0.5.5.5/1.0.4.4.4.4.4.4 0-0 n 1 | stores=yes buttons=yes pits | "
    "play n H; press n; unplug; play s f<>; press s; hold s; plug",
    "enkeshui pits=8 setup=fours-right | 0.0.4.4.0.5.5.5/1.0.4.4.4.4.4.4 0-0 n 1 | stores=yes buttons=yes pits | "
    "play n H; press n; desk-down; play s f<>; press s; hold s; desk",
    "enkeshui pits=8 setup=fours-right | 0.0.4.4.0.5.5.5/1.0.4.4.4.4.4.4 0-0 n 1 | stores=yes buttons=yes pits | "
    "play n H; press n; play s f<>; press s; hold s",
    # the lights show the first turn of a course, or a pit in which two turns begin
    "enkeshui pits=8 | 1.9.0.1.2.0.1.6/12.0.5.1.2.1.2.3 2-0 s 2 | stores=yes buttons=yes pits | "
    "play s b<; play n A<; press n; grip n",
    "enkeshui pits=8 | 1.9.0.1.2.0.1.6/12.0.5.1.2.1.2.3 2-0 s 2 | stores=yes buttons=yes pits | "
    "play s b<; press s; play n A<; press n; grip n",
    "oware | 0.2.1.1.8.1/1.0.6.5.10.9 2-2 s 10 | stores=no buttons=yes none | "
    "play s f; play n C; play s d; press s; grip s",
    # the side begins that is not to move, and the lights of a board that lies the wrong way round are those of its turn
    "oware | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes lifts | play n C; press n; grip n; grip n",
    "bof | 4.4.4.4.4/4.4.4.4.4 0-0 s 0 | stores=no buttons=yes none | play n C; press n; grip n; grip n",
    # an empty board is offered as the last turn
    "oware | 1.0.4.2.0.0/0.0.1.2.2.13 2-21 n 51 | stores=no buttons=yes lifts | clear all; press n; grip n",
    # an offer whose lights fit two turns
    "enkeshui pits=8 setup=fours-right | 7.3.0.0.1.2.8.5/6.1.6.0.4.0.1.0 2-2 s 2 | stores=yes buttons=yes none | "
    "play s g<; press s; reply s",
]
RIGHT = [  # all that was played is recorded
    # Kalah as it is played: all extra moves, and then one press
    "kalah | 5.5.1.6.5.0/5.0.6.6.5.0 2-2 s 4 | stores=yes buttons=yes pits | play s b; play s f; play s c; press s",
    "kalah | 0.0.4.0.2.1/0.1.1.6.1.1 21-10 s 31 | stores=no buttons=yes none | play s f; play s e; play s c; press s",
    "oware | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes lifts | play s c; press s; play n B; press n",
    "kalah | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes lifts | play s c; press s; play s f; press s",
    "bof | 4.4.4.4.4/4.4.4.4.4 0-0 s 0 | stores=yes buttons=no pits | play s c; wait 3",
    # a long press after the second turn, which the program hears of later, with all that followed
    "oware | 5.4.4.4.0.5/5.0.6.5.5.5 0-0 s 2 | stores=yes buttons=yes lifts | play s c; unplug; play n D; hold n; plug",
    # a slip that is mended as the refusal says, without another press
    "oware | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes lifts | "
    "play s c; slip a b; press s; slip b a; wait 1; play n B; press n",
    "oware | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=no lifts | "
    "play s c; slip a b; wait 3; slip b a; play n B; wait 3",
    # pressed too early, and then the turn is finished
    "enkeshui | 1.4s.0.5n.0.0.1.0.0.0.0.1/0.2.0.3.2.0.2.1.1.1.5.0 10-9 n 15 | stores=no buttons=yes search=no lifts | "
    "begin n J 2; press n; finish; press n",
    "enkeshui | 1.4s.0.5n.0.0.1.0.0.0.0.1/0.2.0.3.2.0.2.1.1.1.5.0 10-9 n 15 | stores=no buttons=yes search=yes lifts | "
    "begin n J 2; press n; finish; press n",
]

JUDGED = {  # how scenes that were judged wrong once end, and why
    # undo is pressed twice, for one turn each, before the program hears of it
    "enkeshui pits=8 setup=fours-right | 1.0.0.0.1.6.1.6/1.0.0.1.6.1.1.1 16-6 s 4 | "
    "stores=yes buttons=yes search=no pits | play s h<; press s; play n B; press n; unplug; desk; putback; undo n; "
    "putback; undo s; play s f; press s": "right",
    "oware | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes search=no pits | unplug; play s c; press s; "
    "play n C; press n; putback; undo n; putback; undo s; play s d; press s": "right",
    # the sowing is stopped where another turn ends, with nothing but the counts to tell
    "bof | 1.2.0.0.1/4.1.2.2.1 19-7 n 9 | stores=no buttons=yes search=no none | "
    "begin n E 10; press n; finish; press n": "alike",
    # no sensor works in the pits that the turn changes
    "enkeshui pits=8 setup=fours-right direction_choice=each-relay | 4s.3s.0.2.0.0.0.3/1.4.3.1.3.8.0.2 6-8 n 3 | "
    "stores=yes buttons=no search=no lifts | fault b open; fault f open; fault F open; fault B open; fault D open; "
    "fault E open; fault a open; fault c open; play n D; wait 3; wait 3": "alike",
    # a seed that jumped lies as if the other side were sowing
    "enkeshui pits=8 setup=fours-right | 0.0.0.4.4s.1.2.0/2.5s.7n.1.0.0.0.11n 9-2 s 18 | "
    "stores=yes buttons=yes search=no lifts | slip f g 1; press n": "alike",
    # too many turns are legal to know whether one is being sown: the press is refused, and not passed over
    "enkeshui pits=8 setup=fours-right direction_choice=each-relay | 3.1.0.0.0.7.3.8/4.0.2.0.0.7.7.2 0-4 s 2 | "
    "stores=yes buttons=yes search=no none | play s h<>><<<<<>><; play n F<<<>><<<<<><; press n": "asked",
    # the answer is to an earlier press of a board with equal counts
    "anywoli pits=7 | 0.1.0.0.0.1.0/1.0.0.0.1.1.3 24-24 n 93 | stores=yes buttons=yes search=no none | "
    "play n E; press n; note; putback; play n F; press n; answer E": "asked",
    # a turn that was put back stands in the record, and the next one is entered on the page
    "layli-goobalay | 0.0.1.0.9.0.2.3.1.8.0.3/3.2.1.4.0.3.5.1.9.3.0.1 25-12 n 21 | stores=yes buttons=yes search=no "
    "noise=no lifts | play n D; press n; putback; play n J; press n; enter c; play s l; press s": "asked",
    # the first of two turns is the answer, and the pages say who had pressed for the second
    "anywoli pits=7 | 1.0.0.0.0.0.1/0.0.1.1.3.0.1 24-24 n 29 | stores=no buttons=yes search=no noise=no lifts | "
    "play n E; play s b; press n; play n C; press n; slip g A 1; answer b": "asked",
    # the board is turned while it restarts, and then laid as at the start, which looks the same both ways
    "anywoli pits=7 | 4.4.4.4.4.4.4/4.4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes search=no noise=no pits | "
    "play n G; press n; play s f; sits-turned; press s; lay record; play n F; press n": "asked",
    # the board has forgotten the press, and the program says what lies there
    "oware | 4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0 | stores=yes buttons=yes search=no lifts | "
    "unplug; play s c; press s; reboot": "asked",
}


@pytest.mark.parametrize(("line", "outcome"), JUDGED.items())
def test_a_scene_is_judged_by_what_sensors_and_buttons_can_tell(at, line, outcome):
    assert run(at, Scene.parse(line)).outcome == outcome


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
def test_nothing_is_recorded_that_nobody_played(at, line):
    played(at, line, lambda play: None)


@pytest.mark.parametrize("line", RIGHT)
def test_what_was_played_is_recorded(at, line):
    def check(play):
        assert play.recorded == play.line(play.hands.played)

    played(at, line, check)


def test_the_judge_sees_a_turn_that_nobody_played(at):
    play = Play(at, Scene.parse(RIGHT[0]))
    play.do("play s c")
    at.games.play(play.game, Move.parse("a"), Write("board:X:1"))
    with pytest.raises(WrongRecord):
        play.check()
    at.boards.release(play.board)


@pytest.mark.parametrize("name", [name for name in BEHAVIOURS if not name.startswith("stopped where")])  # rare
def test_nothing_wrong_is_recorded_and_nothing_lost(at, name):
    scene = make_scene(name, random.Random(name))
    assert scene is not None
    result = run(at, replace(scene, table=replace(scene.table, search=False)))
    assert result.outcome not in ("wrong", "lost"), str(result)
