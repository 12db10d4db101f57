import copy
import io
import pickle
from random import Random

import pytest

from records import (
    NORTH,
    Board,
    IllegalMove,
    Move,
    MoveSyntaxError,
    Position,
    RecordsError,
    read_games,
    ruleset,
    ruleset_ids,
    write_game,
)


@pytest.mark.parametrize("id", ruleset_ids())
def test_a_game_that_is_played_can_be_written_copied_compared_and_taken_back(id):
    rng, board = Random(id), Board(ruleset(id))
    while not board.is_game_over() and len(board.turns) < 60:
        move = rng.choice(board.legal_moves)
        board.push(rng.choice([move, str(move), move.choice_text]))
    game = board.game(South="A")
    (read,) = read_games(io.StringIO(write_game(game)))
    assert [problem.code for problem in read.problems if problem.code != "missing-race"] == []
    assert (tuple(read), read.tags["Result"], read.rules()) == (board.turns, board.result(), board.rules)
    assert (board.outcome() is None) == (read.replay().outcome is None)
    assert hash(pickle.loads(pickle.dumps(read))) == hash(copy.deepcopy(read)) == hash(read)
    assert "\n" not in repr(read)
    other = copy.copy(board)
    assert other == pickle.loads(pickle.dumps(board)) == board
    assert [other.pop() for _ in board.turns] == list(reversed(board.turns))
    assert other == Board(ruleset(id))
    assert other != board
    with pytest.raises(IndexError):
        other.pop()


def test_a_repetition_ends_the_game_unless_nobody_claims_it():
    start = Position.parse("0.0.0.0.0.1/0.0.0.0.0.1 23-23 s 40")
    board = Board(ruleset("oware", majority_end=False).starting_from(start))
    while not board.is_game_over():
        board.push(board.legal_moves[0])
    assert not board.is_game_over(repetition=False)
    assert (board.outcome().termination, board.result(repetition=False)) == ("repetition", "*")
    (game,) = read_games(io.StringIO(write_game(board.game())))
    assert (game.problems, game.replay().outcome.result) == ((), board.result())
    board.pop()
    assert not board.is_game_over()


def test_a_text_does_for_a_move():
    rules = ruleset("bof")
    start = rules.start()
    assert rules.play(start, "a") == rules.play(start, Move.parse("a"))
    assert rules.is_legal(start, "a")
    assert not rules.is_legal(start, "ax1")
    assert rules.explain(start, "A") == rules.explain(start, Move.parse("A"))
    assert rules.trace(start, "a").turn == rules.play(start, "a")
    board = Board(rules)
    for text, error in (("A", IllegalMove), ("what", MoveSyntaxError), (3, TypeError), (None, TypeError)):
        with pytest.raises(error):
            board.push(text)
    assert board.turns == ()


def test_rules_are_equal_by_value():
    rules = ruleset("oware")
    other = rules.starting_from(Position.parse("0.0.0.0.0.1/0.0.0.0.0.1 23-23 s 40"))
    assert {rules, ruleset("oware"), pickle.loads(pickle.dumps(rules))} == {rules}
    assert len({rules, other, ruleset("oware", repetition=0), ruleset("kalah")}) == 4
    assert rules != "oware"


def test_the_old_name_of_the_last_pit_warns():
    turn = ruleset("bof").play(ruleset("bof").start(), "a")
    with pytest.warns(DeprecationWarning, match="last_pit"):
        assert turn.end == turn.last_pit


def test_a_position_may_be_a_text_and_an_unknown_tag_is_refused():
    rules = ruleset("oware")
    board = Board(rules, str(Board(rules).push("c").position))
    assert board.position.to_move is NORTH
    assert board.game(South="A", my_note="x").tags["my_note"] == "x"
    with pytest.raises(RecordsError, match="'Sout': did you mean South"):
        board.game(Sout="A")


def test_the_repr_of_a_move_is_what_makes_it():
    assert eval(repr(Move.parse("cx16"))) == Move.parse("c")
