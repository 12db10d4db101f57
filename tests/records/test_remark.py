import io
from dataclasses import replace

from inkeek.records import Game, Move, Ply, Variation, evaluations, read_games, remarks
from inkeek.records.notation.commands import By, Clock, Evaluation, Join, Remark, remark_errors
from inkeek.records.notation.movetext import PlyPlaces
from inkeek.records.position import SOUTH
from inkeek.records.replay import MAX_ERRORS


def read(text):
    (game,) = read_games(io.StringIO(text))
    return game


def test_evaluations_by_ply():
    game = read(
        '[Game "bof"]\n\n{[%eval 0] [%clk 0:10:00]} 1. a {[%clk 0:09:58] [%emt 0:00:02] [%eval 3]} '
        "B {no clock} 2. c {[%clk 0:09:50] corrected [%clk 0:09:51]} *\n"
    )
    assert list(remarks(game, Clock)) == [
        Remark(ply, Clock(left)) for ply, left in ((0, 600), (1, 598), (3, 590), (3, 591))
    ]
    assert evaluations(game) == (Evaluation(0), Evaluation(3), None, None)


def test_commands_of_some_kinds_in_their_order():
    game = read(
        '[Game "bof"]\n\n{[%join south "A"]} 1. a {[%by "A"] [%clk 0:00:01]} {[%by "B"]} ( 1. b {[%by "C"]} ) *\n'
    )
    assert list(remarks(game, By, Join)) == [Remark(0, Join(SOUTH, "A")), Remark(1, By("A")), Remark(1, By("B"))]


def test_what_is_wrong_is_an_error_at_its_ply_and_place_and_the_turns_are_kept():
    game = read(
        '[Game "bof"]\n\n1. a {[%clk\n  soon] and [%by "A} B\n( 1... C {[%emt x]} 2. c )\n2. c {[%clk soon]} *\n'
    )
    assert [(error.line, error.column, error.ply) for error in game.errors] == [
        (3, 7, 1),
        (4, 13, 1),
        (5, 11, 2),
        (6, 7, 3),
    ]
    assert len(game.replay().turns) == 3
    assert game.replay().outcome is None


def test_errors_beside_the_moves_stand_with_those_of_the_moves():
    game = read('[Game "bof"]\n\n1. a {[%clk x]} a {[%clk y]} *\n')
    assert [error.ply for error in game.errors] == [1, 2, 2]


def test_a_wrong_position_after_an_irregular_turn_is_one_error():
    game = read('[Game "bof"]\n\n1. ~a {[%after "4.4"]} *\n')
    assert len(game.errors) == 1
    assert "not a position: '4.4'" in game.errors[0].message


def test_what_was_not_read_from_text_has_no_place():
    game = Game({"Game": "bof"}, (Ply(Move.parse("a"), comments=("[%clk x]",)),), ("[%by]",))
    assert [(error.line, error.column, error.ply) for error in game.errors] == [(0, 0, 0), (0, 0, 1)]
    game = read('[Game "bof"]\n\n1. a {[%clk 0:00:01]} *\n')
    added = replace(game, plies=(*game.plies, Ply(Move.parse("B"), comments=("[%clk x]",))))
    assert [(error.line, error.column, error.ply) for error in added.errors] == [(0, 0, 2)]


def test_a_record_has_at_most_so_many_errors():
    game = read('[Game "bof"]\n\n1. a {' + "[%clk x] " * 50 + "} *\n")
    assert [error.column for error in game.errors] == [7 + 9 * number for number in range(MAX_ERRORS)]
    assert len(list(remark_errors(game, PlyPlaces(game.source), 3))) == 3


def test_variations_are_looked_into_however_deep():
    line = Variation((Ply(Move.parse("a"), comments=("[%clk x]",)),))
    for _ in range(5000):
        line = Variation((Ply(Move.parse("a"), variations=(line,)),))
    assert len(list(remark_errors(Game({}, line.plies), PlyPlaces(None), 5))) == 1
